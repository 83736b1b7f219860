"""Who drives the robots that are not being trained: a baseline, a strategy, a policy, noise, nobody.

A driver answers for its team in all worlds at once: (world, robot, left right) as shares of the top speed of
the wheels. `driver` makes one of whatever it is given.
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, final

import numpy as np

from biela.arena.learning.game import SIDE_OF, Game, Sight
from biela.arena.scene.fault import known
from biela.arena.strategy.registry import STRATEGIES, strategy
from biela.arena.strategy.strategy import Strategy
from biela.arena.strategy.view import Thing, View, wrapped

Player = "str | Path | Strategy | type[Strategy] | Callable[[View], Any] | Policy"


class Driver(ABC):
    """Drives a team."""

    def setup(self, game: Game, team: str, count: int) -> None:
        """Get ready for so many worlds."""
        self.game, self.team, self.count = game, team, count

    @abstractmethod
    def begin(self, worlds: np.ndarray, random: list[np.random.Generator]) -> None:
        """Episodes begin in some worlds."""

    @abstractmethod
    def act(self, sight: Sight, left: np.ndarray, time: np.ndarray) -> np.ndarray:
        """Shares of the top speed, -1 to 1."""

    def memory(self, world: int) -> Any:
        """What it remembers of a world, as `recall` takes it."""
        return None

    def recall(self, world: int, memory: Any) -> None:  # noqa: B027 - most remember nothing
        """Remember again."""


@final
class Nobody(Driver):
    """Robots that stand still."""

    def begin(self, worlds: np.ndarray, random: list[np.random.Generator]) -> None:
        """Nothing to do."""

    def act(self, sight: Sight, left: np.ndarray, time: np.ndarray) -> np.ndarray:
        """Zero."""
        return np.zeros((self.count, self.game.players, 2))


@final
class Noise(Driver):
    """Robots that wander: wheel speeds are Ornstein's and Uhlenbeck's process, 0.5 s long and 0.5 wide.

    Draws are a hash of a world's own number and its time, so that a batch draws like a world alone.
    """

    LASTS, WIDTH, TICK = 0.5, 0.5, 0.025

    def setup(self, game: Game, team: str, count: int) -> None:
        """Nothing drawn yet."""
        super().setup(game, team, count)
        self._keys = np.zeros(count, np.uint64)
        self._ticks = np.zeros(count, np.uint64)
        self._speeds = np.zeros((count, game.players, 2))

    def begin(self, worlds: np.ndarray, random: list[np.random.Generator]) -> None:
        """Another number for every episode."""
        for w in map(int, worlds):
            self._keys[w] = _number(random[w])
        self._ticks[worlds] = 0
        self._speeds[worlds] = 0.0

    def act(self, sight: Sight, left: np.ndarray, time: np.ndarray) -> np.ndarray:
        """The process moved on by one control period."""
        share = self.TICK / self.LASTS
        drawn = _drawn(self._keys, self._ticks, 2 * self.game.players).reshape(self._speeds.shape)
        self._speeds += -share * self._speeds + self.WIDTH * math.sqrt(2 * share) * drawn
        self._ticks += np.uint64(1)
        return np.clip(self._speeds, -1.0, 1.0)

    def memory(self, world: int) -> Any:
        """Its number, time and speeds."""
        return int(self._keys[world]), int(self._ticks[world]), self._speeds[world].copy()

    def recall(self, world: int, memory: Any) -> None:
        """Go on from there."""
        self._keys[world], self._ticks[world], self._speeds[world] = memory


@final
class Policy(Driver):
    """A policy: observations of the team, (world, robot, feature), to actions (world, robot, 2)."""

    def __init__(self, function: Callable[[np.ndarray], np.ndarray], view: str = "robot") -> None:
        self.function, self.view = function, view

    def begin(self, worlds: np.ndarray, random: list[np.random.Generator]) -> None:
        """It has no memory."""

    def act(self, sight: Sight, left: np.ndarray, time: np.ndarray) -> np.ndarray:
        """What the policy says; raises ValueError for another shape."""
        found = np.asarray(self.function(self.game.observe(sight, left, self.view)), float)
        wanted = (self.count, self.game.players, 2)
        if found.shape != wanted:
            raise ValueError(f"The policy of {self.team} returned shape {found.shape}; {wanted} is wanted.")
        return np.clip(found, -1.0, 1.0)


@final
class Minds(Driver):
    """A `Strategy` in every world, called one after the other: any strategy, but slower than a policy."""

    def __init__(self, given: Any) -> None:
        self.given = given

    def setup(self, game: Game, team: str, count: int) -> None:
        """One mind for each world; one that is given as an object is copied."""
        super().setup(game, team, count)
        first = strategy(self.given)
        made = isinstance(self.given, Strategy)
        rest = [copy.deepcopy(first) if made else strategy(self.given) for _ in range(count - 1)]
        self._minds = [first, *rest]

    def begin(self, worlds: np.ndarray, random: list[np.random.Generator]) -> None:
        """A seed for every episode."""
        for w in map(int, worlds):
            self._minds[w].random = np.random.default_rng(_number(random[w]))
            self._minds[w].begin()

    def act(self, sight: Sight, left: np.ndarray, time: np.ndarray) -> np.ndarray:
        """Every mind's answer to its view."""
        found = np.zeros((self.count, self.game.players, 2))
        side, n = SIDE_OF[self.team], self.game.players
        ids = [f"{side}{k}" for k in range(n)] if n > 1 else [side]
        for w, mind in enumerate(self._minds):
            view = look(self.game, sight, w, self.team, float(time[w]))
            told: Any = mind.act(view)
            speeds: dict[str, Any] = told if isinstance(told, dict) else {ids[0]: told}  # pyright: ignore
            for k, id_ in enumerate(ids):
                found[w, k] = speeds.get(id_, (0.0, 0.0))
        return np.clip(np.nan_to_num(found) / self.game.robot.top_speed, -1.0, 1.0)


