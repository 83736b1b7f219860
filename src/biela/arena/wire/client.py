"""`Client`: an agent's end of the wire, in Python.

It registers, hears broadcasts, asks and is answered; `run` lets an `Agent` written for the kernel's own
process take part from here, unchanged. Over UDP an answer that got lost is sent again, and a client that has
nothing to say gives a sign of life now and then.
"""

from __future__ import annotations

import time
from collections import deque
from types import TracebackType
from typing import Any, final

from biela.arena.agent import Agent
from biela.arena.broadcast import Broadcast
from biela.arena.message import Asked, Done, Drive, Reply, Request
from biela.arena.wire.form import Told
from biela.arena.wire.forms import form, form_of
from biela.arena.wire.line import line

AGAIN = 0.05  # seconds of silence after which a lost answer is suspected
ALIVE = 20.0  # seconds of silence after which a client says that it is there


@final
class Client:
    """A connection to a kernel's `Server`.

    ``transport`` is udp, tcp or websocket, ``form`` is binary, json or xml.
    """

    def __init__(
        self,
        port: int,
        host: str = "127.0.0.1",
        *,
        transport: str = "udp",
        form_name: str = "binary",
        timeout: float = 5.0,
    ) -> None:
        self.form = form(form_name)
        self.timeout = timeout
        self.replies: deque[Reply] = deque(maxlen=1000)
        self.iteration = -1
        self._line = line(transport)(host, port, self.form.text)
        self._heard: Broadcast | None = None
        self._sent, self._last = 0.0, b""
        self._tag = 0

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def register(self, key: str, **data: Any) -> Reply:
        """Take part under a key: ``type``, ``synchronous``, ``broadcasts``, ``interval``, ``entities``.

        Raises ValueError if the kernel refuses, TimeoutError if it does not answer.
        """
        self.iteration, self._heard = -1, None
        return self.ask(Request("register_agent", {"key": key} | data), tries=5)

    def hear(self, timeout: float | None = None) -> Broadcast | None:
        """The next broadcast; None if none comes in time. One that is older than the last is left out."""
        end = time.monotonic() + (self.timeout if timeout is None else timeout)
        while self._heard is None:
            left = end - time.monotonic()
            if left <= 0:
                return None
            self._listen(min(left, AGAIN))
        found, self._heard = self._heard, None
        return found

    def post(self, *asked: Asked) -> None:
        """Send requests in one message; replies are not waited for."""
        self._last = b""
        self._send(self.form.ask(asked))

    def ask(self, request: Request, timeout: float | None = None, tries: int = 1) -> Reply:
        """Send a request and wait for its reply; what else is told meanwhile is kept.

        It is sent as often as ``tries`` says: more than once only what may be run twice. Raises ValueError
        for a refusal, TimeoutError if there is no reply.
        """
        self._tag += 1
        tagged = Request(request.command, request.data, request.entity, True, self._tag)
        wait = self.timeout if timeout is None else timeout
        for _ in range(tries):
            self.post(tagged)
            reply = self._reply(self._tag, time.monotonic() + wait / tries)
            if reply is not None and reply.error:
                raise ValueError(reply.error)
            if reply is not None:
                return reply
        raise TimeoutError(f"No reply to {request.command} within {wait:g} s. Does the kernel run?")

    def _reply(self, tag: int, end: float) -> Reply | None:
        """The reply of a tag, or that what was sent could not be read."""
        while (left := end - time.monotonic()) > 0:
            self._listen(left)
            for reply in self.replies:
                if reply.tag == tag or not reply.command:
                    self.replies.remove(reply)
                    return reply
        return None

    def drive(self, entity: str, *speeds: float) -> None:
        """Speeds of all motors of an entity, rad/s."""
        self.post(Drive(entity, speeds))

    def done(self, *asked: Asked) -> None:
        """Send requests, and that this agent is done with the iteration that it heard last."""
        data = self.form.ask((*asked, Done(self.iteration)))
        again = [one for one in asked if isinstance(one, Drive)]  # others must not run twice
        self._last = data if len(again) == len(asked) else self.form.ask((*again, Done(self.iteration)))
        self._send(data)

    def run(self, agent: Agent, seconds: float | None = None, patience: float = 5.0) -> int:
        """Let an agent take part until the kernel is silent for ``patience`` seconds; returns what it heard.

        ``seconds`` of simulated time end it earlier.
        """
        self.register(agent.key, **agent.registration)
        count, start = 0, None
        while (broadcast := self.hear(patience)) is not None:
            asked = list[Asked](agent.hear(broadcast))
            count += 1
            if agent.synchronous:
                self.done(*asked)
            elif asked:
                self.post(*asked)
            while self.replies:
                agent.answer(self.replies.popleft())
            start = broadcast.time if start is None else start
            if seconds is not None and broadcast.time - start >= seconds:
                break
        return count

    def leave(self) -> None:
        """Take part no more."""
        self.post(Request("unregister_agent"))

    def close(self) -> None:
        """End the connection."""
        self._line.close()

    def _listen(self, seconds: float) -> None:
        data = self._line.receive(seconds)
        if data is None:
            self._quiet()
            return
        try:
            for told in form_of(data).told(data):
                self._keep(told)
        except ValueError as error:
            self.replies.append(Reply("", error=f"What came cannot be read: {error}"))

    def _keep(self, told: Told) -> None:
        if isinstance(told, Reply):
            self.replies.append(told)
        elif told.iteration > self.iteration:
            self.iteration, self._heard = told.iteration, told

    def _quiet(self) -> None:
        """Nothing has come: what was said may have got lost."""
        silent = time.monotonic() - self._sent
        if self._line.loses and self._last and silent >= AGAIN:
            self._send(self._last)
        elif self._line.loses and silent >= ALIVE:
            self._send(b"")

    def _send(self, data: bytes) -> None:
        self._line.send(data)
        self._sent = time.monotonic()
