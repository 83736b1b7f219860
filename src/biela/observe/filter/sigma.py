"""Sigma points: a few states that together have the mean and the covariance of a belief.

Julier's set (kappa = 3 - L) or the scaled one (alpha, beta, kappa). Every point is closed onto the
constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from biela.expr.expression import constant
from biela.expr.matrix import Matrix, matrix, vector
from biela.observe.filter.filter import Filter
from biela.observe.gaussian import mirrored

Point = tuple[Matrix, Matrix]


class Weights(NamedTuple):
    """The spread of the points, the weights of the centre for mean and covariance, and that of the others."""

    spread: float
    mean: float
    covariance: float
    other: float


def julier(n: int) -> Weights:
    """Kappa = 3 - n: the fourth moments of a Gaussian are right."""
    return Weights(3.0, (3.0 - n) / 3.0, (3.0 - n) / 3.0, 1.0 / 6.0)


def scaled(n: int, alpha: float = 1e-3, beta: float = 2.0, kappa: float = 0.0) -> Weights:
    """The scaled set of Wan and van der Merwe (2000)."""
    spread = alpha * alpha * (n + kappa)
    centre = (spread - n) / spread
    return Weights(spread, centre, centre + 1.0 - alpha * alpha + beta, 0.5 / spread)


SETS: dict[str, Callable[[int], Weights]] = {"julier": julier, "scaled": scaled}


def weights_of(name: str, size: int) -> Weights:
    """The weights of a set; raises ValueError for an unknown one."""
    if name not in SETS:
        raise ValueError(f"Unknown points {name!r}: expected {' or '.join(SETS)}.")
    return SETS[name](size)


def points(observer: Filter, q: Matrix, dq: Matrix, columns: Matrix) -> list[Point]:
    """The centre, then pairs along the columns of a root of the covariance."""
    process, found = observer.process, [(q, dq)]
    for sign in (1.0, -1.0):
        for column in columns.T:
            found.append(process.closed(*process.manifold.moved(q, dq, column * sign)))
    return found


def stepped(observer: Filter, point: Point) -> Point:
    """A point one step later."""
    process = observer.process
    moved = process.advance(**{**process.here, "q": point[0], "dq": point[1]})
    return moved.q_next, moved.dq_next


def read(observer: Filter, states: Sequence[Point]) -> list[Matrix]:
    """What the instruments read at each point."""
    model, values = observer.model, vector(observer.instruments.values, observer.model.graph)
    found: list[Matrix] = []
    for q, dq in states:
        known: dict[Any, Any] = dict(zip([*model.q, *model.dq], [*q, *dq], strict=True))
        found.append(values.substitute(known))
    return found


def mean(values: Sequence[Matrix], weights: Weights) -> Matrix:
    """The weighted mean, about the centre, which keeps large weights harmless."""
    total = values[0] * 0.0
    for value in values[1:]:
        total = total + (value - values[0])
    return values[0] + total * weights.other


def deviations(values: Sequence[Matrix], weights: Weights) -> list[Matrix]:
    """The values less their mean."""
    middle = mean(values, weights)
    return [value - middle for value in values]


def spread(one: Sequence[Matrix], other: Sequence[Matrix], weights: Weights) -> Matrix:
    """The weighted sum of outer products of deviations; symmetric if both are the same."""
    graph, n, m = one[0].graph, len(one[0]), len(other[0])
    rows: list[list[Any]] = [[constant(graph, 0.0)] * m for _ in range(n)]
    for k, (x, y) in enumerate(zip(one, other, strict=True)):
        weight = weights.covariance if k == 0 else weights.other
        for i in range(n):
            for j in range(i if one is other else 0, m):
                rows[i][j] = rows[i][j] + x[i] * weight * y[j]
    return mirrored(graph, rows) if one is other else matrix(rows, graph)
