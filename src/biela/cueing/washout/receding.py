"""The sample of a predictive washout: programmes, and what their movers do for a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from biela.cueing.gravity import GRAVITY
from biela.cueing.washout.draft import SHOWN, Draft
from biela.cueing.washout.horizon import Horizon
from biela.cueing.washout.splitting import Rows, Splitting
from biela.cueing.washout.stopping import stopping
from biela.expr.expression import Expr
from biela.expr.function import Function

if TYPE_CHECKING:
    from biela.cueing.washout.predictive import PredictiveWashout

LIMITS = ("most_place", "most_speed", "most_acceleration")


class Group(NamedTuple):
    """A programme: what the vehicle does along ``axis``, and the movers that show it, by name."""

    axis: str
    movers: tuple[str, ...]
    sign: float


class Sample:
    """The sample in the making."""

    def __init__(self, draft: Draft, washout: PredictiveWashout, solved: bool) -> None:
        self.draft, self.washout, self.solved = draft, washout, solved
        self.shown: dict[str, Expr] = {}
        self.first: list[Expr] = []
        self.g: list[Expr] = []
        self.b: list[Expr] = []

    def solve(self, name: str) -> None:
        """One programme, and what its movers do for a sample."""
        draft, group, horizon = self.draft, self.washout.groups[name], self.washout.horizon(name)
        states = draft.states
        movers = {mover: [states.state(f"{name}.{mover}.{key}") for key in ("x", "v", "u")]
                  for mover in group.movers}  # fmt: skip
        sensed = [states.state(f"{name}.sensed{k}") for k in range(horizon.sense.size)]
        other = self._leaning(group)
        z = [*(value for three in movers.values() for value in three), *sensed, other]
        U = self._programme(name, horizon, [*z, *self._ahead(group.axis)], list(movers.values()))
        applied: dict[str, list[Expr]] = {}
        for k, (mover, (x, v, _)) in enumerate(movers.items()):
            u = self._most(mover)[2] * U[k]
            u = stopping(u, x, v, self._most(mover), draft.T)
            after = [x + draft.T * v + 0.5 * draft.T * draft.T * u, v + draft.T * u, u]
            for key, value in zip(("x", "v", "u"), after, strict=True):
                states.becomes(f"{name}.{mover}.{key}", value)
            applied[mover] = [u, 0.5 * (v + after[1]), after[0]]
        self._sense(name, horizon, sensed, other, applied)
        for mover, (_, _, place) in applied.items():
            key = mover if mover != "tilt" else f"{name}.tilt"
            self.shown[key] = place

    def _most(self, mover: str) -> tuple[Expr, Expr, Expr]:
        place, speed, acceleration = (self.draft.p[f"{mover}.{key}"] for key in LIMITS)
        return place, speed, acceleration

    def _leaning(self, group: Group) -> Expr:
        """The force that a turn shows which is not a tilt."""
        turn = {"surge": "pitch", "sway": "roll"}.get(group.axis)
        return group.sign * GRAVITY * self.shown[turn] if turn in self.shown else self.draft.zero

    def _ahead(self, axis: str) -> list[Expr]:
        draft = self.draft
        if self.washout.ahead == "constant":
            return [draft.scaled(axis)]
        rest = GRAVITY if axis == "heave" else 0.0
        names = [f"ahead{k}.{SHOWN[axis]}" for k in range(self.washout.stages)]
        return [draft.scaled(axis, draft.motion[name] - rest) for name in names]

    def _programme(
        self, name: str, horizon: Horizon, known: list[Expr], movers: list[list[Expr]]
    ) -> list[Expr]:
        """The first accelerations of the movers, as shares of their limits."""
        p, states, h = self.draft.p, self.draft.states, horizon.length
        K, G, _ = ([p[key] for key in kind] for kind in self.washout.matrix_names(name))
        n, width = len(movers) * horizon.stages, len(known)
        g = [
            sum((G[i * width + j] * known[j] for j in range(width)), start=self.draft.zero) for i in range(n)
        ]
        rows: list[Rows] = []
        for mover, (x, v, _) in zip(self.washout.groups[name].movers, movers, strict=True):
            place, speed, u = self._most(mover)
            rows.append(Rows(h * u / speed, h * speed / place, 0.5 * h * h * u / place, v / speed, x / place))
        programme = Splitting(K, g, p[f"{name}.rho"], p[f"{name}.yields"], rows)
        if not self.solved:
            first = [
                self.draft.graph.symbol(f"U.{name}.{mover}") for mover in self.washout.groups[name].movers
            ]
            self.first += first
            self.g += g
            self.b += programme.free
            return first
        before = [states.state(f"{name}.split{k}") for k in range(3 * n)]
        U, after = programme.solve(before, self.washout.iterations)
        for k, value in enumerate(after):
            states.becomes(f"{name}.split{k}", value)
        return U[:: horizon.stages]

    def _sense(
        self, name: str, horizon: Horizon, sensed: list[Expr], other: Expr, applied: Mapping[str, list[Expr]]
    ) -> None:
        """What the organ has sensed of the difference after the sample."""
        error = self.draft.scaled(self.washout.groups[name].axis) - other
        for mover, parts in zip(horizon.movers, applied.values(), strict=True):
            for factor, part in zip(mover.shows, parts, strict=True):
                error = error - factor * part
        A, B = horizon.sense.held(self.draft.T)
        for k in range(len(sensed)):
            moved = sum((float(a) * s for a, s in zip(A[k], sensed, strict=True)), start=float(B[k]) * error)
            self.draft.states.becomes(f"{name}.sensed{k}", moved)

    def function(self) -> Function:
        """The pose, tilts added."""
        draft = self.draft
        pose: dict[str, Expr] = {}
        for axis in self.washout.axes:
            pose[axis] = draft.centred(axis, self.shown.get(axis, draft.zero), draft.scaled(axis))
            tilt = {"pitch": "surge.tilt", "roll": "sway.tilt"}.get(axis)
            pose[axis] = pose[axis] + self.shown.get(tilt or "", draft.zero)
        more = {} if self.solved else {"U": self.first}
        return draft.function(pose, more, {} if self.solved else {"g": self.g, "b": self.b})
