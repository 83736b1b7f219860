"""Searches whose candidates are lanes of a batch: grid, differential evolution, simplex.

An objective takes numbers with a column for each candidate and returns a cost for each; smaller is better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Objective = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class Found:
    """The best numbers, their cost, how many candidates were tried, and the best cost after each round."""

    values: np.ndarray
    cost: float
    evaluations: int
    history: np.ndarray


def grid(objective: Objective, axes: Sequence[Any]) -> Found:
    """All combinations of the axes' values, in one batch."""
    mesh = np.meshgrid(*[np.asarray(axis, float) for axis in axes], indexing="ij")
    points = np.stack([part.ravel() for part in mesh])
    costs = objective(points)
    best = int(np.argmin(costs))
    return Found(points[:, best], float(costs[best]), points.shape[1], costs)


def evolve(
    objective: Objective, low: Any, high: Any, *, size: int = 64, rounds: int = 60, seed: int = 1,
    start: Any = None,
) -> Found:  # fmt: skip
    """Differential evolution, best/1/bin with dither (Storn and Price, 1997); reproducible by its seed.

    ``start`` is a candidate to begin with, among random ones between ``low`` and ``high``.
    """
    first, last = _column(low), _column(high)
    if not (np.isfinite(first).all() and np.isfinite(last).all() and (first < last).all()):
        raise ValueError(f"A search needs finite bounds, low < high; got {first.ravel()}, {last.ravel()}.")
    rng = np.random.default_rng(seed)
    n = len(first)
    people: np.ndarray = first + (last - first) * rng.random((n, size))
    if start is not None:
        people[:, 0] = np.clip(np.asarray(start, float), first[:, 0], last[:, 0])
    costs = _costs(objective, people)
    history = [costs.min()]
    for _ in range(rounds):
        best: np.ndarray = people[:, int(np.argmin(costs))].reshape(-1, 1)
        pairs = rng.integers(0, size, (2, size))
        factor = rng.uniform(0.4, 0.9, size)
        mutant = 0.5 * (people + best) + factor * (people[:, pairs[0]] - people[:, pairs[1]])
        crossed = rng.random((n, size)) < 0.85
        trial = np.clip(np.where(crossed, mutant, people), first, last)
        found = _costs(objective, trial)
        better = found < costs
        people, costs = np.where(better, trial, people), np.where(better, found, costs)
        history.append(costs.min())
    chosen = int(np.argmin(costs))
    return Found(people[:, chosen], float(costs[chosen]), size * (rounds + 1), np.array(history))


def descend(
    objective: Objective, start: Any, low: Any, high: Any, *, steps: int = 200, size: float = 0.05
) -> Found:
    """Nelder and Mead's simplex (1965) within bounds; a step's four candidates are one batch."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    begin = np.clip(np.asarray(start, float), low, high)
    n = len(begin)
    moves = np.where(begin + size * (high - low) <= high, size, -size) * (high - low)
    simplex = np.concatenate([begin[:, None], begin[:, None] + np.diag(moves)], axis=1)
    costs = _costs(objective, simplex)
    count, history = n + 1, [costs.min()]
    for _ in range(steps):
        order = np.argsort(costs)
        simplex, costs = simplex[:, order], costs[order]
        middle = simplex[:, :-1].mean(axis=1)
        away = middle - simplex[:, -1]
        trial = np.clip(
            middle[:, None] + away[:, None] * np.array([1.0, 2.0, 0.5, -0.5]), low[:, None], high[:, None]
        )
        found = _costs(objective, trial)
        count += 4
        best = int(np.argmin(found))
        if found[best] < costs[-1]:
            simplex[:, -1], costs[-1] = trial[:, best], found[best]
        else:
            simplex[:, 1:] = 0.5 * (simplex[:, 1:] + simplex[:, :1])
            costs[1:] = _costs(objective, simplex[:, 1:])
            count += n
        history.append(costs.min())
    best = int(np.argmin(costs))
    return Found(simplex[:, best], float(costs[best]), count, np.array(history))


def _column(values: Any) -> np.ndarray:
    return np.asarray(values, float).reshape(-1, 1)


def _costs(objective: Objective, points: np.ndarray) -> np.ndarray:
    """Costs, infinite where they are not numbers."""
    costs = np.asarray(objective(np.ascontiguousarray(points)), float)
    return np.where(np.isfinite(costs), costs, np.inf)
