"""`Live`: a filter fed as readings come: from a queue, a recorded file or the network.

A source is any iterable of `Packet`: it may take as long as it likes between two. `Live` puts packets on the
grid of the filter's steps, or at their own times, and runs the native step over what is between. Nothing need
come in order:

* a packet from the past is put where it belongs, and the filter runs again from there, as far back as
  ``history`` reaches (older ones are ignored and counted as ``late``);
* a packet that is there already is ignored and counted as ``duplicated``;
* one that no sensor of the filter sends, of a wrong size or not a number, is ignored and counted as
  ``refused``, with the reason kept.

Times of packets are those of the sensor's clock, in seconds, the filter's start being ``start.t``. Particle
filters are fed by `LiveParticles`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import ceil, floor
from typing import Any

import numpy as np

from biela.observe import estimate
from biela.observe.event import NEAR, spans
from biela.observe.filter.filter import Filter
from biela.observe.instrument import Instruments
from biela.observe.packet import Packet
from biela.simulate.record import Record
from biela.simulate.state import State

REASONS = 20  # of refusals that are kept


@dataclass
class LiveReport:
    """What came, what was left out, and how long it took."""

    packets: int = 0
    late: int = 0
    duplicated: int = 0
    refused: int = 0
    reruns: int = 0
    overruns: int = 0
    reasons: list[str] = field(default_factory=list[str])
    latencies: list[float] = field(default_factory=list[float])

    def __repr__(self) -> str:
        worst = max(self.latencies, default=0.0) * 1e3
        return (
            f"<LiveReport {self.packets} packets: {self.late} late, {self.duplicated} duplicated, "
            f"{self.refused} refused, {self.reruns} reruns, {self.overruns} overruns, latency "
            f"up to {worst:.3g} ms>"
        )

    def spent(self, latency: float, dt: float) -> None:
        """Keep how long a packet took; longer than ``dt`` is an overrun."""
        self.latencies.append(latency)
        self.overruns += latency > dt

    def refuse(self, reason: str) -> None:
        """Count a packet that is none."""
        self.refused += 1
        if len(self.reasons) < REASONS:
            self.reasons.append(reason)


class Live:
    """A filter on a stream of packets; ``history`` is how far back, in seconds, a late packet may reach.

    Readings count at the nearest step of the filter, or with ``exact`` at the time they were taken, between
    the steps. ``live.state`` is the last estimate, ``live.report`` what happened. A packet that took longer
    than a step of the filter is an overrun; one more than ``ahead`` seconds after the last is refused as a
    broken clock.

    Raises ValueError for a history below one step.
    """

    def __init__(
        self,
        observer: Filter,
        start: State,
        P: Any,
        *,
        history: float = 0.5,
        ahead: float = 60.0,
        keep: int = 1_000_000,
        exact: bool = False,
    ) -> None:
        self.observer, self.dt, self.exact = observer, observer.process.dt, exact
        if round(history / self.dt) < 1:
            raise ValueError(f"The history is at least a step, {self.dt:g} s; got {history!r}.")
        self._history, self._ahead, self._keep, self._near = history, ahead, keep, NEAR * self.dt
        self._start, self.report = start, LiveReport()
        self._rows: deque[np.ndarray] = deque([observer.start(start, P)])
        self._times: deque[float] = deque([start.t])  # of the rows
        self._y: deque[np.ndarray] = deque([self._nothing])  # of the newest rows; the first takes no more

    @property
    def _nothing(self) -> np.ndarray:
        return np.full(len(self.observer.instruments.channels), np.nan)

    @property
    def t(self) -> float:
        """The time of the last estimate."""
        return self._times[-1]

    @property
    def state(self) -> State:
        """The last estimate."""
        row, n = self._rows[-1], len(self.observer.model.q)
        return self._start.changed(q=row[:n].copy(), dq=row[n : 2 * n].copy(), t=self.t)

    # packets

    def feed(self, packet: Packet) -> bool:
        """Take a packet; True if it changed the estimate."""
        began = time.perf_counter()
        self.report.packets += 1
        why = refusal(packet, self.observer.instruments, self.t, self._ahead)
        taken = False
        if why:
            self.report.refuse(why)
        else:
            place = self.observer.instruments.places[packet.sensor]
            taken = self._placed(self._moment(packet.taken), place, np.asarray(packet.values, float))
        self.report.spent(time.perf_counter() - began, self.dt)
        return taken

    def _moment(self, taken: float) -> float:
        """When a reading counts."""
        return taken if self.exact else self._tick(round((taken - self._start.t) / self.dt))

    def _tick(self, step: int) -> float:
        return self._start.t + step * self.dt

    def _placed(self, moment: float, place: slice, values: np.ndarray) -> bool:
        """Put readings where they belong and run the filter to the newest moment."""
        if moment > self.t + self._near:
            self._predict(moment - self._near)
            self._run([moment], [self._with(self._nothing, place, values)])
            return True
        back = next((k for k in range(len(self._y)) if self._times[-1 - k] <= moment + self._near), None)
        if back is None or (back == len(self._y) - 1 and moment <= self._times[-1 - back] + self._near):
            self.report.late += 1
            return False
        there = moment - self._times[-1 - back] <= self._near
        if there and np.isfinite(self._y[-1 - back][place]).any():
            self.report.duplicated += 1
            return False
        self._again(back + there, moment, there, place, values)
        self.report.reruns += back > 0
        return True

    def _again(self, count: int, moment: float, there: bool, place: slice, values: np.ndarray) -> None:
        """Take back the newest moments, and run over them with one reading, or one moment, more."""
        times = [self._times.pop() for _ in range(count)][::-1]
        y = [self._y.pop() for _ in range(count)][::-1]
        for _ in range(count):
            self._rows.pop()
        if there:
            y[0] = self._with(y[0], place, values)
        else:
            times, y = [moment, *times], [self._with(self._nothing, place, values), *y]
        self._run(times, y)

    @staticmethod
    def _with(row: np.ndarray, place: slice, values: np.ndarray) -> np.ndarray:
        row[place] = values
        return row

    def advance(self, step: int) -> None:
        """Predict up to a step without readings."""
        self._predict(self._tick(step) + self._near)

    def _predict(self, until: float) -> None:
        """The steps of the filter before a time, without readings."""
        first = floor((self.t - self._start.t) / self.dt + NEAR) + 1
        last = ceil((until - self._start.t) / self.dt) - 1
        if last >= first:
            self._run([self._tick(k) for k in range(first, last + 1)], [self._nothing] * (last - first + 1))

    def _run(self, times: list[float], y: list[np.ndarray]) -> None:
        named = {"p": self._start.p, "u": self._start.u}
        ports = [port.name for port in self.observer.function.inputs]
        given: dict[str, Any] = {name: value for name, value in named.items() if name in ports}
        h, rows = spans(times, self.t, len(y), self.dt), np.array(y)
        found = self.observer.kernel.iterate(self._rows[-1], len(y), y=rows, h=h, series=["y", "h"], **given)
        self._rows.extend(found[1:])
        self._times.extend(times)
        self._y.extend(rows)
        while len(self._y) > 1 and self._times[1 - len(self._y)] < self.t - self._history - self._near:
            self._y.popleft()
        while len(self._rows) > max(self._keep, len(self._y)):
            self._rows.popleft()
            self._times.popleft()

    # sources

    def run(
        self, source: Iterable[Packet], until: float = np.inf, watch: Callable[[Live], None] | None = None
    ) -> Record:
        """Feed all packets of a source, waiting as long as it does, and return the estimates.

        ``watch(live)`` is called after every packet that changed the estimate; ``until`` ends the run.
        """
        for packet in source:
            if packet.taken > until:
                break
            if self.feed(packet) and watch is not None:
                watch(self)
        return self.record()

    def record(self) -> Record:
        """The estimates so far, each as it is after all packets that came in time."""
        rows, times = np.array(self._rows), np.array(self._times)
        y = np.full((len(rows) - 1, len(self._y[-1])), np.nan)
        found = estimate.recorded(self.observer, rows, y, self._start, times[0], None, np.diff(times))
        kept = {k: v for k, v in found.columns.items() if k not in ("nis", "readings")}
        return found.replaced(columns=kept, t=times)


def refusal(packet: Packet, instruments: Instruments, now: float, ahead: float) -> str:
    """Why a packet is none; empty for a good one."""
    place = instruments.places.get(packet.sensor)
    if place is None:
        return f"no sensor {packet.sensor!r}: {', '.join(instruments.places)}"
    values, count = np.asarray(packet.values, float), place.stop - place.start
    if values.shape != (count,):
        return f"'{packet.sensor}' has {count} channels, got {values.size}"
    if not np.isfinite(values).all() or not np.isfinite(packet.taken):
        return f"'{packet.sensor}' is not finite: {packet.values} at t={packet.taken}"
    if packet.taken - now > ahead:
        return f"'{packet.sensor}' is {packet.taken - now:.3g} s ahead of the last estimate"
    return ""


def paced(packets: Iterable[Packet], speed: float = 1.0) -> Iterator[Packet]:
    """Packets at the times they arrived, as fast as they came or ``speed`` times faster."""
    began: float | None = None
    first = 0.0
    for packet in packets:
        if began is None:
            began, first = time.monotonic(), packet.arrived
        wait = (packet.arrived - first) / speed - (time.monotonic() - began)
        if wait > 0.0:
            time.sleep(wait)
        yield packet
