"""The football referee: kick-offs, goals, clock, halves, fouls, and free balls when nothing moves.

The ball is in the goal when all of it is behind the line. After a goal the conceding team kicks off. A ball
that hardly moves for some seconds, or has left the field, is set free: on the mark of its quadrant, robots
of both teams at the same distance from it.

Two defenders in their goal area with the ball, or a keeper who does not get it out in time, give a penalty;
two attackers there give a goal kick. Who runs into an opponent too fast gives a free kick. `FOOTBALL_RULES`
has the numbers of leagues and simulators; those nobody gives are ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from biela.arena.broadcast import Broadcast, Seen
from biela.arena.preset.field import FootballField
from biela.arena.referee.referee import SIDES, Referee
from biela.arena.referee.set_piece import Piece, free_kick, goal_kick, in_area, penalty, quadrant


@dataclass(frozen=True)
class FootballRules:
    """Times of the public VSSS referee: halves of 300 s, a ball is stuck below 0.1 m/s for 5 s.

    ``area_time`` is how long two of a team may be in a goal area with the ball, ``keeper_time`` how long the
    ball may stay there; infinity switches a rule off. A ball that is stuck in an area is a penalty if
    ``stuck_penalty``. Running into an opponent is a foul beyond ``crash_speed`` (m/s, along the line between
    them), of the one who is faster by ``crash_margin``.
    """

    half: float = 300.0
    halves: int = 2
    stuck_speed: float = 0.1
    stuck_time: float = 5.0
    pause: float = 1.0  # before a kick-off or a free ball
    mark: tuple[float, float] = (0.375, 0.40)  # of free balls
    free_distance: float = 0.2
    area_time: float = 3.0
    keeper_time: float = 10.0
    stuck_penalty: bool = False
    crash_speed: float = math.inf
    crash_margin: float = 0.3


_FREE = FootballRules(area_time=math.inf, keeper_time=math.inf)  # areas are no business of the referee
_SSL = replace(_FREE, mark=(2.0, 2.0), free_distance=0.5, crash_speed=1.5)
FOOTBALL_RULES = {
    "vsss-3v3": FootballRules(),
    "vsss-5v5": FootballRules(mark=(0.55, 0.60), free_distance=0.3),
    "firasim": replace(_FREE, stuck_time=10.0, stuck_penalty=True),
    "ssl-a": replace(_SSL, stuck_time=5.0),
    "ssl-b": replace(_SSL, stuck_time=10.0),
}


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
        self._began: dict[str, float] = {}  # what goes on in an area, since when
        self._before: dict[str, tuple[float, float, float]] = {}  # velocities at the last moment

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
                self._began.clear()
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
        elif not self._fouls(broadcast, ball) and (
            time - self._moved >= self.rules.stuck_time or self._lost(ball)
        ):
            self._stuck(broadcast, ball)
        self._before = {e.id: e.velocity for e in broadcast.entities.values()}

    def _stuck(self, broadcast: Broadcast, ball: Seen) -> None:
        side = next((s for s in (-1, 1) if in_area(self.field, ball.position, s)), 0)
        if side and self.rules.stuck_penalty:
            self._penalty(broadcast, side)
        else:
            self._free_ball(broadcast, ball)

    def _fouls(self, broadcast: Broadcast, ball: Seen) -> bool:
        """Whether there was one; what follows from it is asked for."""
        for side in (-1, 1):
            inside = in_area(self.field, ball.position, side)
            own, foreign = (self._count(broadcast, t, side) for t in (side, -side))
            if self._lasts(f"keeper {side}", inside, self.rules.keeper_time, broadcast.time) or self._lasts(
                f"defenders {side}", inside and own > 1, self.rules.area_time, broadcast.time
            ):
                self._penalty(broadcast, side)
                return True
            if self._lasts(f"attackers {side}", inside and foreign > 1, self.rules.area_time, broadcast.time):
                piece = goal_kick(self.field, side, *self._numbers(broadcast, side))
                self._set(broadcast, side, piece, "goal kick")
                return True
        return self._crash(broadcast)

    def _count(self, broadcast: Broadcast, team: int, area: int) -> int:
        """The robots of the team at -1 or 1 in one of the areas."""
        return sum(in_area(self.field, r.position, area) for r in self._robots(broadcast, team))

    def _lasts(self, name: str, now: bool, most: float, time: float) -> bool:
        """Whether something has gone on for too long."""
        if not now:
            self._began.pop(name, None)
            return False
        return time - self._began.setdefault(name, time) >= most

    def _crash(self, broadcast: Broadcast) -> bool:
        """Robots of both teams that met too fast: a free kick for whom was run into."""
        rules, seen = self.rules, broadcast.entities
        if math.isinf(rules.crash_speed):
            return False
        for pair in sorted(broadcast.touching):
            if not all(e in seen and e in self._before and seen[e].type == "robot" for e in pair):
                continue
            a, b = (seen[e] for e in pair)
            apart = math.dist(a.position[:2], b.position[:2])
            if a.team == b.team or apart == 0.0:
                continue
            nx, ny = ((q - p) / apart for p, q in zip(a.position[:2], b.position[:2], strict=True))
            one, other = (vx * nx + vy * ny for vx, vy, _ in (self._before[e] for e in pair))
            if one - other > rules.crash_speed and abs(abs(one) - abs(other)) > rules.crash_margin:
                guilty, met = (a, b) if abs(one) > abs(other) else (b, a)
                side = -1 if guilty.team == SIDES[0] else 1
                args = (met.position[:2], side, *self._numbers(broadcast, -side), rules.free_distance)
                self._set(broadcast, -side, free_kick(self.field, *args), "free kick")
                return True
        return False

    def _penalty(self, broadcast: Broadcast, against: int) -> None:
        piece = penalty(self.field, against, *self._numbers(broadcast, -against))
        self._set(broadcast, -against, piece, "penalty")

    def _robots(self, broadcast: Broadcast, team: int) -> list[Seen]:
        """Of the team whose goal is at -1 or 1."""
        name = SIDES[0] if team < 0 else SIDES[1]
        return [e for e in broadcast.entities.values() if e.team == name and e.type == "robot"]

    def _numbers(self, broadcast: Broadcast, taker: int) -> tuple[int, int]:
        return len(self._robots(broadcast, taker)), len(self._robots(broadcast, -taker))

    def _set(self, broadcast: Broadcast, taker: int, piece: Piece, what: str) -> None:
        """Put everybody where a piece wants them."""
        for team, spots in ((taker, piece.takers), (-taker, piece.others)):
            for robot, (x, y, heading) in zip(self._robots(broadcast, team), spots, strict=True):
                self.put(robot.id, x, y, self.robot_height, heading)
        ball = next(e for e in broadcast.entities.values() if e.type == "ball")
        self.put(ball.id, *piece.ball, self.ball_height)
        self.stop(broadcast)
        self.tell(broadcast.time, f"{what} of {SIDES[0] if taker < 0 else SIDES[1]}")
        self.enter("ready", broadcast.time)

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
                rows = 0.25 + 0.055 * ((place - 2) // 2)  # of two, one behind the other
                away = length / 2 - 0.08 if place == 0 else near if place == 1 else length * rows
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
        self.tell(broadcast.time, f"free ball, quadrant {quadrant(x, y)}")
        self.enter("ready", broadcast.time)

    def _make_room(self, robots: list[Seen], taker: Seen, mark: tuple[float, float], sign: int) -> None:
        """Others that stand too near go back towards their goal."""
        near = 1.6 * self.rules.free_distance
        crowd = [r for r in robots if r is not taker and math.dist(r.position[:2], mark) < near]
        for place, robot in enumerate(crowd):
            x = sign * (self.field.length / 2 - 0.1 - 0.1 * place)
            self.put(robot.id, x, -mark[1] / 2, self.robot_height, 0.0 if sign < 0 else math.pi)
