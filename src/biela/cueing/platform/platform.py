"""`Platform`: what all motion platforms have in common.

A platform knows its inverse kinematics as expressions: the positions of its actuators for a pose, and
*margins*, smooth numbers that are negative where a pose is out of reach. Everything else is made of these:
Functions for poses (which batch natively), the forward kinematics by Newton's method, the reach along any
direction. Poses are relative to rest, in metres and radians.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import inf
from typing import Any, ClassVar

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.derivative import jacobian
from biela.expr.expression import Expr, constant, maximum, minimum, where
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.expr.linear import lu
from biela.expr.matrix import matrix
from biela.mechanics.system import System

NEWTON, CLOSED = 8, 1e-9  # steps of the forward kinematics; what its equations may be off by
SCAN, HALVINGS = 64, 52  # of the search for the end of reach along a direction


@dataclass(frozen=True)
class Limits:
    """What the actuators can do: positions (rad or m), speeds, accelerations; inf where unlimited."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    speed: tuple[float, ...]
    acceleration: tuple[float, ...]

    @staticmethod
    def alike(count: int, low: float, high: float, speed: float, acceleration: float) -> Limits:
        """The same limits for all actuators."""
        return Limits((low,) * count, (high,) * count, (speed,) * count, (acceleration,) * count)


@dataclass(frozen=True)
class Reach:
    """Positions of the actuators as expressions, margins that are not negative where these exist, and
    equations of the loops for given actuators."""

    positions: list[Expr]
    margins: list[Expr]


@dataclass(frozen=True)
class Workspace:
    """The range of each degree of freedom with the others at rest, and the share of the box of all ranges."""

    platform: str
    ranges: dict[str, tuple[float, float]]
    share: float

    def __str__(self) -> str:
        lines = [f"{self.platform}: {100.0 * self.share:.0f} % of the box of its ranges can be had"]
        for name, (low, high) in self.ranges.items():
            linear = name in ("surge", "sway", "heave")
            scale, unit = (1.0, "m") if linear else (180.0 / np.pi, "deg")
            lines.append(f"{name:<6} {scale * low:>9.3f} .. {scale * high:>8.3f} {unit}")
        return "\n".join(lines)


