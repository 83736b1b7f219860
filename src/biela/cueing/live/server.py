"""`Server`: `Live` behind two sockets, at the rate of the platform, by a clock.

Every period the loop takes the packets that came, makes a pose, sends it, and waits for packets until the
next one is due. No more than `FLOOD` packets are looked at in a period, so that nobody can keep it from its
time by sending; what is too much the system drops. Periods that are over are left out, never caught up.
"""

from __future__ import annotations

import select
import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import numpy as np

from biela.cueing.live.live import Live
from biela.cueing.live.packet import Pose, State

Address = tuple[str, int]
FLOOD, LARGEST = 100, 2048  # packets a period, bytes of a packet
KEPT = 100_000  # latencies that are kept for the report


@dataclass
class Report:
    """How the loop kept its time; times in s.

    ``latencies`` are from the arrival of telemetry to the pose that answers it, waiting for the period
    included; ``work`` is what a period took; ``worst`` how long after it was due one ended.
    """

    periods: int = 0
    missed: int = 0
    unsent: int = 0
    worst: float = 0.0
    latencies: deque[float] = field(default_factory=lambda: deque[float](maxlen=KEPT))
    work: deque[float] = field(default_factory=lambda: deque[float](maxlen=KEPT))


def quantiles(times: deque[float]) -> dict[str, float]:
    """Median, 99th percentile and worst of some times; nothing of none."""
    if not times:
        return {}
    found = np.percentile(np.array(times), [50.0, 99.0, 100.0])
    return dict(zip(("median", "99 %", "worst"), map(float, found), strict=True))


class Server:
    """Telemetry comes to ``address``; poses go to ``to``, or, without it, to who sent the telemetry.

    ``clock`` gives seconds; another takes its place in tests. Close it, or use it in a ``with``.
    """

    def __init__(
        self, live: Live, address: Address = ("127.0.0.1", 0), to: Address | None = None, *,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:  # fmt: skip
        self.live, self.to, self.clock, self.report = live, to, clock, Report()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind(address)
        except OSError as error:
            self._socket.close()
            raise OSError(f"Telemetry cannot come to {address[0]}:{address[1]}: {error}.") from None
        self._socket.setblocking(False)
        self._peer: Address | None = None
        self._answered = -np.inf

    @property
    def address(self) -> Address:
        """Where telemetry comes to."""
        return self._socket.getsockname()

    def close(self) -> None:
        """Give the sockets back."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self.close()

    def drain(self, most: int = FLOOD) -> int:
        """Take the packets that are there; how many there were."""
        for count in range(most):
            try:
                data, sender = self._socket.recvfrom(LARGEST)
            except BlockingIOError:
                return count
            except OSError:  # somebody to whom a pose was sent is not there any more
                continue
            if self.live.receive(data, self.clock(), sender) == "taken":
                self._peer = sender
        return most

    def period(self, missed: bool = False) -> Pose:
        """One period: packets, pose, answer."""
        begin = self.clock()
        self.drain()
        pose = self.live.tick(self.clock(), missed)
        self._send(pose)
        self.report.periods += 1
        self.report.work.append(self.clock() - begin)
        return pose

    def _send(self, pose: Pose) -> None:
        to = self.to or self._peer
        heard = self.live.heard
        latency = self.clock() - heard if np.isfinite(heard) else -1.0
        if heard > self._answered:
            self.report.latencies.append(latency)
            self._answered = heard
        if to is None:
            return
        try:
            self._socket.sendto(pose.packed(latency), to)
        except OSError:
            self.report.unsent += 1

    def run(self, duration: float = float("inf"), until: Callable[[], bool] = lambda: False) -> Report:
        """Period after period, for a time, or until something holds."""
        begin = due = self.clock()
        missed = False
        while due < begin + duration and not until():
            self._wait(due)
            self.period(missed)
            due += self.live.dt
            over = self.clock() - due
            self.report.worst = max(self.report.worst, over + self.live.dt)
            missed = over > 0.0
            if missed:
                count = int(over / self.live.dt) + 1
                self.report.missed += count
                due += count * self.live.dt
        return self.report

    def settle(self) -> Report:
        """Go to rest as after a loss of telemetry, whatever still comes, and end there."""
        self.live.deaf = True
        return self.run(until=lambda: self.live.state in (State.REST, State.STOPPED))

    def _wait(self, due: float) -> None:
        """Take packets as they come, until a moment."""
        budget = FLOOD
        while (rest := due - self.clock()) > 0.0:
            if budget <= 0:
                time.sleep(rest)
            elif select.select([self._socket], [], [], rest)[0]:
                budget -= max(1, self.drain(budget))
