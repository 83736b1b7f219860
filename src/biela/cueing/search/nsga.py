"""NSGA-II (Deb, Pratap, Agarwal and Meyarivan, 2002): a front of candidates none of which is better in all.

Candidates are ranked by how many fronts dominate them, and within a front by how much room there is to
their neighbours. Children are made by simulated binary crossing and by polynomial mutation (Deb and
Agrawal, 1995), and compete with their parents.
"""

from __future__ import annotations

import numpy as np

from biela.cueing.search.plan import Plan, Space

CROSSING, MUTATION = 15.0, 20.0  # the larger, the nearer are children to their parents
CROSSED = 0.9


def nsga(space: Space) -> Plan:
    """Generations of an even size; it is sent costs with a row for each objective."""
    space.needs(4, "A search for a front")
    size = min(space.size, space.budget) // 2 * 2
    people = space.scattered(size)
    costs = yield people
    while True:
        fitness = ranked(costs)
        children = _mutated(space, _crossed(space, people[:, _chosen(space, fitness, size)]))
        found = yield children
        people, costs = np.concatenate([people, children], axis=1), np.concatenate([costs, found], axis=1)
        kept = np.argsort(ranked(costs), kind="stable")[:size]
        people, costs = people[:, kept], costs[:, kept]


def front(costs: np.ndarray) -> np.ndarray:
    """Which candidates no other dominates: none is as good in all objectives and better in one.

    >>> front(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 2.5]]))
    array([ True,  True, False])
    """
    dominated: np.ndarray = np.any(_worse(costs), axis=-1)
    return np.isfinite(costs).all(axis=0) & ~dominated


def ranked(costs: np.ndarray) -> np.ndarray:
    """A number for each candidate: the front it is in, and less than 1 for being crowded."""
    worse = _worse(costs)
    left = np.ones(costs.shape[1], bool)
    rank = np.zeros(costs.shape[1])
    level = 0
    while left.any():
        best = left & ~np.any(worse & left[None, :], axis=-1)
        rank[best] = level + _crowding(costs[:, best])
        left &= ~best
        level += 1
    return rank


def _worse(costs: np.ndarray) -> np.ndarray:
    """Flags with a row for each candidate: by which others it is dominated."""
    a, b = costs[:, :, None], costs[:, None, :]
    no_worse: np.ndarray = np.all(b <= a, axis=0)
    return no_worse & np.any(b < a, axis=0)


def _crowding(costs: np.ndarray) -> np.ndarray:
    """From 0 for the ends of a front to a half where neighbours are near."""
    rooms: np.ndarray = np.array([_rooms(row) for row in costs])
    return 0.5 / (1.0 + np.sum(rooms, axis=0))


def _rooms(row: np.ndarray) -> np.ndarray:
    """How far the neighbours of each are from each other in one cost, as a share; infinite at the ends."""
    order = np.argsort(row, kind="stable")
    room: np.ndarray = np.zeros(len(row))
    spread = float(row[order[-1]] - row[order[0]])
    if len(row) > 2 and np.isfinite(spread) and spread > 0.0:
        room[order[1:-1]] = (row[order[2:]] - row[order[:-2]]) / spread
    room[order[[0, -1]]] = np.inf
    return room


def _chosen(space: Space, fitness: np.ndarray, size: int) -> np.ndarray:
    """Parents: the better one of two at random, as often as there are children."""
    pairs: np.ndarray = space.rng.integers(0, len(fitness), (2, size))
    better = (fitness[pairs[1]] < fitness[pairs[0]]).astype(int)
    return pairs[better, np.arange(size)]


def _crossed(space: Space, parents: np.ndarray) -> np.ndarray:
    """Two children of two parents each."""
    a, b = parents[:, ::2], parents[:, 1::2]
    u = space.rng.random(a.shape)
    power = 1.0 / (CROSSING + 1.0)
    spread = np.where(u <= 0.5, (2.0 * u) ** power, (0.5 / (1.0 - u)) ** power)
    swapped = space.rng.random(a.shape) < 0.5
    spread = np.where(space.rng.random((1, a.shape[1])) < CROSSED, spread, 1.0)
    spread = np.where(swapped, spread, 1.0)
    return np.concatenate([0.5 * ((1 + spread) * a + (1 - spread) * b),
                           0.5 * ((1 - spread) * a + (1 + spread) * b)], axis=1)  # fmt: skip


def _mutated(space: Space, children: np.ndarray) -> np.ndarray:
    """One number in each candidate on average is changed."""
    u = space.rng.random(children.shape)
    power = 1.0 / (MUTATION + 1.0)
    step = np.where(u < 0.5, (2.0 * u) ** power - 1.0, 1.0 - (2.0 * (1.0 - u)) ** power)
    hit = space.rng.random(children.shape) < 1.0 / space.count
    width = (space.high - space.low)[:, None]
    return space.inside(children + np.where(hit, step * width, 0.0))
