"""Requests: what agents ask of the kernel, as plain data that any transport can carry.

A request names its command; an entity command also names its entity. Everything in ``data`` is numbers,
texts, lists and tables, so that a match is recorded by writing its requests down. What is asked most often,
motor speeds and that one is done, has short forms: `Drive` and `Done`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple


def _empty() -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Request:
    """One command with its data; ``response`` asks for a reply even when all is well.

    ``tag`` is whatever number the agent wants to find in the reply.
    """

    command: str
    data: dict[str, Any] = field(default_factory=_empty)
    entity: str = ""
    response: bool = False
    tag: int = 0


class Drive(NamedTuple):
    """The command ``control_entity_motors`` in short: speeds of all motors of an entity, in its order."""

    entity: str
    speeds: tuple[float, ...]

    @property
    def request(self) -> Request:
        """The same in full."""
        return Request("control_entity_motors", {"speeds": list(self.speeds)}, self.entity)


class Done(NamedTuple):
    """The command ``synchronise`` in short."""

    iteration: int

    @property
    def request(self) -> Request:
        """The same in full."""
        return Request("synchronise", {"iteration": self.iteration})


Asked = Request | Drive | Done


@dataclass(frozen=True)
class Message:
    """Requests of one agent, run in order."""

    agent: str
    requests: tuple[Asked, ...]


@dataclass(frozen=True)
class Reply:
    """The kernel's answer: ``error`` says what went wrong, and is empty if nothing did."""

    command: str
    data: dict[str, Any] = field(default_factory=_empty)
    error: str = ""
    tag: int = 0

    @property
    def ok(self) -> bool:
        """Whether the command was carried out."""
        return not self.error
