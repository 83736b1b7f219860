"""`Plan`: a search as a generator, which yields candidates and is sent what they cost.

Candidates are columns between the bounds of a `Space`; a generation of them is evaluated at once, as lanes
of a batch. Costs are one number a candidate, or a row for each objective; smaller is better. A plan depends
on nothing but its arguments and the costs it is sent, so whoever sends the same costs again finds it where
it was: a search is resumed by playing it back.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Objective = Callable[[np.ndarray], np.ndarray]
Plan = Generator[np.ndarray, np.ndarray, None]
Show = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Space:
    """Where to search: bounds, where to begin, how many candidates a generation, how many in all, a seed.

    Raises ValueError for bounds that are not finite or not in order, and for nothing to try.
    """

    low: np.ndarray
    high: np.ndarray
    start: np.ndarray | None = None
    size: int = 64
    budget: int = 2000
    seed: int = 1
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), float).ravel())
        ends = np.isfinite(self.low).all() and np.isfinite(self.high).all()
        if not (ends and len(self.low) and (self.low < self.high).all()):
            raise ValueError(f"A search needs finite bounds, low < high; got {self.low}, {self.high}.")
        if self.start is not None:
            start = np.asarray(self.start, float).ravel()
            object.__setattr__(self, "start", np.clip(start, self.low, self.high))
        for name in ("size", "budget"):
            if getattr(self, name) < 1:
                raise ValueError(f"A search needs a {name} of 1 or more; got {getattr(self, name)}.")
        object.__setattr__(self, "rng", np.random.default_rng(self.seed))

    @property
    def count(self) -> int:
        """How many numbers are searched."""
        return len(self.low)

    def needs(self, least: int, what: str) -> None:
        """Raise ValueError for a budget or a generation that is too small for a kind of search."""
        if min(self.budget, self.size) < least:
            raise ValueError(
                f"{what} needs {least} candidates at least; got a budget of {self.budget} and generations of "
                f"{self.size}."
            )

    def scattered(self, count: int) -> np.ndarray:
        """Candidates at random, a column each, the one to begin with first."""
        low, high = self.low[:, None], self.high[:, None]
        people = low + (high - low) * self.rng.random((self.count, count))
        if self.start is not None:
            people[:, 0] = self.start
        return people

    def inside(self, points: np.ndarray) -> np.ndarray:
        """Candidates moved to the bounds where they are beyond."""
        return np.clip(points, self.low[:, None], self.high[:, None])


@dataclass(frozen=True, eq=False)
class Found:
    """The best numbers, their cost, how many candidates were tried, and the best cost after each round.

    ``points`` and ``costs`` are all that was tried, a column each; ``complete`` is False for a search that
    was interrupted.
    """

    values: np.ndarray
    cost: float
    evaluations: int
    history: np.ndarray
    points: np.ndarray
    costs: np.ndarray
    complete: bool = True


def minimise(plan: Plan, objective: Objective, budget: int, show: Show | None = None) -> Found:
    """The best that a plan finds with a budget of candidates.

    An interruption (Ctrl-C) returns what is done, if anything is.
    """
    tried: list[np.ndarray] = []
    costs: list[np.ndarray] = []
    done, complete = 0, True
    try:
        points = next(plan)
        while done + points.shape[1] <= budget:
            found = priced(objective, points)
            tried.append(points)
            costs.append(found)
            done += points.shape[1]
            if show:
                show(min(done, budget), budget)
            points = plan.send(found)
    except StopIteration:
        pass
    except KeyboardInterrupt:
        complete = False
    if not tried:
        if complete:
            raise ValueError(f"A budget of {budget} is less than one generation.")
        raise KeyboardInterrupt
    return _summed_up(tried, costs, complete)


def _summed_up(tried: Sequence[np.ndarray], costs: Sequence[np.ndarray], complete: bool) -> Found:
    points, prices = np.concatenate(tried, axis=1), np.concatenate(costs, axis=-1)
    first = prices if prices.ndim == 1 else prices[0]
    best = int(np.argmin(first))
    rounds = np.cumsum([part.shape[1] for part in tried]) - 1
    history = np.minimum.accumulate(first)[rounds]
    return Found(points[:, best], float(first[best]), points.shape[1], history, points, prices, complete)


def priced(objective: Objective, points: np.ndarray) -> np.ndarray:
    """What candidates cost; infinite where that is no number."""
    costs: Any = np.asarray(objective(np.ascontiguousarray(points)), float)
    return np.where(np.isfinite(costs), costs, np.inf)
