"""`LiveParticles`: a particle filter fed as readings come, each taken at its own time.

A swarm cannot go back as a mean and a covariance can, so packets that may come in another order than they
were taken are waited for: one counts when one of ``wait`` seconds later is there, or when the source ends.
What is older than the swarm then is ``late``. Sources and reports are those of `Live`.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from biela.observe.event import NEAR
from biela.observe.live import LiveReport, refusal
from biela.observe.packet import Packet
from biela.observe.particle.estimate import Estimate
from biela.observe.particle.filter import ParticleFilter
from biela.simulate.record import Record


class LiveParticles:
    """A particle filter on a stream of packets; it has been started, or starts anywhere.

    A step is as long as the time between two readings, in parts no longer than the filter's own. Raises
    ValueError for a time to wait that is negative.
    """

    def __init__(self, observer: ParticleFilter, *, wait: float = 0.0, ahead: float = 60.0) -> None:
        if not 0.0 <= wait < np.inf:
            raise ValueError(f"The time to wait for packets is 0 or more, s; got {wait!r}.")
        self.observer, self.report = observer, LiveReport()
        self._wait, self._ahead = wait, ahead
        self._waiting: list[tuple[float, int, Packet]] = []
        self._seen, self._newest = set[str](), -np.inf  # sensors read at the swarm's moment
        if not len(observer.swarm):
            observer.start()
        self._began, self._rows, self._times = observer.t, [observer.row(1.0, False)], [observer.t]

    @property
    def t(self) -> float:
        """The time of the swarm."""
        return self.observer.t

    @property
    def estimate(self) -> Estimate:
        """What is known now."""
        return self.observer.estimate()

    def feed(self, packet: Packet) -> bool:
        """Take a packet; True if the swarm moved."""
        began = time.perf_counter()
        self.report.packets += 1
        why = refusal(packet, self.observer.instruments, max(self.t, self._newest), self._ahead)
        if why:
            self.report.refuse(why)
        else:
            heapq.heappush(self._waiting, (packet.taken, self.report.packets, packet))
            self._newest = max(self._newest, packet.taken)
        moved = self._advance(self._newest - self._wait)
        self.report.spent(time.perf_counter() - began, self.observer.dt)
        return moved

    def flush(self) -> bool:
        """Take all that is waiting; True if the swarm moved."""
        return self._advance(np.inf)

    def _advance(self, until: float) -> bool:
        moved = False
        while self._waiting and self._waiting[0][0] <= until:
            moved |= self._taken(heapq.heappop(self._waiting)[2])
        return moved

    def _taken(self, packet: Packet) -> bool:
        """Step to a reading; one of the swarm's own moment weighs it without a step."""
        span, near = packet.taken - self.t, NEAR * self.observer.dt
        if span < -near or (span <= near and self.t <= self._began):
            self.report.late += 1
            return False
        if span <= near and packet.sensor in self._seen:
            self.report.duplicated += 1
            return False
        self._seen = ({packet.sensor} | self._seen) if span <= near else {packet.sensor}
        dt = self.observer.dt
        self._step(packet, 0.0 if span <= near else dt if abs(span - dt) < near else span)
        return True

    def _step(self, packet: Packet, span: float) -> None:
        instruments, observer = self.observer.instruments, self.observer
        y = np.full(len(instruments.channels), np.nan)
        y[instruments.places[packet.sensor]] = packet.values
        before = observer.resamplings
        ess = observer.step(y, span)
        if not span:
            self._rows.pop()
            self._times.pop()
        self._rows.append(observer.row(ess, observer.resamplings > before))
        self._times.append(observer.t)

    def run(
        self, source: Iterable[Packet], until: float = np.inf,
        watch: Callable[[LiveParticles], Any] | None = None,
    ) -> Record:  # fmt: skip
        """Feed all packets of a source, waiting as long as it does, and return the estimates.

        ``watch(live)`` is called whenever the swarm has moved; ``until`` ends the run.
        """
        for packet in source:
            if packet.taken > until:
                break
            if self.feed(packet) and watch is not None:
                watch(self)
        self.flush()
        return self.record()

    def record(self) -> Record:
        """The estimates so far, one a moment at which something was read."""
        return self.observer.record(np.array(self._rows), np.array(self._times))
