"""The draft of a synchronous small size league: a client asks for a step of time and gets what is seen then.

Requests and responses are delimited by their length over TCP, at a port for each team; numbers are those of
the robot control, which takes datagrams. From its first request until it leaves a client holds time: the
world moves by what all of them have asked for, as fast as it can, and waits. Who says nothing for
``patience`` seconds is sent away. Errors of its simulator command are told among those of its robot control.
"""

from __future__ import annotations

import math
import socket
from typing import TYPE_CHECKING, Any, ClassVar, final

from biela.arena.broadcast import Broadcast
from biela.arena.protocol import ssl_order
from biela.arena.protocol.link import Place
from biela.arena.protocol.protocol import Protocol
from biela.arena.protocol.ssl_message import SSL
from biela.arena.protocol.ssl_vision import detection
from biela.arena.wire.peer import Limits
from biela.arena.wire.udp import bound

if TYPE_CHECKING:
    from biela.arena.match import Match

BLUE = Place("127.0.0.1", 10301)
YELLOW = Place("127.0.0.1", 10302)
LONGEST = 10.0  # s of one step
LENGTH = 5  # bytes that a length has at most


@final
class Stepper:
    """One client: what it has sent, and until when it lets time go."""

    def __init__(self, link: socket.socket, colour: str, now: float) -> None:
        self.link = link
        self.colour = colour
        self.heard = now
        self.data = b""
        self.until: float | None = None  # simulated; None before its first request
        self.asked: Any = None  # the response that it waits for

    def message(self, longest: int) -> bytes | None:
        """The next whole message; raises ValueError for one that is too long."""
        size = shift = 0
        for place, byte in enumerate(self.data[:LENGTH]):
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                if size > longest:
                    break
                begin = place + 1
                if len(self.data) < begin + size:
                    return None
                found, self.data = self.data[begin : begin + size], self.data[begin + size :]
                return found
        else:
            if len(self.data) < LENGTH:
                return None
        raise ValueError(f"A request has at most {longest} bytes.")

    def send(self, response: Any) -> None:
        """Send a response; raises OSError if it cannot be taken."""
        data = response.SerializeToString()
        size, head = len(data), b""
        while size > 127:
            head, size = head + bytes([size & 127 | 128]), size >> 7
        self.link.sendall(head + bytes([size]) + data)


@final
class SslSync(Protocol):
    """Lets clients drive simulated time; ``waiting`` lets it stand until the first of them asks."""

    name: ClassVar[str] = "ssl-sync"

    def __init__(
        self,
        match: Match,
        *,
        blue: Place = BLUE,
        yellow: Place = YELLOW,
        waiting: bool = False,
        patience: float = 60.0,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(match, limits)
        self.broadcasts = False
        self.waiting = waiting
        self.patience = patience
        self.number = 0
        self._clients: list[Stepper] = []
        self._doors: list[tuple[socket.socket, str]] = []
        for place, colour in ((blue, "blue"), (yellow, "yellow")):
            door = bound(socket.SOCK_STREAM, place.host, place.port)
            door.listen(8)
            self._doors.append((door, colour))

    @property
    def ports(self) -> tuple[int, int]:
        """The ports of blue and yellow."""
        blue, yellow = (door.getsockname()[1] for door, _ in self._doors)
        return blue, yellow

    @property
    def sockets(self) -> list[Any]:
        """What to wait for."""
        return [*(door for door, _ in self._doors), *(c.link for c in self._clients)]

    @property
    def leads(self) -> bool:
        """Whether there is a client that holds time."""
        return any(c.until is not None for c in self._clients)

    def holds(self, now: float) -> bool:
        """Whether time has come to where a client has asked for it."""
        return self.waiting or any(
            c.until is not None and self.kernel.time > c.until - 1e-9 for c in self._clients
        )

    def tell(self, broadcast: Broadcast) -> None:
        """Vision is another protocol."""

    def take(self, now: float) -> None:
        """Answer who has got its step, and read what is asked next."""
        for door, colour in self._doors:
            self._welcome(door, colour, now)
        for client in list(self._clients):
            try:
                self._serve(client, now)
            except (OSError, ValueError) as error:
                self.faults["MALFORMED"] += isinstance(error, ValueError)
                self._forget(client)

    def _welcome(self, door: socket.socket, colour: str, now: float) -> None:
        while True:
            try:
                link, _ = door.accept()
            except OSError:
                return
            if len(self._clients) >= self.limits.peers:
                link.close()
                continue
            link.setblocking(False)
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._clients.append(Stepper(link, colour, now))

    def _serve(self, client: Stepper, now: float) -> None:
        if client.asked is not None and client.until is not None and self.kernel.time > client.until - 1e-9:
            self._answer(client)
        self._read(client, now)
        if client.asked is None and (data := client.message(self.limits.message)) is not None:
            self._begin(client, SSL.read("SimulationSyncRequest", data))
            if client.until is not None and self.kernel.time > client.until - 1e-9:
                self._answer(client)
        if client.asked is None and now - client.heard > self.patience:
            raise OSError("silent")

    def _read(self, client: Stepper, now: float) -> None:
        if client.asked is not None or len(client.data) > self.limits.message + LENGTH:
            return  # one request at a time, and no more kept than one may have
        try:
            data = client.link.recv(65536)
        except BlockingIOError:
            return
        if not data:
            raise OSError("gone")
        client.data += data
        client.heard = now

    def _begin(self, client: Stepper, request: Any) -> None:
        """Carry commands out and let time go on."""
        self.waiting = False
        errors = [*ssl_order.unknown_fields(request)]
        if request.HasField("simulator_command"):
            errors += ssl_order.simulator(self, request.simulator_command)
            self.speed = None  # whoever leads needs none
        step = request.sim_step
        if not (math.isfinite(step) and 0 <= step <= LONGEST):
            errors.append(("STEP_OUT_OF_RANGE", f"sim_step is {step}; 0 to {LONGEST:g} s is wanted."))
            step = 0.0
        response = SSL.make("SimulationSyncResponse")
        if request.HasField("robot_control"):
            answer = ssl_order.robots(self, client.colour, request.robot_control)
            response.robot_control_response.CopyFrom(answer)
        if errors:
            ssl_order.told(response.robot_control_response, errors)
        self.faults.update(e.code for e in response.robot_control_response.errors)
        start = self.kernel.time if client.until is None else max(client.until, self.kernel.time - 1.0)
        client.until = start + round(step, 6)  # single precision is no 0.025
        client.asked = response

    def _answer(self, client: Stepper) -> None:
        response, client.asked = client.asked, None
        response.detection.append(detection(self.kernel.broadcast(parts=False), self.number))
        self.number += 1
        client.send(response)

    def _forget(self, client: Stepper) -> None:
        self._clients.remove(client)
        client.link.close()

    def close(self) -> None:
        """No more."""
        for client in list(self._clients):
            self._forget(client)
        for door, _ in self._doors:
            door.close()
        super().close()