def look(game: Game, sight: Sight, world: int, team: str, time: float) -> View:
    """One world as a `Strategy` sees it."""
    side, n = SIDE_OF[team], game.players
    other = "right" if side == "left" else "left"
    mine = [_thing(f"{side}{k}" if n > 1 else side, row) for k, row in enumerate(sight.mine[world].tolist())]
    rows = sight.theirs[world].tolist()
    theirs = [_thing(f"{other}{k}" if n > 1 else other, row) for k, row in enumerate(rows)]
    balls = [_thing("ball", row) for row in sight.ball[world].tolist()]
    ball = balls[0] if balls else None
    return View(time, time, tuple(mine), tuple(theirs), ball, *game.extent, game.robot)


def _thing(key: str, pose: list[float]) -> Thing:
    x, y, heading, vx, vy, spin = pose
    return Thing(key, x, y, wrapped(heading), vx, vy, spin, 1.0)


def driver(given: Any) -> Driver:
    """A driver: "still", "noise", a baseline's name, a Python file, a Strategy, a function of the view.

    A `Policy` or any other `Driver` is taken as it is. Raises ValueError for an unknown name.
    """
    if isinstance(given, Driver):
        return given
    if given == "still":
        return Nobody()
    if given == "noise":
        return Noise()
    if isinstance(given, str) and not given.endswith(".py") and given not in STRATEGIES:
        raise ValueError(
            f"No player '{given}'. {known(given, {'noise': 0, **STRATEGIES})} Or give a Python file."
        )
    return Minds(given)


def _number(random: np.random.Generator) -> int:
    """A seed."""
    return int(random.integers(2**63))


def _drawn(keys: np.ndarray, ticks: np.ndarray, many: int) -> np.ndarray:
    """Numbers of mean 0 and variance 1 for each world: three hashes added up.

    The hash is splitmix64 (Steele, Lea, Flood 2014).
    """
    index = ticks[:, None] * np.uint64(many) + np.arange(many, dtype=np.uint64)
    counter = index[..., None] * np.uint64(3)
    z = keys[:, None, None] + (counter + np.arange(3, dtype=np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    u = ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(float) * 2.0**-53
    return 2.0 * (u[..., 0] + u[..., 1] + u[..., 2] - 1.5)
