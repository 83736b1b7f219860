"""`serve`: play a match with clients of the leagues' protocols; `PROTOCOLS` has them by name.

Everything happens in one thread: between two iterations protocols take what has come, and the world waits for
the clock on the wall, or for clients that want to be waited for.
"""

from __future__ import annotations

import select
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from biela.arena.protocol.firasim import FiraSim
from biela.arena.protocol.protocol import Protocol
from biela.arena.protocol.ssl_control import SslControl
from biela.arena.protocol.ssl_sync import SslSync
from biela.arena.protocol.ssl_vision import SslVision
from biela.arena.protocol.vssref import VssReferee
from biela.arena.scene.fault import known

if TYPE_CHECKING:
    from biela.arena.match import Match, Result

PROTOCOLS: dict[str, Callable[..., Protocol]] = {
    p.name: p for p in (FiraSim, VssReferee, SslVision, SslControl, SslSync)
}
NAP = 0.02  # s between looks at who wants to stop


def serve(
    match: Match,
    protocols: Iterable[str | Protocol] = ("firasim", "vssref"),
    *,
    seconds: float = 3600.0,
    speed: float = 1.0,
    until: Callable[[], bool] = lambda: False,
) -> Result:
    """Play a match to its end, for so much simulated time or ``until`` something.

    ``protocols`` are names, with the leagues' own ports, or made with addresses of your own,
    ``FiraSim(match, commands=Place("127.0.0.1", 0))``. Time goes ``speed`` times as fast as the clock on
    the wall, 0 is as fast as it can, unless a client decides. Protocols are closed afterwards. Raises
    ValueError for an unknown name and OSError for a port that is taken.

    >>> import biela as bl
    >>> from biela.arena.protocol.firasim import FiraSim
    >>> from biela.arena.protocol.link import Place
    >>> match = bl.arena.football("vsss-3v3", left="nobody", right="nobody", backend="flat")
    >>> here = Place("127.0.0.1", 0)
    >>> serve(match, [FiraSim(match, vision=Place("127.0.0.1", 9), commands=here)], seconds=0.5, speed=0)
    <Result draw 0:0 after 0.5 s>
    """
    with ExitStack() as stack:
        made = [stack.enter_context(_made(p, match)) for p in protocols]
        for protocol in made:
            match.kernel.join(protocol)
            stack.callback(match.kernel.leave, protocol.key)
        _play(match, made, seconds, speed, until)
    return match.result()


def _made(given: str | Protocol, match: Match) -> Protocol:
    if isinstance(given, Protocol):
        return given
    if given not in PROTOCOLS:
        raise ValueError(f"No protocol '{given}'. {known(given, PROTOCOLS)}")
    return PROTOCOLS[given](match)


def _play(
    match: Match, protocols: Sequence[Protocol], seconds: float, speed: float, until: Callable[[], bool]
) -> None:
    kernel = match.kernel
    end = kernel.time + seconds - 1e-9
    match.begin()
    pace = _Pace(match, protocols, speed)
    while not match.over and kernel.time < end and not until():
        pace.take()
        if pace.rests():
            continue
        match.step()


class _Pace:
    """Holds time back: for the clock, and for clients that are waited for."""

    def __init__(self, match: Match, protocols: Sequence[Protocol], speed: float) -> None:
        self.kernel = match.kernel
        self.protocols = protocols
        self.given = self.speed = speed
        self._start()

    def _start(self) -> None:
        self._wall, self._time = self.kernel.wall(), self.kernel.time

    def take(self) -> None:
        """What has come."""
        now = self.kernel.wall()
        for protocol in self.protocols:
            protocol.take(now)
        wishes = [p.speed for p in self.protocols if p.speed is not None]
        wanted = 0.0 if any(p.leads for p in self.protocols) else wishes[0] if wishes else self.given
        if wanted != self.speed:
            self.speed = wanted
            self._start()

    def rests(self) -> bool:
        """Wait a little if it is not time yet, for sockets as well; whether it was not."""
        now = self.kernel.wall()
        if any(p.holds(now) for p in self.protocols):
            self._nap(NAP)
            self._start()
            return True
        left = (self.kernel.time - self._time) / self.speed - (now - self._wall) if self.speed else 0.0
        if left > 0:
            self._nap(min(left, NAP))
        return left > 0

    def _nap(self, seconds: float) -> None:
        sockets = [s for p in self.protocols for s in p.sockets]
        select.select(sockets, [], [], seconds)
