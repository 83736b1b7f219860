"""Evolution: better numbers for a behaviour, by CMA-ES (the package ``cma``), on any Executor.

A score is a function of the numbers and of seeds, the greater the better; it has to travel to workers, so
that it is a function of a module or an object that pickles. `Fitness` is one for behaviours in environments.
All candidates of a generation play the same seeds, every generation other ones, and whoever comes out is
judged on seeds that nobody has trained on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any, final

import numpy as np

from biela.arena.learning.registry import make

Score = Callable[[np.ndarray, Sequence[int]], float]


@dataclass(frozen=True)
class Generation:
    """The best and the mean score of a generation, and the middle of the search after it."""

    best: float
    mean: float
    middle: np.ndarray


@dataclass(frozen=True)
class Evolution:
    """What came out: ``numbers`` are the middle of the last generation."""

    numbers: np.ndarray
    generations: list[Generation]
    evaluations: int


def evolve(
    score: Score,
    start: Sequence[float] | np.ndarray,
    *,
    scale: Sequence[float] | np.ndarray | float = 0.3,
    generations: int = 10,
    population: int = 0,
    episodes: int = 16,
    seed: int = 0,
    executor: Executor | None = None,
    told: Callable[[Generation], None] | None = None,
) -> Evolution:
    """Evolve numbers towards a greater score; ``scale`` is how far to look at first, for all or for each.

    The same seed gives the same result on every executor. ``told`` hears of every generation. Raises
    ValueError for a start or a scale that makes no sense.

    >>> def near(x, seeds):
    ...     return -float(((x - 3.0) ** 2).sum())
    >>> evolve(near, [0.0, 0.0], scale=1.0, generations=30).numbers.round(1).tolist()
    [3.0, 3.0]
    """
    first = np.asarray(start, float)
    width = np.broadcast_to(np.asarray(scale, float), first.shape)
    if first.ndim != 1 or not np.isfinite(first).all() or not (width > 0).all():
        raise ValueError("The start is a row of finite numbers, the scale positive, one or one for each.")
    cma: Any = import_module("cma")
    options = {"seed": seed + 1, "verbose": -9} | ({"popsize": population} if population else {})
    search = cma.CMAEvolutionStrategy(np.zeros(len(first)), 1.0, options)
    found: list[Generation] = []
    count = 0
    for number in range(generations):
        tried = [np.asarray(x) for x in search.ask()]
        seeds = _seeds(seed, number, episodes)
        judge, rows = partial(_scored, score, seeds), [first + width * x for x in tried]
        scores = np.array(list(executor.map(judge, rows) if executor else map(judge, rows)))
        search.tell(tried, (-np.nan_to_num(scores, nan=-1e30)).tolist())
        count += len(tried)
        found.append(Generation(scores.max(), scores.mean(), first + width * search.mean))
        if told:
            told(found[-1])
    return Evolution(found[-1].middle if found else first, found, count)


def _scored(score: Score, seeds: list[int], numbers: np.ndarray) -> float:
    return float(score(numbers, seeds))


def _seeds(seed: int, generation: int, episodes: int) -> list[int]:
    """Even ones: odd ones are kept to judge by."""
    drawn = np.random.default_rng([seed, generation]).integers(2**30, size=episodes)
    return [2 * int(s) for s in drawn]


def unseen(episodes: int, seed: int = 0) -> list[int]:
    """Seeds that `evolve` never trains on: odd ones."""
    return [2 * int(s) + 1 for s in np.random.default_rng([seed]).integers(2**30, size=episodes)]


@final
@dataclass(frozen=True)
class Fitness:
    """How well a behaviour does: the mean over episodes, one for each seed, of its points and rewards.

    ``kind`` makes the policy of the robots of ``agents`` from numbers. A `reward` of 0 counts points only.
    """

    kind: Callable[[np.ndarray], Callable[[np.ndarray], np.ndarray]]
    game: str
    agents: str = "blue_0"
    opponent: Any = "noise"
    mates: Any = None
    start: str = "random"
    reward: float = 0.1
    seconds: float = 15.0
    extra: dict[str, Any] = field(default_factory=dict[str, Any])

    def __call__(self, numbers: np.ndarray, seeds: Sequence[int]) -> float:
        """The mean of points plus ``reward`` times the rewards."""
        points, rewards = self.play(numbers, seeds)
        return float(points.mean() + self.reward * rewards.mean())

    def play(self, numbers: np.ndarray, seeds: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Points (1 won, 0, -1 lost) and sums of rewards, an episode for each seed."""
        policy, count = self.kind(numbers), len(seeds)
        env = make(
            self.game, self.agents, worlds=count, threads=0, opponent=self.opponent, mates=self.mates,
            start=self.start, game={"seconds": self.seconds} | self.extra,
        )  # fmt: skip
        seen, _ = env.reset(seed=list(seeds))
        points, rewards, running = np.zeros(count), np.zeros(count), np.ones(count, bool)
        side = 1 if self.agents.startswith("blue") else -1
        while running.any():
            rows = seen[:, None] if seen.ndim == 2 else seen
            actions = policy(rows)
            seen, gained, over, cut, infos = env.step(actions[:, 0] if seen.ndim == 2 else actions)
            rewards += np.where(running, gained, 0.0)
            points += np.where(running, side * infos["point"], 0)
            running &= ~(over | cut)
        env.close()
        return points, rewards
