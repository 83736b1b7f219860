"""Kinematic simulation: motion that is prescribed, without forces.

Prescribed are the coordinates that `System.drive` drives in the model, and others by name with values over
time. Where all constraints are of position, each moment is solved on its own: Newton's method for the
positions, begun from the moment before, then one linear system for the velocities and one for the
accelerations (Plaza, 2015, section 2.5). A step is one Function, iterated natively over the series of
prescribed values; where its Newton steps do not arrive, `assemble` takes over for that moment. With rolling,
positions follow by integration, and the study is a `Simulation` with the formulation 'driven'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.expression import Expr, constant, maximum
from biela.expr.function import Function
from biela.expr.matrix import Matrix, vector
from biela.mechanics.model import Model
from biela.simulate.assembly import AssemblyError, assemble
from biela.simulate.following import Following
from biela.simulate.motion import prescribed
from biela.simulate.record import FINISHED, Record
from biela.simulate.simulation import Simulation
from biela.simulate.state import State

ITERATIONS = 4  # of Newton's method from the extrapolated position
CLOSED = 1e-10  # of the constraints
CUTOFF = 1e-9  # of singular values
LONGEST = 4096  # steps between two looks at the gaps


def kinematics(
    model: Model,
    duration: float,
    dt: float = 1e-3,
    *,
    drives: Mapping[str, Any] | None = None,
    start: Any = None,
    p: Any = None,
    t: float = 0.0,
    every: int = 1,
) -> Record:
    """The prescribed motion, with accelerations in columns such as "crank''".

    ``drives`` gives further coordinates as `prescribed` takes them: arrays with a value for each moment, or
    functions of the times; ``start`` is a state or a guess, which decides the way the mechanism closes. A
    motion that comes to a position that cannot be reached ends there, and the ``status`` says so.

    Raises ValueError where the drives do not determine the motion, and AssemblyError where it cannot begin.
    """
    if not (np.isfinite(dt) and dt > 0.0 and np.isfinite(duration) and duration > 0.0):
        raise ValueError(f"Duration and dt are positive numbers of seconds; got {duration!r} and {dt!r}.")
    times = t + dt * np.arange(max(1, round(duration / dt)) + 1)
    if isinstance(start, State):
        p = start.p if p is None else p
    if len(model.phi_dot) > len(model.phi):
        return _integrated(model, duration, dt, drives, start, p, t, every)
    places, values = prescribed(model, drives or {}, times)
    names = [model.placements[k].name for k in places]
    locked: dict[str, Any] = dict(zip(names, values[0, 0], strict=True))
    first = assemble(model, start, velocities=np.zeros(len(model.q)), p=p, t=t, **locked)
    return _Solver(first, places, dt).run(times, values, every)


def _integrated(
    model: Model, duration: float, dt: float, drives: Any, start: Any, p: Any, t: float, every: int
) -> Record:
    if drives:
        raise ValueError(
            f"Model '{model.name}' rolls, so its motion is integrated: drive {', '.join(drives)} in the "
            "system, with system.drive(...) or system.constrain_velocity(...)."
        )
    simulation = Simulation(model, "driven", dt=dt)
    state = start if isinstance(start, State) else assemble(model, start, p=p, t=t)
    record = simulation.run(state, duration, every=every)
    ddq = record.value(simulation.step.flow.rate)
    return with_accelerations(record, ddq)


def with_accelerations(record: Record, ddq: np.ndarray) -> Record:
    """A record with the columns of accelerations, "name''"."""
    assert record.model is not None
    placements = record.model.placements
    columns = {f"{c.name}''": np.ascontiguousarray(ddq[:, k]) for k, c in enumerate(placements)}
    units = {f"{c.name}''": f"{c.unit or '1'}/s2" for c in placements}
    return record.replaced(columns=record.columns | columns, units=record.units | units)


class _Solver:
    """The native step of a model whose driven coordinates are at ``driven``, from a first state on."""

    def __init__(self, first: State, driven: list[int], dt: float) -> None:
        self.model, self.first, self.driven, self.dt = first.model, first, driven, dt
        self.solutions = Following(first, driven)
        self.following = self.solutions.places
        self.kernel = Kernel(self._function())

    def _evaluate(self, name: str, q: np.ndarray, t: float, dq: np.ndarray | None = None) -> Any:
        function = self.model.functions[name]
        have = {"q": q, "t": t, "p": self.first.p, "dq": dq}
        return function.evaluate(**{port.name: have[port.name] for port in function.inputs})

    # the Function

    def _function(self) -> Function:
        """(q, dq, ddq, gap) at a moment from those at the moment before."""
        model, graph = self.model, self.model.graph
        k, n = len(self.driven), len(model.q)
        symbols = [graph.symbol(f"driven.s{j}") for j in range(3 * k)]
        h = graph.symbol("driven.h")
        guess = [q + h * v + h * h / 2 * a for q, v, a in zip(model.q, model.dq, model.ddq, strict=True)]
        q, dq, ddq, gap = self._moment(guess, symbols)
        x = [*model.q, *model.dq, *model.ddq, graph.symbol("driven.gap")]
        ports = {name: v for name, v in model.ports("position").items() if name != "q"}
        given = {"s": symbols} if k else {}
        assert len(x) == 3 * n + 1
        return Function(
            f"{model.name}_moment", {"x": x, **given, "h": h, **ports}, {"x_next": [*q, *dq, *ddq, gap]}
        )

    def _moment(self, guess: list[Expr], symbols: list[Expr]) -> tuple[Matrix, Matrix, Matrix, Expr]:
        model, graph, k = self.model, self.model.graph, len(self.driven)
        q = self._put(guess, symbols[:k])
        dq, ddq = (self._put(s, symbols[i * k : i * k + k]) for i, s in ((1, model.dq), (2, model.ddq)))
        gap = constant(graph, 0.0)
        if self.following:
            follow = self.solutions
            for _ in range(ITERATIONS):
                q = self._call(follow.correction, q=q)
            dq = self._call(follow.rates, q=q, dq=dq)
            ddq = self._call(follow.accelerations, q=q, dq=dq, ddq=ddq)
            for value in self._call(model.functions["Phi"], q=q):
                gap = maximum(gap, abs(value))
        return q, dq, ddq, gap

    def _call(self, function: Function, **known: Matrix) -> Any:
        names = [port.name for port in function.inputs]
        return function(**{name: known.get(name, function.value(function.input(name))) for name in names})

    def _put(self, values: Sequence[Expr], driven: Sequence[Expr]) -> Matrix:
        entries = list(values)
        for place, value in zip(self.driven, driven, strict=True):
            entries[place] = value
        return vector(entries, self.model.graph)

    # the run

    def run(self, times: np.ndarray, values: np.ndarray, every: int) -> Record:
        """All moments, and every so many of them in the record."""
        n = len(self.model.q)
        rows = np.empty((len(times), 3 * n + 1))
        rows[0] = self._solved(self.first.q, times[0], values[0])
        done, chunk, status = 1, LONGEST, FINISHED
        while done < len(times):
            last = min(done + chunk, len(times))
            good = self._iterated(rows, times, values, done, last)
            done, chunk = done + good, min(LONGEST, 2 * chunk)
            if done < last:
                try:
                    rows[done] = self._rescued(rows[done - 1], times[done], values[done])
                except AssemblyError as error:
                    status = f"ended between t={times[done - 1]:g} and {times[done]:g} s: {error}"
                    break
                done, chunk = done + 1, 1
        return self._record(times[:done:every], rows[:done:every], status)

    def _iterated(self, rows: np.ndarray, times: np.ndarray, values: np.ndarray, done: int, last: int) -> int:
        """Fill the rows from ``done`` to ``last`` natively; how many of them are good."""
        series: dict[str, Any] = {}
        if self.driven:
            series["s"] = np.ascontiguousarray(values[done:last].reshape(last - done, -1))
        if self.model.time is not None:
            series["t"] = np.ascontiguousarray(times[done:last])
        given: dict[str, Any] = {"p": self.first.p} if len(self.first.p) else {}
        found = self.kernel.iterate(
            rows[done - 1], last - done, series=list(series), h=self.dt, **series, **given
        )[1:]
        bad = ~np.isfinite(found).all(axis=1) | (found[:, -1] > CLOSED)
        good = int(np.argmax(bad)) if bad.any() else len(found)
        rows[done : done + good] = found[:good]
        return good

    def _rescued(self, before: np.ndarray, t: float, values: np.ndarray) -> np.ndarray:
        n = len(self.model.q)
        names = [self.model.placements[k].name for k in self.driven]
        locked: dict[str, Any] = dict(zip(names, values[0], strict=True))
        rest = np.zeros(n)
        guess = before[:n] + self.dt * before[n : 2 * n]
        state = assemble(self.model, guess, velocities=rest, p=self.first.p, t=t, **locked)
        return self._solved(state.q, t, values)

    def _solved(self, q: np.ndarray, t: float, values: np.ndarray) -> np.ndarray:
        """Velocities and accelerations at positions, by least squares; raises AssemblyError without any."""
        n = len(q)
        dq, ddq = np.zeros(n), np.zeros(n)
        dq[self.driven], ddq[self.driven] = values[1], values[2]
        if self.following:
            J, beta = self._evaluate("Phi_dq|beta", q, t)
            self._follow(J, beta, dq, "velocities", t)
            self._follow(J, self._evaluate("gamma", q, t, dq), ddq, "accelerations", t)
        return np.concatenate([q, dq, ddq, [0.0]])

    def _follow(self, J: np.ndarray, right: np.ndarray, moving: np.ndarray, what: str, t: float) -> None:
        right = right - J[:, self.driven] @ moving[self.driven]
        part = J[:, self.following]
        found, _, rank, _ = np.linalg.lstsq(part, right, rcond=CUTOFF)
        scale = max(1.0, float(np.abs(right).max()))
        if rank < part.shape[1] or float(np.abs(part @ found - right).max()) > 1e-6 * scale:
            raise AssemblyError(
                f"Model '{self.model.name}' is in a singular position at t={t:g} s: its {what} are not "
                "determined by the drives."
            )
        moving[self.following] = found

    def _record(self, times: np.ndarray, rows: np.ndarray, status: str) -> Record:
        n, model = len(self.model.q), self.model
        names = [c.name for c in model.placements]
        q, dq, ddq = rows[:, :n], rows[:, n : 2 * n], rows[:, 2 * n : 3 * n]
        columns = {name: np.ascontiguousarray(q[:, k]) for k, name in enumerate(names)}
        columns |= {f"{name}'": np.ascontiguousarray(dq[:, k]) for k, name in enumerate(names)}
        units = {c.name: c.unit for c in model.placements}
        units |= {f"{c.name}'": f"{c.unit or '1'}/s" for c in model.placements}
        notes: dict[str, Any] = {"study": "kinematic", "dt": self.dt}
        record = Record(times, columns, units, status, notes, model, self.first.p, self.first.u)
        return with_accelerations(record, ddq)
