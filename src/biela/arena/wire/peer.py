"""`Peer`: somebody at the other end, whether registered or not, and how much is read of what it sends.

Every peer has an allowance that fills up with time and with iterations: an agent in lock-step sends a few
messages an iteration, however fast iterations go, and one that floods is read no more than it is owed. What
is beyond is dropped before it is decoded; nobody else notices.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from biela.arena.broadcast import Broadcast
from biela.arena.message import Reply
from biela.arena.wire.form import Form
from biela.arena.wire.forms import FORMS

if TYPE_CHECKING:
    from biela.arena.wire.server import Server

FAULT = 8  # what a message with a fault costs, in messages


@dataclass(frozen=True)
class Limits:
    """How much a server takes.

    A message has at most ``message`` bytes; a peer may send ``burst`` of them at once, ``per_iteration`` and
    ``per_second`` (of the wall) in the long run. There are at most ``peers``; one that has said nothing for
    ``silence`` seconds over UDP is forgotten. ``backlog`` bytes are kept for a peer that does not read, and
    ``drain`` datagrams are read before the world moves on.
    """

    message: int = 1_000_000
    burst: float = 256
    per_iteration: float = 8
    per_second: float = 2000
    peers: int = 256
    silence: float = 60.0
    backlog: int = 4_000_000
    drain: int = 10_000


@final
class Allowance:
    """What a peer may still send.

    >>> limits = Limits(burst=2, per_iteration=1, per_second=0)
    >>> allowance = Allowance(limits, 0.0, 0)
    >>> [allowance.spend(1, 0.0, 0) for _ in range(3)], allowance.spend(1, 0.0, 1)
    ([True, True, False], True)
    """

    __slots__ = ("_iteration", "_left", "_limits", "_time")

    def __init__(self, limits: Limits, time: float, iteration: int) -> None:
        self._limits = limits
        self._left = limits.burst
        self._time = time
        self._iteration: int = iteration

    def spend(self, count: float, time: float, iteration: int) -> bool:
        """Take so many messages off it; False if there is nothing left."""
        limits = self._limits
        if time != self._time or iteration != self._iteration:
            more = limits.per_second * (time - self._time)
            more += limits.per_iteration * max(0, iteration - self._iteration)
            self._left = min(limits.burst, self._left + more)
            self._time, self._iteration = time, iteration
        if self._left < 1:
            return False
        self._left -= count
        return True


class Peer(ABC):
    """The channel to somebody. ``key`` is the agent's once it has registered; ``type`` is empty before."""

    def __init__(self, server: Server, name: str, address: tuple[str, int], now: float) -> None:
        self.server = server
        self.name = self.key = name
        self.address = address
        self.type = ""
        self.form: Form = FORMS["binary"]
        self.allowance = Allowance(server.limits, now, server.kernel.iteration)
        self.heard = now
        self.last = b""

    @abstractmethod
    def put(self, data: bytes) -> None:
        """Send bytes, or drop them if they cannot be sent now."""

    def send(self, broadcast: Broadcast) -> None:
        """Tell it about the world."""
        try:
            self.last = self.server.written(broadcast, self.form)
        except (ValueError, TypeError, ArithmeticError) as error:
            return self.reply(Reply("", error=f"The broadcast cannot be told in {self.form.name}: {error}"))
        return self.put(self.last)

    def again(self) -> None:
        """Tell it once more what it was told last."""
        if self.last:
            self.put(self.last)

    def reply(self, reply: Reply) -> None:
        """Answer a request."""
        self.put(self.form.answer(reply))
