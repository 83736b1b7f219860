"""Nelder and Mead's simplex (1965) within bounds; the four candidates of a step are one generation."""

from __future__ import annotations

import numpy as np

from biela.cueing.search.plan import Plan, Space

FIRST = 0.05  # the size of the first simplex, as a share of the bounds
MOVES = np.array([1.0, 2.0, 0.5, -0.5])  # reflected, expanded, contracted outside and inside
SMALLEST = 1e-14  # of the bounds: a simplex this small has ended


def nelder_mead(space: Space) -> Plan:
    """From where the space begins, or from its middle."""
    width = space.high - space.low
    begin = space.low + 0.5 * width if space.start is None else space.start
    moves = np.where(begin + FIRST * width <= space.high, FIRST, -FIRST) * width
    simplex = np.concatenate([begin[:, None], begin[:, None] + np.diag(moves)], axis=1)
    costs = yield simplex
    while (np.ptp(simplex, axis=1) > SMALLEST * width).any():
        order = np.argsort(costs, kind="stable")
        simplex, costs = simplex[:, order], costs[order]
        middle = simplex[:, :-1].mean(axis=1)
        away = middle - simplex[:, -1]
        trial = space.inside(middle[:, None] + away[:, None] * MOVES)
        found = yield trial
        best = int(np.argmin(found))
        if found[best] < costs[-1]:
            simplex[:, -1], costs[-1] = trial[:, best], found[best]
        else:
            simplex[:, 1:] = 0.5 * (simplex[:, 1:] + simplex[:, :1])
            costs = np.concatenate([costs[:1], (yield simplex[:, 1:])])
