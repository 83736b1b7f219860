"""`Live`: a filter fed as readings come: from a queue, a recorded file or the network.

A source is any iterable of `Packet`: it may take as long as it likes between two. `Live` puts packets on the
grid of the filter's steps and runs the native step over what is between. Nothing need come in order:

* a packet from the past is put where it belongs, and the filter runs again from there, as far back as
  ``history`` reaches (older ones are ignored and counted as ``late``);
* a packet that is there already is ignored and counted as ``duplicated``;
* one that no sensor of the filter sends, of a wrong size or not a number, is ignored and counted as
  ``refused``, with the reason kept.

Times of packets are those of the sensor's clock, in seconds, the filter's start being ``start.t``.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from biela.observe import estimate
from biela.observe.bench import Packet
from biela.observe.filter.filter import Filter
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

    def refuse(self, reason: str) -> None:
        """Count a packet that is none."""
        self.refused += 1
        if len(self.reasons) < REASONS:
            self.reasons.append(reason)


class Live:
    """A filter on a stream of packets; ``history`` is how far back, in seconds, a late packet may reach.

    ``live.state`` is the last estimate, ``live.report`` what happened. A packet that took longer than a step
    of the filter is an overrun; one more than ``ahead`` seconds after the last is refused as a broken clock.

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
    ) -> None:
        self.observer, self.dt = observer, observer.process.dt
        self._depth, self._ahead = round(history / self.dt), ahead
        if self._depth < 1:
            raise ValueError(f"The history is at least a step, {self.dt:g} s; got {history!r}.")
        self._start, self._step, self.report = start, 0, LiveReport()
        width = len(observer.instruments.channels)
        self._rows: deque[np.ndarray] = deque([observer.start(start, P)], maxlen=max(keep, self._depth + 1))
        self._y: deque[np.ndarray] = deque([np.full(width, np.nan)], maxlen=self._depth + 1)
        self._places: dict[str, slice] = {}
        place = 0
        for sensor in observer.instruments.sensors:
            count = len(sensor.channels(observer.model))
            self._places[sensor.name or sensor.label] = slice(place, place + count)
            place += count

    @property
    def t(self) -> float:
        """The time of the last estimate."""
        return self._start.t + self._step * self.dt

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
        good = self._checked(packet)
        taken = good is not None and self._placed(*good)
        spent = time.perf_counter() - began
        self.report.latencies.append(spent)
        self.report.overruns += spent > self.dt
        return taken

    def _checked(self, packet: Packet) -> tuple[int, slice, np.ndarray] | None:
        place = self._places.get(packet.sensor)
        if place is None:
            self.report.refuse(f"no sensor {packet.sensor!r}: {', '.join(self._places)}")
            return None
        values = np.asarray(packet.values, float)
        if values.shape != (place.stop - place.start,):
            self.report.refuse(
                f"'{packet.sensor}' has {place.stop - place.start} channels, got {values.size}"
            )
            return None
        if not np.isfinite(values).all() or not np.isfinite(packet.taken):
            self.report.refuse(f"'{packet.sensor}' is not finite: {packet.values} at t={packet.taken}")
            return None
        if packet.taken - self.t > self._ahead:
            self.report.refuse(
                f"'{packet.sensor}' is {packet.taken - self.t:.3g} s ahead of the last estimate"
            )
            return None
        return round((packet.taken - self._start.t) / self.dt), place, values

    def _placed(self, step: int, place: slice, values: np.ndarray) -> bool:
        """Put readings where they belong and run the filter to the newest moment."""
        if step > self._step:
            self.advance(step - 1)
            row = np.full(len(self._y[-1]), np.nan)
            row[place] = values
            self._run(row[None])
            return True
        back = self._step - step
        if step < 1 or back >= min(len(self._y), self._depth):
            self.report.late += 1
            return False
        row = self._y[-1 - back]
        if np.isfinite(row[place]).any():
            self.report.duplicated += 1
            return False
        row[place] = values
        again = [self._y.pop() for _ in range(back + 1)][::-1]
        for _ in again:
            self._rows.pop()
        self._step -= len(again)
        self.report.reruns += back > 0
        self._run(np.array(again))
        return True

    def advance(self, step: int) -> None:
        """Predict up to a step without readings."""
        missing = step - self._step
        if missing > 0:
            self._run(np.full((missing, len(self._y[-1])), np.nan))

    def _run(self, y: np.ndarray) -> None:
        named = {"h": self.dt, "p": self._start.p, "u": self._start.u}
        ports = [port.name for port in self.observer.function.inputs]
        given: dict[str, Any] = {name: value for name, value in named.items() if name in ports}
        y = np.ascontiguousarray(y)
        rows = self.observer.kernel.iterate(self._rows[-1], len(y), y=y, series=["y"], **given)
        self._rows.extend(rows[1:])
        self._y.extend(y.copy())
        self._step += len(y)

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
        rows = np.array(self._rows)
        y = np.full((len(rows) - 1, len(self._y[-1])), np.nan)
        recent = list(self._y)[1:] if self._step < len(self._y) else list(self._y)
        y[len(y) - min(len(recent), len(y)) :] = recent[len(recent) - min(len(recent), len(y)) :]
        begin = self._start.t + (self._step - len(rows) + 1) * self.dt
        found = estimate.recorded(self.observer, rows, y, self._start, begin, None)
        kept = {k: v for k, v in found.columns.items() if k not in ("nis", "readings")}
        return found.replaced(columns=kept)


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
