"""A football team: a keeper, an attacker who comes from behind the ball, and cover.

Who is soonest behind the ball attacks. In the own half the ball is cleared, away from the own goal; in theirs
it goes at their goal; along a wall, along the wall. Whoever pushes and does not move backs off for a moment.
"""

from __future__ import annotations

import math
from typing import final

from biela.arena.strategy.strategy import Speeds, Strategy
from biela.arena.strategy.view import Thing, View

REACH = 0.085  # m: a robot this near to the ball strikes it by spinning
LOYAL = 0.10  # m: who attacks goes on unless another is so much nearer
AROUND = 0.3  # m: what it costs to be on the wrong side of the ball
STUCK, FREE = 0.4, 0.25  # s without moving, s of backing off


@final
class Club(Strategy):
    """Roles by place, given anew at every call."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Nobody attacks yet, nobody is stuck."""
        self._attacker = ""
        self._moved: dict[str, float] = {}

    def act(self, view: View) -> dict[str, Speeds]:
        """The first robot keeps the goal."""
        keeper, *field = view.mine
        ball = view.ball
        if ball is None:
            return {robot.id: (0.0, 0.0) for robot in view.mine}
        field.sort(key=lambda r: self._far(r, ball))
        found = {keeper.id: _keep(view, keeper, ball)}
        for place, robot in enumerate(field):
            attacks = place == 0 or _dangerous(view, robot, ball)
            wanted = _attack(view, robot, ball) if attacks else _cover(view, robot, ball, place)
            found[robot.id] = self._freed(view, robot, wanted)
        self._attacker = field[0].id if field else ""
        return found

    def _far(self, robot: Thing, ball: Thing) -> float:
        """The way to the ball: longer for who has to go around it, shorter for who is at it."""
        wrong = AROUND if robot.x > ball.x else 0.0
        return robot.distance(ball.x, ball.y) + wrong - (LOYAL if robot.id == self._attacker else 0.0)

    def _freed(self, view: View, robot: Thing, wanted: Speeds) -> Speeds:
        """What is wanted, or its opposite for a moment when that moves nothing."""
        rest = view.time - self._moved.setdefault(robot.id, view.time)
        idle = abs(wanted[0] + wanted[1]) < 0.4 * view.robot.top_speed
        moves = idle or robot.speed > 0.06 or abs(robot.spin) > 3.0
        if (moves and rest < STUCK) or rest > STUCK + FREE:
            self._moved[robot.id] = view.time
        return (-0.9 * wanted[1], -0.5 * wanted[0]) if rest > STUCK else wanted


def _keep(view: View, robot: Thing, ball: Thing) -> Speeds:
    """In the goal's mouth where the ball will come; a ball within reach is struck away by spinning."""
    line, post = -view.length / 2 + 0.045, view.goal / 2 - 0.01
    if robot.distance(ball.x, ball.y) < REACH and ball.x > robot.x - 0.02:
        return view.drive(0.0, -math.copysign(40.0, ball.y - robot.y))
    y = 0.6 * ball.y
    if ball.vx < -0.1 and ball.x > line:
        y = ball.y + ball.vy * (ball.x - line) / -ball.vx
    elif ball.x < line + 0.3:
        y = ball.y
    return _stand(view, robot, line, _within(y, post), math.pi / 2)


def _stand(view: View, robot: Thing, x: float, y: float, heading: float) -> Speeds:
    """Go to a place and stay there along ``heading``, either way round."""
    away = robot.distance(x, y)
    if away > 0.02:
        return view.towards(robot, x, y, min(view.top_speed, 10.0 * away), gain=12.0)
    off = heading - robot.heading
    return view.drive(0.0, 8.0 * math.sin(off) * math.copysign(1.0, math.cos(off)))


def _attack(view: View, robot: Thing, ball: Thing) -> Speeds:
    """Behind the ball, seen along the way it shall go, then through it."""
    if (
        robot.distance(ball.x, ball.y) < REACH
        and ball.x > view.length / 2 - 0.09
        and abs(ball.y) > view.goal / 2
    ):
        return view.drive(0.0, -math.copysign(40.0, ball.y) * math.copysign(1.0, ball.x - robot.x))
    soon = min(0.4, robot.distance(ball.x, ball.y) / view.top_speed)
    x, y = _inside(view, ball.x + soon * ball.vx, ball.y + soon * ball.vy, 0.022)
    angle = _way(view, x, y)
    c, s = math.cos(angle), math.sin(angle)
    behind = (x - robot.x) * c + (y - robot.y) * s
    aside = (robot.y - y) * c - (robot.x - x) * s
    if behind > 0.02 and abs(aside) < 0.025 + 0.25 * behind:
        return view.towards(robot, x + 0.15 * c, y + 0.15 * s, view.top_speed)
    gap = 0.07 + 0.4 * min(0.3, abs(aside))
    wide = math.copysign(0.09, aside) if behind < 0.06 and abs(aside) < 0.09 else 0.0
    target = _inside(view, x - gap * c - wide * s, y - gap * s + wide * c, 0.045)
    return view.towards(robot, *target, view.top_speed)


def _way(view: View, x: float, y: float) -> float:
    """Where to push the ball: along a wall that it is at, off the own goal, at theirs."""
    if abs(y) > view.width / 2 - 0.05 and x < view.length / 2 - 0.15:
        return 0.0
    clear = math.atan2(y, x + view.length / 2 + 0.3)
    shot = math.atan2(_within(y, 0.3 * view.goal) - y, view.length / 2 + 0.05 - x)
    share = max(0.0, min(1.0, (x + 0.4) / 0.4))
    return clear + share * (shot - clear)


def _dangerous(view: View, robot: Thing, ball: Thing) -> bool:
    """In the own half, and this robot is on the right side of the ball and near."""
    return ball.x < -0.1 and robot.x < ball.x and robot.distance(ball.x, ball.y) < 0.3


def _cover(view: View, robot: Thing, ball: Thing, place: int) -> Speeds:
    """Behind the ball, between it and the own goal, a little to one side."""
    side = (-1.0) ** place * math.copysign(0.1, ball.y)
    x, y = _inside(view, max(0.2 - view.length / 2, ball.x - 0.3), 0.6 * ball.y + side, 0.08)
    return _stand(view, robot, x, y, math.atan2(ball.y - y, ball.x - x))


def _within(value: float, most: float) -> float:
    return max(-most, min(most, value))


def _inside(view: View, x: float, y: float, margin: float) -> tuple[float, float]:
    return _within(x, view.length / 2 - margin), _within(y, view.width / 2 - margin)
