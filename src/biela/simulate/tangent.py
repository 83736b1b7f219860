"""Small changes along the constraints: how positions, velocities and accelerations answer each other.

A mechanism at a state (q, dq) may move by dq in the null space of ``Phi_dq``; how its accelerations change
follows from the equations themselves, differentiated once:

    d(M ddq - delta + J' lambda) = 0,    d(J ddq - gamma) = 0,

with ``ddq`` and the multipliers held while M, delta, J and gamma are differentiated, and then solved for. So
no factorised expression is differentiated, and redundant equations do no harm: the solution is split into
the motions the constraints demand and those they leave free (singular values, np.linalg.svd).

All arrays have a first axis of states, so a sweep is one call of native code and one of LAPACK.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast
from weakref import WeakKeyDictionary

import numpy as np
from scipy.linalg import qr  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from biela.compile.kernel import Kernel
from biela.expr.derivative import jacobian
from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.expr.matrix import Matrix
from biela.mechanics.model import Model
from biela.mechanics.quantity import Quantity
from biela.simulate.state import State, index, parameters

CUTOFF = 1e-9  # of singular values: what is smaller is redundant
_SLOPES: WeakKeyDictionary[Model, Function] = WeakKeyDictionary()  # kept as long as their model


class Split(NamedTuple):
    """A Jacobian's pseudo-inverse, and an orthonormal basis of the motions it leaves free."""

    inverse: np.ndarray
    free: np.ndarray


def split(J: np.ndarray) -> Split:
    """The parts of stacked Jacobians; raises ValueError where their ranks differ."""
    if not J.shape[1]:
        count, _, n = J.shape
        return Split(np.zeros((count, n, 0)), np.tile(np.eye(n), (count, 1, 1)))
    U, sizes, Vh = np.linalg.svd(J)
    ranks = np.sum(sizes > CUTOFF * np.maximum(sizes[:, :1], 1e-300), axis=1)
    rank = int(ranks.max())
    if (ranks != rank).any():
        raise ValueError(
            f"The constraints have rank {rank} at some of the states and {int(ranks.min())} at others: a "
            "singular position is among them. Leave it out."
        )
    V = np.swapaxes(Vh, 1, 2)
    inverse = V[:, :, :rank] @ (np.swapaxes(U[:, :, :rank], 1, 2) / sizes[:, :rank, None])
    return Split(inverse, V[:, :, rank:])