class Platform(ABC):
    """A motion platform; see the classes of `PLATFORMS`.

    ``pose_limits`` are (low, high) for each degree of freedom, on top of what the actuators allow.
    """

    name: ClassVar[str]
    dofs: ClassVar[tuple[str, ...]]
    actuators: ClassVar[tuple[str, ...]]
    senses: ClassVar[dict[str, float]] = {}  # -1 where a degree of freedom is counted the other way round
    limits: Limits
    pose_limits: tuple[tuple[float, float], ...]

    @abstractmethod
    def reach(self, graph: Graph, pose: Sequence[Expr]) -> Reach:
        """The actuators' positions for a pose, and how far it is within reach."""

    @abstractmethod
    def gaps(self, graph: Graph, pose: Sequence[Expr], actuators: Sequence[Expr]) -> list[Expr]:
        """As many equations as degrees of freedom, zero where pose and actuators belong together."""

    def mechanism(self) -> System | None:
        """Its multibody model, where there is one."""
        return None

    # Functions

    @cached_property
    def inverse(self) -> Function:
        """``actuators``, ``valid`` (1 or 0) and ``margin`` of a ``pose``; never nan for a finite pose."""
        graph, pose = self._pose()
        found = self.reach(graph, pose)
        margin = self._margin(pose, found)
        outputs = {"actuators": found.positions, "valid": margin >= 0.0, "margin": margin}
        return Function(f"{self.name}_inverse", {"pose": pose}, outputs)

    @cached_property
    def margin(self) -> Function:
        """The smallest margin of a pose alone: negative where it is out of reach."""
        graph, pose = self._pose()
        found = self.reach(graph, pose)
        return Function(f"{self.name}_margin", {"pose": pose}, {"margin": self._margin(pose, found)})

    @cached_property
    def actuator_margin(self) -> Function:
        """The same for what the actuators allow: smooth where one margin is the smallest all along."""
        graph, pose = self._pose()
        found = self.reach(graph, pose)
        outputs = {"margin": reduce(minimum, self._actuator_margins(found))}
        return Function(f"{self.name}_actuator_margin", {"pose": pose}, outputs)

    @cached_property
    def forward(self) -> Function:
        """``pose``, its ``gap`` and ``valid`` of ``actuators``, from a ``guess``: Newton's method."""
        graph, pose = self._pose()
        actuators = [graph.symbol(f"a{k}") for k in range(len(self.actuators))]
        gaps = self.gaps(graph, pose, actuators)
        slopes = jacobian(gaps, pose)
        entries = [
            [slopes.get((i, j), constant(graph, 0.0)) for j in range(len(pose))] for i in range(len(pose))
        ]
        step = lu(matrix(entries)).solve(matrix(gaps))
        after = [x - dx for x, dx in zip(pose, step, strict=True)]
        newton = Function("newton", {"pose": pose, "actuators": actuators}, {"pose_": after})
        check = Function("gap", {"pose": pose, "actuators": actuators}, {"gap": _largest(gaps)})
        found: Any = pose
        for _ in range(NEWTON):
            found = newton(found, actuators)
        gap = check(found, actuators)
        outputs = {"pose": found, "gap": gap, "valid": gap < CLOSED}
        return Function(f"{self.name}_forward", {"actuators": actuators, "guess": pose}, outputs)

    @cached_property
    def _inverse_kernel(self) -> Kernel:
        return Kernel(self.inverse)

    @cached_property
    def _forward_kernel(self) -> Kernel:
        return Kernel(self.forward)

    # numbers

    def positions(self, poses: Any) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the actuators for poses, one or a row each, and which poses are within reach.

        Raises ValueError for poses that are not finite or of another shape.
        """
        rows = self.checked(poses, len(self.dofs), "poses")
        found = self._inverse_kernel.batch(np.ascontiguousarray(rows.T))
        many = np.ndim(poses) == 2
        actuators, valid = found.actuators.T, found.valid > 0.5
        return (actuators, valid) if many else (actuators[0], valid[0])

    def poses(self, actuators: Any, guess: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Poses for positions of the actuators, one or a row each, and which of them were found.

        ``guess`` is where the search starts, rest if it is not given.
        """
        rows = self.checked(actuators, len(self.actuators), "positions")
        start = np.zeros((len(rows), len(self.dofs))) if guess is None else np.broadcast_to(
            np.asarray(guess, float), (len(rows), len(self.dofs)))  # fmt: skip
        found = self._forward_kernel.batch(np.ascontiguousarray(rows.T), np.ascontiguousarray(start.T))
        many = np.ndim(actuators) == 2
        pose, valid = found.pose.T, found.valid > 0.5
        return (pose, valid) if many else (pose[0], valid[0])

    def checked(self, values: Any, width: int, what: str) -> np.ndarray:
        """Rows of finite numbers; raises ValueError for others."""
        rows = np.atleast_2d(np.asarray(values, float))
        if rows.ndim != 2 or rows.shape[1] != width:
            raise ValueError(f"{self.name}: {what} have {width} columns; got shape {np.shape(values)}.")
        if not np.isfinite(rows).all():
            k = int(np.argmin(np.isfinite(rows).all(axis=1)))
            raise ValueError(f"{self.name}: {what} are finite numbers; row {k} is {rows[k].tolist()}.")
        return rows

    def edge(self, directions: Any, most: float = np.pi / 2) -> np.ndarray:
        """How far one can go from rest along directions, a row each, before the first pose out of reach.

        The answer multiplies the direction; ``most`` is where the search ends.
        """
        rows = self.checked(directions, len(self.dofs), "directions")
        turned = np.ascontiguousarray(rows.T)
        steps = most * np.arange(1, SCAN + 1) / SCAN
        kernel = Kernel(self.margin)
        inside = np.array([kernel.batch(np.ascontiguousarray(turned * s)) >= 0.0 for s in steps])
        first = np.where(inside.all(axis=0), SCAN, np.argmin(inside, axis=0))
        low = np.concatenate([[0.0], steps])[first]
        high = np.concatenate([steps, [most]])[first]
        return self._halved(low, high, turned)

    def workspace(self, most: float = np.pi / 2, samples: int = 20_000, seed: int = 1) -> Workspace:
        """How far each degree of freedom goes alone, and how much of their box can be had together."""
        axes = np.eye(len(self.dofs))
        high, low = self.edge(axes, most), -self.edge(-axes, most)
        box = np.random.default_rng(seed).uniform(low, high, (samples, len(self.dofs)))
        share = float(self.positions(box)[1].mean())
        ranges = {name: (float(low[k]), float(high[k])) for k, name in enumerate(self.dofs)}
        return Workspace(self.name, ranges, share)

    def _halved(self, low: np.ndarray, high: np.ndarray, directions: np.ndarray) -> np.ndarray:
        graph, d = self._pose()
        a, b = graph.symbols("low high")
        middle = 0.5 * (a + b)
        inside = self.margin([middle * x for x in d]) >= 0.0
        after = [where(inside, middle, a), where(inside, b, middle)]
        kernel = Kernel(Function(f"{self.name}_halving", {"x": [a, b], "direction": d}, {"x_next": after}))
        start = np.ascontiguousarray(np.stack([low, high]))
        return kernel.iterate(start, HALVINGS, directions, every=HALVINGS)[-1, 0]

    # parts

    def _pose(self) -> tuple[Graph, list[Expr]]:
        graph = Graph()
        return graph, [graph.symbol(name) for name in self.dofs]

    def _margin(self, pose: Sequence[Expr], found: Reach) -> Expr:
        limited = _within(pose, self.pose_limits)
        return reduce(minimum, [*self._actuator_margins(found), *limited])

    def _actuator_margins(self, found: Reach) -> list[Expr]:
        bounds = list(zip(self.limits.low, self.limits.high, strict=True))
        return [*found.margins, *_within(found.positions, bounds)]


def _within(values: Sequence[Expr], bounds: Sequence[tuple[float, float]]) -> list[Expr]:
    margins: list[Expr] = []
    for x, (low, high) in zip(values, bounds, strict=True):
        margins += [] if low == -inf else [x - low]
        margins += [] if high == inf else [high - x]
    return margins


def _largest(values: Sequence[Expr]) -> Expr:
    return reduce(maximum, [abs(value) for value in values])
