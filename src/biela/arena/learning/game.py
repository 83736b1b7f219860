"""`Game`: a competition as learners see it: starts, observations, rules and rewards, over all worlds at once.

Arrays have one row a world. A team sees the world from its own side and plays towards +x: `Game.sight` turns
everything by half a turn for ``yellow``. Poses are (x, y, heading, vx, vy, spin).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from biela.arena.preset.robot import TwoWheeler
from biela.arena.scene.scene import Scene

TEAMS = ("blue", "yellow")
SIDE_OF = {"blue": "left", "yellow": "right"}  # in matches
HALF_TURN = np.array([-1.0, -1.0, 1.0, -1.0, -1.0, 1.0])


@dataclass(frozen=True)
class Sight:
    """The world from one team's side; ``ball`` has no places where there is none."""

    mine: np.ndarray
    theirs: np.ndarray
    ball: np.ndarray


@dataclass(frozen=True)
class Change:
    """What a step did to a team: what a reward is made of.

    ``point`` is 1 where the team has just won the point, -1 where it has lost it; ``actions`` are those
    of its robots.
    """

    before: Sight
    after: Sight
    point: np.ndarray
    actions: np.ndarray


@dataclass(frozen=True)
class Verdict:
    """What the referee says: ``point`` for blue (1), yellow (-1) or nobody; the episode is over, and why.

    ``over`` is an end by the rules, ``cut`` one that the rules would have resumed from: time, a free ball.
    """

    point: np.ndarray
    over: np.ndarray
    cut: np.ndarray
    why: np.ndarray


Reward = Callable[[Change], np.ndarray]


@dataclass
class Memory:
    """What a referee remembers of each world, by name: marks, times."""

    values: dict[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])


class Game(ABC):
    """Rules and senses of a competition. ``seconds`` is the longest episode."""

    name: ClassVar[str] = ""
    scene: Scene
    robot: TwoWheeler
    players: int
    seconds: float
    extent: tuple[float, float, float]
    touch: tuple[tuple[str, str], ...] = ()
    entities: tuple[str, ...]  # of all that moves: those of blue, those of yellow, the ball if any

    @abstractmethod
    def start(self, random: np.random.Generator, kind: str) -> np.ndarray:
        """Poses of all that moves, for one world."""

    @abstractmethod
    def judge(self, poses: np.ndarray, found: np.ndarray, time: np.ndarray, memory: Memory) -> Verdict:
        """The referee's decision in every world."""

    @abstractmethod
    def observe(self, sight: Sight, left: np.ndarray, view: str) -> np.ndarray:
        """(world, robot, feature); ``left`` is the share of the time that is left."""

    @abstractmethod
    def reward(self, change: Change) -> np.ndarray:
        """(world, robot): the reward unless the user has another."""

    @abstractmethod
    def features(self, view: str) -> list[str]:
        """What each number of an observation is."""

    @abstractmethod
    def begin(self, memory: Memory, worlds: np.ndarray, poses: np.ndarray) -> None:
        """Forget what the referee knew of some worlds."""

    @property
    def top_speed(self) -> float:
        """Of a robot, m/s."""
        return self.robot.top_speed * self.robot.wheel_radius

    @property
    def top_spin(self) -> float:
        """Of a robot, rad/s."""
        return 2 * self.top_speed / self.robot.track

    @property
    def diagonal(self) -> float:
        """Of the field: the longest distance in it."""
        return float(np.hypot(self.extent[0], self.extent[1]))

    def sight(self, poses: np.ndarray, team: str) -> Sight:
        """The world from a team's side."""
        n = self.players
        one, other, ball = poses[:, :n], poses[:, n : 2 * n], poses[:, 2 * n :]
        if team == "blue":
            return Sight(one, other, ball)
        turn = np.array([0.0, 0.0, np.pi, 0.0, 0.0, 0.0])
        return Sight(other * HALF_TURN + turn, one * HALF_TURN + turn, ball * HALF_TURN + turn)


def relative(things: np.ndarray, robots: np.ndarray) -> np.ndarray:
    """(world, robot, thing, x y vx vy): places and velocities of things in the axes of robots.

    Velocities are relative to the robot's, but do not count its turning.
    """
    c, s = np.cos(robots[:, :, None, 2]), np.sin(robots[:, :, None, 2])
    away = things[:, None, :, :] - robots[:, :, None, :]
    x, y, vx, vy = (away[..., k] for k in (0, 1, 3, 4))
    return np.stack([c * x + s * y, c * y - s * x, c * vx + s * vy, c * vy - s * vx], axis=-1)


def facing(things: np.ndarray, robots: np.ndarray) -> np.ndarray:
    """(world, robot, thing, cos sin) of headings, seen from robots."""
    turn = things[:, None, :, 2] - robots[:, :, None, 2]
    return np.stack([np.cos(turn), np.sin(turn)], axis=-1)


def own(robots: np.ndarray) -> np.ndarray:
    """(world, robot, ahead aside spin): the velocity of robots in their own axes."""
    c, s = np.cos(robots[..., 2]), np.sin(robots[..., 2])
    vx, vy = robots[..., 3], robots[..., 4]
    return np.stack([c * vx + s * vy, c * vy - s * vx, robots[..., 5]], axis=-1)


def others(array: np.ndarray) -> np.ndarray:
    """(world, robot, other robot, ...): without the diagonal, in turn from the next robot on."""
    n = int(array.shape[1])
    index = np.add.outer(np.arange(n), np.arange(1, n)) % n
    return array[:, np.arange(n)[:, None], index]
