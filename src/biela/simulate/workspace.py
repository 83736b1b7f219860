"""Workspaces: every way a mechanism closes over a grid of some coordinates, and how near it is to singular.

The grid may be of the driven coordinates, which gives what the mechanism can reach, or of the outputs, which
gives what must be driven. Newton's steps run natively for all points of the grid and many random starts at
once; then solutions are handed to neighbouring points until no more are found. That is a search, not a proof:
raise ``tries`` where few of many ways are found.

Singular positions (Gosselin and Angeles, 1990) are told by the ratio of the smallest to the largest singular
value of the constraints' Jacobian by the coordinates that follow: zero where the grid's coordinates do not
determine them ('direct', for driven ones), or where the outputs do not determine them ('inverse').
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.expression import constant, maximum, minimum
from biela.expr.function import Function
from biela.mechanics.model import Model
from biela.mechanics.quantity import TURN
from biela.simulate.assembly import assemble, guesses, index_of, turning
from biela.simulate.following import Following
from biela.simulate.state import State, inputs, parameters

STEPS, POLISH = 40, 6  # of Newton's method, from random starts and from neighbours or solutions
CLOSED, STILL = 1e-10, 1e-9  # residual, and last change
SAME = 1e-6  # ways nearer than this are one
ROUNDS = 50  # of handing solutions on
LANES = 200_000  # at once


@dataclass(frozen=True, eq=False)
class Workspace:
    """The positions found: one row of ``q`` for each, and in ``point`` its place in the grid, row by row."""

    model: Model
    names: tuple[str, ...]
    axes: tuple[np.ndarray, ...]
    point: np.ndarray
    q: np.ndarray
    direct: np.ndarray
    inverse: np.ndarray | None
    p: np.ndarray

    def __repr__(self) -> str:
        share = np.mean(self.reachable)
        grid = " x ".join(f"{len(axis)} {name}" for name, axis in zip(self.names, self.axes, strict=True))
        return f"<Workspace of {self.model.name}: {grid}, {share:.1%} reachable, {len(self.q)} positions>"

    def __getitem__(self, name: str) -> np.ndarray:
        """The values of a coordinate at all positions."""
        return self.q[:, index_of(self.model, name)]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the grid."""
        return tuple(len(axis) for axis in self.axes)

    @property
    def ways(self) -> np.ndarray:
        """In how many ways it closes, at each point of the grid."""
        return np.bincount(self.point, minlength=int(np.prod(self.shape))).reshape(self.shape)

    @property
    def reachable(self) -> np.ndarray:
        """Where it closes."""
        return self.ways > 0

    def state(self, k: int) -> State:
        """One of the positions, at rest."""
        q = self.q[k].copy()
        return State(self.model, q, np.zeros(len(q)), 0.0, self.p, inputs(self.model))

    def value(self, function: str | Function) -> np.ndarray:
        """The first output of a Function of positions, a row for each."""
        wanted = self.model.functions[function] if isinstance(function, str) else function
        have = {"q": np.ascontiguousarray(self.q.T), "p": self.p, "t": 0.0}
        given: dict[str, Any] = {port.name: have[port.name] for port in wanted.inputs}
        found: Any = Kernel(wanted).batch(**given)
        return np.moveaxis(found[0] if len(wanted.outputs) > 1 else found, -1, 0)


def workspace(
    model: Model,
    axes: Mapping[str, Any],
    *,
    outputs: Sequence[str] = (),
    p: Any = None,
    tries: int = 24,
    seed: int = 1,
) -> Workspace:
    """All positions over the grid of the values in ``axes``, which name as many coordinates as are free.

    With ``outputs``, as many coordinates as are free too, the inverse measure is told as well.

    Raises KeyError for an unknown name, and ValueError for other numbers of coordinates or values that are
    not finite.
    """
    names = tuple(axes)
    values = tuple(_axis(name, axis) for name, axis in axes.items())
    driven = [index_of(model, name) for name in names]
    if len(model.phi_dot) > len(model.phi) or model.time is not None:
        raise ValueError(f"Model '{model.name}' rolls, or depends on time: it has no workspace of positions.")
    first = assemble(model, velocities=np.zeros(len(model.q)), p=p)
    grid = np.stack([axis.ravel() for axis in np.meshgrid(*values, indexing="ij")], axis=-1)
    search = _Search(first, driven, grid, parameters(model, p))
    found = search.neighbours(search.scattered(tries, seed), tuple(len(axis) for axis in values))
    point = np.array([k for k, ways in enumerate(found) for _ in ways], int)
    q = np.array([way for ways in found for way in ways]).reshape(len(point), len(model.q))
    J = search.jacobians(q)
    direct = _measure(J, [k for k in range(len(model.q)) if k not in driven])
    inverse = None
    if outputs:
        places = [index_of(model, name) for name in outputs]
        if len(set(places)) != len(driven):
            raise ValueError(
                f"{len(driven)} outputs are expected, as many as coordinates of the grid; got {len(places)}."
            )
        inverse = _measure(J, [k for k in range(len(model.q)) if k not in places])
    return Workspace(model, names, values, point, q, direct, inverse, search.p)


def _axis(name: str, given: Any) -> np.ndarray:
    axis = np.atleast_1d(np.asarray(given, float))
    if axis.ndim != 1 or not axis.size or not np.isfinite(axis).all():
        raise ValueError(f"The values of '{name}' are a row of finite numbers; got {given!r}.")
    return axis


