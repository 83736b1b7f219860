"""`Crew`: the agent that lets omnidirectional robots do what they are commanded: drive, dribble, kick.

In every iteration it changes the velocity of a robot towards the commanded one, as far as its accelerations
allow, by the public command of placing; contacts act on top of it, so that robots push each other and stall.
A dribbler draws a ball at the flat front to its middle with a bounded acceleration, so that hard braking and
turning lose it. A kick gives that ball its velocity once. On the floor the ball rolls from the beginning: it
does not slide first, as a real one does. Robots without a command for `HOLD` seconds stop.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import numpy as np

from biela.arena.agent import Agent
from biela.arena.broadcast import Broadcast, Seen
from biela.arena.message import Request
from biela.arena.preset.omni import OmniRobot

HOLD = 0.1  # s of simulated time, as ER-Force has it
REACH = 0.012  # m: how far from the front a ball is still at the dribbler
AGAIN = 0.2  # s between two kicks
STILL, TURNING = 1e-3, 1e-2  # m/s, rad/s: what is not worth a command
LIFT = 0.1  # m/s: a ball that goes up faster is off the floor
LEAST = 0.05  # m above the floor: a ball above that is not at the dribbler


@dataclass(frozen=True)
class Order:
    """What a robot is to do: (forward, left, turning) in its own axes or (x, y, turning) in the field's.

    Speeds in m/s and rad/s; ``kick`` in m/s, with ``chip`` rad above the floor; ``dribble`` on or off.
    """

    motion: tuple[float, float, float] = (0.0, 0.0, 0.0)
    world: bool = False
    kick: float = 0.0
    chip: float = 0.0
    dribble: bool = False


@final
class Crew(Agent):
    """Drives all robots of ``robots`` (by entity) and moves ``ball`` (radius ``ball_radius``) for them.

    ``still`` says whether robots have to stand now.
    """

    def __init__(self, key: str, robots: dict[str, OmniRobot], ball: str, ball_radius: float) -> None:
        super().__init__(key)
        self.robots = robots
        self.ball = ball
        self.ball_radius = ball_radius
        self.still = False
        self.at_dribbler: set[str] = set()
        self._orders: dict[str, tuple[float, Order]] = {}
        self._kicked: dict[str, float] = {}
        self._before: float | None = None

    def order(self, robot: str, order: Order, time: float) -> None:
        """What a robot is to do from now, ``time``, on."""
        self._orders[robot] = (time, order)

    def hear(self, broadcast: Broadcast) -> Iterable[Request]:
        """One step of every robot and of the ball at a dribbler."""
        told = broadcast.notices.get("referee", {"phase": "play"})
        self.still = told["phase"] != "play"
        dt = broadcast.time - self._before if self._before is not None else broadcast.mode["step"]
        self._before = broadcast.time
        ball = broadcast.entities[self.ball]
        self.at_dribbler = {
            key for key, r in self.robots.items() if self._holds(r, broadcast.entities[key], ball)
        }
        for key, robot in self.robots.items():
            seen, order = broadcast.entities[key], self._now(key, broadcast.time)
            yield from _drive(robot, seen, order, dt)
            if key in self.at_dribbler:
                yield from self._handle(robot, seen, ball, order, broadcast.time, dt)

    def _now(self, key: str, time: float) -> Order:
        """What a robot is to do now; nothing while it has to stand and when its command is old."""
        since, order = self._orders.get(key, (-math.inf, Order()))
        return Order() if self.still or time - since > HOLD + 1e-9 else order

    def _holds(self, robot: OmniRobot, seen: Seen, ball: Seen) -> bool:
        """Whether the ball is at its dribbler."""
        x, y = _inside(seen, ball.position[0] - seen.position[0], ball.position[1] - seen.position[1])
        gap = x - robot.front - self.ball_radius
        return -REACH < gap < REACH and abs(y) < robot.mouth / 2 and ball.position[2] < LEAST

    def _handle(
        self, robot: OmniRobot, seen: Seen, ball: Seen, order: Order, time: float, dt: float
    ) -> Iterable[Request]:
        """Kick the ball, or keep it."""
        if order.kick > 0 and time - self._kicked.get(seen.id, -math.inf) > AGAIN:
            self._kicked[seen.id] = time
            speed = min(order.kick, robot.chip if order.chip > 0 else robot.kick)
            ahead, up = speed * math.cos(order.chip), speed * math.sin(order.chip)
            heading = seen.heading
            yield self._thrown((ahead * math.cos(heading), ahead * math.sin(heading), up))
        elif order.dribble:
            yield self._thrown(self._drawn(robot, seen, ball, dt))

    def _thrown(self, velocity: tuple[float, float, float]) -> Request:
        """The ball with a velocity, rolling."""
        return _moved(self.ball, velocity, rolling(velocity, self.ball_radius))

    def _drawn(self, robot: OmniRobot, seen: Seen, ball: Seen, dt: float) -> tuple[float, float, float]:
        """The velocity of a ball that is drawn to the middle of the front, within the grip."""
        ahead = robot.front + self.ball_radius
        c, s = math.cos(seen.heading), math.sin(seen.heading)
        spot = np.array([seen.position[0] + ahead * c, seen.position[1] + ahead * s])
        carried = np.array(seen.velocity[:2]) + seen.spin[2] * ahead * np.array([-s, c])
        wanted = carried + (spot - ball.position[:2]) / max(4 * dt, 0.02)
        vx, vy = _towards(np.array(ball.velocity[:2]), wanted, robot.grip * dt).tolist()
        return vx, vy, ball.velocity[2]


def _drive(robot: OmniRobot, seen: Seen, order: Order, dt: float) -> Iterable[Request]:
    """The velocity of a robot after one step towards the commanded one."""
    a, b, turning = order.motion
    c, s = (1.0, 0.0) if order.world else (math.cos(seen.heading), math.sin(seen.heading))
    wanted = np.array([a * c - b * s, a * s + b * c])
    wanted /= max(1.0, float(np.hypot(*wanted)) / robot.top_speed)
    now = np.array(seen.velocity[:2])
    rate = robot.speed_up if np.hypot(*wanted) > np.hypot(*now) else robot.brake
    vx, vy = _towards(now, wanted, rate * dt).tolist()
    turning = max(-robot.top_spin, min(robot.top_spin, turning))
    off, spin = turning - seen.spin[2], seen.spin[2]
    rate = (robot.turn_up if abs(turning) > abs(spin) else robot.turn_brake) * dt
    spin += max(-rate, min(rate, off))
    if math.hypot(vx - now[0], vy - now[1]) > STILL or abs(spin - seen.spin[2]) > TURNING:
        yield _moved(seen.id, (vx, vy, seen.velocity[2]), (seen.spin[0], seen.spin[1], spin))


def _moved(key: str, velocity: tuple[float, ...], spin: tuple[float, ...]) -> Request:
    return Request("set_entity_position", {"velocity": list(velocity), "spin": list(spin)}, key)


def _towards(now: np.ndarray, wanted: np.ndarray, most: float) -> np.ndarray:
    """As near to what is wanted as one step comes."""
    off = wanted - now
    return now + off * min(1.0, most / max(float(np.hypot(*off)), 1e-12))


def rolling(velocity: tuple[float, ...], radius: float) -> tuple[float, float, float]:
    """The spin of a ball that rolls on the floor; none for one that leaves it.

    >>> rolling((1.0, 0.0, 0.0), 0.02)
    (-0.0, 50.0, 0.0)
    """
    vx, vy, vz = velocity
    return (0.0, 0.0, 0.0) if vz > LIFT else (-vy / radius, vx / radius, 0.0)


def _inside(seen: Seen, x: float, y: float) -> tuple[float, float]:
    """A vector of the field in the axes of a robot."""
    c, s = math.cos(seen.heading), math.sin(seen.heading)
    return c * x + s * y, c * y - s * x
