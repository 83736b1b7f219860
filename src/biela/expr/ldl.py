"""L D L': the factorisation of symmetric matrices, mass matrices and KKT matrices among them.

Step by step, with d the pivot and l = a / d the scaled column of what is left,

    A = l d l' + (A - l d l')

where the bracket has one row and column less. There are no square roots, and negative pivots are
welcome: a KKT matrix [[M, J'], [J, 0]] has as many as it has constraints. A diagonal entry that is
zero (the constraints' rows at first) waits until elimination fills it, and so does one that has
filled but still vanishes: two constraints on one body, before their other bodies are eliminated.

The last two unknowns are solved for together, by the determinant of what is then left. It takes one division
where the two pivots take two, one after the other, and a division takes as long as eight products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from biela.expr.expression import Expr
from biela.expr.factorisation import Factorisation, permutation, samples, subtract_product, symmetric
from biela.expr.graph import Graph
from biela.expr.matrix import Matrix
from biela.expr.pivot import THRESHOLD, Samples, diagonal_pivot
from biela.expr.sparse import Sparse

Column = tuple[tuple[int, int], ...]  # (row, reference) of the entries below a pivot


class Corner(NamedTuple):
    """A symmetric matrix of two rows, [[a, b], [b, c]]."""

    a: int
    b: int
    c: int

    def determinant(self, graph: Graph) -> int:
        """What may not vanish."""
        return graph.add(graph.mul(self.a, self.c), -graph.mul(self.b, self.b))

    def inverse(self, graph: Graph) -> Corner:
        """The matrix that solves with this one."""
        scale = graph.inv(self.determinant(graph))
        return Corner(graph.mul(self.c, scale), -graph.mul(self.b, scale), graph.mul(self.a, scale))

    def times(self, graph: Graph, x: int, y: int) -> tuple[int, int]:
        """Its product with a vector."""
        a, b, c = self
        first = graph.add(graph.mul(a, x), graph.mul(b, y))
        return first, graph.add(graph.mul(b, x), graph.mul(c, y))


@dataclass(frozen=True, slots=True, eq=False)
class LDL(Factorisation):
    """A = F D F', where F is lower triangular when its rows are taken in ``order``."""

    graph: Graph
    order: tuple[int, ...]
    pivot_refs: tuple[int, ...]
    columns: tuple[Column, ...]
    fill: int
    last: Corner | None  # what is left before the last two pivots

    @property
    def watched(self) -> list[Expr]:
        """The pivots, with a determinant in place of the last two."""
        if self.last is None:
            return self.pivots
        return [*self.pivots[:-2], Expr(self.graph, self.last.determinant(self.graph))]

    @property
    def factor(self) -> Matrix:
        """F as a dense matrix, one column per pivot, rows as in A."""
        return assembled(self.graph, self.order, (self.graph.ONE,) * len(self.order), self.columns)

    def solve_column(self, right: list[int]) -> list[int]:
        """The solution for one right-hand side, as references; ``right`` is overwritten."""
        graph, x = self.graph, right
        steps = list(zip(self.order, self.pivot_refs, self.columns, strict=True))
        alone = steps if self.last is None else steps[:-2]
        for p, _, column in alone:
            for i, l in column:  # noqa: E741 - the letter of the formula
                x[i] = graph.add(x[i], -graph.mul(l, x[p]))
        if self.last is not None:
            p, q = self.order[-2:]
            x[p], x[q] = self.last.inverse(graph).times(graph, x[p], x[q])
        for p, d, column in reversed(alone):
            x[p] = graph.mul(x[p], graph.inv(d))
            for i, l in column:  # noqa: E741
                x[p] = graph.add(x[p], -graph.mul(l, x[i]))
        return x


def ldl(
    values: Matrix | Sparse,
    order: Sequence[int] | str | None = None,
    weights: Any = None,
    threshold: float = THRESHOLD,
) -> LDL:
    """Factor a symmetric matrix, with 1x1 pivots in the order of minimum degree.

    ``order`` is 'natural' or a sequence of indices to impose another. ``weights`` are values of the
    matrix at sampled states, one array or several, in none of which a pivot may be smaller than
    ``threshold`` times its column.

    >>> from biela.expr.matrix import matrix
    >>> a, b, c = Graph().symbols("a b c")
    >>> ldl(matrix([[a, b], [b, c]])).solve([0, 1])[1]
    a/(a*c - b*b)

    Raises ValueError when the matrix is not symmetric, or has no pivot on its diagonal.
    """
    A = symmetric(values)
    steps, columns, fill, last = eliminate(A, order, samples(weights, len(A), threshold), roots=False)
    return LDL(A.graph, tuple(p for p, _ in steps), tuple(d for _, d in steps), columns, fill, last)


def eliminate(
    A: Sparse, order: Sequence[int] | str | None, weights: Samples | None, roots: bool
) -> tuple[list[tuple[int, int]], tuple[Column, ...], int, Corner | None]:
    """The (index, pivot) of every step, the columns of the factor, the fill, and what two steps were left.

    The columns are divided by their pivots, or by the ``roots`` of them.
    """
    graph, rows, remaining = A.graph, A.rows(), dict.fromkeys(range(len(A)))
    chosen = None if order is None else permutation(order, len(A))
    steps: list[tuple[int, int]] = []
    columns: list[Column] = []
    fill = 0
    corner: Corner | None = None
    while remaining:
        allowed = remaining if chosen is None else [chosen[len(steps)]]
        p = diagonal_pivot(graph, rows, allowed, weights, len(steps))
        del remaining[p]
        if len(remaining) == 1:
            corner = _corner(graph, rows, p, *remaining)
        d, column, new = _step(graph, rows, p, roots)
        steps.append((p, d))
        columns.append(column)
        fill += new
        if weights:
            weights.eliminate(p, p)
    return steps, tuple(columns), fill, corner


def _corner(graph: Graph, rows: list[dict[int, int]], p: int, q: int) -> Corner | None:
    """The last two rows, unless they are apart or the first division is by a constant."""
    if q not in rows[p] or graph.is_constant(rows[p][p]):
        return None
    return Corner(rows[p][p], rows[p][q], rows[q].get(q, graph.ZERO))


def _step(graph: Graph, rows: list[dict[int, int]], p: int, roots: bool) -> tuple[int, Column, int]:
    """Row and column ``p`` taken out of ``rows``: the pivot, the scaled column and the fill."""
    row = rows[p]
    d = row.pop(p)
    scale = graph.inv(graph.apply("sqrt", d) if roots else d)
    below = sorted(row)
    l = {i: graph.mul(row[i], scale) for i in below}  # noqa: E741
    other = l if roots else row
    fill = 0
    for i in below:
        del rows[i][p]
    for k, i in enumerate(below):
        for j in below[k:]:
            fill += subtract_product(graph, rows[i], j, l[i], other[j])
            if i != j:
                _mirror(rows, i, j)
    return d, tuple(l.items()), fill


def _mirror(rows: list[dict[int, int]], i: int, j: int) -> None:
    if j in rows[i]:
        rows[j][i] = rows[i][j]
    else:
        rows[j].pop(i, None)


def assembled(
    graph: Graph, order: Sequence[int], diagonal: Sequence[int], columns: Sequence[Column]
) -> Matrix:
    """The factor as a dense matrix from its diagonal and the columns below it."""
    n = len(order)
    refs = [graph.ZERO] * (n * n)
    for k, (p, d, column) in enumerate(zip(order, diagonal, columns, strict=True)):
        refs[p * n + k] = d
        for i, ref in column:
            refs[i * n + k] = ref
    return Matrix(graph, (n, n), tuple(refs))
