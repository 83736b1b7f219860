"""`tune` and `pareto`: search for the numbers of a washout that make a ride best.

Every candidate is a lane of a `Trial`, a generation one native call; an executor gets a generation in parts.
`tune` looks for the least cost, `pareto` for the front of two or more: what is felt against the room it
takes. Both can be resumed from a file (`Logbook`), with the results they would have had.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numpy as np

from biela.cueing.cost import Cost, cost_of, label
from biela.cueing.head import CENTER, Place
from biela.cueing.logbook import Logbook, digest
from biela.cueing.perception import Senses
from biela.cueing.ride import Ride
from biela.cueing.search import SEARCHES, Found, Plan, Space, front, minimise, nsga
from biela.cueing.trial import Told, Trial
from biela.cueing.washout.washout import known

Over = Mapping[str, tuple[float, float]] | Sequence[str]
Show = Callable[[int, int], None]
USUAL = "differential-evolution"
END = 0.01  # of a range: nearer to its end is at its end


@dataclass(frozen=True, eq=False)
class Tuned:
    """The best numbers by name, the ride with them, its cost, and the ride it was with its own.

    ``bounds`` are where was searched, ``found`` has all that was tried. ``complete`` is False after an
    interruption.
    """

    values: dict[str, float]
    ride: Ride
    cost: float
    start: Ride
    before: float
    label: str
    bounds: dict[str, tuple[float, float]]
    found: Found

    @property
    def history(self) -> np.ndarray:
        """The best cost after each generation."""
        return self.found.history

    @property
    def evaluations(self) -> int:
        """How many candidates were tried."""
        return self.found.evaluations

    @property
    def complete(self) -> bool:
        """Whether the search came to its end."""
        return self.found.complete

    @property
    def ends(self) -> tuple[str, ...]:
        """The numbers that are at an end of where was searched: what is best may be beyond."""
        near = {name: END * (high - low) for name, (low, high) in self.bounds.items()}
        return tuple(
            name for name, value in self.values.items()
            if min(abs(value - end) for end in self.bounds[name]) <= near[name]
        )  # fmt: skip

    def __str__(self) -> str:
        gain = 100.0 * (1.0 - self.cost / self.before) if self.before else 0.0
        cut = "" if self.complete else ", interrupted"
        head = (
            f"{self.label}: {self.before:.4g} before, {self.cost:.4g} now, {gain:.1f} % less "
            f"({self.evaluations} candidates{cut})"
        )
        return "\n".join([head, *(f"  {name} = {value:.6g}" for name, value in self.values.items())])


@dataclass(frozen=True, eq=False)
class Front:
    """Candidates none of which is better in all: numbers and costs, a column each, by the first cost.

    ``before`` has the costs of the ride as it was.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    values: np.ndarray
    costs: np.ndarray
    before: np.ndarray
    ride: Ride
    found: Found

    def at(self, place: int) -> Ride:
        """The ride of one of them."""
        values = dict(zip(self.names, map(float, self.values[:, place]), strict=True))
        return Ride(self.ride.washout.changed(values), self.ride.simulator)

    def within(self, cost: str, most: float) -> Ride:
        """The best ride whose cost of a name is no more than ``most``; ValueError if there is none."""
        row = self.costs[self.labels.index(known(cost, self.labels, "cost"))]
        able = np.flatnonzero(row <= most)
        if not len(able):
            raise ValueError(f"No candidate has {cost} of {most:g} or less; the least is {row.min():.4g}.")
        other = 1 if self.labels[0] == cost else 0
        return self.at(int(able[np.argmin(self.costs[other, able])]))

    @cached_property
    def volume(self) -> float:
        """Of two costs, the area between the front and the ride as it was, as a share of its rectangle."""
        inside = (self.costs < self.before[:, None]).all(axis=0)
        steps = self.costs[:, inside] / self.before[:, None]
        edges = np.append(steps[0], 1.0)
        return float(np.sum(np.diff(edges) * (1.0 - steps[1])))


