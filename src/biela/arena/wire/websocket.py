"""WebSockets (RFC 6455) by the package websockets: its protocol without input and output, in our loop.

A page of a foreign web site must not steer a kernel on its visitor's machine, so that requests with an
``Origin`` are refused unless it is one of ``Server.origins``.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any, final

from biela.arena.wire.stream import Connection

if TYPE_CHECKING:
    from biela.arena.wire.server import Server


@final
class WebSocket(Connection):
    """Messages as frames, text or binary."""

    kind = "websocket"

    def __init__(self, server: Server, link: socket.socket, now: float) -> None:
        from websockets.server import ServerProtocol

        super().__init__(server, link, now)
        origins: Any = [None, *server.origins]
        self._protocol = ServerProtocol(origins=origins, max_size=server.limits.message)
        self._pieces: list[bytes] = []

    def put(self, data: bytes) -> None:
        """Send a message."""
        from websockets.protocol import OPEN

        if self._protocol.state is not OPEN:
            return
        if self.form.text:
            self._protocol.send_text(data)
        else:
            self._protocol.send_binary(data)
        self._out()

    def messages(self, data: bytes) -> list[bytes]:
        """What is complete; the protocol answers by itself what is its own."""
        from websockets.frames import Frame, Opcode
        from websockets.http11 import Request

        if data:
            self._protocol.receive_data(data)
        else:
            self._protocol.receive_eof()
        found: list[bytes] = []
        for event in self._protocol.events_received():
            if isinstance(event, Request):
                self._protocol.send_response(self._protocol.accept(event))
            elif isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                self._pieces.append(bytes(event.data))
                if event.fin:
                    found.append(b"".join(self._pieces))
                    self._pieces.clear()
        self._out()
        return found

    def _out(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self.push(data)
            else:
                self.over = True
