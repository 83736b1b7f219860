"""The course of a run with events: chunks of native steps, and single steps where something happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from biela.mechanics.model import Model
from biela.simulate.engine import Engine
from biela.simulate.event import Event, Witnesses
from biela.simulate.progress import Progress
from biela.simulate.record import FINISHED
from biela.simulate.state import State

CHUNK = 1024  # steps between two looks at the witnesses
NEAR = 1e-9  # of a step: times so near to the grid are on it
PROBE = 1e-6  # of what is left of a step: where an event's witness is looked at after it
MOST = 1000  # events within one step

Inputs = Callable[[Engine, State, int], np.ndarray]  # what acts at a state, in the step of that number


class Path(NamedTuple):
    """Moments with their states, parameters and native inputs, what happened, and how it ended."""

    times: np.ndarray
    rows: np.ndarray
    p: np.ndarray
    u: np.ndarray
    happened: list[tuple[str, float]]
    status: str


@dataclass(eq=False)
class _Course:
    model: Model
    engine: Engine
    begin: float
    count: int
    every: int
    events: Sequence[Event]
    inputs: Inputs
    progress: Progress | None
    witnesses: Witnesses = field(init=False)
    status: str = ""
    fresh: Event | None = None  # what happened just now: its witness is zero, or nearly
    changed: bool = False  # whether it changed the state
    happened: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    kept: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])  # times, rows, p, u

    def __post_init__(self) -> None:
        self.witnesses = Witnesses(self.model, self.events)

    @property
    def own(self) -> np.ndarray:
        """The parameters of the model; those of a controller come after them."""
        return self.engine.p[: len(self.model.parameters)]

    def time(self, k: int) -> float:
        """Where a step begins."""
        return self.begin + k * self.engine.dt

    def due(self, after: float) -> float:
        """The next appointed time."""
        slack = NEAR * self.engine.dt
        return min((e.due(after, slack) for e in self.events if e.times), default=np.inf)

    def go(self, x: np.ndarray) -> None:
        """To the end, or until something stops it."""
        k, slack = 0, NEAR * self.engine.dt
        self.keep(np.array([self.begin]), x[None], 0)
        x = self.appointed(x, self.begin, 0)
        while k < self.count and not self.status:
            left = (self.due(self.time(k)) - self.time(k) + slack) / self.engine.dt
            n = int(min(CHUNK, self.count - k, max(left, 0.0)))
            if n and self.fresh is None:
                k, x, met = self.chunk(k, x, n)
            else:
                met = True
            if met and k < self.count:
                x = self.single(k, x)
                k += not self.status
            if not self.status:
                x = self.appointed(x, self.time(k), k)
            if not np.isfinite(x).all():
                self.keep(np.array([self.time(k)]), x[None], k)
                return
            if self.progress is not None:
                self.progress(k, self.count)

    def chunk(self, k: int, x: np.ndarray, n: int) -> tuple[int, np.ndarray, bool]:
        """Up to ``n`` steps: the number and state before the one in which something happens, or the end."""
        rows = self.engine.chunk(x, self.time(k), k, n)
        times = self.begin + self.engine.dt * np.arange(k, k + n + 1)
        values = self.witnesses(rows, times, self.own)
        hits = np.zeros(n, bool)
        for value, event in zip(values.T, self.witnesses.events, strict=True):
            hits |= event.happens(value[:-1], value[1:])
        end = int(np.argmax(hits)) if hits.any() else n
        marks = np.arange(k + 1, k + end + 1)
        chosen = marks[marks % self.every == 0]
        self.keep(times[chosen - k], rows[chosen - k], chosen)
        return k + end, rows[end], bool(hits.any())

    def single(self, k: int, x: np.ndarray) -> np.ndarray:
        """One step of the grid, with all that happens in it."""
        now, end, slack = self.time(k), self.time(k + 1), NEAR * self.engine.dt
        for _ in range(MOST):
            stop = min(end, self.due(now))
            stop = end if stop > end - slack else stop
            after = self.engine.advance(x, now, stop - now, k)
            found = self.first(x, after, now, stop, k)
            if self.status:
                return x
            if found is None:
                x, now = after, stop
                if now == end:
                    break
                x = self.appointed(x, now, k)
            else:
                h, event = found
                x, now = self.engine.advance(x, now, h, k), now + h
                x = self.act([event], x, now, k)
                self.fresh = event
            if self.status:
                return x
        else:
            self.status = f"stopped at t={now:g} s: more than {MOST} events in one step"
        if (k + 1) % self.every == 0:
            self.keep(np.array([end]), x[None], k + 1)
        return x

    def first(
        self, x: np.ndarray, after: np.ndarray, now: float, stop: float, k: int
    ) -> tuple[float, Event] | None:
        """How far away the next crossing is, and which; None if there is none on the way."""
        pair, own = np.array([x, after]), self.own
        before, values = self.witnesses(pair, np.array([now, stop]), own)
        fresh, self.fresh = self.fresh, None
        found: list[tuple[float, Event]] = []
        for i, event in enumerate(self.witnesses.events):
            low, start = 0.0, before[i]

            def witness(h: float, i: int = i) -> float:
                if h == 0.0:
                    return float(before[i])
                there = self.engine.advance(x, now, h, k)
                return float(self.witnesses(there[None], np.array([now + h]), own)[0, i])

            if event is fresh:
                low = PROBE * (stop - now)
                start = witness(low)
                if self._stays(event, start):
                    self.status = (
                        f"stopped at t={now:g} s: '{event.name}' does not lead away from where it happens"
                    )
                    return None
            if not event.happens(np.array(start), np.array(values[i])):
                continue
            high = stop - now
            root = high if values[i] == 0.0 else _root(witness, low, high, event.window)
            found.append((root, event))
        return min(found, key=lambda pair: pair[0], default=None)

    def _stays(self, event: Event, value: float) -> bool:
        """Whether a state changed by an event goes on to the side from which the event keeps it."""
        if not self.changed or event.direction == "both":
            return False
        return value < 0.0 if event.direction == "falling" else value > 0.0

    def appointed(self, x: np.ndarray, now: float, k: int) -> np.ndarray:
        """The state after what is appointed for a time."""
        slack = NEAR * self.engine.dt
        due = [e for e in self.events if e.times and e.due(now - 2.0 * slack, 0.0) <= now + slack]
        return self.act(due, x, now, k) if due else x

    def act(self, events: Sequence[Event], x: np.ndarray, now: float, k: int) -> np.ndarray:
        """The state after some events."""
        for event in events:
            self.happened.append((event.name, now))
            state = self._state(x, now, k)
            result = event.action if isinstance(event.action, str) else event.action(state)
            self.changed = isinstance(result, State)
            if result is not None:
                self.keep(np.array([now]), x[None], k)
            if isinstance(result, State):
                x = self._moved(event, state, result)
                self.keep(np.array([now]), x[None], k)
            elif isinstance(result, str) and result == "stop":
                self.status = f"stopped by '{event.name}' at t={now:g} s"
            elif result not in (None, "record"):
                raise TypeError(
                    f"Event '{event.name}': an action returns a State, None or 'stop'; got {result!r}."
                )
        return x

    def _state(self, x: np.ndarray, now: float, k: int) -> State:
        n = len(self.model.placements)
        state = State(self.model, x[:n].copy(), x[n : 2 * n].copy(), now, self.own.copy(), self.model.u)
        return state.changed(u=self.inputs(self.engine, state, k))

    def _moved(self, event: Event, before: State, state: State) -> np.ndarray:
        """The vector of a changed state; parameters and inputs go on as it has them."""
        engine, n = self.engine, len(self.model.parameters)
        values = np.concatenate([state.q, state.dq, state.p, state.u])
        if not np.isfinite(values).all():
            raise ValueError(f"Event '{event.name}': its action returned a state that is not finite.")
        p = np.concatenate([state.p, engine.p[n:]])
        changed = not np.array_equal(state.u, before.u)
        if changed and (engine.series or engine.u.shape != state.u.shape):
            raise ValueError(
                f"Event '{event.name}' changes inputs that a signal or a controller gives. Let it change "
                "parameters instead."
            )
        self.engine = engine.changed(p=p, u=state.u if changed else engine.u)
        return self.engine.pack(state.q, state.dq, state.t)

    def keep(self, times: np.ndarray, rows: np.ndarray, steps: Any) -> None:
        """Moments for the record; ``steps`` are the numbers of those that begin there."""
        if len(times):
            u = self.engine.u
            if self.engine.series:
                u = u[np.minimum(np.broadcast_to(steps, len(times)), self.count - 1)]
            self.kept.append((times, rows, self.engine.p, u))


def _root(witness: Callable[[float], float], low: float, high: float, window: float) -> float:
    """Where a witness is zero, by Brent's method."""
    return float(brentq(witness, low, high, xtol=window))  # pyright: ignore[reportUnknownArgumentType, reportArgumentType]


def follow(
    model: Model, engine: Engine, x: np.ndarray, begin: float, count: int, every: int,
    events: Sequence[Event], inputs: Inputs, progress: Progress | None,
) -> Path:  # fmt: skip
    """The path of a state through steps and events."""
    course = _Course(model, engine, begin, count, every, events, inputs, progress)
    course.go(x)
    times, rows = (np.concatenate([part[k] for part in course.kept]) for k in (0, 1))
    p, u = (_joined(course.kept, k, engine.series and k == 3) for k in (2, 3))
    return Path(times, rows, p, u, course.happened, course.status or FINISHED)


def _joined(kept: list[tuple[Any, ...]], k: int, series: bool) -> np.ndarray:
    """Constant values if they are, otherwise one row a moment."""
    first = kept[0][k]
    if series:
        return np.concatenate([part[k] for part in kept])
    if all(part[k] is first for part in kept):
        return first
    return np.concatenate([np.broadcast_to(part[k], (len(part[0]), len(first))) for part in kept])