def tune(
    ride: Ride, motion: Any, over: Over, *, method: str = USUAL, cost: Cost = "felt", size: int = 64,
    budget: int = 2000, seed: int = 1, threads: int = 0, executor: Executor | None = None,
    file: str | Path | None = None, progress: Show | None = None, senses: Senses | None = None,
    head: Place = CENTER,
) -> Tuned:  # fmt: skip
    """The best of some numbers of the washout, between bounds or in their usual ranges, for a drive.

    ``method`` is a name of `SEARCHES`, ``cost`` one of `biela.cueing.cost.NAMES` or a function of what
    `Trial.batch` tells. ``size`` candidates are a generation, ``budget`` all of them; the ride as it is takes
    part. With a ``file`` a search that was interrupted (Ctrl-C, which returns what is done) goes on where it
    was. Raises ValueError for unknown names, bounds that make no sense, and a file of another search.
    """
    plan = SEARCHES[known(method, SEARCHES, "method")]
    bench = _Bench(ride, motion, over, (cost,), Trial(ride, senses or Senses(), head), threads, executor)
    found = bench.search(plan, method, size, budget, seed, file, progress)
    before = float(bench.before[0])
    if before <= found.cost:  # what is there is better than all that was tried
        return Tuned(bench.named(bench.start), ride, before, ride, before, label(cost), bench.bounds, found)
    values = bench.named(found.values)
    better = Ride(ride.washout.changed(values), ride.simulator)
    return Tuned(values, better, found.cost, ride, before, label(cost), bench.bounds, found)


def pareto(
    ride: Ride, motion: Any, over: Over, *, costs: Sequence[Cost] = ("felt", "room"), size: int = 64,
    budget: int = 4000, seed: int = 1, threads: int = 0, executor: Executor | None = None,
    file: str | Path | None = None, progress: Show | None = None, senses: Senses | None = None,
    head: Place = CENTER,
) -> Front:  # fmt: skip
    """The front of two costs or more, by NSGA-II; options and errors are those of `tune`."""
    if len(costs) < 2:
        raise ValueError("A front has two costs or more; `tune` is for one.")
    bench = _Bench(ride, motion, over, tuple(costs), Trial(ride, senses or Senses(), head), threads, executor)
    found = bench.search(nsga, "nsga-ii", size, budget, seed, file, progress)
    best = np.flatnonzero(front(found.costs))
    _, first = np.unique(found.costs[:, best], axis=1, return_index=True)
    best = best[first]
    best = best[np.argsort(found.costs[0, best], kind="stable")]
    labels = tuple(label(cost) for cost in costs)
    values, prices = found.points[:, best], found.costs[:, best]
    return Front(tuple(bench.names), labels, values, prices, bench.before, ride, found)


