"""L U: the factorisation of any regular matrix, with pivots taken anywhere.

At each step the pivot row times multipliers is subtracted from the rows below. Rows and columns
keep their own names throughout, so there is no permutation matrix: a step records which row gave
which unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from biela.expr.factorisation import Factorisation, permutation, samples, square, subtract_product
from biela.expr.graph import Graph
from biela.expr.matrix import Matrix
from biela.expr.pivot import THRESHOLD, any_pivot
from biela.expr.sparse import Sparse

Place = tuple[int, int]


class Step(NamedTuple):
    """One pivot: the multipliers of the rows below, and the pivot row without the pivot."""

    multipliers: tuple[tuple[int, int], ...]  # (row, reference)
    row: tuple[tuple[int, int], ...]  # (column, reference)


@dataclass(frozen=True, slots=True, eq=False)
class LU(Factorisation):
    """A = L U after the exchanges of ``order``, the (row, column) of every pivot."""

    graph: Graph
    order: tuple[Place, ...]
    pivot_refs: tuple[int, ...]
    steps: tuple[Step, ...]
    fill: int

    def solve_column(self, right: list[int]) -> list[int]:
        """The solution for one right-hand side, as references; ``right`` is overwritten."""
        graph, y = self.graph, right
        for (p, _), step in zip(self.order, self.steps, strict=True):
            for i, multiplier in step.multipliers:
                y[i] = graph.add(y[i], -graph.mul(multiplier, y[p]))
        x = [graph.ZERO] * len(y)
        for (p, q), pivot, step in reversed(list(zip(self.order, self.pivot_refs, self.steps, strict=True))):
            for j, u in step.row:
                y[p] = graph.add(y[p], -graph.mul(u, x[j]))
            x[q] = graph.mul(y[p], graph.inv(pivot))
        return x


def lu(
    values: Matrix | Sparse,
    order: Sequence[Place] | str | None = None,
    weights: Any = None,
    threshold: float = THRESHOLD,
) -> LU:
    """Factor a regular matrix, with pivots of least Markowitz work.

    ``order`` is 'natural' (down the diagonal) or a sequence of (row, column) to impose another.
    ``weights`` are values of the matrix at sampled states, one array or several: give them unless
    every entry that is not identically zero may serve as a pivot. In none of them may a pivot be
    smaller than ``threshold`` times the largest entry of its column.

    >>> from biela.expr.matrix import matrix
    >>> a, b = Graph().symbols("a b")
    >>> lu(matrix([[0, a], [b, 0]])).solve([1, 2])
    [2/b, 1/a]

    Raises ValueError when the matrix is singular, or has no safe pivot left, and for a wrong order.
    """
    A = square(values)
    n, graph = len(A), A.graph
    sampled = samples(weights, n, threshold)
    imposed = None if order is None else _places(order, n)
    rest = _Remainder(A)
    places: list[Place] = []
    for k in range(n):
        allowed = rest.places() if imposed is None else [imposed[k]]
        places.append(any_pivot(graph, rest.rows, rest.columns, allowed, sampled, k))
        rest.eliminate(*places[-1])
        if sampled:
            sampled.eliminate(*places[-1])
    return LU(graph, tuple(places), tuple(rest.pivots), tuple(rest.steps), rest.fill)


class _Remainder:
    """What is left of the matrix during elimination, by rows and by the structure of its columns."""

    def __init__(self, A: Sparse) -> None:
        self.graph = A.graph
        self.rows = dict(enumerate(A.rows()))
        self.columns: dict[int, set[int]] = {j: set() for j in self.rows}
        for i, j in self.places():
            self.columns[j].add(i)
        self.pivots: list[int] = []
        self.steps: list[Step] = []
        self.fill = 0

    def places(self) -> list[Place]:
        return [(i, j) for i, row in self.rows.items() for j in row]

    def eliminate(self, p: int, q: int) -> None:
        """Take row ``p`` out, and column ``q`` by subtracting multiples of the row."""
        row = self.rows.pop(p)
        for j in row:
            self.columns[j].discard(p)
        pivot = row.pop(q)
        scale = self.graph.inv(pivot)
        multipliers = {i: self.graph.mul(self.rows[i].pop(q), scale) for i in sorted(self.columns.pop(q))}
        for i, multiplier in multipliers.items():
            self._subtract(i, multiplier, row)
        self.pivots.append(pivot)
        self.steps.append(Step(tuple(multipliers.items()), tuple(sorted(row.items()))))

    def _subtract(self, i: int, multiplier: int, row: dict[int, int]) -> None:
        target = self.rows[i]
        for j, u in row.items():
            self.fill += subtract_product(self.graph, target, j, multiplier, u)
            if j in target:
                self.columns[j].add(i)
            else:
                self.columns[j].discard(i)


def _places(order: Sequence[Place] | str, n: int) -> list[Place]:
    if isinstance(order, str):
        return [(i, i) for i in permutation(order, n)]
    rows, columns = ([place[axis] for place in order] for axis in (0, 1))
    return list(zip(permutation(rows, n), permutation(columns, n), strict=True))
