"""Lines: a client's way to the server. `LINES` is the registry: transport -> class."""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from contextlib import ExitStack
from typing import ClassVar, final

from biela.arena.scene.fault import known
from biela.arena.wire.binary import MAGIC
from biela.arena.wire.stream import BLANK, message_end
from biela.arena.wire.udp import ROOM


class Line(ABC):
    """Sends and receives whole messages. ``loses`` tells whether messages may get lost."""

    loses: ClassVar[bool] = False

    def __init__(self, host: str, port: int, text: bool) -> None:
        self.text = text
        self.link = self.connected(host, port)

    @abstractmethod
    def connected(self, host: str, port: int) -> socket.socket:
        """A connection; raises OSError if nobody is there."""

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Send a message."""

    @abstractmethod
    def receive(self, seconds: float) -> bytes | None:
        """The next message, or None if none comes in time."""

    def close(self) -> None:
        """End it."""
        self.link.close()


@final
class UdpLine(Line):
    """Datagrams."""

    loses: ClassVar[bool] = True

    def connected(self, host: str, port: int) -> socket.socket:
        """A socket that talks to one address only."""
        link = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM)
        link.connect((host, port))
        return link

    def send(self, data: bytes) -> None:
        """Send a datagram, if it goes."""
        try:
            self.link.send(data)
        except ConnectionRefusedError:  # the answer to an earlier one: nobody is there now
            return

    def receive(self, seconds: float) -> bytes | None:
        """The next datagram."""
        if self.link.gettimeout() != seconds:  # setting it is a call of the system
            self.link.settimeout(seconds)
        try:
            return self.link.recv(65536)
        except (TimeoutError, ConnectionRefusedError):
            return None


@final
class TcpLine(Line):
    """A TCP connection."""

    def connected(self, host: str, port: int) -> socket.socket:
        """A connection without delays."""
        link = socket.create_connection((host, port))
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._come = bytearray()
        return link

    def send(self, data: bytes) -> None:
        """Send a message."""
        self.link.settimeout(None)
        self.link.sendall(data if data[:1] == bytes([MAGIC]) else data + b"\n")

    def receive(self, seconds: float) -> bytes | None:
        """The next message."""
        while True:
            end = message_end(self._come)
            if end:
                message = bytes(self._come[:end])
                del self._come[:end]
                if message.strip(BLANK):
                    return message
                continue
            self.link.settimeout(seconds)
            try:
                data = self.link.recv(65536)
            except TimeoutError:
                return None
            if not data:
                raise ConnectionError("The kernel has closed the connection.")
            self._come += data


@final
class WebSocketLine(Line):
    """A WebSocket, by the package websockets."""

    def connected(self, host: str, port: int) -> socket.socket:
        """A connection with its handshake done."""
        from websockets.sync.client import connect

        self._stack = ExitStack()
        address = f"ws://{host}:{port}"
        self._socket = self._stack.enter_context(
            connect(address, max_size=None, compression=None, proxy=None, close_timeout=1.0)
        )
        return self._socket.socket

    def send(self, data: bytes) -> None:
        """Send a message."""
        self._socket.send(data.decode() if self.text else data)

    def receive(self, seconds: float) -> bytes | None:
        """The next message."""
        try:
            data = self._socket.recv(seconds)
        except TimeoutError:
            return None
        return data.encode() if isinstance(data, str) else data

    def close(self) -> None:
        """End it with a handshake."""
        self._stack.close()


LINES: dict[str, type[Line]] = {"udp": UdpLine, "tcp": TcpLine, "websocket": WebSocketLine}


def line(transport: str) -> type[Line]:
    """A line by its transport; raises ValueError for an unknown one."""
    if transport not in LINES:
        raise ValueError(f"No transport '{transport}'. {known(transport, LINES)}")
    return LINES[transport]
