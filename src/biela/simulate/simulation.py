"""`Simulation`: forward dynamics by a compiled step, alone or in a batch.

Python looks up between chunks of steps only: to show progress, to see whether a lane has left the
constraints or become infinite, and, with independent coordinates, to choose others before the chosen ones
become a bad choice.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.mechanics.model import Model
from biela.simulate.record import FINISHED, Record
from biela.simulate.state import State
from biela.simulate.step import Step, step

TOLERANCE = 1e-6  # of the gap of the constraints: beyond it a run has lost its mechanism
TRIES = 8  # of a step with error control, between two looks at the time
MOST_TRIES = 100_000  # between two moments of the record
Progress = Callable[[int, int], None]


class Simulation:
    """A model, a formulation and an integrator, compiled.

    ``dt`` is the step size, the largest one for integrators with error control, which keep ``relative`` and
    ``absolute`` tolerances. Further options are those of `Options`.

    Raises ValueError for unknown names or a step size that is not positive.
    """

    def __init__(
        self,
        model: Model,
        formulation: str = "auto",
        integrator: str = "rk4",
        dt: float = 1e-3,
        *,
        relative: float = 1e-8,
        absolute: float = 1e-10,
        **options: Any,
    ) -> None:
        if not (np.isfinite(dt) and dt > 0.0):
            raise ValueError(f"The step size dt is a positive number of seconds; got {dt!r}.")
        self.model, self.dt = model, float(dt)
        self.relative, self.absolute = relative, absolute
        self.step: Step = step(model, formulation, integrator, **options)

    def __repr__(self) -> str:
        way = f"{self.step.formulation}, {self.step.integrator.name}"
        return f"<Simulation of {self.model.name}: {way}, dt={self.dt:g}>"

    @cached_property
    def kernel(self) -> Kernel:
        """The native step."""
        return Kernel(self.step.function)

    def run(
        self,
        start: State,
        duration: float,
        *,
        every: int = 1,
        u: Any = None,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Record:
        """The motion from a state for a time, with a moment in the record every so many steps.

        ``u`` are inputs: constant, or one row a step. A run that diverges ends there: the record holds what
        was good, and its ``status`` says when and why.

        Raises ValueError for a start off the constraints, or wrong shapes.
        """
        q, dq = start.q, start.dq
        return self._run(
            q, dq, start.t, start.p, start.u if u is None else u, duration, every, threads, progress
        )

    def batch(
        self,
        q: Any,
        dq: Any,
        duration: float,
        *,
        t: float = 0.0,
        p: Any = None,
        u: Any = None,
        every: int = 1,
        threads: int = 0,
        progress: Progress | None = None,
    ) -> Record:
        """Many motions at once: ``q`` and ``dq`` have a column for each; so may ``p`` and ``u``."""
        q, dq = np.ascontiguousarray(q, float), np.ascontiguousarray(dq, float)
        p = self.model.p if p is None else np.ascontiguousarray(p, float)
        return self._run(q, dq, t, p, self.model.u if u is None else u, duration, every, threads, progress)

    def _run(
        self, q: np.ndarray, dq: np.ndarray, t: float, p: np.ndarray, u: Any, duration: float, every: int,
        threads: int, progress: Progress | None,
    ) -> Record:  # fmt: skip
        count = self._count(duration)
        given = np.asarray(u, float)
        series = given.ndim > 1 and given.shape[0] == count and given.shape[1:2] == (len(self.model.inputs),)
        x = self.step.pack(q, dq, t, self.dt)
        named = {"h": self.dt}
        ports = {port.name for port in self.step.function.inputs}
        named |= {name: value for name, value in (("p", p), ("u", given)) if name in ports}
        if self.step.adaptive:
            rows = self._adapted(x, t, count, every, named, threads, progress)
        else:
            rows = self.kernel.iterate(
                x, count, every=every, threads=threads, progress=progress,
                series=["u"] if series and "u" in ports else [], **named,
            )  # fmt: skip
        times = t + self.dt * every * np.arange(len(rows))
        kept = given[::every] if series else given
        return self._record(times, rows, p, np.vstack([kept, kept[-1:]])[: len(rows)] if series else kept)

    def _count(self, duration: float) -> int:
        if not (np.isfinite(duration) and duration > 0.0):
            raise ValueError(f"The duration is a positive number of seconds; got {duration!r}.")
        return max(1, round(duration / self.dt))

    def _adapted(
        self, x: np.ndarray, t: float, count: int, every: int, named: dict[str, Any], threads: int,
        progress: Progress | None,
    ) -> np.ndarray:  # fmt: skip
        """The states at the moments of the record; the steps between are as small as tolerances ask."""
        place = self.step.names.index("t")
        moments = t + self.dt * every * np.arange(1, count // every + 1)
        rows = [x]
        for n, stop in enumerate(moments):
            control = np.array([stop, self.relative, self.absolute])
            tries = 0
            while np.any(x[place] < stop) and tries < MOST_TRIES and np.isfinite(x).all():
                x = self.kernel.iterate(x, TRIES, every=TRIES, control=control, threads=threads, **named)[-1]
                tries += TRIES
            if tries >= MOST_TRIES or not np.isfinite(x).all():
                x = np.full_like(x, np.nan)
            rows.append(x)
            if progress is not None:
                progress(n + 1, len(moments))
        return np.array(rows)

    def _record(self, times: np.ndarray, rows: np.ndarray, p: np.ndarray, u: np.ndarray) -> Record:
        gap = rows[:, self.step.names.index("gap")]
        bad = ~np.isfinite(rows).all(axis=1) | (gap > TOLERANCE)
        lost = bad.reshape(len(rows), -1)
        status = FINISHED
        if lost.all(axis=1).any():  # in a batch, lanes that are lost stay as they are while others go on
            end = int(np.argmax(lost.all(axis=1)))
            why = (
                "its values are not finite"
                if not np.isfinite(rows[end]).all()
                else f"its loops gape by {np.max(gap[end]):.2g}"
            )
            status = (
                f"diverged between t={times[max(end - 1, 0)]:g} and {times[end]:g} s: {why}; try a smaller dt"
            )
            times, rows = times[:end], rows[:end]
            u = u[:end] if u.ndim > 1 and len(u) > end else u
        units = {c.name: c.unit for c in self.model.placements}
        units |= {f"{name}'": f"{unit}/s" if unit else "1/s" for name, unit in units.items()}
        columns = {
            name: np.ascontiguousarray(rows[:, k])
            for k, name in enumerate(self.step.names)
            if name not in ("t", "size")
        }
        notes: dict[str, Any] = {
            "formulation": self.step.formulation, "integrator": self.step.integrator.name, "dt": self.dt,
        }  # fmt: skip
        if lost.ndim > 1 and lost.shape[1] > 1 and lost[-1].any():
            notes["lanes lost"] = int(lost[-1].sum())
        return Record(times, columns, units, status, notes, self.model, p, u)
