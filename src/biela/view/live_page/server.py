"""`Server`: the page and its frames on one port: HTTP for the page, a WebSocket for frames and orders.

Every browser has a place for one frame, the newest. One that is slow to read finds it replaced when it is
ready for the next, so it sees fewer frames and holds nobody up. What browsers send is bounded, checked and
counted; a browser that sends nothing but nonsense is shown out.

Pages of other sites could send requests to a port of this machine. So the host that is asked for has to be a
number or ``localhost``, which no foreign name can be made to look like, and a WebSocket has to be opened by
a page of this server (its Origin).
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import json
import logging
import socket
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from biela.view.live_page.order import LARGEST, Order

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

PATIENCE = 500  # messages of one browser that make no sense, until it is shown out
BUFFER = 1 << 16  # bytes on their way to one browser, before its next frame waits
TOO_BIG, VIOLATION = 1009, 1008  # codes of RFC 6455
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'"
)
Read = Callable[[str | bytes], Order | str]


class PortInUseError(OSError):
    """A port that somebody else has; the message names a free one."""


class Server:
    """Serves a page and what it is told; ``counts`` tells how many browsers came and what was refused.

    ``hello`` is what a browser is told first; ``read`` makes orders of messages, which ``take`` gets.
    """

    def __init__(
        self, page: str, hello: Callable[[], dict[str, Any]], read: Read, take: Callable[[Order], None],
        came: Callable[[], None], host: str = "127.0.0.1", port: int = 0,
    ) -> None:  # fmt: skip
        self.page, self.hello, self.read, self.take, self.came = page.encode(), hello, read, take, came
        self.host, self.counts = host, Counter[str]()
        self._socket = bound(host, port)
        self.port = int(self._socket.getsockname()[1])
        self._guests: set[_Guest] = set()
        self._loop = asyncio.new_event_loop()
        self._closing = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="biela live server", daemon=True)
        self._thread.start()
        self._ready.wait(10.0)

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{_bracketed(self.host)}:{self.port}/"

    @property
    def browsers(self) -> int:
        """How many are connected."""
        return len(self._guests)

    def publish(self, frame: bytes) -> None:
        """The newest frame, for everybody; any thread may."""
        self._call(lambda: [guest.show(frame) for guest in self._guests])

    def tell(self, told: dict[str, Any]) -> None:
        """Something else than a frame, for everybody; any thread may."""
        text = json.dumps(told, allow_nan=False)
        self._call(lambda: [guest.say(text) for guest in self._guests])

    def _call(self, deed: Callable[[], Any]) -> None:
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(deed)

    def close(self) -> None:
        """Say goodbye to everybody and give the port back."""
        self._call(self._closing.set)
        self._thread.join(10.0)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()
            self._socket.close()

    async def _serve(self) -> None:
        from websockets.asyncio.server import serve

        logger = logging.getLogger("biela.view.live")
        logger.setLevel(logging.CRITICAL)  # what strangers send is counted, not printed
        server = await serve(
            self._welcome, sock=self._socket, process_request=self._asked, max_size=LARGEST, max_queue=16,
            write_limit=BUFFER, compression=None, close_timeout=0.5, logger=logger,
        )  # fmt: skip
        self._ready.set()
        await self._closing.wait()
        server.close()
        for guest in self._guests:
            guest.connection.transport.abort()  # nobody is waited for
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    # HTTP

    def _asked(self, connection: ServerConnection, request: Request) -> Response | None:
        """The page, a refusal, or nothing for a WebSocket that may go on."""
        host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
        if not self._own(host):
            return self._refused(connection, HTTPStatus.FORBIDDEN, "host")
        path = request.path.partition("?")[0]
        if path == "/live":
            if origin is not None and origin != f"http://{host}":
                return self._refused(connection, HTTPStatus.FORBIDDEN, "origin")
            return None
        if path != "/":
            return self._refused(connection, HTTPStatus.NOT_FOUND, "path")
        return self._document()

    def _refused(self, connection: ServerConnection, status: HTTPStatus, why: str) -> Response:
        self.counts[why] += 1
        return connection.respond(status, f"{status.phrase}: {why}\n")

    def _document(self) -> Response:
        from websockets.datastructures import Headers
        from websockets.http11 import Response

        headers = Headers(
            [
                ("Content-Type", "text/html; charset=utf-8"),
                ("Content-Length", str(len(self.page))),
                ("Content-Security-Policy", POLICY),
                ("X-Content-Type-Options", "nosniff"),
                ("Cache-Control", "no-store"),
                ("Connection", "close"),
            ]
        )
        return Response(HTTPStatus.OK, "OK", headers, self.page)

    def _own(self, host: str) -> bool:
        """Whether a Host is a number, localhost, or the one that is served on."""
        name, colon, port = host.rpartition(":")
        if not colon or port != str(self.port):
            return False
        plain = name.strip("[]").lower()
        if plain in ("localhost", self.host.lower()):
            return True
        try:
            ipaddress.ip_address(plain)
        except ValueError:
            return False
        return True

    # WebSockets

    async def _welcome(self, connection: ServerConnection) -> None:
        from websockets.exceptions import ConnectionClosed

        guest = _Guest(connection)
        self.counts["browsers"] += 1
        sending: asyncio.Task[None] | None = None
        try:
            await connection.send(json.dumps(self.hello(), allow_nan=False))
            self._guests.add(guest)
            self.came()
            sending = asyncio.create_task(guest.send())
            await self._listen(connection)
        except ConnectionClosed as error:
            if error.sent is not None and error.sent.code == TOO_BIG:
                self.counts["too long"] += 1
        finally:
            self._guests.discard(guest)
            if sending is not None:
                sending.cancel()

    async def _listen(self, connection: ServerConnection) -> None:
        nonsense = 0
        async for message in connection:
            found = self.read(message)
            if isinstance(found, Order):
                self.take(found)
                continue
            self.counts[found] += 1
            nonsense += 1
            if nonsense >= PATIENCE:
                await connection.close(VIOLATION, "nonsense")
                return


class _Guest:
    """A browser: what it is to be told, and the newest frame."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection
        self._wake = asyncio.Event()
        self._frame: bytes | None = None
        self._said: dict[str, str] = {}

    def show(self, frame: bytes) -> None:
        """A newer frame in the place of the last."""
        self._frame = frame
        self._wake.set()

    def say(self, text: str) -> None:
        """A text in the place of the last of its kind."""
        self._said[text[:10]] = text
        self._wake.set()

    async def send(self) -> None:
        """Texts, then the newest frame, as fast as it reads."""
        from websockets.exceptions import ConnectionClosed

        with suppress(ConnectionClosed):
            while True:
                await self._wake.wait()
                self._wake.clear()
                texts, self._said = list(self._said.values()), {}
                frame, self._frame = self._frame, None
                for text in texts:
                    await self.connection.send(text)
                if frame is not None:
                    await self.connection.send(frame)


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there; raises PortInUseError with a free port for one that is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(64)
    except (OSError, OverflowError) as error:
        made.close()
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise PortInUseError(
                errno.EADDRINUSE,
                f"Port {port} of {host} is in use. Port {_free(host)} is free: ask for that one, or for none "
                "and one is chosen.",
            ) from None
        raise OSError(f"There is no serving on {host}, port {port}: {error}.") from None
    return made


def _free(host: str) -> int:
    with bound(host, 0) as other:
        return int(other.getsockname()[1])


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
