"""The algebra of Gaussian filters in expressions: covariances, and updates by readings that may be missing.

A reading that is NaN is missing: its row of the output matrix and its innovation become zero and its noise
one, so nothing of it reaches the state, and the same code runs whether it is there or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biela.expr.expression import Expr, constant, equal, log, where
from biela.expr.graph import Graph
from biela.expr.linear import ldl
from biela.expr.matrix import Matrix, matrix, vector


class Update(NamedTuple):
    """The change of the mean, the covariance after, the normalised innovation squared, the log likelihood."""

    change: Matrix
    P: Matrix
    nis: Expr
    likelihood: Expr


def mirrored(graph: Graph, rows: Sequence[Sequence[Expr | float]]) -> Matrix:
    """A symmetric matrix from its upper triangle: both triangles the same nodes."""
    n = len(rows)
    return matrix([[rows[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)], graph)


def triangle(P: Matrix) -> list[Expr]:
    """The upper triangle, row after row: how a covariance is kept in a state."""
    n = P.shape[0]
    return [P[i, j] for i in range(n) for j in range(i, n)]


def from_triangle(graph: Graph, entries: Sequence[Expr], n: int) -> Matrix:
    """The covariance with that upper triangle."""
    rows: list[list[Expr | float]] = [[0.0] * n for _ in range(n)]
    waiting = iter(entries)
    for i in range(n):
        for j in range(i, n):
            rows[i][j] = next(waiting)
    return mirrored(graph, rows)


def propagated(F: Matrix, P: Matrix, Q: Matrix) -> Matrix:
    """F P F' + Q."""
    half, n = F @ P, P.shape[0]
    rows = [[half[i].dot(F[j]) + Q[i, j] if j >= i else 0.0 for j in range(n)] for i in range(n)]
    return mirrored(P.graph, rows)


def update(P: Matrix, H: Matrix, innovation: Sequence[Expr], noise: Matrix) -> Update:
    """The Kalman update in Joseph's form; NaN in the innovation means that the reading is missing.

    ``noise`` is the covariance of the readings. The gain solves with the innovation's covariance by L D L'.
    """
    graph, m, n = P.graph, len(innovation), P.shape[0]
    one, zero = constant(graph, 1.0), constant(graph, 0.0)
    present = [equal(r, r) for r in innovation]
    y = vector([where(there, r, zero) for there, r in zip(present, innovation, strict=True)], graph)
    rows = [[where(there, H[i, j], zero) for j in range(n)] for i, there in enumerate(present)]
    Hm = matrix(rows, graph)
    R = [[zero] * m for _ in range(m)]
    for i in range(m):
        for j in range(i, m):
            kept = present[i] if i == j else present[i] * present[j]
            R[i][j] = where(kept, noise[i, j], one if i == j else zero)
    noisy = mirrored(graph, R)
    PH = P @ Hm.T
    S = propagated(Hm, P, noisy)
    factor = ldl(S, order="natural")
    K = factor.solve(PH.T).T
    kept = matrix(
        [[(one if i == j else zero) - K[i].dot(Hm.T[j]) for j in range(n)] for i in range(n)], graph
    )
    left = propagated(kept, P, propagated(K, noisy, matrix([[zero] * n for _ in range(n)], graph)))
    nis = y.dot(factor.solve(y))
    spread = zero
    for pivot, there in zip(factor.pivots, present, strict=True):
        spread = spread + where(there, log(pivot * 6.283185307179586), zero)
    return Update(K @ y, left, nis, -0.5 * (nis + spread))