class _Bench:
    """Where candidates are tried: the drive, the names with their bounds, and the costs."""

    def __init__(
        self, ride: Ride, motion: Any, over: Over, costs: tuple[Cost, ...], trial: Trial, threads: int,
        executor: Executor | None,
    ) -> None:  # fmt: skip
        self.ride, self.trial, self.threads, self.executor = ride, trial, threads, executor
        self.labels, self.costs = [label(cost) for cost in costs], [cost_of(cost) for cost in costs]
        self.bounds = bounds(ride, over)
        self.names = list(self.bounds)
        self.start = np.array([ride.washout.values[name] for name in self.names])
        self.rows = trial.rows(motion)
        moved = np.abs(self.rows[:, -6:]).max()
        if not moved > 0.0:
            raise ValueError("The vehicle of the drive never moves, so there is nothing to show. Record one.")
        settings = ride.settings({self.names[0]: [self.start[0]]})
        self.before = self._priced(trial.judge(self.rows, settings, threads))[:, 0]

    def named(self, values: np.ndarray) -> dict[str, float]:
        """Numbers by name."""
        return dict(zip(self.names, map(float, values), strict=True))

    def search(
        self, plan: Callable[[Space], Plan], method: str, size: int, budget: int, seed: int,
        file: str | Path | None, progress: Show | None,
    ) -> Found:  # fmt: skip
        """What a plan finds."""
        low, high = (np.array([self.bounds[name][k] for name in self.names]) for k in (0, 1))
        space = Space(low, high, self.start, size, budget, seed)
        book = Logbook(file, self._head(method, space)) if file is not None else None

        def objective(points: np.ndarray) -> np.ndarray:
            known_costs = book.recall(points) if book else None
            if known_costs is not None:
                return known_costs
            costs = self.evaluate(points)
            if book:
                book.keep(points, costs)
            return costs

        return minimise(plan(space), objective, budget, progress)

    def evaluate(self, points: np.ndarray) -> np.ndarray:
        """The costs of candidates, a row for each cost; of one cost as one row."""
        settings = self.ride.settings(dict(zip(self.names, points, strict=True)))
        if self.executor is None:
            told = self.trial.judge(self.rows, settings, self.threads)
        else:
            told = _spread(self.executor, self._packed, settings)
        costs = self._priced(told)
        return costs[0] if len(costs) == 1 else costs

    def _priced(self, told: Told) -> np.ndarray:
        prices = np.array([np.asarray(cost(told), float) for cost in self.costs])
        if prices.ndim != 2:
            raise ValueError(f"A cost is a number for each candidate; got shape {prices.shape[1:]}.")
        return np.where(np.isfinite(prices), prices, np.inf)

    @cached_property
    def _packed(self) -> tuple[str, bytes]:
        """Trial and drive as bytes, and a name for them by which a worker knows them again."""
        bare = Trial(self.ride, self.trial.senses, self.trial.head)
        packed = pickle.dumps((bare, self.rows))
        return sha256(packed).hexdigest(), packed

    def _head(self, method: str, space: Space) -> dict[str, Any]:
        size = space.size if method != "grid" else [space.size, space.budget]
        fixed = digest(np.concatenate([self.rows.ravel(), self.ride.p, self.trial.senses.limits]))
        bounds = {name: list(ends) for name, ends in self.bounds.items()}
        return {"method": method, "cost": self.labels, "over": bounds, "size": size,
                "seed": space.seed, "ride and drive": fixed}  # fmt: skip


def bounds(ride: Ride, over: Over) -> dict[str, tuple[float, float]]:
    """Bounds by name, the usual ranges where there are only names.

    Raises ValueError for unknown names, numbers that make no sense for them, and for none at all.
    """
    washout = ride.washout
    if not len(over):
        raise ValueError("There is nothing to tune: name some parameters and their bounds.")
    found: dict[str, tuple[float, float]] = {}
    for name in [over] if isinstance(over, str) else over:
        known(name, washout.tunables, "parameter")
        usual = washout.tunables[name].usual
        ends = cast("Mapping[str, Any]", over)[name] if isinstance(over, Mapping) else usual
        if np.shape(ends) != (2,):
            raise ValueError(f"The bounds of {name} are a pair of numbers; got {ends!r}.")
        for end in ends:
            washout.check(name, float(end))
        found[name] = (float(ends[0]), float(ends[1]))
        if name in washout.idle():
            raise ValueError(
                f"{name} = {washout.values[name]:g} is left out of the sample as it is, so it cannot be "
                "tuned. Start from a washout in which it has an effect."
            )
    return found


def _spread(executor: Executor, packed: tuple[str, bytes], settings: np.ndarray) -> Told:
    """A generation in parts, one for each core."""
    parts = np.array_split(settings, min(os.cpu_count() or 1, settings.shape[1]), axis=1)
    futures = [executor.submit(_judged, *packed, np.ascontiguousarray(part)) for part in parts]
    try:
        told = [future.result() for future in futures]
    finally:
        for future in futures:
            future.cancel()
    return {name: np.concatenate([part[name] for part in told]) for name in told[0]}


def _judged(name: str, packed: bytes, settings: np.ndarray) -> Told:
    """A part of a generation, in a worker."""
    trial, rows = _opened(name, packed)
    return trial.judge(rows, settings, 1)


@lru_cache(maxsize=2)
def _opened(name: str, packed: bytes) -> tuple[Trial, np.ndarray]:
    return pickle.loads(packed)
