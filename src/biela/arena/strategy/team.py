"""`Team`: the agent that lets a strategy drive its robots through the kernel's public commands."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, final

from biela.arena.agent import Agent
from biela.arena.broadcast import Broadcast
from biela.arena.message import Request
from biela.arena.preset.robot import TwoWheeler
from biela.arena.strategy.file import place_of
from biela.arena.strategy.strategy import Strategy
from biela.arena.strategy.view import View, thing

PLAY = "play"


@final
class Team(Agent):
    """Hears the world, asks its strategy, drives.

    ``faults`` has what a strategy did wrong, at most `KEPT`.
    """

    KEPT = 20

    def __init__(
        self,
        key: str,
        strategy: Strategy,
        robot: TwoWheeler,
        size: tuple[float, float, float],
        interval: float,
    ) -> None:
        super().__init__(key)
        self.strategy = strategy
        self.robot = robot
        self.size = size
        self.interval = interval
        self.faults: list[str] = []
        self._playing = False

    def hear(self, broadcast: Broadcast) -> Iterable[Request]:
        """Motor commands while the game is on; once zero when it stops."""
        told = broadcast.notices.get("referee", {"phase": PLAY})
        mine = [e for e in broadcast.entities.values() if e.team == self.key]
        if told["phase"] != PLAY:
            stop = self._playing
            self._playing = False
            return [_motors(e.id, (0.0, 0.0)) for e in mine] if stop else []
        if not self._playing:
            self._playing = True
            self.strategy.begin()
        return [_motors(robot, speeds) for robot, speeds in self._decided(broadcast, told).items()]

    def view(self, broadcast: Broadcast, told: dict[str, Any]) -> View:
        """The world from this side."""
        turned = self.key == "right"
        seen = broadcast.entities.values()
        robots = [(e.team == self.key, thing(e, turned)) for e in seen if e.type == "robot"]
        balls = [thing(e, turned) for e in seen if e.type == "ball"]
        score: list[int] = told.get("score", [0, 0])
        return View(
            broadcast.time,
            told.get("clock", broadcast.time),
            tuple(t for own, t in robots if own),
            tuple(t for own, t in robots if not own),
            balls[0] if balls else None,
            *self.size,
            self.robot,
            (score[1], score[0]) if turned else (score[0], score[1]),
            {t.id: broadcast.readings[t.id] for own, t in robots if own and t.id in broadcast.readings},
        )

    def _decided(self, broadcast: Broadcast, told: dict[str, Any]) -> dict[str, tuple[float, float]]:
        """What the strategy wants, as far as it makes sense; robots without a sensible command stop."""
        view = self.view(broadcast, told)
        own = [t.id for t in view.mine]
        try:
            found: Any = self.strategy.act(view)
        except Exception as error:  # a strategy is the user's: whatever it raises, the match goes on
            self._fault(f"t={broadcast.time:.3f}: {place_of(error)}")
            return dict.fromkeys(own, (0.0, 0.0))
        wanted: dict[Any, Any] = dict(found) if isinstance(found, dict) else {own[0]: found}  # pyright: ignore
        pairs = {robot: self._pair(robot, speeds, own, broadcast.time) for robot, speeds in wanted.items()}
        return {robot: pair for robot, pair in pairs.items() if robot in own}

    def _pair(self, robot: Any, speeds: Any, own: list[str], time: float) -> tuple[float, float]:
        """Two wheel speeds; a robot that was given anything else stops, and the fault is kept."""
        if robot not in own:
            self._fault(f"t={time:.3f}: act drives {robot!r}; its robots are {', '.join(own)}.")
            return 0.0, 0.0
        try:
            left, right = (float(speed) for speed in speeds)
        except (TypeError, ValueError):
            told = "(left, right) in rad/s is wanted, or {id: (left, right)}"
            self._fault(f"t={time:.3f}: act returned {speeds!r:.60} for '{robot}'; {told}.")
            return 0.0, 0.0
        if not (math.isfinite(left) and math.isfinite(right)):
            self._fault(f"t={time:.3f}: speeds of '{robot}' are {(left, right)}.")
            return 0.0, 0.0
        return left, right

    def _fault(self, told: str) -> None:
        if len(self.faults) < self.KEPT:
            self.faults.append(told)


def _motors(robot: str, speeds: tuple[float, float]) -> Request:
    return Request("control_entity_motors", {"speeds": {"left": speeds[0], "right": speeds[1]}}, robot)
