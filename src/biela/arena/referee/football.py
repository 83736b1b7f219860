"""The football referee: kick-offs, goals, clock, halves, and free balls when nothing moves.

The ball is in the goal when all of it is behind the line. After a goal the conceding team kicks off. A ball
that hardly moves for some seconds, or has left the field, is set free: on the mark of its quadrant, robots
of both teams at the same distance from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from biela.arena.broadcast import Broadcast, Seen
from biela.arena.preset.field import FootballField
from biela.arena.referee.referee import SIDES, Referee


@dataclass(frozen=True)
class FootballRules:
    """Times of the public VSSS referee: halves of 300 s, a ball is stuck below 0.1 m/s for 5 s."""

    half: float = 300.0
    halves: int = 2
    stuck_speed: float = 0.1
    stuck_time: float = 5.0
    pause: float = 1.0  # before a kick-off or a free ball
    mark: tuple[float, float] = (0.375, 0.40)  # of free balls
    free_distance: float = 0.2


@final
class FootballReferee(Referee):
    """Judges two teams and a ball on a field."""

    def __init__(
        self,
        field: FootballField,
        heights: tuple[float, float],
        rules: FootballRules,
        random: np.random.Generator,
    ) -> None:
        super().__init__(random)
        self.field = field
        self.robot_height, self.ball_height = heights
        self.rules = rules
        self.half = 1
        self.played = 0.0
        self._kicks = 0
        self._last = 0.0
        self._moved = 0.0

    def clock(self, time: float) -> float:
        """The time played in this half."""
        return self.played

    def judge(self, broadcast: Broadcast) -> None:
        """One moment."""
        time = broadcast.time
        if self.phase == "before":
            self._kick_off(broadcast, int(self.random.integers(2)))
        elif self.phase == "ready":
            if time - self.since >= self.rules.pause:
                self._moved = time
                self.enter("play", time)
        else:
            self.played += time - self._last
            self._play(broadcast)
        self._last = time

    def _play(self, broadcast: Broadcast) -> None:
        time = broadcast.time
        ball = next(e for e in broadcast.entities.values() if e.type == "ball")
        x, y, _ = ball.position
        behind = abs(x) - self.ball_height - self.field.length / 2
        if math.hypot(*ball.velocity) > self.rules.stuck_speed:
            self._moved = time
        if behind > 0 and abs(y) < self.field.goal_width / 2:
            self._goal(broadcast, 0 if x > 0 else 1)
        elif self.played >= self.rules.half:
            self._half_time(broadcast)
        elif time - self._moved >= self.rules.stuck_time or self._lost(ball):
            self._free_ball(broadcast, ball)

    def _lost(self, ball: Seen) -> bool:
        """Whether it is anywhere but on the field or in a goal."""
        x, y, z = ball.position
        a, b = self.field.length / 2 + self.field.margin[1], self.field.width / 2 + self.field.margin[0]
        return abs(x) > a + self.field.goal_depth or abs(y) > b or z < -0.1

    def _goal(self, broadcast: Broadcast, side: int) -> None:
        self.score[side] += 1
        self.tell(broadcast.time, f"goal of {SIDES[side]}, {self.score[0]}:{self.score[1]}")
        self._kick_off(broadcast, 1 - side)

    def _half_time(self, broadcast: Broadcast) -> None:
        self.tell(broadcast.time, f"end of half {self.half}, {self.score[0]}:{self.score[1]}")
        if self.half >= self.rules.halves:
            a, b = self.score
            self.winner = "left" if a > b else "right" if b > a else None
            self.stop(broadcast)
            self.enter("over", broadcast.time)
            return
        self.half += 1
        self.played = 0.0
        self._kick_off(broadcast, 1 - self._kicks)

    def _kick_off(self, broadcast: Broadcast, kicks: int) -> None:
        """Everybody in the own half; the kicking team has one robot near the ball."""
        self._kicks, length = kicks, self.field.length
        for number, (side, sign) in enumerate(zip(SIDES, (-1, 1), strict=True)):
            near = self.field.circle * (0.6 if number == kicks else 1.3)
            robots = [e for e in broadcast.entities.values() if e.team == side and e.type == "robot"]
            for place, robot in enumerate(robots):
                away = length / 2 - 0.08 if place == 0 else near if place == 1 else length / 4
                aside = 0.0 if place < 2 else 0.25 * self.field.width * (-1) ** place
                aside += float(self.random.uniform(-0.01, 0.01))
                self.put(robot.id, sign * away, aside, self.robot_height, 0.0 if sign < 0 else math.pi)
        ball = next(e for e in broadcast.entities.values() if e.type == "ball")
        self.put(ball.id, 0.0, 0.0, self.ball_height)
        self.stop(broadcast)
        self.tell(broadcast.time, f"kick-off of {SIDES[kicks]}")
        self.enter("ready", broadcast.time)

    def _free_ball(self, broadcast: Broadcast, ball: Seen) -> None:
        """The ball on its quadrant's mark, one robot of each team beside it."""
        mx, my = self.rules.mark
        x, y = math.copysign(mx, ball.position[0]), math.copysign(my, ball.position[1])
        self.put(ball.id, x, y, self.ball_height)
        for side, sign in zip(SIDES, (-1, 1), strict=True):
            robots = [e for e in broadcast.entities.values() if e.team == side and e.type == "robot"]
            field = robots[1:] or robots
            nearest = min(field, key=lambda r: math.dist(r.position[:2], (x, y)))
            taken = x + sign * self.rules.free_distance
            self.put(nearest.id, taken, y, self.robot_height, 0.0 if sign < 0 else math.pi)
            self._make_room(robots, nearest, (x, y), sign)
        self.stop(broadcast)
        self.tell(broadcast.time, "free ball")
        self.enter("ready", broadcast.time)

    def _make_room(self, robots: list[Seen], taker: Seen, mark: tuple[float, float], sign: int) -> None:
        """Others that stand too near go back towards their goal."""
        near = 1.6 * self.rules.free_distance
        crowd = [r for r in robots if r is not taker and math.dist(r.position[:2], mark) < near]
        for place, robot in enumerate(crowd):
            x = sign * (self.field.length / 2 - 0.1 - 0.1 * place)
            self.put(robot.id, x, -mark[1] / 2, self.robot_height, 0.0 if sign < 0 else math.pi)
