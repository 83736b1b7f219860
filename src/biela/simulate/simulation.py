"""`Simulation`: forward dynamics by a compiled step, alone or in a batch.

Python looks up between chunks of steps only: to show progress, at events, and where a controller in Python
is asked.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import Any
from uuid import uuid4

import numpy as np

from biela.compile.block import Block
from biela.compile.kernel import Kernel
from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.mechanics.model import Model, expected
from biela.simulate import block, course, lanes, recording, watch
from biela.simulate.control import inputs_at, of_law, sampled
from biela.simulate.drive import Drive, Grid, resolve
from biela.simulate.engine import Engine
from biela.simulate.event import Event
from biela.simulate.progress import Progress, shown
from biela.simulate.record import FINISHED, Record
from biela.simulate.state import State, expected_state, parameters
from biela.simulate.step import Step, step

LAWS = 8  # that are kept compiled
START = 1e-6  # of the constraints: a state that is farther off is none of the mechanism
SLIP = 1e-4  # of their rates, relative to the velocities


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
        _check_seconds("step size dt", dt)
        self.model, self.dt = expected(model, "Simulation"), float(dt)
        self.relative, self.absolute = relative, absolute
        self.step: Step = step(model, formulation, integrator, **options)
        self._options = options
        self._closed: dict[Any, tuple[Function, Simulation]] = {}  # by law, which is kept too
        self._engines: watch.Engines = {}

    def __repr__(self) -> str:
        way = f"{self.step.formulation}, {self.step.integrator.name}"
        return f"<Simulation of {self.model.name}: {way}, dt={self.dt:g}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled, a simulation takes its step along, so that the numbers are the same everywhere."""
        way = (self.step.formulation, self.step.integrator.name, self.dt)
        named = {"relative": self.relative, "absolute": self.absolute, **self._options}
        return _restored, (self._token, pickle.dumps((self.model, way, named, self.step.function)))

    @cached_property
    def _token(self) -> str:
        return uuid4().hex

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
        events: Sequence[Event] = (),
        threads: int = 1,
        progress: Progress | bool | None = None,
    ) -> Record:
        """The motion from a state for a time, with a moment in the record every so many steps.

        ``u`` are inputs: numbers, signals in time, expressions or controllers; see `biela.simulate.input`.
        ``events`` happen between steps; see `biela.simulate.event`. ``progress=True`` prints how far it is.
        A run that diverges ends there: the record holds what was good, and its ``status`` says when and why.

        Raises ValueError for a start of another model, off the constraints or with velocities that contradict
        them, for wrong shapes, and for inputs that are not finite.
        """
        _check_start(self.model, expected_state(start, "A simulation"))
        state = (start.q, start.dq, start.t, start.p, start.u)
        return self._run(state, u, duration, every, threads, shown(progress), events)

    def batch(
        self,
        q: Any,
        dq: Any = None,
        duration: float = 0.0,
        *,
        t: float = 0.0,
        p: Any = None,
        u: Any = None,
        every: int = 1,
        threads: int = 0,
        progress: Progress | bool | None = None,
    ) -> Record:
        """Many motions at once, lane by lane, on every core unless ``threads`` says otherwise.

        The starts are a list of States or a `Scatter`, or arrays ``q`` and ``dq`` with a column a lane. ``p``
        and ``u`` may have a column a lane too; ``p`` may also be a mapping from names to numbers or columns.
        A lane that diverges goes on as it is; its numbers become nan, and `Record.notes` counts such lanes.

        Raises ValueError for wrong shapes and values that are not finite, MemoryError for too large a record.
        """
        q, dq, t, p, default = lanes.columns(self.model, q, dq, t, p)
        return self._run((q, dq, t, p, default), u, duration, every, threads, shown(progress), ())

    def _run(
        self, state: tuple[Any, Any, float, Any, np.ndarray], u: Any, duration: float, every: int,
        threads: int, progress: Progress | None, events: Sequence[Event],
    ) -> Record:  # fmt: skip
        q, dq, t, p, default = state
        count = self._count(duration, every)
        width = q.shape[1] if q.ndim > 1 else 0
        recording.check_memory(self.step, count // every + 1, width, every)
        drive = resolve(self.model, u, default, Grid(t, self.dt, count, width))
        engine = self._engine(drive, p, threads)
        x = engine.pack(q, dq, t)
        if events:
            if width or drive.sampled is not None:
                raise ValueError("Events want a run of one state, and no Python controller beside them.")
            inputs = partial(inputs_at, drive)
            path = course.follow(self.model, engine, x, t, count, every, events, inputs, progress)
            notes = {"dt": self.dt, "events": [list(pair) for pair in path.happened]}
            return self._recorded(
                drive, engine.step, path.times, path.rows, path.p, path.u, notes, path.status
            )
        us: np.ndarray | None = None
        told: dict[str, Any] = {}
        if drive.sampled is not None:
            rows, us = sampled(engine, drive, x, t, count, every, progress)
        else:
            rows, told = watch.followed(engine, x, t, count, every, progress, self._engines)
        times = t + self.dt * every * np.arange(len(rows))
        notes = {"dt": self.dt, **told}
        if drive.shown is not None:
            drive, us = replace(drive, law=None), drive.shown[::every]
        return self._recorded(
            drive, engine.step, times, rows, engine.p, engine.u if us is None else us, notes
        )

    def block(
        self, start: State | None = None, outputs: Mapping[str, Expr] | None = None, name: str = ""
    ) -> Block:
        """The step with its numbers, to export: see `biela.export_fmu` and `biela.export_package`.

        Outputs are coordinates and velocities, and expressions of the model by the names given. It begins at
        ``start``, the model's own unless given. Raises ValueError for a step with error control.
        """
        return block.of_simulation(self, start, outputs, name)

    def periods(self, start: State, duration: float) -> int:
        """How many steps a run takes; raises ValueError for what `run` would not take."""
        _check_start(self.model, start)
        return self._count(duration, 1)

    def _count(self, duration: float, every: int) -> int:
        _check_seconds("duration", duration)
        count = max(1, round(duration / self.dt))
        if every < 1 or count % every:
            raise ValueError(
                f"A run of {count} steps has no whole number of records every {every!r} steps. Choose "
                "another every or duration."
            )
        return count

    def _engine(self, drive: Drive, p: np.ndarray, threads: int) -> Engine:
        simulation, u = self, drive.rows
        if drive.law is not None:
            simulation, p = self._closed_by(drive.law.function, drive), drive.law.parameters(p)
        tolerances = (self.relative, self.absolute)
        return Engine(simulation.step, simulation.kernel, self.dt, p, u, drive.series, tolerances, threads)

    def _closed_by(self, law: Function, drive: Drive) -> Simulation:
        """The simulation of the model with a law in place of its inputs, kept for the next run."""
        key = (id(law.graph), *((port.name, port.refs) for port in law.inputs), law.outputs[0].refs)
        if key not in self._closed:
            assert drive.law is not None
            model = drive.law.close(self.model)
            way = (self.step.formulation, self.step.integrator.name, self.dt)
            made = Simulation(model, *way, relative=self.relative, absolute=self.absolute, **self._options)
            while len(self._closed) >= LAWS:
                del self._closed[next(iter(self._closed))]
            self._closed[key] = law, made
        return self._closed[key][1]

    def _recorded(
        self, drive: Drive, step: Step, times: np.ndarray, rows: np.ndarray, p: np.ndarray, u: np.ndarray,
        notes: dict[str, Any], status: str = FINISHED,
    ) -> Record:  # fmt: skip
        """The record, with the inputs that a law gave at its moments."""
        n, moving, law = len(self.model.parameters), p.ndim == rows.ndim, drive.law
        if rows.ndim > 2 and u.ndim == 2 and drive.series:
            u = np.broadcast_to(u[..., None], (*u.shape, rows.shape[2]))
        own = p[:, :n] if moving else p[:n]
        record = recording.recorded(self.model, step, times, rows, own, u, notes, status)
        if law is None:
            return record
        extra = p[: len(record), n:] if moving else p[n:]
        return record.replaced(u=of_law(law.function, record, extra, moving))


@lru_cache(maxsize=16)
def _restored(token: str, packed: bytes) -> Simulation:
    """A simulation, unpickled; a process makes it once, however often it is sent."""
    model, way, named, function = pickle.loads(packed)
    made = Simulation(model, *way, **named)
    made.step.__dict__["function"] = function
    return made


def _check_seconds(what: str, value: Any) -> None:
    if not (isinstance(value, (int, float, np.number)) and 0.0 < value < np.inf):
        raise ValueError(f"The {what} is a positive number of seconds; got {value!r}.")


def _check_start(model: Model, start: State) -> None:
    """Raise ValueError for a state of another model, one that is not finite, or off the constraints."""
    n, where = len(model.placements), f"Model '{model.name}': the start"
    if start.q.shape != (n,) or start.dq.shape != (n,):
        raise ValueError(
            f"{where} is of '{start.model.name}', with positions of shape {start.q.shape} and velocities of "
            f"shape {start.dq.shape}; expected {(n,)} for both."
        )
    if not (np.isfinite(start.q).all() and np.isfinite(start.dq).all()):
        raise ValueError(f"{where} is not finite: {start}.")
    parameters(model, start.p)
    names = model.equation_names
    if len(model.phi):
        gap = np.abs(start.value("Phi"))
        k = int(np.argmax(gap))
        if not gap[k] < START:
            told = f"{where} is off the constraints, '{names[k]}' by {gap[k]:.3g}"
            raise ValueError(f"{told}. Assemble it first.")
    if len(model.phi_dot):
        slip = np.abs(start.value("Phi_dot"))
        k = int(np.argmax(slip))
        if not slip[k] < SLIP * max(1.0, float(np.abs(start.dq).max())):
            told = f"{where} has velocities that contradict the constraints, '{names[k]}' by {slip[k]:.3g}"
            raise ValueError(f"{told}. Take those of assemble(model, start).")
