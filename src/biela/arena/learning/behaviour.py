"""Behaviours of a few numbers, for evolution: policies over all worlds at once, and strategies in matches.

`Shooter` plays football, `Wrestler` sumo. Each is made from a sequence of numbers; `START` are sensible
guesses, `NAMES` tell what they are, `SCALE` how far from them a search may look at first. `Learned` lets
any policy play in matches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, final

import numpy as np

from biela.arena.learning.game import Game, Sight
from biela.arena.strategy.strategy import Speeds, Strategy
from biela.arena.strategy.view import Thing, View


class Behaviour:
    """A policy given by numbers. Raises ValueError for too many or too few, or for what is not finite."""

    NAMES: ClassVar[tuple[str, ...]] = ()
    START: ClassVar[tuple[float, ...]] = ()
    SCALE: ClassVar[tuple[float, ...]] = ()

    def __init__(self, numbers: Sequence[float] | np.ndarray | None = None) -> None:
        given = np.asarray(self.START if numbers is None else numbers, float)
        if given.shape != (len(self.NAMES),) or not np.isfinite(given).all():
            told = f"{type(self).__name__} wants {len(self.NAMES)} finite numbers ({', '.join(self.NAMES)})"
            raise ValueError(f"{told}; got {given.tolist()}.")
        self.numbers = given

    def __repr__(self) -> str:
        told = ", ".join(f"{n} {v:.3g}" for n, v in zip(self.NAMES, self.numbers.tolist(), strict=True))
        return f"<{type(self).__name__} {told}>"


@final
class Shooter(Behaviour):
    """Get behind the ball as seen from their goal, then drive through it."""

    NAMES = ("lead", "behind", "detour", "narrow", "slow", "turning", "push")
    START = (0.10, 0.12, 0.10, 0.05, 0.50, 1.5, 0.7)
    SCALE = (0.10, 0.06, 0.06, 0.03, 0.20, 0.7, 0.2)

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """(world, robot, feature of "robot") to (world, robot, wheel)."""
        lead, behind, detour, narrow, slow, turning, push = self.numbers
        seen = observations.astype(float)
        ball, rolls, goal = seen[..., 3:5], seen[..., 5:7], seen[..., 7:9]
        ball = ball + lead * rolls
        way = goal - ball
        way = way / np.maximum(np.hypot(way[..., 0], way[..., 1]), 1e-6)[..., None]
        across = np.stack([-way[..., 1], way[..., 0]], axis=-1)
        back = (ball * way).sum(axis=-1)  # how far the robot is behind the ball
        off = -(ball * across).sum(axis=-1)  # and to the side
        ready = (back > 0.01) & (abs(off) < abs(narrow) + 0.2 * back)
        side: np.ndarray = np.where(back < 0.03, np.copysign(abs(detour) * 0.5, off), 0.0)
        wait = ball - abs(behind) * 0.5 * way + side[..., None] * across
        go = ready.astype(float)
        target = wait + go[..., None] * (ball + 0.05 * way - wait)
        return steer(target, slow + (push - slow) * go, turning)


@final
class Wrestler(Behaviour):
    """Turn to the opponent and push, mind the border, meet it where it will be, from the side."""

    NAMES = ("turning", "push", "lead", "aside", "caution", "patience")
    START = (0.3, 0.3, 0.0, 0.0, 0.1, 0.2)
    SCALE = (0.5, 0.3, 0.1, 0.05, 0.05, 0.3)

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """(world, robot, feature of "robot") to (world, robot, wheel)."""
        turning, push, lead, aside, caution, patience = self.numbers
        seen = observations.astype(float)
        middle, edge, other, speed = seen[..., 3:5], seen[..., 5], seen[..., 6:8], seen[..., 8:10]
        flank = np.stack([-seen[..., 11], seen[..., 10]], axis=-1)  # across the opponent's heading
        far = np.hypot(other[..., 0], other[..., 1])
        nearer = np.sign(-(other * flank).sum(axis=-1))[..., None]
        target = other + lead * speed + (aside * np.minimum(far * 4, 1.0))[..., None] * nearer * flank
        afraid = (edge < caution) & (other[..., 0] < 0)
        target = np.where(afraid[..., None], middle, target)
        off = np.arctan2(target[..., 1], target[..., 0])
        forward = push + (1 - push) * np.exp(-abs(off) / max(abs(patience), 1e-3))
        return wheels(forward * np.maximum(np.cos(off), 0.0), turning * off)


def steer(target: np.ndarray, speed: np.ndarray, turning: float) -> np.ndarray:
    """Wheels towards places in the robot's axes, forwards or backwards, whichever is nearer."""
    off = np.arctan2(target[..., 1], target[..., 0])
    back = abs(off) > np.pi / 2
    off = np.where(back, off - np.copysign(np.pi, off), off)
    forward = np.where(back, -speed, speed) * np.cos(off)
    return wheels(forward, turning * off)


def wheels(forward: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Left and right shares; what is too much is scaled down, both alike."""
    both = np.stack([forward - turn, forward + turn], axis=-1)
    return both / np.maximum(np.abs(both).max(axis=-1, keepdims=True), 1.0)


@final
class Learned(Strategy):
    """A policy as a strategy: whatever was learned in an environment, in a match."""

    def __init__(self, policy: Callable[[np.ndarray], np.ndarray], game: Game, view: str = "robot") -> None:
        self.policy, self.game, self.view = policy, game, view

    def act(self, view: View) -> Speeds | dict[str, Speeds]:
        """The policy's answer to what it would have seen in an environment."""
        ball = [view.ball] if view.ball else []
        sight = Sight(*(_poses(things) for things in (view.mine, view.theirs, ball)))
        left = np.array([max(0.0, 1.0 - view.clock / self.game.seconds)])
        shares = self.policy(self.game.observe(sight, left, self.view))[0] * self.game.robot.top_speed
        return {t.id: (float(a), float(b)) for t, (a, b) in zip(view.mine, shares, strict=True)}


def _poses(things: Sequence[Thing]) -> np.ndarray:
    rows = [(t.x, t.y, t.heading, t.vx, t.vy, t.spin) for t in things]
    return np.array(rows, float).reshape(1, len(rows), 6)
