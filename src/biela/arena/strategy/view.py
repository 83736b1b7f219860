"""What a strategy sees: the game from its own side, so that it always plays towards +x.

The team on the right sees everything turned by half a turn about the middle. Wheels are not mirrored by a
turn, hence speeds go out as they come.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from biela.arena.broadcast import Seen
from biela.arena.preset.robot import TwoWheeler
from biela.arena.sensor.sensor import Reading


@dataclass(frozen=True, slots=True)
class Thing:
    """A robot or ball in the plane: place (m), heading (rad), and their rates."""

    id: str
    x: float
    y: float
    heading: float
    vx: float
    vy: float
    spin: float
    upright: float

    @property
    def speed(self) -> float:
        """How fast it moves, m/s."""
        return math.hypot(self.vx, self.vy)

    def distance(self, x: float, y: float) -> float:
        """How far a place is."""
        return math.hypot(x - self.x, y - self.y)

    def bearing(self, x: float, y: float) -> float:
        """The angle from its heading to a place, -pi to pi."""
        return wrapped(math.atan2(y - self.y, x - self.x) - self.heading)


def wrapped(angle: float) -> float:
    """The same angle from -pi to pi.

    >>> wrapped(1.5 * math.pi) == -0.5 * math.pi
    True
    """
    return (angle + math.pi) % (2 * math.pi) - math.pi


def thing(seen: Seen, turned: bool) -> Thing:
    """An entity from one side or the other."""
    sign, turn = (-1.0, math.pi) if turned else (1.0, 0.0)
    x, y, _ = seen.position
    vx, vy, _ = seen.velocity
    heading = wrapped(seen.heading + turn)
    return Thing(seen.id, sign * x, sign * y, heading, sign * vx, sign * vy, seen.spin[2], seen.upright)


@dataclass(frozen=True)
class View:
    """One moment for one team. ``length`` and ``width`` are of the field; a ring has its diameter in both.

    ``readings`` has what the sensors of the own robots told last, by robot and sensor; they are in the
    robot's own axes, or told as they were read, and not turned.
    """

    time: float
    clock: float
    mine: tuple[Thing, ...]
    theirs: tuple[Thing, ...]
    ball: Thing | None
    length: float
    width: float
    goal: float
    robot: TwoWheeler
    score: tuple[int, int] = (0, 0)
    readings: Mapping[str, Mapping[str, Reading]] = field(default_factory=dict[str, dict[str, Reading]])

    @property
    def me(self) -> Thing:
        """The first robot of the team, the only one in sumo."""
        return self.mine[0]

    @property
    def opponent(self) -> Thing:
        """The first robot of the others."""
        return self.theirs[0]

    @property
    def top_speed(self) -> float:
        """How fast a robot drives at most, m/s."""
        return self.robot.top_speed * self.robot.wheel_radius

    def drive(self, forward: float, turning: float) -> tuple[float, float]:
        """Wheel speeds (left, right) for a speed, m/s, and a turning rate, rad/s.

        What is beyond the motors is scaled down, both wheels alike, so that the curve stays the same.
        """
        left, right = self.robot.wheel_speeds(forward, turning)
        most = max(abs(left), abs(right), self.robot.top_speed) / self.robot.top_speed
        return left / most, right / most

    def towards(
        self, robot: Thing, x: float, y: float, speed: float, gain: float = 8.0
    ) -> tuple[float, float]:
        """Wheel speeds that bring a robot to a place, forwards or backwards, whichever is nearer."""
        off = robot.bearing(x, y)
        back = abs(off) > math.pi / 2
        off = wrapped(off + math.pi) if back else off
        return self.drive((-speed if back else speed) * max(0.0, math.cos(off)), gain * off)
