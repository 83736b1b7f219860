"""`Filter`: the contract of all Gaussian filters on the constraint manifold.

A filter's state ``x`` is (q, dq), the time where the model needs it, what some filters estimate beside
(disturbances), and the upper triangle of the covariance P of the error, which is (z, dz) and the same. One
step predicts over ``h`` and updates with the readings ``y`` that are due; a reading that is NaN is not
there. The step is a Function, so it compiles, iterates natively over a series of readings, runs as a batch,
and is written as C.

A filter says what `predicted` and `updated` do with a `Belief`; one that keeps its covariance in another
form, a square root, says how it is kept (`kept`, `covariances`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from biela.compile.block import Block
from biela.compile.kernel import Kernel
from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.expr.matrix import Matrix, matrix, vector
from biela.observe import covariance, estimate, export
from biela.observe.event import spans
from biela.observe.gaussian import Update, from_triangle, triangle
from biela.observe.instrument import Instruments
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor
from biela.simulate.record import Record
from biela.simulate.state import State, expected_state, inputs, parameters


class Belief(NamedTuple):
    """A state, the covariance of its error or a square root of that, and what else is estimated."""

    q: Matrix
    dq: Matrix
    P: Matrix
    more: tuple[Expr, ...] = ()


class Filter(ABC):
    """The base of the filters that keep a mean and a covariance.

    Raises ValueError for sensors without noise or of another model.
    """

    key: ClassVar[str] = ""

    def __init__(self, process: Process, sensors: Sequence[Sensor]) -> None:
        self.instruments = Instruments(process, sensors)
        self.process, self.model = process, process.model

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.model.name}: {', '.join(self.instruments.channels)}>"

    @abstractmethod
    def predicted(self, belief: Belief) -> Belief:
        """The belief one step later; ``belief`` is at the model's symbols."""

    @abstractmethod
    def updated(self, belief: Belief, readings: Sequence[Expr]) -> tuple[Belief, Update]:
        """The belief after readings, closed again, and what the update found out."""

    # what is kept

    @property
    def augmented(self) -> list[str]:
        """What is estimated beside (z, dz)."""
        return []

    @property
    def learned(self) -> dict[Expr, int]:
        """The parameters among them, and their places there."""
        return {}

    @property
    def names(self) -> list[str]:
        """What the components of the error belong to."""
        return [*self.process.manifold.names, *self.augmented]

    @property
    def size(self) -> int:
        """How many numbers the error has."""
        return len(self.names)

    def kept(self, P: np.ndarray) -> np.ndarray:
        """The numbers that are kept for a covariance."""
        return P[np.triu_indices(len(P))]

    def covariances(self, rows: np.ndarray) -> np.ndarray:
        """The covariances of the error, one for each row of states; lanes last."""
        entries = rows[:, self._place :]
        return covariance.whole(entries, self.size)

    def unpacked(self, entries: Sequence[Expr]) -> Matrix:
        """The matrix of a belief from what is kept of it."""
        return from_triangle(self.model.graph, entries, self.size)

    def packed(self, P: Matrix) -> list[Expr]:
        """What is kept of the matrix of a belief."""
        return triangle(P)

    @property
    def _place(self) -> int:
        """Where the numbers of the covariance begin."""
        return 2 * len(self.model.q) + (self.model.time is not None) + len(self.augmented)

    # the step

    @cached_property
    def readings(self) -> list[Expr]:
        """The symbols of the readings."""
        return [self.model.graph.symbol(f"reading.y{k}") for k in range(len(self.instruments.channels))]

    @cached_property
    def _symbols(self) -> list[Expr]:
        n = self.size
        return [self.model.graph.symbol(f"covariance.P{k}") for k in range(n * (n + 1) // 2)]

    @cached_property
    def _more(self) -> tuple[Expr, ...]:
        return tuple(self.model.graph.symbol(f"augmented.a{k}") for k in range(len(self.augmented)))

    @property
    def belief(self) -> Belief:
        """The belief as the model's symbols and those of the covariance."""
        here = self.process.here
        return Belief(here["q"], here["dq"], self.unpacked(self._symbols), self._more)

    @cached_property
    def state(self) -> list[Expr]:
        """The symbols of the filter's state."""
        time = [] if self.model.time is None else [self.model.time]
        return [*self.model.q, *self.model.dq, *time, *self._more, *self._symbols]

    @cached_property
    def function(self) -> Function:
        """``x_next`` of ``x``, the readings ``y``, the step ``h``, parameters ``p`` and inputs ``u``."""
        model = self.model
        ahead = self.predicted(self.belief)
        later = [] if model.time is None else [model.time + self.process.h]
        after, found = self._updated_at(ahead, later)
        inputs = {"x": self.state, "y": self.readings, "h": self.process.h}
        return self._made("", inputs, self._row(after, later), found)

    @cached_property
    def prediction(self) -> Function:
        """The first half of a step: ``x_next`` of ``x``, the time ``h``, ``p`` and ``u``."""
        model = self.model
        later = [] if model.time is None else [model.time + self.process.h]
        inputs = {"x": self.state, "h": self.process.h}
        return self._made("_predict", inputs, self._row(self.predicted(self.belief), later))

    @cached_property
    def correction(self) -> Function:
        """The second half: ``x_next`` of ``x`` and readings ``y`` at that moment.

        Raises ValueError for a filter whose halves are one.
        """
        return self.halved()

    def halved(self) -> Function:
        """The update by itself."""
        after, found = self.updated(self.belief, self.readings)
        now = [] if self.model.time is None else [self.model.time]
        return self._made("_update", {"x": self.state, "y": self.readings}, self._row(after, now), found)

    def _row(self, belief: Belief, time: Sequence[Expr]) -> list[Expr]:
        """The filter's state as expressions."""
        return [*belief.q, *belief.dq, *time, *belief.more, *self.packed(belief.P)]

    def _made(
        self, part: str, inputs: dict[str, Any], row: list[Expr], found: Update | None = None
    ) -> Function:
        outputs: dict[str, Any] = {"x_next": row}
        if found is not None:
            outputs |= {"nis": found.nis, "likelihood": found.likelihood}
        known: dict[Any, Any] = {p: self._more[k] for p, k in self.learned.items()}
        if known:
            graph = self.model.graph
            outputs = {
                name: list(vector(v, graph).substitute(known)) if name == "x_next" else v.substitute(known)
                for name, v in outputs.items()
            }
        name = f"{self.model.name}_{self.key.replace('-', '_')}{part}"
        return Function(name, inputs | self.process.given("p", "u"), outputs)

    def _updated_at(self, ahead: Belief, later: list[Expr]) -> tuple[Belief, Update]:
        """The update, made once at the model's symbols and then moved to the predicted state."""
        after, found = self.updated(self.belief, self.readings)
        values = [*after.q, *after.dq, *after.more, *self.packed(after.P), found.nis, found.likelihood]
        moved = list(self.moved_to(values, ahead, later))
        n, more = len(self.model.q), len(self._more)
        P = self.unpacked(moved[2 * n + more : -2])
        graph = self.model.graph
        q, dq = vector(moved[:n], graph), vector(moved[n : 2 * n], graph)
        belief = Belief(q, dq, P, tuple(moved[2 * n : 2 * n + more]))
        return belief, Update(q, P, moved[-2], moved[-1])

    def moved_to(self, values: Sequence[Expr], belief: Belief, later: Sequence[Expr] = ()) -> Matrix:
        """Expressions of the filter's symbols as they are at another belief."""
        model = self.model
        known: dict[Any, Any] = dict(zip([*model.q, *model.dq], [*belief.q, *belief.dq], strict=True))
        known |= dict(zip(self._symbols, self.packed(belief.P), strict=True))
        known |= dict(zip(self._more, belief.more, strict=True))
        if model.time is not None and later:
            known[model.time] = later[0]
        return vector(values, model.graph).substitute(known)

    def noise(self) -> Matrix:
        """The covariance of the readings."""
        return matrix(self.instruments.covariance.tolist(), self.model.graph)

    @cached_property
    def kernel(self) -> Kernel:
        """The native step."""
        return Kernel(self.function)

    @cached_property
    def _halves(self) -> tuple[Kernel, Kernel]:
        return Kernel(self.prediction), Kernel(self.correction)

    # numbers

    def step(self, x: Any, y: Any, h: float | None = None, *, p: Any = None, u: Any = None) -> np.ndarray:
        """The filter's state after a step and its readings, NaN for those that are not there.

        ``x`` is what `start` or the last step returned; ``h`` the time since then, the process's step unless
        given. It is `predict` and `update` at once.
        """
        return np.asarray(self._called(self.kernel, x, y=self._readings(y), h=self._time(h), p=p, u=u)[0])

    def predict(self, x: Any, h: float | None = None, *, p: Any = None, u: Any = None) -> np.ndarray:
        """The filter's state a time ``h`` later, without readings."""
        return np.asarray(self._called(self._halves[0], x, h=self._time(h), p=p, u=u))

    def update(self, x: Any, y: Any, *, p: Any = None, u: Any = None) -> np.ndarray:
        """The filter's state after readings at its moment, NaN for those that are not there."""
        return np.asarray(self._called(self._halves[1], x, y=self._readings(y), p=p, u=u)[0])

    def _called(self, kernel: Kernel, x: Any, *, p: Any, u: Any, **named: Any) -> Any:
        named |= {"p": parameters(self.model, p), "u": inputs(self.model, u)}
        return kernel(x=x, **{port.name: named[port.name] for port in kernel.function.inputs[1:]})

    def _readings(self, y: Any) -> np.ndarray:
        given, channels = np.atleast_1d(np.asarray(y, float)), self.instruments.channels
        if given.shape != (len(channels),):
            raise ValueError(f"Readings have a number for each of {channels}; got shape {given.shape}.")
        return given

    def _time(self, h: float | None) -> float:
        if h is not None and not (np.isfinite(h) and h >= 0.0):
            raise ValueError(f"A step takes a time of 0 or more, s; got h={h!r}.")
        return self.process.dt if h is None else float(h)

    def start(self, state: State, P: Any) -> np.ndarray:
        """The filter's state for a first guess and its covariance, or its standard deviations.

        A covariance that rounding has left just short of positive definite is repaired, with a warning.
        Raises ValueError for one that is not symmetric and positive definite.
        """
        self.instruments.expect(self.augmented)
        cov = covariance.checked(P, self.names, "start")
        time = [] if self.model.time is None else [state.t]
        more = np.zeros(len(self.augmented))
        for place, value in self.known_at(state.p).items():
            more[place] = value
        return np.concatenate([state.q, state.dq, time, more, self.kept(cov)])

    def known_at(self, p: np.ndarray) -> dict[int, float]:
        """The parameters that are estimated, by their places among the augmented."""
        symbols = [quantity.symbol for quantity in self.model.parameters]
        return {place: float(p[symbols.index(symbol)]) for symbol, place in self.learned.items()}

    def rows(
        self, readings: Any, start: State | Sequence[State], P: Any, u: Any = None, threads: int = 1,
        h: Any = None,
    ) -> np.ndarray:  # fmt: skip
        """The filter's states, the start being row 0; with lanes where readings, start or P have them.

        ``h`` is the length of each step, if not that of the process.
        """
        return estimate.rows(self, readings, start, P, u, threads, h)

    def run(
        self, readings: Any, start: State, P: Any, *, u: Any = None, t: float | None = None, times: Any = None
    ) -> Record:
        """The estimates for readings, one row a step, NaN where none is due.

        Row k belongs to the end of step k, or to ``times[k]``: readings that come at times of their own, as
        `events` sorts them, are taken when they come, between the steps of the process. The record has
        coordinates, velocities, standard deviations as columns named 'sd(...)', covariances as
        'cov(...,...)', how many 'readings' were taken, and the normalised innovation squared as 'nis', NaN
        without a reading.
        """
        begin = expected_state(start, "A filter").t if t is None else t
        y = estimate.checked(self, readings)
        if times is None:
            return estimate.recorded(self, self.rows(y, start, P, u), y, start, begin, u)
        h = spans(times, begin, len(y), self.process.dt)
        return estimate.recorded(self, self.rows(y, start, P, u, h=h), y, start, begin, u, h)

    def batch(
        self, readings: Any, start: State | Sequence[State], P: Any, *, u: Any = None, threads: int = 0
    ) -> Record:
        """Many filters side by side: readings with a third axis of lanes, or a state a lane, or both.

        The record has no 'nis'; run a lane by itself for that.
        """
        y = estimate.checked(self, readings)
        rows = self.rows(y, start, P, u, threads)
        first = start if isinstance(start, State) else start[0]
        return estimate.recorded(self, rows, y, first, first.t, u)

    def variances(self) -> list[Expr]:
        """The variances of the error, in expressions of the state."""
        P = self.unpacked(self._symbols)
        return [P[k, k] for k in range(self.size)]

    def block(self, start: State | None = None, P: Any = None, name: str = "") -> Block:
        """The filter with its numbers, to export: see `biela.export_fmu` and `biela.export_package`.

        Inputs are the readings, NaN where none is due, and those of the model; outputs are coordinates,
        velocities, what is estimated beside, standard deviations, and what the last update found out. It
        begins from ``start`` and ``P``: the model's own start and deviations of 0.1 where nothing is said.
        """
        return export.block(self, start, P, name)

    def export_c(self, folder: str | Path, start: State | None = None, P: Any = None) -> list[Path]:
        """Write the filter as C99 without malloc, and an example that runs it over a CSV of readings.

        The example, ``main.c``, begins from ``start`` and ``P``: the model's own start and deviations of 0.1
        where nothing is said.
        """
        return export.export_c(self, Path(folder), start, P)
