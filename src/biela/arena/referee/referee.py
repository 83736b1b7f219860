"""`Referee`: what referees have in common: phases, a score, an announcement when something changes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from biela.arena.agent import Agent
from biela.arena.broadcast import Broadcast
from biela.arena.message import Request

SIDES = ("left", "right")


class Referee(Agent):
    """Watches every iteration. ``events`` has what it decided, (time, text)."""

    type: ClassVar[str] = "referee"

    def __init__(self, random: np.random.Generator) -> None:
        super().__init__("referee")
        self.random = random
        self.phase = "before"
        self.score = [0, 0]
        self.winner: str | None = None
        self.events: list[tuple[float, str]] = []
        self.since = 0.0  # when the phase began
        self._asked: list[Request] = []

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.phase == "over"

    def hear(self, broadcast: Broadcast) -> Iterable[Request]:
        """Judge, and say so."""
        self._asked = []
        before = (self.phase, tuple(self.score))
        if not self.over:
            self.judge(broadcast)
        if (self.phase, tuple(self.score)) != before:
            self._asked.append(Request("announce", {"about": "referee", "what": self.told(broadcast.time)}))
        return self._asked

    @abstractmethod
    def judge(self, broadcast: Broadcast) -> None:
        """Decide what this moment means."""

    def told(self, time: float) -> dict[str, Any]:
        """What everybody hears."""
        return {
            "phase": self.phase,
            "score": list(self.score),
            "clock": self.clock(time),
            "winner": self.winner,
        }

    def clock(self, time: float) -> float:
        """The time of the phase."""
        return time - self.since

    def enter(self, phase: str, time: float) -> None:
        """Begin a phase."""
        self.phase, self.since = phase, time

    def tell(self, time: float, text: str) -> None:
        """Write an event down."""
        self.events.append((round(time, 6), text))

    def put(self, entity: str, x: float, y: float, z: float, heading: float = 0.0) -> None:
        """Ask for an entity to be placed at rest."""
        data = {"position": [x, y, z], "heading": heading}
        self._asked.append(Request("set_entity_position", data, entity))

    def stop(self, broadcast: Broadcast) -> None:
        """Ask for all motors to stop."""
        for e in broadcast.entities.values():
            if e.motors:
                self._asked.append(
                    Request("control_entity_motors", {"speeds": dict.fromkeys(e.motors, 0.0)}, e.id)
                )
