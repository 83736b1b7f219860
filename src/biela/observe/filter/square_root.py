"""What filters share that keep a square root of the covariance: a lower triangle S with P = S S'.

P is positive definite whatever rounding does, with half the digits (Kaminski, Bryson and Schmidt, 1971).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biela.expr.expression import Expr, constant
from biela.expr.linear import cholesky
from biela.expr.matrix import Matrix, matrix
from biela.observe.filter.filter import Filter
from biela.observe.gaussian import Seen, Update, likelihood, triangular


class SquareRootFilter(Filter):
    """The base of filters that keep S, row after row."""

    def kept(self, P: np.ndarray) -> np.ndarray:
        """The lower triangle of the factor."""
        return np.linalg.cholesky(P)[np.tril_indices(len(P))]

    def covariances(self, rows: np.ndarray) -> np.ndarray:
        """S S' for each row."""
        n = self.size
        S = np.zeros((len(rows), n, n, *rows.shape[2:]))
        S[(slice(None), *np.tril_indices(n))] = rows[:, self._place :]
        return np.einsum("tik...,tjk...->tij...", S, S)

    def unpacked(self, entries: Sequence[Expr]) -> Matrix:
        """S."""
        n, waiting = self.size, iter(entries)
        zero = constant(self.model.graph, 0.0)
        rows = [[next(waiting) if j <= i else zero for j in range(n)] for i in range(n)]
        return matrix(rows, self.model.graph)

    def packed(self, P: Matrix) -> list[Expr]:
        """Its lower triangle."""
        return [P[i, j] for i in range(P.shape[0]) for j in range(i + 1)]

    def variances(self) -> list[Expr]:
        """The squared lengths of the rows of S."""
        S = self.unpacked(self._symbols)
        return [(S[k] @ S[k]) for k in range(self.size)]

    def root_of_noise(self) -> Matrix:
        """A root of the process noise."""
        return self.process.diffusion.root(self.process.h)


def corrected(S: Matrix, seen: Seen) -> Update:
    """The update by one triangularisation: [[sqrt(R), H S], [0, S]] -> [[sqrt(E), 0], [K sqrt(E), S+]].

    E is the covariance of the innovation.
    """
    graph, (m, n) = S.graph, seen.H.shape
    zero = constant(graph, 0.0)
    root, HS = cholesky(seen.R, order="natural").factor, seen.H @ S
    rows = [[*root[i], *HS[i]] for i in range(m)] + [[*[zero] * m, *S[i]] for i in range(n)]
    whole = triangular(rows, graph)
    whitened = _forward(whole, list(seen.innovation), m)
    change = [sum((whole[m + i, k] * whitened[k] for k in range(1, m)), whole[m + i, 0] * whitened[0])
              for i in range(n)]  # fmt: skip
    after = matrix([[whole[m + i, m + j] for j in range(n)] for i in range(n)], graph)
    nis = sum((w * w for w in whitened[1:]), whitened[0] * whitened[0])
    pivots = [whole[k, k] * whole[k, k] for k in range(m)]
    moved = matrix([[c] for c in change], graph).T[0]
    return Update(moved, after, nis, likelihood(nis, pivots, seen.present))


def _forward(L: Matrix, right: list[Expr], m: int) -> list[Expr]:
    """The solution of L x = right for the first m rows."""
    found: list[Expr] = []
    for i in range(m):
        rest = right[i]
        for j, x in enumerate(found):
            rest = rest - L[i, j] * x
        found.append(rest / L[i, i])
    return found
