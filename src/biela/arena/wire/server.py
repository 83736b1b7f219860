"""`Server`: a kernel's source of messages from other processes, over UDP, TCP and WebSocket.

Everything happens in the kernel's thread: at the beginning of an iteration and while the kernel waits, the
server reads what has come, decodes it and hands it over. A broadcast is encoded once for all who hear the
same in the same form. Whatever comes, nothing but the sender's own affairs is touched by it.
"""

from __future__ import annotations

import select
import selectors
import socket
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, final

from biela.arena.broadcast import Broadcast
from biela.arena.kernel import MOTORS, Kernel
from biela.arena.message import Asked, Done, Drive, Reply, Request
from biela.arena.scene.fault import known
from biela.arena.scene.xml import AGENT
from biela.arena.wire.form import Form
from biela.arena.wire.forms import form_of
from biela.arena.wire.peer import FAULT, Limits, Peer
from biela.arena.wire.stream import Connection, Listener, Tcp
from biela.arena.wire.udp import Post
from biela.arena.wire.websocket import WebSocket

Rights = Mapping[str, Collection[str]]
TOURNAMENT: Rights = {"controller": (MOTORS,), "gui": ()}  # the referee sits in the kernel's process
LONGEST_KEY = 200
LARGE = 8192  # bytes that count as one more message


def _short(asked: Asked) -> Asked:
    """A synchronisation that wants no reply, as `Done`."""
    if isinstance(asked, Request) and asked.command == "synchronise" and not asked.response:
        iteration = asked.data.get("iteration")
        if isinstance(iteration, int | float) and iteration == iteration // 1:
            return Done(int(iteration))
    return asked


