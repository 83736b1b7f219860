"""`Form`: how messages look on the wire. One final class in one file each; `FORMS` of `forms` has them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from biela.arena.broadcast import Broadcast
from biela.arena.message import Asked, Reply

Told = Broadcast | Reply


class Form(ABC):
    """Reads and writes both directions. Whatever bytes come, reading ends with ValueError or messages."""

    name: ClassVar[str]
    text: ClassVar[bool]  # whether WebSockets carry it as text

    @abstractmethod
    def asked(self, data: bytes) -> list[Asked]:
        """What an agent asks for, in its order."""

    @abstractmethod
    def told(self, data: bytes) -> list[Told]:
        """What the kernel tells."""

    @abstractmethod
    def ask(self, asked: Sequence[Asked]) -> bytes:
        """Requests of an agent as one message."""

    @abstractmethod
    def tell(self, broadcast: Broadcast) -> bytes:
        """A broadcast; raises ValueError for what the form cannot say."""

    @abstractmethod
    def answer(self, reply: Reply) -> bytes:
        """A reply."""
