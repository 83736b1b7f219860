"""Agents: whoever is told about the world and asks the kernel for something.

`Agent` is one in this process. It hears broadcasts and answers with requests; nothing is copied or encoded.
An agent elsewhere is a `Channel` that somebody posts messages for; the kernel does not know the difference.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, final

from biela.arena.broadcast import Broadcast
from biela.arena.message import Asked, Done, Message, Reply


@dataclass
class Registration:
    """What the kernel knows of an agent; ``interval`` is the least time between its broadcasts, s.

    ``entities`` are driven by this agent alone. ``answered`` is the last iteration that it was done with;
    ``missed`` counts how often in a row it was waited for in vain.
    """

    key: str
    type: str = "controller"
    synchronous: bool = False
    broadcasts: bool = True
    interval: float | None = None
    address: str = ""
    port: int = 0
    entities: tuple[str, ...] = ()
    last: float | None = None
    answered: float = -1
    missed: int = 0

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


class Source(Protocol):
    """Where messages of other processes come from; it hands them to the kernel's `receive`."""

    def take(self) -> None:
        """Hand over what has come."""
        ...

    def wait(self, seconds: float) -> None:
        """Until something comes, `wake` is called or the time is over."""
        ...

    def wake(self) -> None:
        """End a `wait`; any thread may."""
        ...


class Agent(ABC):
    """An agent, in this process (`Kernel.join`) or in another (`Client.run`).

    ``entities`` are those that nobody else may drive while it takes part.
    """

    type: ClassVar[str] = "controller"
    synchronous: bool = True
    broadcasts: bool = True
    interval: float | None = None
    entities: tuple[str, ...] = ()

    def __init__(self, key: str) -> None:
        self.key = key
        self.replies: list[Reply] = []

    @property
    def registration(self) -> dict[str, Any]:
        """The data of its ``register_agent``."""
        names = ("type", "synchronous", "broadcasts", "interval")
        return {name: getattr(self, name) for name in names} | {"entities": list(self.entities)}

    @abstractmethod
    def hear(self, broadcast: Broadcast) -> Iterable[Asked]:
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
        asked = list[Asked](self.agent.hear(broadcast))
        if self.agent.synchronous:
            asked.append(Done(broadcast.iteration))
        if asked:
            self.post(Message(self.agent.key, tuple(asked)))

    def reply(self, reply: Reply) -> None:
        """Hand it the reply."""
        self.agent.answer(reply)
