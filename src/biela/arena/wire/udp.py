"""Datagrams: each is a message, or several."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, final

from biela.arena.message import Reply
from biela.arena.wire.peer import Peer

if TYPE_CHECKING:
    from biela.arena.wire.server import Server

LONGEST = 65_507  # bytes of a datagram
ROOM = 4_000_000  # bytes that may wait in the system for the next iteration


@final
class Correspondent(Peer):
    """A peer that sends datagrams."""

    def put(self, data: bytes) -> None:
        """Send a datagram; one that is too long is told about in its place."""
        if len(data) > LONGEST:
            told = f"A message of {len(data)} bytes is too long for a datagram; use TCP or WebSocket."
            data = self.form.answer(Reply("", error=told))
        try:
            self.server.udp.sendto(data, self.address)
        except OSError:  # the system has no room, or nobody is there: datagrams get lost
            self.server.lost += 1


@final
class Post:
    """All correspondents of a server."""

    def __init__(self, server: Server, host: str, port: int) -> None:
        self.server = server
        self.peers: dict[tuple[str, int], Correspondent] = {}
        self.socket = bound(socket.SOCK_DGRAM, host, port)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM)

    def take(self, now: float) -> None:
        """Read what has come, up to the limit."""
        receive, hear, peers = self.socket.recvfrom, self.server.hear, self.peers
        for _ in range(self.server.limits.drain):
            try:
                data, address = receive(65536)
            except BlockingIOError:
                return
            except OSError:  # a peer is gone; which one, the system does not tell
                continue
            peer = peers.get(address) or self._new(address, now)
            if peer is not None:
                hear(peer, data, now)

    def _new(self, address: tuple[str, int], now: float) -> Correspondent | None:
        if self.server.crowded():
            quiet = [p for p in self.peers.values() if not p.type]
            if not quiet:
                return None
            self.forget(min(quiet, key=lambda p: p.heard))
        name = f"udp {address[0]}:{address[1]}"
        peer = self.peers[address] = Correspondent(self.server, name, (address[0], address[1]), now)
        return peer

    def forget(self, peer: Correspondent) -> None:
        """It is here no more."""
        del self.peers[peer.address]
        self.server.gone(peer)

    def sweep(self, before: float) -> None:
        """Forget all that have said nothing since."""
        for peer in [p for p in self.peers.values() if p.heard < before]:
            self.forget(peer)


def bound(kind: socket.SocketKind, host: str, port: int) -> socket.socket:
    """A socket of the system at an address; raises OSError if it is taken."""
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, kind)
    try:
        if kind == socket.SOCK_STREAM:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise OSError(f"Cannot serve at {host}:{port}: {error}. Take another port, or 0 for any.") from error
    made.setblocking(False)
    return made