def _measure(J: np.ndarray, columns: list[int]) -> np.ndarray:
    """The smallest singular value over the largest one, of these columns."""
    if not columns or not len(J):
        return np.ones(len(J))
    sizes = np.linalg.svd(J[:, :, columns], compute_uv=False)
    return sizes[:, len(columns) - 1] / sizes[:, 0]


class _Search:
    """Newton's method for many points at once."""

    def __init__(self, first: State, driven: list[int], grid: np.ndarray, p: np.ndarray) -> None:
        self.model, self.driven, self.grid, self.p = first.model, driven, grid, p
        self.follow = Following(first, driven)
        self.turns = turning(self.model)
        self.found: list[list[np.ndarray]] = [[] for _ in grid]

    @cached_property
    def kernel(self) -> Kernel:
        """One step of at most one radian or metre; beside the positions, the residual and the change."""
        model, graph, q = self.model, self.model.graph, self.model.q
        after = self.follow.correction(**self._symbols(self.follow.correction))
        change = [abs(a - b) for a, b in zip(after, q, strict=True)]
        largest = constant(graph, 1e-300)
        for value in change:
            largest = maximum(largest, value)
        factor = minimum(1.0, 1.0 / largest)
        moved = [b + (a - b) * factor for a, b in zip(after, q, strict=True)]
        gap = constant(graph, 0.0)
        for value in model.phi:
            gap = maximum(gap, abs(value))
        watched = [graph.symbol("workspace.gap"), graph.symbol("workspace.change")]
        ports = {name: v for name, v in model.ports("position").items() if name != "q"}
        inputs = {"x": [*q, *watched], **ports}
        return Kernel(Function(f"{model.name}_newton", inputs, {"x_next": [*moved, gap, largest]}))

    def _symbols(self, function: Function) -> dict[str, Any]:
        return {port.name: function.value(port) for port in function.inputs}

    def scattered(self, tries: int, seed: int) -> list[int]:
        """Solutions from random starts; the points that have some."""
        starts = np.array(list(guesses(self.model, tries, seed)))
        batch = max(1, LANES // tries)
        for begin in range(0, len(self.grid), batch):
            points = np.arange(begin, min(begin + batch, len(self.grid))).repeat(tries)
            self._solve(points, np.tile(starts, (len(points) // tries, 1)), STEPS)
        return [k for k, ways in enumerate(self.found) if ways]

    def neighbours(self, fresh: list[int], shape: tuple[int, ...]) -> list[list[np.ndarray]]:
        """Hand solutions on to neighbouring points, as long as new ones come of it."""
        for _ in range(ROUNDS):
            points, starts = list[int](), list[np.ndarray]()
            for k in fresh:
                for other in _beside(k, shape):
                    points += [other] * len(self.found[k])
                    starts += self.found[k]
            if not points:
                break
            fresh = self._solve(np.array(points), np.array(starts), STEPS)
        return self.found

    def _solve(self, points: np.ndarray, starts: np.ndarray, steps: int) -> list[int]:
        """Solutions at points from starts; the points where one is new."""
        x = np.zeros((starts.shape[1] + 2, len(points)))
        x[:-2] = starts.T
        x[self.driven] = self.grid[points].T
        ports = {port.name for port in self.kernel.function.inputs}
        given: dict[str, Any] = {"p": self.p} if "p" in ports else {}
        with np.errstate(all="ignore"):
            x = self.kernel.iterate(x, steps, every=steps, **given)[-1]
            x = self.kernel.iterate(x, POLISH, every=POLISH, **given)[-1]
        good = np.isfinite(x).all(axis=0) & (x[-2] < CLOSED) & (x[-1] < STILL)
        turned = (x[:-2] + np.pi) % TURN - np.pi
        q = np.array(x[:-2])
        q[self.turns] = turned[self.turns]
        q[self.driven] = self.grid[points].T
        return sorted({int(k) for k, way in zip(points[good], q.T[good], strict=True) if self._new(k, way)})

    def _new(self, k: int, way: np.ndarray) -> bool:
        """Keep a position, unless it is known at that point."""
        for known in self.found[k]:
            gap = np.abs(way - known)
            if np.where(self.turns, np.minimum(gap % TURN, TURN - gap % TURN), gap).max() < SAME:
                return False
        self.found[k].append(way.copy())
        return True

    def jacobians(self, q: np.ndarray) -> np.ndarray:
        """The Jacobian of the constraints at all positions."""
        if not len(self.model.phi) or not len(q):
            return np.zeros((len(q), len(self.model.phi), len(self.model.q)))
        function = self.model.functions["Phi_q"]
        have: dict[str, Any] = {"q": np.ascontiguousarray(q.T), "p": self.p}
        found: Any = Kernel(function).batch(**{port.name: have[port.name] for port in function.inputs})
        return np.broadcast_to(np.moveaxis(found, -1, 0), (len(q), *function.outputs[0].shape))


def _beside(k: int, shape: tuple[int, ...]) -> list[int]:
    """The places of the neighbours of a point along each axis."""
    place, found = np.unravel_index(k, shape), list[int]()
    for axis, size in enumerate(shape):
        for step in (-1, 1):
            other = [int(i) for i in place]
            other[axis] += step
            if 0 <= other[axis] < size:
                found.append(int(np.ravel_multi_index(other, shape)))
    return found
