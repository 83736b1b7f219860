"""The sumo referee.

A round: robots are put on their start lines facing each other, hold still for five seconds, and fight. A
robot that touches the ground outside the ring, or whose middle is over it, gives its opponent a point; both
at once is a rematch. So is standing still together, and being entangled without getting anywhere; a robot
that alone stands still loses the point. Falling over inside the ring is nothing. Two points win.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from biela.arena.broadcast import Broadcast, Seen
from biela.arena.preset.field import SumoRing
from biela.arena.referee.referee import SIDES, Referee


@dataclass(frozen=True)
class SumoRules:
    """What differs from event to event. Times in s; the rest as fractions of the ring's radius."""

    points: int = 2
    hold: float = 5.0
    round_time: float = 60.0  # Inatel: three rounds of a minute
    rounds: int = 3
    rematches: int = 5
    extension: float = 0.0  # Inatel: 30 s more after the last round, if the score is even
    warnings: int = 0  # violations (false starts) of a robot that cost no point
    stall: float = 5.0
    progress: float = 0.05
    false_start: float = 0.05
    start_radius: float = 0.5
    scatter: float = 0.1  # of the start, along the line; and of the heading in rad


@final
class SumoReferee(Referee):
    """Judges two robots, one of team ``left`` and one of team ``right``."""

    def __init__(self, ring: SumoRing, height: float, rules: SumoRules, random: np.random.Generator) -> None:
        super().__init__(random)
        self.ring = ring
        self.height = height
        self.rules = rules
        self.rounds, self.rematches = 0, 0
        self.violations: dict[str, int] = dict.fromkeys(SIDES, 0)
        self.extended = False
        self._starts: dict[str, tuple[float, float]] = {}
        self._marks: dict[str, tuple[float, float, float]] = {}  # time and place of the last progress

    def judge(self, broadcast: Broadcast) -> None:
        """One phase after the other."""
        robots = {e.team: e for e in broadcast.entities.values() if e.team in SIDES}
        time = broadcast.time
        if self.phase in ("before", "decided"):
            self._line_up(broadcast, robots)
        elif self.phase == "hold":
            self._hold(time, robots)
        else:
            self._fight(broadcast, robots)

    def _line_up(self, broadcast: Broadcast, robots: dict[str, Seen]) -> None:
        """Robots on their start lines, facing each other but for a little scatter."""
        radius, rules = self.ring.diameter / 2, self.rules
        for side, sign in zip(SIDES, (-1, 1), strict=True):
            along, off = self.random.uniform(-1, 1, 2) * rules.scatter
            x, y = sign * rules.start_radius * radius, along * radius
            self.put(robots[side].id, x, y, self.height, (0 if sign < 0 else math.pi) + off)
            self._starts[side] = (x, y)
        self.stop(broadcast)
        self.rounds += self.phase == "before" or self._counted
        self.enter("hold", broadcast.time)

    _counted = False

    def _hold(self, time: float, robots: dict[str, Seen]) -> None:
        """Nobody moves for the hold; who does loses the point."""
        reach = self.rules.false_start * self.ring.diameter / 2
        settled = self.clock(time) > 0.5 * self.rules.hold
        early = [s for s in SIDES if math.dist(robots[s].position[:2], self._starts[s]) > reach and settled]
        if early:
            self._violation(time, early)
        elif self.clock(time) >= self.rules.hold:
            self._marks = {s: (time, *robots[s].position[:2]) for s in (*SIDES,)}
            self._marks["both"] = (time, *_middle(robots))
            self.enter("play", time)

    def _violation(self, time: float, early: list[str]) -> None:
        """Who starts too early is warned, then loses the point; both together begin again."""
        for side in early:
            self.violations[side] += 1
        guilty = [side for side in early if self.violations[side] > self.rules.warnings]
        if len(guilty) == 1:
            self._point(time, guilty[0], "false start of")
        else:
            self._rematch(time, f"false start of {' and '.join(early)}")

    def _fight(self, broadcast: Broadcast, robots: dict[str, Seen]) -> None:
        time = broadcast.time
        out = [s for s in SIDES if self._outside(broadcast, robots[s])]
        if len(out) == 2:
            self._rematch(time, "both out")
        elif out:
            self._point(time, out[0], "out:")
        elif self.clock(time) >= (self.rules.extension if self.extended else self.rules.round_time):
            self._rematch(time, "time", counted=True)
        else:
            self._look_for_progress(broadcast, robots)

    def _outside(self, broadcast: Broadcast, robot: Seen) -> bool:
        touching = {("ground", robot.id), (robot.id, "ground")} & broadcast.touching
        return bool(touching) or math.hypot(*robot.position[:2]) > self.ring.diameter / 2

    def _look_for_progress(self, broadcast: Broadcast, robots: dict[str, Seen]) -> None:
        """Both still, entangled, or one still: after the stall time."""
        time, rules = broadcast.time, self.rules
        reach = rules.progress * self.ring.diameter / 2
        places = {s: robots[s].position[:2] for s in SIDES} | {"both": _middle(robots)}
        for name, place in places.items():
            if math.dist(place, self._marks[name][1:]) > reach:
                self._marks[name] = (time, *place)
        still = [s for s in SIDES if time - self._marks[s][0] >= rules.stall]
        pair = (robots["left"].id, robots["right"].id)
        tied = bool({pair, pair[::-1]} & broadcast.touching)
        if not tied:
            self._marks["both"] = (time, *places["both"])
        if len(still) == 2 or (tied and time - self._marks["both"][0] >= rules.stall):
            self._rematch(time, "no progress")
        elif len(still) == 1 and not tied:
            self._point(time, still[0], "stands still:")

    def _point(self, time: float, loser: str, why: str) -> None:
        winner = SIDES[1 - SIDES.index(loser)]
        self.score[SIDES.index(winner)] += 1
        self.tell(time, f"{why} {loser}; point for {winner}, {self.score[0]}:{self.score[1]}")
        self._counted = True
        self._next(time)

    def _rematch(self, time: float, why: str, counted: bool = False) -> None:
        self.rematches += 1
        self._counted = counted
        self.tell(time, f"{why}: rematch")
        self._next(time)

    def _next(self, time: float) -> None:
        """Another round, or the end."""
        rules = self.rules
        done = max(self.score) >= rules.points
        last = self._counted and self.rounds >= rules.rounds
        if last and not self.extended and not done and rules.extension and self.score[0] == self.score[1]:
            self.extended, last = True, False
            self.tell(time, "extension")
        tired = self.rematches > rules.rematches or last
        self.enter("over" if done or tired else "decided", time)
        if self.over:
            a, b = self.score
            self.winner = "left" if a > b else "right" if b > a else None
            self.tell(time, f"match over: {self.winner or 'draw'}, {a}:{b}")


def _middle(robots: dict[str, Seen]) -> tuple[float, float]:
    a, b = (robots[s].position for s in SIDES)
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
