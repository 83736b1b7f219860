"""Watching a run: what happens when the native step is not to be trusted.

A native loop tells by its watched components how far the loops gape and how small a pivot became. Where a
state is not finite, gapes, or had a pivot near zero, because the constraints are near to losing rank, the run
goes back to the last good state and takes the step in question in NumPy (`biela.simulate.numeric`); then
the native loop goes on. So a mechanism passes singular positions. What fails elsewhere is lost: its steps are
too large.

Independent coordinates are looked at every few steps: when the dependent ones are determined ten times worse
than by the best choice, the run goes back to where they were not, and on with that. Where the choice is the
best and only a pivot is near zero, it goes on with pivots that are safe there. Native code is kept for each
choice.

Batches are not watched that way: a lane keeps its coordinates, and one that is lost stays lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import qr  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from biela.compile.kernel import Kernel
from biela.mechanics.forward import independent_rows
from biela.mechanics.model import Model
from biela.mechanics.sample import Sample, with_start
from biela.simulate import numeric
from biela.simulate.engine import Engine
from biela.simulate.formulation import independent
from biela.simulate.progress import Progress
from biela.simulate.recording import good
from biela.simulate.state import State

PIVOT = 1e-11  # relative to its usual size: a smaller one leaves too few digits
CHUNK, LOOK = 2048, 16  # steps of a native loop, and between two looks at the independent coordinates
NEAR = 0.05  # singular values, relative to the largest: a singular position is within a step
WORSE = 10.0  # than the best choice: independent coordinates are given up
STATES = 3  # at which ranks are judged
FEW, SHARE = 50, 0.1  # steps in NumPy that a run may take in any case, and of all: beyond, it is lost
MOST = 1000  # switches before a run is lost

Engines = dict[tuple[Model, tuple[str, ...]], Engine]  # by the independent coordinates


class Watched(NamedTuple):
    """The states of a run at the moments of its record, and what there is to note."""

    rows: np.ndarray
    notes: dict[str, Any]


def followed(
    engine: Engine, x: np.ndarray, t: float, count: int, every: int, progress: Progress | None,
    engines: Engines,
) -> Watched:  # fmt: skip
    """A run of many steps; ``engines`` keeps what was compiled for other independent coordinates."""
    choosing = bool(engine.step.flow.independent)
    if x.ndim > 1 or not (choosing and count > LOOK):
        rows = engine.chunk(x, t, 0, count, every, progress)
        if x.ndim > 1 or not len(engine.step.model.phi_dot) or _trusted(engine, rows).all():
            return Watched(rows, {})
    course = _Course(engine, x, t, count, every, engines, Coordinates.of(engine) if choosing else None)
    return course.go(progress)


@dataclass(eq=False)
class _Course:
    engine: Engine
    x: np.ndarray
    begin: float
    count: int
    every: int
    engines: Engines
    coordinates: Coordinates | None
    k: int = 0
    numeric: int = 0
    renewed: int = -1  # the step before which pivots were chosen again
    rows: list[np.ndarray] = field(default_factory=list[np.ndarray])
    switches: list[Any] = field(default_factory=list[Any])

    def time(self, k: int) -> float:
        """Where a step begins."""
        return self.begin + k * self.engine.dt

    def go(self, progress: Progress | None) -> Watched:
        """To the end, or where nothing helps."""
        self.rows.append(self.x[None])
        while self.k < self.count and np.isfinite(self.x).all():
            stride, n = self.piece()
            rows = self.engine.chunk(self.x, self.time(self.k), self.k, n, stride)
            end, other = self.end(rows, stride)
            self.keep(rows[1:end], stride)
            if end < len(rows) and not (other and self.switched(other)):
                self.one(rows[end], stride)
            if progress is not None:
                progress(self.k, self.count)
        notes = {"numeric steps": self.numeric} if self.numeric else {}
        return Watched(
            np.concatenate(self.rows), notes | ({"switches": self.switches} if self.switches else {})
        )

    def piece(self) -> tuple[int, int]:
        """How many steps between two rows, and in all: whole records, or up to the next one."""
        if self.k % self.every or (self.coordinates is not None and self.every > LOOK):
            left = self.every - self.k % self.every
            stride = min(left, LOOK) if self.coordinates is not None else left
            return stride, left // stride * stride
        return self.every, min(self.count - self.k, max(1, CHUNK // self.every) * self.every)

    def keep(self, rows: np.ndarray, stride: int) -> None:
        """Good states, one every ``stride`` steps after the last."""
        if not len(rows):
            return
        marks = self.k + stride * np.arange(1, len(rows) + 1)
        self.rows.append(rows[marks % self.every == 0])
        self.k, self.x = int(marks[-1]), rows[-1]

    def end(self, rows: np.ndarray, stride: int) -> tuple[int, tuple[str, ...]]:
        """The first row that is not to be trusted, and independent coordinates to go on with, if others."""
        fine = _trusted(self.engine, rows)
        fine[0] = True
        end = len(rows) if fine.all() else int(np.argmin(fine))
        if self.coordinates is None:
            return end, ()
        looks = np.arange(0, len(rows), max(1, LOOK // stride))[1:]
        looks = np.unique([*looks[looks < end], end - 1])
        look, other = self.coordinates.worse(rows[looks], self.engine)
        if other:
            return (int(looks[look - 1]) + 1 if look else 1), other
        return end, self.coordinates.best(rows[end - 1], self.engine) if end < len(rows) else ()

    def switched(self, names: tuple[str, ...]) -> bool:
        """Go on with other independent coordinates, or with other pivots for the same."""
        same = names == self.engine.step.flow.independent
        if len(self.switches) >= MOST or (same and self.renewed == self.k):
            return False
        model = self.engine.step.model
        self.engines.setdefault((model, self.engine.step.flow.independent), self.engine)
        if (same or (model, names) not in self.engines) and not self.compiled(names):
            return False
        self.renewed = self.k if same else self.renewed
        found = self.engines[model, names]
        self.engine = self.engine.changed(step=found.step, kernel=found.kernel)
        self.switches.append([self.time(self.k), *names])
        return True

    def compiled(self, names: tuple[str, ...]) -> bool:
        """Make the native step with other independent coordinates, unless they are singular here."""
        old = self.engine.step
        options = replace(old.options, independent=names)
        try:
            flow = replace(independent.flow(old.model, options, self.sample()), options=options)
        except ValueError:
            return False
        other = replace(old, flow=flow, options=options)
        self.engines[old.model, names] = self.engine.changed(step=other, kernel=Kernel(other.function))
        return True

    def one(self, bad: np.ndarray, stride: int) -> None:
        """Native steps up to the one that fails, and that one in NumPy; a bad state where that fails too."""
        if stride > 1:
            rows = self.engine.chunk(self.x, self.time(self.k), self.k, stride)
            fine = _trusted(self.engine, rows)
            fine[0] = True
            end = len(rows) if fine.all() else int(np.argmin(fine))
            self.keep(rows[1:end], 1)
            if end == len(rows):
                return
        before = self.state()
        careful = self.engine.tolerances if self.engine.step.adaptive else None
        few = self.numeric < max(FEW, SHARE * self.k)
        after = numeric.stepped(before, self.engine.dt, careful) if few else None
        if after is None or not self.singular(before, after, bad):
            self.rows.append(bad[None])
            self.x = np.full_like(bad, np.nan)
            return
        self.numeric += 1
        gap = self.engine.step.names.index("gap")
        x = self.engine.pack(after.q, after.dq, after.t)
        x[gap] = max(self.x[gap], np.abs(after.value("Phi")).max() if len(after.model.phi) else 0.0)
        self.keep(x[None], 1)

    def singular(self, before: State, after: State, bad: np.ndarray) -> bool:
        """Whether a step fails for its matrix: what is too large a step is no better in NumPy."""
        names = self.engine.step.names
        if "pivot" in names and not bad[names.index("pivot")] > PIVOT:
            return True
        several = [np.linalg.svd(s.value("Phi_dq"), compute_uv=False) for s in (before, after)]
        return any(sizes[self.rank - 1] < NEAR * sizes[0] for sizes in several)

    @cached_property
    def rank(self) -> int:
        """How many equations are independent as a rule."""
        model = self.engine.step.model
        return len(independent_rows(model, with_start(model, STATES)))

    def sample(self) -> Sample:
        """The same, for those that judge pivots."""
        state = self.state()
        return Sample(state.q, state.dq, np.zeros_like(state.q), state.t, state.p, state.u)

    def state(self) -> State:
        """The state where the run is."""
        engine, n = self.engine, len(self.engine.step.model.placements)
        u = engine.u[self.k] if engine.series else engine.u
        q, dq = self.x[:n].copy(), self.x[n : 2 * n].copy()
        return State(engine.step.model, q, dq, self.time(self.k), engine.p, u)


def _trusted(engine: Engine, rows: np.ndarray) -> np.ndarray:
    fine = good(engine.step, rows)
    if "pivot" in engine.step.watched:
        fine &= rows[:, engine.step.names.index("pivot")] > PIVOT
    return fine


@dataclass(frozen=True, eq=False)
class Coordinates:
    """How well independent coordinates determine the others."""

    model: Model
    rows: list[int]
    jacobian: Kernel

    @classmethod
    def of(cls, engine: Engine) -> Coordinates:
        """For the model of an engine."""
        model = engine.step.model
        rows = independent_rows(model, with_start(model, STATES))
        return cls(model, rows, Kernel(model.functions["Phi_dq"]))

    def worse(self, states: np.ndarray, engine: Engine) -> tuple[int, tuple[str, ...]]:
        """The first state where the chosen ones are much worse than the best, and the best there."""
        J = self._jacobians(states, engine)
        names = [placement.name for placement in self.model.placements]
        chosen = [names.index(name) for name in engine.step.flow.independent]
        for k, values in enumerate(J):
            best = _best(values)
            if best != sorted(chosen) and _quality(values, chosen) * WORSE < _quality(values, best):
                return k, tuple(names[i] for i in best)
        return len(states), ()

    def best(self, x: np.ndarray, engine: Engine) -> tuple[str, ...]:
        """The best choice at a state."""
        names = [placement.name for placement in self.model.placements]
        return tuple(names[i] for i in _best(self._jacobians(x[None], engine)[0]))

    def _jacobians(self, states: np.ndarray, engine: Engine) -> np.ndarray:
        n = len(self.model.placements)
        have = {"q": np.ascontiguousarray(states[:, :n].T), "p": engine.p}
        if self.model.time is not None:
            have["t"] = np.ascontiguousarray(states[:, engine.step.names.index("t")])
        named: dict[str, Any] = {port.name: have[port.name] for port in self.jacobian.function.inputs}
        return np.moveaxis(self.jacobian.batch(**named), -1, 0)[:, self.rows]


def _best(J: np.ndarray) -> list[int]:
    """The columns that a factorisation with column exchanges leaves for last."""
    order = np.asarray(qr(J, pivoting=True, mode="r")[-1], int)
    return sorted(order[len(J) :].tolist())


def _quality(J: np.ndarray, free: list[int]) -> float:
    """The smallest over the largest singular value of the other columns."""
    sizes = np.linalg.svd(np.delete(J, free, axis=1), compute_uv=False)
    return float(sizes[-1] / sizes[0])
