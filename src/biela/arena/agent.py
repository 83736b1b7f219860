"""Agents: whoever is told about the world and asks the kernel for something.

`Agent` is one in this process. It hears broadcasts and answers with requests; nothing is copied or encoded.
An agent elsewhere is a `Channel` that somebody posts messages for; the kernel does not know the difference.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, Protocol, final

from biela.arena.broadcast import Broadcast
from biela.arena.message import Message, Reply, Request


@dataclass
class Registration:
    """What the kernel knows of an agent; ``interval`` is the least time between its broadcasts, s."""

    key: str
    type: str = "controller"
    synchronous: bool = False
    broadcasts: bool = True
    interval: float | None = None
    address: str = ""
    port: int = 0
    last: float | None = None

    def due(self, time: float) -> bool:
        """Whether it is sent the broadcast of this time."""
        waited = self.interval is None or self.last is None or time - self.last >= self.interval * (1 - 1e-9)
        return self.broadcasts and waited


class Channel(Protocol):
    """The way to an agent."""

    def send(self, broadcast: Broadcast) -> None:
        """Tell it about the world."""
        ...

    def reply(self, reply: Reply) -> None:
        """Answer one of its requests."""
        ...


class Agent(ABC):
    """An agent in this process."""

    type: ClassVar[str] = "controller"
    synchronous: bool = True
    broadcasts: bool = True
    interval: float | None = None

    def __init__(self, key: str) -> None:
        self.key = key
        self.replies: list[Reply] = []

    @abstractmethod
    def hear(self, broadcast: Broadcast) -> Iterable[Request]:
        """What it asks for, now that the world is like this."""

    def answer(self, reply: Reply) -> None:
        """A reply to a request that wanted one or failed; kept unless overridden."""
        self.replies.append(reply)


@final
class Direct:
    """The channel of an agent in this process: it answers before the next one is told."""

    def __init__(self, agent: Agent, post: Callable[[Message], None]) -> None:
        self.agent = agent
        self.post = post

    def send(self, broadcast: Broadcast) -> None:
        """Let it hear, post what it asks for, and that it is done with this iteration."""
        asked = list(self.agent.hear(broadcast))
        if self.agent.synchronous:
            asked.append(Request("synchronise", {"iteration": broadcast.iteration}))
        if asked:
            self.post(Message(self.agent.key, tuple(asked)))

    def reply(self, reply: Reply) -> None:
        """Hand it the reply."""
        self.agent.answer(reply)
