"""`Radio`: motor commands on their way to robots, which come late or never; so do replies.

Referees and whoever commands the world have a wire. What is on its way is not saved, as agents are not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, final

import numpy as np

from biela.arena.message import Drive, Request
from biela.arena.preset.realism import Realism

Held = TypeVar("Held")


@final
class Radio:
    """Between agents and motors of a kernel: ``kernel.radio = Radio(REALISM["realistic"], random)``."""

    def __init__(self, realism: Realism, random: np.random.Generator) -> None:
        self.realism, self.random = realism, random
        self._sent: list[tuple[float, tuple[str, Request | Drive, object]]] = []

    def passed(
        self, held: list[tuple[str, Request | Drive, Held]], time: float, wired: Callable[[str], bool]
    ) -> list[tuple[str, Request | Drive, Held]]:
        """What arrives now: all that has a wire, and those commands that were sent long enough ago."""
        found: list[tuple[str, Request | Drive, Held]] = []
        for one in held:
            agent, asked, _ = one
            drives = isinstance(asked, Drive) or asked.command == "control_entity_motors"
            if wired(agent) or not drives:
                found.append(one)
            elif self.random.random() >= self.realism.command_loss:
                self._sent.append((time + self.realism.command_delay, one))
        here = [one for due, one in self._sent if due <= time + 1e-9]
        self._sent = [(due, one) for due, one in self._sent if due > time + 1e-9]
        return found + here  # pyright: ignore[reportReturnType]

    def loses(self) -> bool:
        """Whether a reply gets lost."""
        return bool(self.random.random() < self.realism.reply_loss)