@final
class Server:
    """Lets agents of other processes take part.

    It listens at ``host``, on this machine only unless told otherwise, at the ports that are not None (0 is
    any; ``ports`` has them). ``rights`` names the commands of each type of agent beside those about agents
    themselves (an empty type is who has not registered); None lets everybody do everything, as the source
    has it. Simulations are saved in ``folder`` and nowhere else; WebSockets of web pages are accepted from
    ``origins`` alone.
    """

    def __init__(
        self,
        kernel: Kernel,
        host: str = "127.0.0.1",
        *,
        udp: int | None = 0,
        tcp: int | None = None,
        websocket: int | None = None,
        limits: Limits | None = None,
        rights: Rights | None = None,
        origins: Sequence[str] = (),
        folder: str | Path = ".",
    ) -> None:
        self.kernel = kernel
        self.limits = limits or Limits()
        self.rights = rights
        self.origins = tuple(origins)
        self.folder = Path(folder)
        self.received = self.refused = self.lost = 0
        self._selector = selectors.DefaultSelector()
        self._written: dict[tuple[int, str], tuple[Broadcast, bytes]] = {}
        self._iteration = -1
        self._sweep = 0.0
        self._ear, self._mouth = socket.socketpair()
        self._ear.setblocking(False)
        self._mouth.setblocking(False)
        self._selector.register(self._ear, selectors.EVENT_READ)
        self._connections: dict[Connection, int] = {}
        self._post = None if udp is None else Post(self, host, udp)
        kinds = ((Tcp, tcp), (WebSocket, websocket))
        self._listeners = [Listener(self, kind, host, port) for kind, port in kinds if port is not None]
        if self._post:
            self._selector.register(self._post.socket, selectors.EVENT_READ)
        for listener in self._listeners:
            self._selector.register(listener.socket, selectors.EVENT_READ, listener)
        self._poll = select.poll() if hasattr(select, "poll") else None  # quicker, enough for datagrams
        for one in (self._ear, *([self._post.socket] if self._post else [])):
            if self._poll:
                self._poll.register(one, select.POLLIN)
        kernel.source = self

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def ports(self) -> dict[str, int]:
        """The ports by transport."""
        found = {one.kind.kind: one.socket.getsockname()[1] for one in self._listeners}
        return found | ({"udp": self._post.socket.getsockname()[1]} if self._post else {})

    @property
    def udp(self) -> socket.socket:
        """The socket of datagrams."""
        assert self._post is not None
        return self._post.socket

    # a source of messages

    def take(self) -> None:
        """Read what has come and hand it to the kernel."""
        now = self.kernel.wall()
        if self._post:
            self._post.take(now)
        if self._listeners:
            self._streams(now)
        if now > self._sweep:
            self._sweep = now + 1.0
            if self._post:
                self._post.sweep(now - self.limits.silence)

    def _streams(self, now: float) -> None:
        for key, events in self._selector.select(0):
            one = key.data
            if one is None:
                continue
            if events & selectors.EVENT_WRITE:
                one.flush()
            if events & selectors.EVENT_READ:
                one.read(now)
            if isinstance(one, Connection) and one.over and not one.waiting:
                self.forget(one)

    def wait(self, seconds: float) -> None:
        """Until something comes, or the time is over."""
        if self._poll is None or self._listeners:
            ready = [key.fd for key, _ in self._selector.select(seconds)]
        else:
            ready = [fd for fd, _ in self._poll.poll(1e3 * seconds)]
        if self._ear.fileno() in ready:
            self._ear.recv(4096)

    def wake(self) -> None:
        """End a `wait`."""
        try:
            self._mouth.send(b"!")
        except BlockingIOError:
            return

    # what peers send

    def hear(self, peer: Peer, data: bytes, now: float) -> None:
        """A message of a peer: decode it and hand over what may be asked."""
        self.received += 1
        peer.heard = now
        if not peer.allowance.spend(1 + len(data) / LARGE, now, self.kernel.iteration):
            self.refused += 1
            return None
        if not data:
            return None  # a sign of life
        if len(data) > self.limits.message:
            told = f"A message has {len(data)} bytes; at most {self.limits.message} are read."
            return self._fault(peer, told)
        try:
            form = form_of(data)
            asked = list(map(_short, form.asked(data)))
        except ValueError as error:
            return self._fault(peer, str(error))
        peer.form = form
        if len(asked) > 1:
            peer.allowance.spend(0.1 * len(asked), now, self.kernel.iteration)
        for one in asked:
            self._hand(peer, one)
        return None

    def _hand(self, peer: Peer, one: Asked) -> None:
        kernel = self.kernel
        if isinstance(one, Done):
            if one.iteration < kernel.iteration and kernel.awaits(peer.key):
                peer.again()  # it repeats itself: it has not heard
            kernel.synchronised(peer.key, one.iteration)
            return None
        command = MOTORS if isinstance(one, Drive) else one.command
        if self.rights is not None and command not in AGENT and command not in self.rights.get(peer.type, ()):
            why = f"agents of type '{peer.type}' may not" if peer.type else "register first"
            return self._fault(peer, f"{command}: {why}.", one)
        try:
            if isinstance(one, Request):
                one = self._checked(peer, one)
        except ValueError as error:
            return self._fault(peer, str(error), one)
        kernel.receive(peer.key, one, peer)
        if command == "unregister_agent":
            peer.key, peer.type = peer.name, ""
        return None

    def _checked(self, peer: Peer, request: Request) -> Request:
        """What else a request from outside needs; raises ValueError for what cannot be."""
        if request.command == "register_agent":
            return self._registration(peer, request)
        if request.command in ("save_simulation", "load_simulation"):
            name: Any = request.data.get("path")
            if not isinstance(name, str) or not name or Path(name).name != name:
                raise ValueError(f"{request.command}: path is {name!r}; the name of a file alone is wanted.")
            return replace(request, data={"path": str(self.folder / name)})
        return request

    def _registration(self, peer: Peer, request: Request) -> Request:
        """Give a peer its key; raises ValueError for one that is taken."""
        data: dict[str, Any] = dict(request.data)
        key, kind = data.pop("key", peer.key), data.get("type", "controller")
        if not isinstance(key, str) or not 0 < len(key) <= LONGEST_KEY or not key.isprintable():
            raise ValueError(f"register_agent: the key is {str(key)[:80]!r}; a short text is wanted.")
        if self.rights is not None and kind not in self.rights:
            raise ValueError(f"register_agent: '{kind}' is no type for others. {known(kind, self.rights)}")
        if key != peer.key and self.kernel.connected(key):
            raise ValueError(f"register_agent: there is an agent '{key}' already. Take another key.")
        if key != peer.key:
            self.kernel.leave(peer.key)
        self.kernel.connect(key, peer)
        peer.key, peer.type = key, str(kind)
        data = {"address": peer.address[0], "port": peer.address[1]} | data
        return replace(request, data=data)

    def _fault(self, peer: Peer, told: str, one: Asked | None = None) -> None:
        """Tell a peer what is wrong, as long as it may send."""
        self.refused += 1
        request = one if isinstance(one, Request) else None
        if peer.allowance.spend(FAULT, peer.heard, self.kernel.iteration):
            command, tag = (request.command, request.tag) if request else ("", 0)
            peer.reply(Reply(command, error=told, tag=tag))

    # what peers are told

    def written(self, broadcast: Broadcast, form: Form) -> bytes:
        """A broadcast in a form; encoded once."""
        if broadcast.iteration != self._iteration:
            self._iteration = broadcast.iteration
            self._written.clear()
        key = (id(broadcast), form.name)
        if key not in self._written:
            self._written[key] = (broadcast, form.tell(broadcast))
        return self._written[key][1]

    # who is there

    def crowded(self) -> bool:
        """Whether there is no place for one more peer."""
        return len(self._connections) + (len(self._post.peers) if self._post else 0) >= self.limits.peers

    def enter(self, one: Connection) -> None:
        """One more connection."""
        self._connections[one] = selectors.EVENT_READ
        self._selector.register(one.link, selectors.EVENT_READ, one)

    def watch(self, one: Connection) -> None:
        """Wait for room if there is something left to send."""
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if one.waiting or one.over else 0)
        if one in self._connections and self._connections[one] != events:
            self._connections[one] = events
            self._selector.modify(one.link, events, one)

    def forget(self, one: Connection) -> None:
        """A connection is over."""
        if self._connections.pop(one, None) is not None:
            self._selector.unregister(one.link)
            one.link.close()
            self.gone(one)

    def gone(self, peer: Peer) -> None:
        """A peer takes part no more."""
        if peer.type:
            self.kernel.leave(peer.key)

    # running

    def run(self, seconds: float | None = None, speed: float = 0.0, agents: int = 0) -> None:
        """Iterate for so much simulated time, or until interrupted.

        It begins when so many ``agents`` have registered, and goes at most ``speed`` times as fast as the
        clock on the wall; 0 is as fast as it can.
        """
        kernel = self.kernel
        while len(kernel.agents) < agents:
            self.wait(1.0)
            kernel.attend()
        end = None if seconds is None else kernel.time + seconds - 1e-9
        begin, start = kernel.wall(), kernel.time
        while end is None or kernel.time < end:
            if not kernel.iterate():
                self.wait(0.05)
                begin, start = kernel.wall(), kernel.time
            while speed and (left := (kernel.time - start) / speed - (kernel.wall() - begin)) > 0:
                self.wait(left)
                self.take()

    def close(self) -> None:
        """End everything; agents out there are gone."""
        for one in list(self._connections):
            self.forget(one)
        if self._post:
            self._post.sweep(float("inf"))
            self._post.socket.close()
        for listener in self._listeners:
            listener.socket.close()
        self._selector.close()
        self._ear.close()
        self._mouth.close()
        if self.kernel.source is self:
            self.kernel.source = None
