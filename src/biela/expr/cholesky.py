"""The Cholesky factorisation F F' of symmetric positive definite matrices.

To solve with, `ldl` does the same without square roots. This one is for the factor itself: the
square root of a covariance, whose columns are the sigma points of an unscented filter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from biela.expr.factorisation import Factorisation, samples, symmetric
from biela.expr.graph import Graph
from biela.expr.ldl import Column, assembled, eliminate
from biela.expr.matrix import Matrix
from biela.expr.pivot import THRESHOLD
from biela.expr.sparse import Sparse


@dataclass(frozen=True, slots=True, eq=False)
class Cholesky(Factorisation):
    """A = F F', where F is lower triangular when its rows are taken in ``order``."""

    graph: Graph
    order: tuple[int, ...]
    pivot_refs: tuple[int, ...]  # the squares of the factor's diagonal: all must be positive
    columns: tuple[Column, ...]
    fill: int

    @property
    def factor(self) -> Matrix:
        """F as a dense matrix, one column per pivot, rows as in A."""
        roots = [self.graph.apply("sqrt", d) for d in self.pivot_refs]
        return assembled(self.graph, self.order, roots, self.columns)

    def solve_column(self, right: list[int]) -> list[int]:
        """The solution for one right-hand side, as references; ``right`` is overwritten."""
        graph, x = self.graph, right
        scales = [graph.inv(graph.apply("sqrt", d)) for d in self.pivot_refs]
        for p, scale, column in zip(self.order, scales, self.columns, strict=True):
            x[p] = graph.mul(x[p], scale)
            for i, f in column:
                x[i] = graph.add(x[i], -graph.mul(f, x[p]))
        for p, scale, column in reversed(list(zip(self.order, scales, self.columns, strict=True))):
            for i, f in column:
                x[p] = graph.add(x[p], -graph.mul(f, x[i]))
            x[p] = graph.mul(x[p], scale)
        return x


def cholesky(
    values: Matrix | Sparse,
    order: Sequence[int] | str | None = None,
    weights: Any = None,
    threshold: float = THRESHOLD,
) -> Cholesky:
    """Factor a symmetric positive definite matrix; the arguments are those of `ldl`.

    >>> from biela.expr.matrix import matrix
    >>> a, b = Graph().symbols("a b")
    >>> cholesky(matrix([[a, 0], [0, b]])).factor
    [[sqrt(a), 0],
     [0, sqrt(b)]]

    Raises ValueError when the matrix is not symmetric, or has a zero on its diagonal.
    """
    A = symmetric(values)
    steps, columns, fill, _ = eliminate(A, order, samples(weights, len(A), threshold), roots=True)
    return Cholesky(A.graph, tuple(p for p, _ in steps), tuple(d for _, d in steps), columns, fill)
