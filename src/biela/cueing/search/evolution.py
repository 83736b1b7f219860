"""Differential evolution (Storn and Price, 1997), between each candidate and the best, with dither."""

from __future__ import annotations

import numpy as np

from biela.cueing.search.plan import Plan, Space

FACTORS, CROSSED = (0.4, 0.9), 0.85


def differential_evolution(space: Space) -> Plan:
    """A candidate goes half the way to the best and by a difference of two others, number by number."""
    space.needs(4, "Differential evolution")
    size, rng = min(space.size, space.budget), space.rng
    people = space.scattered(size)
    costs = yield people
    while True:
        best = people[:, int(np.argmin(costs))].reshape(-1, 1)
        pairs = rng.integers(0, size, (2, size))
        factor = rng.uniform(*FACTORS, size)
        mutant = 0.5 * (people + best) + factor * (people[:, pairs[0]] - people[:, pairs[1]])
        crossed = rng.random((space.count, size)) < CROSSED
        trial = space.inside(np.where(crossed, mutant, people))
        found = yield trial
        better = found < costs
        people, costs = np.where(better, trial, people), np.where(better, found, costs)
