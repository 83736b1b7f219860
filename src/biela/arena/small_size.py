"""`small_size`: matches of the RoboCup small size league, whose robots clients of its protocols drive."""

from __future__ import annotations

import math
from typing import final

import numpy as np

from biela.arena.broadcast import Broadcast
from biela.arena.crew import Crew
from biela.arena.kernel import Kernel
from biela.arena.match import Match
from biela.arena.preset.field import BALLS, FOOTBALL_FIELDS, FootballField
from biela.arena.preset.material import MATERIALS
from biela.arena.preset.omni import SSL_ROBOTS, OmniRobot
from biela.arena.referee.referee import SIDES, Referee
from biela.arena.scene.fault import known
from biela.arena.scene.scene import Scene

ROWS = 3  # robots abreast at the start


@final
class Onlooker(Referee):
    """Counts goals and judges nothing else: the league's referee is a program of its own."""

    def __init__(self, field: FootballField, ball_radius: float, random: np.random.Generator) -> None:
        super().__init__(random)
        self.field = field
        self.ball_radius = ball_radius
        self._inside = False

    def judge(self, broadcast: Broadcast) -> None:
        """Play is on; a goal counts when the ball comes in."""
        if self.phase == "before":
            self.enter("play", broadcast.time)
        ball = next(e for e in broadcast.entities.values() if e.type == "ball")
        x, y, _ = ball.position
        behind = abs(x) - self.ball_radius > self.field.length / 2
        inside = behind and abs(y) < self.field.goal_width / 2
        if inside and not self._inside:
            side = 0 if x > 0 else 1
            self.score[side] += 1
            self.tell(broadcast.time, f"goal of {SIDES[side]}, {self.score[0]}:{self.score[1]}")
        self._inside = inside


def small_size(
    field: str = "ssl-b",
    *,
    players: int = 6,
    robot: str | OmniRobot = "tigers",
    seed: int = 0,
    backend: str = "mujoco",
    step: float = 0.005,
    interval: float = 0.02,
) -> Match:
    """A match of the small size league; ``match.crew`` drives the robots, protocols order it to.

    Nobody referees but for counting goals. Raises ValueError for unknown names.
    """
    if field not in FOOTBALL_FIELDS or not field.startswith("ssl"):
        fields = [name for name in FOOTBALL_FIELDS if name.startswith("ssl")]
        raise ValueError(f"No field '{field}' of the small size league. {known(field, fields)}")
    if isinstance(robot, str) and robot not in SSL_ROBOTS:
        raise ValueError(f"No robot '{robot}' of the small size league. {known(robot, SSL_ROBOTS)}")
    if not 1 <= players <= 16:
        raise ValueError(f"A team has 1 to 16 robots; {players} are asked for.")
    kind = SSL_ROBOTS[robot] if isinstance(robot, str) else robot
    pitch, ball = FOOTBALL_FIELDS[field], BALLS["ssl"]
    bodies = [
        kind.entity(f"{side}{n}", *_start(pitch, sign, n), 0.0 if sign < 0 else math.pi, side)
        for side, sign in zip(SIDES, (-1, 1), strict=True)
        for n in range(players)
    ]
    scene = Scene(f"football {field}", MATERIALS, (pitch.entity(), ball.entity(), *bodies))
    kernel = Kernel(scene, backend_name=backend, seed=seed, step=step)
    referee = Onlooker(pitch, ball.radius, kernel.streams["referee"])
    match = Match(kernel, (), referee, interval)
    match.crew = Crew("crew", {b.id: kind for b in bodies}, "ball", ball.radius)
    kernel.join(match.crew)
    return match


def _start(pitch: FootballField, sign: int, number: int) -> tuple[float, float]:
    """A keeper, and rows in front of it."""
    if number == 0:
        return sign * (pitch.length / 2 - 0.2), 0.0
    row, place = divmod(number - 1, ROWS)
    return sign * (1.0 + row * pitch.length / 16), (place - 1) * pitch.width / 5
