"""Real time: a loop at a fixed rate, with a deadline for every step.

Each period the loop reads inputs, makes one native step, hands out the state, and waits: asleep until shortly
before the next period, then awake. The buffers of the record are made before the loop begins, and nothing is
raised in it: what goes wrong is a `Status`, and the policy says what follows. Python on a common operating
system is soft real time: the histogram tells how soft.

The clock is an argument, so that loops are tested without waiting.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from biela.simulate.record import FINISHED, Record
from biela.simulate.recording import recorded, widest_gap
from biela.simulate.simulation import Simulation
from biela.simulate.state import State

SPIN = 200_000  # ns before a period's begin from which the loop waits awake
POLICIES = ("skip", "catch-up", "stop")
BINS = np.array([0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 1e4, np.inf])  # us


class Status(IntEnum):
    """What became of a period."""

    OK = 0
    LATE = 1  # the step ended after its deadline
    SKIPPED = 2  # there was no time for it; the clock went on without it
    DIVERGED = 3  # the state is not finite, or off the constraints: the last good one is kept
    STOPPED = 4  # by the callback, or by the policy
    FAILED = 5  # the callback raised


Exchange = Callable[[int, np.ndarray, np.ndarray], Any]


@dataclass(frozen=True)
class Clock:
    """Nanoseconds and a way to wait until a time; another pair takes their place in tests."""

    now: Callable[[], int] = time.perf_counter_ns
    sleep: Callable[[float], None] = time.sleep

    def wait(self, until: int) -> None:
        """Sleep until shortly before a time, then watch the clock."""
        rest = until - self.now() - SPIN
        if rest > 0:
            self.sleep(rest * 1e-9)
        while self.now() < until:
            pass


@dataclass(frozen=True, eq=False)
class Timing:
    """How a loop kept its time, period by period: statuses, latencies and work, in us.

    A latency is from the moment a period was due to the end of its step; work is what of it was not waiting.
    """

    period: float
    statuses: np.ndarray
    latencies: np.ndarray
    work: np.ndarray
    error: BaseException | None = None

    def counts(self) -> dict[str, int]:
        """How many periods ended in each status."""
        return {s.name: int((self.statuses == s).sum()) for s in Status if (self.statuses == s).any()}

    @property
    def factor(self) -> float:
        """How many times faster than real time the steps were, on the median."""
        ran = self.work[self.statuses <= Status.LATE]
        return 1e6 * self.period / float(np.median(ran)) if len(ran) else 0.0

    def histogram(self) -> str:
        """The latencies as a text with a bar for each class that occurs."""
        ran = self.latencies[self.statuses <= Status.LATE]
        counts = np.histogram(ran, BINS)[0]
        most = max(1, int(counts.max(initial=0)))
        lines = [
            f"{BINS[k]:>7g} .. {BINS[k + 1]:>6g} us {count:>8d} {'#' * -(-40 * int(count) // most)}"
            for k, count in enumerate(counts)
            if count
        ]
        quantiles = np.percentile(ran, [50.0, 99.0, 100.0]) if len(ran) else np.full(3, np.nan)
        told = ", ".join(
            f"{name} {v:.0f} us" for name, v in zip(("median", "99 %", "worst"), quantiles, strict=True)
        )
        return "\n".join([*lines, told])


class RealTime:
    """A simulation that keeps time with a clock.

    ``exchange(number, state, u)`` is called at the begin of every period: it reads the state, coordinates and
    then velocities, and writes inputs into ``u``; what it returns, if it is true, stops the loop. ``policy``
    says what follows a missed deadline: 'skip' the periods that are over, 'catch-up' without waiting, or
    'stop'.

    Raises ValueError for integrators with error control, whose steps take no fixed time, and for unknown
    policies.
    """

    def __init__(
        self,
        simulation: Simulation,
        exchange: Exchange | None = None,
        *,
        policy: str = "catch-up",
        clock: Clock | None = None,
    ) -> None:
        if simulation.step.adaptive:
            raise ValueError(
                f"Integrator '{simulation.step.integrator.name}' chooses its steps itself. A loop in real "
                "time wants one without error control, 'rk4' for example."
            )
        if policy not in POLICIES:
            raise ValueError(f"Unknown policy {policy!r}. Known: {', '.join(POLICIES)}.")
        self.simulation, self.exchange, self.policy = simulation, exchange, policy
        self.clock = clock or Clock()

    def run(self, start: State, duration: float) -> tuple[Record, Timing]:
        """The motion, with a moment for every period, and how the loop kept its time.

        Raises ValueError before the loop begins: for a duration that is not positive, or a state off the
        constraints. After that nothing is raised.
        """
        loop = _Loop(self, start, self.simulation.periods(start, duration))
        loop.go()
        return loop.result()


class _Loop:
    """One run: buffers made before it begins."""

    def __init__(self, owner: RealTime, start: State, count: int) -> None:
        simulation = owner.simulation
        self.owner, self.count, self.start = owner, count, start
        self.period = round(simulation.dt * 1e9)
        step = simulation.step
        x = step.pack(start.q, start.dq, start.t, simulation.dt, start.p, start.u)
        self.rows = np.full((count + 1, len(x)), np.nan)
        self.inputs = np.zeros((count + 1, len(start.u)))
        self.statuses = np.full(count, Status.STOPPED, np.int8)
        self.latencies, self.work = np.zeros(count), np.zeros(count)
        self.rows[0], self.u = x, start.u.copy()
        self.widest = widest_gap(step)
        self.gap, self.half = step.names.index("gap"), 2 * len(start.q)
        ports = [port.name for port in step.function.inputs]
        have: dict[str, Any] = {"h": simulation.dt, "p": start.p, "u": self.u}
        self.rest = [have[name] for name in ports[1:]]  # u is one array all the time
        self.kernel = simulation.kernel
        self.done, self.entered, self.last, self.error = 0, 0, Status.OK, None
        self.kernel(x, *self.rest)  # compiled before the clock counts

    def go(self) -> None:
        """Period after period."""
        clock, policy, period = self.owner.clock, self.owner.policy, self.period
        begin = clock.now()
        due = begin
        while self.done < self.count:
            clock.wait(due)
            woken = clock.now()
            status = self._period(self.done)
            end = clock.now()
            self.latencies[self.done], self.work[self.done] = (end - due) * 1e-3, (end - woken) * 1e-3
            if status is Status.OK and end > due + period:
                status = Status.LATE
            self.statuses[self.done] = self.last = status
            self.entered = self.done + 1
            if status >= Status.DIVERGED:
                return
            self.done += 1
            due += period
            if status is Status.LATE and policy == "stop":
                return
            if status is Status.LATE and policy == "skip":
                due = self._skip(due, end)

    def _period(self, k: int) -> Status:
        x, exchange = self.rows[k], self.owner.exchange
        if exchange is not None:
            try:
                seen = x[: self.half]
                seen.flags.writeable = False
                if exchange(k, seen, self.u):
                    return Status.STOPPED
            except Exception as error:
                self.error = error
                return Status.FAILED
        self.inputs[k] = self.u
        after = self.kernel(x, *self.rest)
        if not (np.isfinite(after).all() and after[self.gap] <= self.widest):
            return Status.DIVERGED
        self.rows[k + 1] = after
        self.inputs[k + 1] = self.u
        return Status.OK

    def _skip(self, due: int, now: int) -> int:
        """The next period's begin that is still to come; the state stays what it was in those before."""
        while due < now and self.done < self.count:
            self.rows[self.done + 1] = self.rows[self.done]
            self.inputs[self.done + 1] = self.u
            self.statuses[self.done] = Status.SKIPPED
            self.done += 1
            self.entered = self.done
            due += self.period
        return due

    def result(self) -> tuple[Record, Timing]:
        """The record up to the last good state, and the timing."""
        simulation, moments = self.owner.simulation, self.done + 1
        times = self.start.t + simulation.dt * np.arange(moments)
        early = f"{self.last.name.lower()} at t={times[-1]:g} s"
        status = early if self.done < self.count else FINISHED
        rows, inputs, notes = self.rows[:moments], self.inputs[:moments], {"dt": simulation.dt}
        record = recorded(simulation.model, simulation.step, times, rows, self.start.p, inputs, notes, status)
        told = self.entered
        timing = Timing(
            simulation.dt, self.statuses[:told], self.latencies[:told], self.work[:told], self.error
        )
        return record, timing
