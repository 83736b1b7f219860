"""`tune`: search for the numbers of a washout that make a ride best, a batch of candidates a round.

The cost is made of what `Ride.batch` tells of each candidate. As it stands it is the root mean square error
of the specific force in m/s2 plus ten times the share of clipped samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from biela.cueing.ride import Ride
from biela.cueing.search import descend, evolve, grid
from biela.cueing.washout.washout import known

Told = dict[str, np.ndarray]
METHODS = ("evolve", "grid", "descend")


def plain_cost(told: Told) -> np.ndarray:
    """The error of the force, and a fine for what is clipped."""
    return told["force"] + 10.0 * told["clipped"]


@dataclass(frozen=True, eq=False)
class Tuned:
    """The best numbers by name, the ride with them, its cost and that of the ride before."""

    values: dict[str, float]
    ride: Ride
    cost: float
    before: float
    evaluations: int
    history: np.ndarray


def tune(
    ride: Ride, motion: Any, over: Mapping[str, tuple[float, float]], *, method: str = "evolve",
    cost: Callable[[Told], np.ndarray] = plain_cost, size: int = 64, rounds: int = 30, seed: int = 1,
    threads: int = 0,
) -> Tuned:  # fmt: skip
    """The best of some numbers of the washout between bounds, for a drive.

    ``method`` is 'evolve' (`size` candidates in each of `rounds`), 'grid' (about `size` candidates in all),
    or 'descend' (a simplex from where the ride stands). Raises ValueError for unknown names and bounds that
    make no sense.
    """
    known(method, METHODS, "method")
    washout = ride.washout
    for name, ends in over.items():
        for end in ends:
            washout.check(name, end)
    names = list(over)
    if not names:
        raise ValueError("There is nothing to tune: name some parameters and their bounds.")
    low, high = (np.array([over[name][k] for name in names], float) for k in (0, 1))
    rows = washout.motion(motion)

    def objective(values: np.ndarray) -> np.ndarray:
        settings = ride.settings(dict(zip(names, values, strict=True)))
        return cost(ride.batch(rows, settings, threads))

    start = np.array([washout.values[name] for name in names])
    before = float(objective(start[:, None])[0])
    if method == "grid":
        count = max(2, round(size ** (1.0 / len(names))))
        found = grid(objective, [np.linspace(a, b, count) for a, b in zip(low, high, strict=True)])
    elif method == "descend":
        found = descend(objective, start, low, high, steps=rounds)
    else:
        found = evolve(objective, low, high, size=size, rounds=rounds, seed=seed, start=start)
    values = dict(zip(names, map(float, found.values), strict=True))
    better = Ride(washout.changed(values), ride.simulator)
    return Tuned(values, better, found.cost, before, found.evaluations, found.history)
