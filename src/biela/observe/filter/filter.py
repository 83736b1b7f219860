"""`Filter`: the contract of all Gaussian filters on the constraint manifold.

A filter's state ``x`` is (q, dq), the time where the model needs it, and the upper triangle of the covariance
P of (z, dz). One step predicts over ``h`` and updates with the readings ``y`` that are due; a reading that is
NaN is not there. The step is a Function, so it compiles, iterates natively over a series of readings, runs as
a batch, and is written as C.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.expr.matrix import Matrix, vector
from biela.observe.gaussian import Update, from_triangle, triangle
from biela.observe.instrument import Instruments
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor
from biela.simulate.record import Record
from biela.simulate.state import State


class Belief(NamedTuple):
    """A state and the covariance of (z, dz), as expressions."""

    q: Matrix
    dq: Matrix
    P: Matrix


class Filter(ABC):
    """The base of the filters that keep a mean and a covariance.

    Raises ValueError for sensors without noise or of another model.
    """

    key: ClassVar[str] = ""

    def __init__(self, process: Process, sensors: Sequence[Sensor]) -> None:
        self.process, self.model = process, process.model
        self.instruments = Instruments(process, sensors)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.model.name}: {', '.join(self.instruments.channels)}>"

    @abstractmethod
    def predicted(self, belief: Belief) -> Belief:
        """The belief one step later."""

    @abstractmethod
    def updated(self, belief: Belief, readings: Sequence[Expr]) -> tuple[Belief, Update]:
        """The belief after readings, closed again, and what the update found out."""

    # the step

    @cached_property
    def readings(self) -> list[Expr]:
        """The symbols of the readings."""
        return [self.model.graph.symbol(f"reading.y{k}") for k in range(len(self.instruments.channels))]

    @cached_property
    def _symbols(self) -> list[Expr]:
        n = self.process.manifold.size
        return [self.model.graph.symbol(f"covariance.P{k}") for k in range(n * (n + 1) // 2)]

    @cached_property
    def function(self) -> Function:
        """``x_next`` of ``x``, the readings ``y``, the step ``h``, parameters ``p`` and inputs ``u``."""
        model, graph = self.model, self.model.graph
        time = [] if model.time is None else [model.time]
        here = self.process.here
        P = from_triangle(graph, self._symbols, self.process.manifold.size)
        ahead = self.predicted(Belief(here["q"], here["dq"], P))
        later = [] if model.time is None else [model.time + self.process.h]
        after, found = self._updated_at(ahead, later)
        inputs = {"x": [*model.q, *model.dq, *time, *self._symbols], "y": self.readings, "h": self.process.h}
        inputs |= self.process.given("p", "u")
        outputs = {
            "x_next": [*after.q, *after.dq, *later, *triangle(after.P)],
            "nis": found.nis,
            "likelihood": found.likelihood,
        }
        return Function(f"{model.name}_{self.key}", inputs, outputs)

    def _updated_at(self, ahead: Belief, later: list[Expr]) -> tuple[Belief, Update]:
        """The update, made once at the model's symbols and then moved to the predicted state."""
        model, graph, n = self.model, self.model.graph, len(self.model.q)
        here = self.process.here
        P = from_triangle(graph, self._symbols, self.process.manifold.size)
        after, found = self.updated(Belief(here["q"], here["dq"], P), self.readings)
        whole = vector([*after.q, *after.dq, *triangle(after.P), found.nis, found.likelihood], graph)
        known: dict[Any, Any] = dict(zip([*model.q, *model.dq], [*ahead.q, *ahead.dq], strict=True))
        known |= dict(zip(self._symbols, triangle(ahead.P), strict=True))
        if model.time is not None:
            known[model.time] = later[0]
        moved = whole.substitute(known)
        P_after = from_triangle(graph, list(moved[2 * n : len(moved) - 2]), P.shape[0])
        belief = Belief(moved[:n], moved[n : 2 * n], P_after)
        return belief, Update(
            moved[:0] if n else moved, P_after, moved[len(moved) - 2], moved[len(moved) - 1]
        )

    @cached_property
    def kernel(self) -> Kernel:
        """The native step."""
        return Kernel(self.function)

    # numbers

    def start(self, state: State, P: Any) -> np.ndarray:
        """The filter's state for a first guess and its covariance, or its standard deviations.

        Raises ValueError for a covariance that is not symmetric and positive definite.
        """
        size = self.process.manifold.size
        given = np.asarray(P, float)
        cov = np.diag(given**2) if given.ndim == 1 else given
        if cov.shape != (size, size):
            told = ", ".join(self.process.manifold.names)
            raise ValueError(
                f"The covariance is that of ({told}): expected {size} or {size}x{size}; got {given.shape}."
            )
        if not np.allclose(cov, cov.T, rtol=1e-9) or np.linalg.eigvalsh(cov).min() <= 0.0:
            raise ValueError("The covariance of the start is not symmetric and positive definite.")
        time = [] if self.model.time is None else [state.t]
        return np.concatenate([state.q, state.dq, time, cov[np.triu_indices(size)]])

    def run(self, readings: Any, start: State, P: Any, *, u: Any = None, t: float = 0.0) -> Record:
        """The estimates for readings, one row a step, NaN where none is due.

        Row k belongs to the end of step k. The record has coordinates, velocities, standard deviations as
        columns named 'sd(...)', and the channels as notes.
        """
        y = np.ascontiguousarray(readings, float)
        if y.ndim != 2 or y.shape[1] != len(self.instruments.channels):
            raise ValueError(
                f"Readings have a column for each of {self.instruments.channels}; got shape {y.shape}."
            )
        x = self.start(start, P)
        named: dict[str, Any] = {"h": self.process.dt}
        ports = [port.name for port in self.function.inputs]
        named |= {
            name: v
            for name, v in (("p", start.p), ("u", start.u if u is None else np.asarray(u, float)))
            if name in ports
        }
        series = ["y", *(["u"] if "u" in named and np.ndim(named["u"]) == 2 else [])]
        rows = self.kernel.iterate(x, len(y), y=y, series=series, **named)
        return self._record(rows, start, t)

    def _record(self, rows: np.ndarray, start: State, t: float) -> Record:
        n, size = len(self.model.q), self.process.manifold.size
        names = [c.name for c in self.model.placements]
        columns = {
            name: np.ascontiguousarray(rows[:, k])
            for k, name in enumerate([*names, *(f"{x}'" for x in names)])
        }
        place = 2 * n + (self.model.time is not None)
        diagonal = place + np.cumsum([0, *range(size, 1, -1)])
        for name, k in zip(self.process.manifold.names, diagonal, strict=True):
            columns[f"sd({name})"] = np.sqrt(np.maximum(rows[:, k], 0.0))
        units = {c.name: c.unit for c in self.model.placements}
        units |= {f"{name}'": f"{unit}/s" for name, unit in units.items()}
        times = t + self.process.dt * np.arange(len(rows))
        status = "finished" if np.isfinite(rows).all() else "diverged: a value is not finite"
        notes = {"filter": self.key, "channels": self.instruments.channels}
        return Record(times, columns, units, status, notes, self.model, start.p, start.u)
