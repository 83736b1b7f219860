"""Baselines for football."""

from __future__ import annotations

import math
from typing import final

from biela.arena.strategy.strategy import Speeds, Strategy
from biela.arena.strategy.view import Thing, View


@final
class Roles(Strategy):
    """A keeper, the nearest attacks, the others wait behind the ball."""

    def act(self, view: View) -> dict[str, Speeds]:
        """Roles are given anew at every call."""
        keeper, *field = view.mine
        found = {keeper.id: _keep(view, keeper)}
        ball = view.ball
        if ball is None:
            return found
        order = sorted(field, key=lambda r: r.distance(ball.x, ball.y) + (0.3 if r.x > ball.x else 0.0))
        for place, robot in enumerate(order):
            found[robot.id] = _attack(view, robot) if place == 0 else _support(view, robot, place)
        return found


@final
class Swarm(Strategy):
    """Everybody runs to the ball."""

    def act(self, view: View) -> dict[str, Speeds]:
        """No thought of the own goal."""
        return {robot.id: _attack(view, robot) for robot in view.mine}


@final
class Wander(Strategy):
    """Wheel speeds by chance, drawn twice a second: less than this is no play."""

    def begin(self) -> None:
        """Nothing drawn yet."""
        self._due = 0.0
        self._drawn: dict[str, Speeds] = {}

    def act(self, view: View) -> dict[str, Speeds]:
        """Both wheels anywhere between full speed backwards and forwards."""
        if not self._drawn or view.time >= self._due:
            top, self._due = view.robot.top_speed, view.time + 0.5
            pairs = [self.random.uniform(-top, top, 2) for _ in view.mine]
            self._drawn = {r.id: (float(a), float(b)) for r, (a, b) in zip(view.mine, pairs, strict=True)}
        return self._drawn


def _keep(view: View, robot: Thing) -> Speeds:
    """On the goal line, level with where the ball will be."""
    x, reach = -view.length / 2 + 0.06, view.goal / 2
    y = 0.0
    if view.ball is not None:
        y = max(-reach, min(reach, view.ball.y + 0.2 * view.ball.vy))
    distance = robot.distance(x, y)
    if distance < 0.015:
        off = math.sin(robot.heading - math.pi / 2)  # stand across, to go up and down
        return view.drive(0.0, -6.0 * off * (1 if math.cos(robot.heading - math.pi / 2) > 0 else -1))
    return view.towards(robot, x, y, min(view.top_speed, 6.0 * distance))


def _attack(view: View, robot: Thing) -> Speeds:
    """Behind the ball first, then through it towards the goal."""
    ball = view.ball
    if ball is None:
        return 0.0, 0.0
    x, y = ball.x + 0.12 * ball.vx, ball.y + 0.12 * ball.vy
    angle = math.atan2(-y, view.length / 2 - x)  # from the ball to the goal
    ahead = (robot.x - x) * math.cos(angle) + (robot.y - y) * math.sin(angle)
    aside = -(robot.x - x) * math.sin(angle) + (robot.y - y) * math.cos(angle)
    speed = 0.8 * view.top_speed
    if ahead < -0.03 and abs(aside) < 0.04 + 0.15 * abs(ahead):
        return view.towards(robot, x + 0.1 * math.cos(angle), y + 0.1 * math.sin(angle), speed)
    wide = 0.11 if ahead > -0.06 and abs(aside) < 0.08 else 0.0
    side = math.copysign(wide, aside) if wide else 0.0
    aim_x = x - 0.12 * math.cos(angle) - side * math.sin(angle)
    aim_y = y - 0.12 * math.sin(angle) + side * math.cos(angle)
    return view.towards(robot, *_inside(view, aim_x, aim_y), 0.7 * speed)


def _support(view: View, robot: Thing, place: int) -> Speeds:
    """Half-way to the own goal."""
    ball = view.ball
    assert ball is not None
    x, y = _inside(view, (ball.x - view.length / 2) / 2, 0.5 * ball.y + 0.15 * (-1) ** place)
    distance = robot.distance(x, y)
    return (
        view.towards(robot, x, y, min(0.6 * view.top_speed, 4.0 * distance))
        if distance > 0.03
        else (0.0, 0.0)
    )


def _inside(view: View, x: float, y: float) -> tuple[float, float]:
    a, b = view.length / 2 - 0.06, view.width / 2 - 0.06
    return max(-a, min(a, x)), max(-b, min(b, y))
