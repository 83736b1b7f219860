"""Connections: bytes that flow, over TCP or WebSocket, and the listeners that accept them."""

from __future__ import annotations

import socket
from abc import abstractmethod
from typing import TYPE_CHECKING, final

from biela.arena.message import Reply
from biela.arena.wire.binary import HEAD, MAGIC
from biela.arena.wire.peer import Peer
from biela.arena.wire.udp import bound

if TYPE_CHECKING:
    from biela.arena.wire.server import Server

PIECE = 65536
BLANK = b" \t\r\n\0"


class Connection(Peer):
    """A peer with a connection of its own."""

    kind = ""

    def __init__(self, server: Server, link: socket.socket, now: float) -> None:
        address: tuple[str, int] = link.getpeername()[:2]
        super().__init__(server, f"{self.kind} {address[0]}:{address[1]}", address, now)
        self.link = link
        self.waiting = bytearray()
        self.over = False

    @abstractmethod
    def messages(self, data: bytes) -> list[bytes]:
        """The messages that are complete with these bytes; raises ValueError for what cannot be one."""

    def read(self, now: float) -> None:
        """Take what has come; the connection is over if it cannot be understood or the other end left."""
        try:
            data = self.link.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.over = self.over or not data
        try:
            for message in self.messages(data):
                self.server.hear(self, message, now)
        except ValueError as error:
            self.reply(Reply("", error=str(error)))
            self.over = True

    def push(self, data: bytes) -> None:
        """Bytes on their way; a reader that is too slow does without."""
        if len(self.waiting) + len(data) > self.server.limits.backlog:
            self.server.lost += 1
        else:
            self.waiting += data
            self.flush()

    def flush(self) -> None:
        """Send as much as goes."""
        try:
            while self.waiting:
                del self.waiting[: self.link.send(self.waiting)]
        except BlockingIOError:
            pass
        except OSError:
            self.over = True
            self.waiting.clear()
        self.server.watch(self)


@final
class Tcp(Connection):
    """Messages one after the other.

    Binary frames know their length, JSON ends with a line, XML with ``</Message>``.
    """

    kind = "tcp"

    def __init__(self, server: Server, link: socket.socket, now: float) -> None:
        super().__init__(server, link, now)
        self.come = bytearray()

    def put(self, data: bytes) -> None:
        """Send a message."""
        self.push(data if data[0] == MAGIC else data + b"\n")

    def messages(self, data: bytes) -> list[bytes]:
        """What is complete."""
        self.come += data
        found: list[bytes] = []
        while end := message_end(self.come):
            message = bytes(self.come[:end])
            del self.come[:end]
            if message.strip(BLANK):
                found.append(message)
        if len(self.come) > self.server.limits.message:
            raise ValueError(f"A message has more than {self.server.limits.message} bytes.")
        return found


def message_end(data: bytearray) -> int:
    """Where the first message ends; 0 if it is not complete. Raises ValueError for what is no message.

    >>> message_end(bytearray(b'{"requests":[]}\\n<Message>'))
    16
    """
    if not data:
        return 0
    if data[0] == MAGIC:
        size = HEAD.size + HEAD.unpack_from(data)[3] if len(data) >= HEAD.size else 0
        return size if 0 < size <= len(data) else 0
    if data[0] in BLANK:
        return 1
    if data[0] in b"{[":
        return data.find(b"\n") + 1
    if data[0] in b"<":
        end = data.find(b"</Message>")
        return end + 10 if end >= 0 else 0
    raise ValueError(f"A message begins with {bytes(data[:1])!r}; the connection is closed.")


@final
class Listener:
    """Waits for connections of one kind."""

    def __init__(self, server: Server, kind: type[Connection], host: str, port: int) -> None:
        self.server = server
        self.kind = kind
        self.socket = bound(socket.SOCK_STREAM, host, port)
        self.socket.listen(64)

    def read(self, now: float) -> None:
        """Accept who is there; there is an end of places."""
        try:
            link, _ = self.socket.accept()
        except OSError:
            return
        link.setblocking(False)
        if self.server.crowded():
            link.close()
            return
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.server.enter(self.kind(self.server, link, now))
        except OSError:  # gone already
            link.close()
