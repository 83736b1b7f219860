"""The algebra of Gaussian filters in expressions: covariances, and updates by readings that may be missing.

A reading that is NaN is missing, and so is one outside the limits of its sensor: its row of the output matrix
and its innovation become zero and its noise one, so nothing of it reaches the state, and the same code runs
whether it is there or not. Square roots of covariances are lower triangles, made by orthogonalising rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biela.expr.expression import Expr, constant, log, sqrt, where
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
    half, n = F @ P, F.shape[0]
    rows = [[half[i].dot(F[j]) + Q[i, j] if j >= i else 0.0 for j in range(n)] for i in range(n)]
    return mirrored(P.graph, rows)


class Seen(NamedTuple):
    """What is there of readings: innovation, slopes and noise, those of missing ones 0, 0 and 1."""

    innovation: Matrix
    H: Matrix
    R: Matrix
    present: Sequence[Expr]


def seen(H: Matrix, innovation: Sequence[Expr], noise: Matrix, present: Sequence[Expr]) -> Seen:
    """Readings with the missing ones taken out."""
    graph, m = H.graph, len(innovation)
    one, zero = constant(graph, 1.0), constant(graph, 0.0)
    y = vector([where(there, r, zero) for there, r in zip(present, innovation, strict=True)], graph)
    rows = [[where(there, H[i, j], zero) for j in range(H.shape[1])] for i, there in enumerate(present)]
    R = [[zero] * m for _ in range(m)]
    for i in range(m):
        for j in range(i, m):
            kept = present[i] if i == j else present[i] * present[j]
            R[i][j] = where(kept, noise[i, j], one if i == j else zero)
    return Seen(y, matrix(rows, graph), mirrored(graph, R), present)


def likelihood(nis: Expr, pivots: Sequence[Expr], present: Sequence[Expr]) -> Expr:
    """The logarithm of the density of readings, from the pivots of their covariance."""
    spread = constant(nis.graph, 0.0)
    for pivot, there in zip(pivots, present, strict=True):
        spread = spread + where(there, log(pivot * 6.283185307179586), 0.0)
    return -0.5 * (nis + spread)


def update(
    P: Matrix, H: Matrix, innovation: Sequence[Expr], noise: Matrix, present: Sequence[Expr]
) -> Update:
    """The Kalman update in Joseph's form, by the readings that are present.

    ``noise`` is the covariance of the readings. The gain solves with the innovation's covariance by L D L'.
    """
    graph, n = P.graph, P.shape[0]
    one, zero = constant(graph, 1.0), constant(graph, 0.0)
    y, Hm, noisy, _ = seen(H, innovation, noise, present)
    PH = P @ Hm.T
    S = propagated(Hm, P, noisy)
    factor = ldl(S, order="natural")
    K = factor.solve(PH.T).T
    kept = matrix(
        [[(one if i == j else zero) - K[i].dot(Hm.T[j]) for j in range(n)] for i in range(n)], graph
    )
    left = propagated(kept, P, propagated(K, noisy, matrix([[zero] * n for _ in range(n)], graph)))
    nis = y.dot(factor.solve(y))
    return Update(K @ y, left, nis, likelihood(nis, list(factor.pivots), present))


def triangular(rows: Sequence[Sequence[Expr]], graph: Graph) -> Matrix:
    """The lower triangle L with L L' = A A', by the modified method of Gram and Schmidt on the rows of A.

    A row that depends on those before it adds a zero to the diagonal.
    """
    n, zero = len(rows), constant(graph, 0.0)
    left = [vector(row, graph) for row in rows]
    L = [[zero] * n for _ in range(n)]
    for j in range(n):
        length = sqrt(left[j].dot(left[j]))
        L[j][j] = length
        unit = left[j] * where(length > 0.0, 1.0 / length, zero)
        for i in range(j + 1, n):
            L[i][j] = left[i].dot(unit)
            left[i] = left[i] - unit * L[i][j]
    return matrix(L, graph)


def downdated(L: Matrix, x: Matrix, sign: float) -> Matrix:
    """The lower triangle of L L' + sign x x', one column after the other (Golub and Van Loan, 6.5.4)."""
    graph, n = L.graph, L.shape[0]
    rows = [[L[i, j] for j in range(n)] for i in range(n)]
    rest = list(x)
    for k in range(n):
        r = sqrt(rows[k][k] * rows[k][k] + sign * rest[k] * rest[k])
        c, s = r / rows[k][k], rest[k] / rows[k][k]
        rows[k][k] = r
        for i in range(k + 1, n):
            rows[i][k] = (rows[i][k] + sign * s * rest[i]) / c
            rest[i] = c * rest[i] - s * rows[i][k]
    return matrix(rows, graph)