def respond(
    M: np.ndarray, parts: Split, forces: np.ndarray, demands: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations and multipliers of ``M a + J' l = forces, J a = demands``, column by column.

    Raises numpy.linalg.LinAlgError where a motion that the constraints allow has no inertia.
    """
    needed, N = parts.inverse @ demands, parts.free
    rest = forces - M @ needed
    across = np.swapaxes(N, 1, 2)
    a = needed + N @ np.linalg.solve(across @ M @ N, across @ rest)
    return a, np.swapaxes(parts.inverse, 1, 2) @ (forces - M @ a)


def slopes(model: Model) -> Function:
    """The equations' derivatives by q, dq and u at given accelerations and multipliers.

    ``e_*`` are those of ``M ddq - delta + J' lambda``, ``a_*`` of ``J ddq - gamma``, ``v_q`` of ``Phi_dot``.
    """
    if model not in _SLOPES:
        _SLOPES[model] = _slopes(model)
    return _SLOPES[model]


def _slopes(model: Model) -> Function:
    graph = model.graph
    e = output(model.functions["e"]) * float(model.sign)
    outputs: dict[str, Matrix] = {}
    if len(model.phi_dot):
        ddq, multipliers = (Matrix(graph, (len(s),), tuple(x.ref for x in s)) for s in _moving(model))
        e = e + model.phi_dq.T @ multipliers
        demanded = model.phi_dq @ ddq - model.gamma
        outputs = {"a_q": by(model, demanded, model.q), "a_dq": by(model, demanded, model.dq)}
        outputs["v_q"] = by(model, model.phi_dot, model.q)
    outputs |= {"e_q": by(model, e, model.q), "e_dq": by(model, e, model.dq)}
    if model.inputs:
        outputs["e_u"] = by(model, e, [quantity.symbol for quantity in model.inputs])
    return model.function("slopes", outputs, "acceleration", multipliers=True)


def by(model: Model, values: Matrix, symbols: Sequence[Expr]) -> Matrix:
    """The Jacobian of a vector by symbols."""
    refs = [model.graph.ZERO] * (len(values) * len(symbols))
    for (i, j), slope in jacobian(values.expressions, symbols).items():
        refs[i * len(symbols) + j] = slope.ref
    return Matrix(model.graph, (len(values), len(symbols)), tuple(refs))


def _moving(model: Model) -> tuple[list[Expr], list[Expr]]:
    return model.ddq, model.multipliers


def output(function: Function) -> Matrix:
    """The only output of a Function, as expressions."""
    return function.value(function.outputs[0])


def stacked(states: Sequence[State]) -> dict[str, np.ndarray]:
    """What Functions take, for many states: the last axis counts them."""
    columns = {name: np.stack([getattr(s, name) for s in states], axis=-1) for name in ("q", "dq", "p", "u")}
    return columns | {"t": np.array([s.t for s in states])}


def evaluated(function: Function, have: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by name at many states, which the first axis counts; one is not worth compiling for."""
    given: dict[str, Any] = {port.name: have[port.name] for port in function.inputs}
    if have["q"].shape[1] == 1:
        alone = {name: v[..., 0] if v.shape != function.input(name).shape else v for name, v in given.items()}
        found: Any = function.evaluate(**alone)
        values = [np.asarray(v)[None] for v in (found if len(function.outputs) > 1 else [found])]
    else:
        found = Kernel(function).batch(**given)
        values = [np.moveaxis(v, -1, 0) for v in (found if len(function.outputs) > 1 else [found])]
    return {port.name: v for port, v in zip(function.outputs, values, strict=True)}


class Tangent:
    """The states near some states that fulfil the constraints, measured by independent coordinates.

    ``positions`` and ``velocities`` are the places of the coordinates and of the velocities that are
    independent; with rolling there are fewer of the second. ``q`` and ``dq`` are how all positions and
    velocities follow the independent ones.
    """

    def __init__(self, states: Sequence[State], independent: Sequence[str] = ()) -> None:
        self.model, self.have = states[0].model, stacked(states)
        model, n = self.model, len(self.model.q)
        constrained = len(model.phi_dot) > 0
        names = "M|delta|Phi_dq|gamma" if constrained else "M|delta"
        now = evaluated(model.functions[names], self.have)
        count = len(states)
        nothing = np.zeros((count, 0, n))
        self.M, J = now["M"], now.get("Phi_dq", nothing)
        self.parts = split(J)
        self.phi_q = J[:, : len(model.phi)]
        held = split(self.phi_q)
        gamma = now.get("gamma", np.zeros((count, 0)))
        ddq, multipliers = respond(self.M, self.parts, now["delta"][..., None], gamma[..., None])
        self.ddq, self.multipliers = ddq[..., 0], multipliers[..., 0]
        moving = {"ddq": self.ddq.T, "lambda_": self.multipliers.T}
        self.have |= {name: np.ascontiguousarray(value) for name, value in moving.items()}
        self.slopes = evaluated(slopes(model), self.have)
        self.positions = independent_places(model, held.free[0], range(n), independent)
        own = _among(self.parts.free[0], [index(model, name) for name in independent])
        usable = [model.placements[k].name for k in own if k in self.positions]
        self.velocities = independent_places(model, self.parts.free[0], self.positions, usable)
        self.q, self.dq = self._basis(held)

    def _basis(self, held: Split) -> tuple[np.ndarray, np.ndarray]:
        along = held.free @ np.linalg.inv(held.free[:, self.positions])
        rates = self.parts.free @ np.linalg.inv(self.parts.free[:, self.velocities])
        carried = np.zeros_like(along)
        if "v_q" in self.slopes:
            carried = -self.parts.inverse @ self.slopes["v_q"] @ along
            carried = carried - rates @ carried[:, self.velocities]
        return np.concatenate([along, np.zeros_like(rates)], 2), np.concatenate([carried, rates], 2)

    def accelerations(self) -> tuple[np.ndarray, np.ndarray]:
        """How accelerations and multipliers follow the independent positions and velocities."""

        def change(kind: str) -> np.ndarray:
            return self.slopes[f"{kind}_q"] @ self.q + self.slopes[f"{kind}_dq"] @ self.dq

        return self._answer(change)

    def forced(self) -> tuple[np.ndarray, np.ndarray]:
        """How accelerations and multipliers follow the inputs."""
        count, n = len(self.M), len(self.model.q)
        nothing = {"e": (count, n, 0), "a": (count, len(self.model.phi_dot), len(self.model.inputs))}

        def change(kind: str) -> np.ndarray:
            return self.slopes.get(f"{kind}_u", np.zeros(nothing[kind]))

        return self._answer(change)

    def parameters(self, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """How positions and velocities follow parameters while the independent ones stay as they are.

        Raises KeyError for an unknown name.
        """
        model, count, n = self.model, len(self.M), len(self.model.q)
        symbols = [quantity(model, name).symbol for name in names]
        q, dq = (np.zeros((count, n, len(names))) for _ in range(2))
        if not (names and len(model.phi_dot)):
            return q, dq
        slopes = {"v_p": by(model, model.phi_dot, symbols)}
        held = len(model.phi)
        if held:
            slopes["phi_p"] = by(model, model.phi, symbols)
        found = evaluated(model.function("shares", slopes, "velocity"), self.have)
        m = len(self.positions)
        if held:
            q = -split(self.phi_q).inverse @ found["phi_p"]
            q = q - self.q[:, :, :m] @ q[:, self.positions]
        dq = -self.parts.inverse @ (found["v_p"] + self.slopes["v_q"] @ q)
        return q, dq - self.dq[:, :, m:] @ dq[:, self.velocities]

    def _answer(self, change: Callable[[str], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        forces = -change("e")
        shape = (len(self.M), 0, forces.shape[2])
        demands = -change("a") if len(self.model.phi_dot) else np.zeros(shape)
        return respond(self.M, self.parts, forces, demands)


def _among(free: np.ndarray, places: Sequence[int]) -> list[int]:
    """Those of some coordinates, first come first served, that can be independent together."""
    chosen: list[int] = []
    for k in places:
        if np.linalg.matrix_rank(free[[*chosen, k]], tol=1e-6) > len(chosen):
            chosen.append(k)
    return chosen


def quantity(model: Model, name: str) -> Quantity:
    """The parameter of that name; raises KeyError with a suggestion for an unknown one."""
    parameters(model, {name: 0.0})
    return next(q for q in model.parameters if q.name == name)


def independent_places(
    model: Model, free: np.ndarray, places: Sequence[int], names: Sequence[str] = ()
) -> list[int]:
    """Coordinates among ``places`` that measure all free motions, the columns of ``free``.

    Those of ``names`` come first, then the ones that tell most. Raises ValueError where the named ones do
    not suit, and KeyError for an unknown name.
    """
    count = free.shape[1]
    chosen = [k for k in dict.fromkeys(index(model, name) for name in names) if k in set(places)]
    if np.linalg.matrix_rank(free[chosen], tol=1e-6) < len(chosen):
        told = ", ".join(model.placements[k].name for k in chosen)
        raise ValueError(
            f"Model '{model.name}': {told} cannot be independent together at this state: it has {count} "
            f"degree{'s' * (count != 1)} of freedom there. Choose fewer, or others."
        )
    rest = [k for k in places if k not in chosen]
    if len(chosen) < count:
        _, _, V = np.linalg.svd(free[chosen]) if chosen else (None, None, np.eye(count))
        open_ = free[rest] @ V[len(chosen) :].T
        order = cast(Any, qr(open_.T, mode="r", pivoting=True))[-1]
        chosen += [rest[int(k)] for k in order[: count - len(chosen)]]
    return sorted(chosen)
