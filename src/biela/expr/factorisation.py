"""What all factorisations of a square matrix of expressions have in common.

A factorisation chooses its pivots once, symbolically; the expressions it makes then run as
straight-line code at every state. What cancels identically during elimination is dropped
(`biela.expr.residue`), so a pivot is never zero at every state; that it is zero or tiny at one is met
at run time: `watched` are the expressions to watch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from biela.expr.expression import Expr
from biela.expr.graph import Graph
from biela.expr.index import described
from biela.expr.matrix import Matrix, matrix
from biela.expr.pivot import Samples
from biela.expr.residue import vanishes
from biela.expr.sparse import Sparse, sparse


class Factorisation(ABC):
    """A factored matrix, ready to solve with; made by `ldl`, `cholesky` or `lu`."""

    graph: Graph
    pivot_refs: tuple[int, ...]
    fill: int  # how many zeros of the matrix became entries

    @property
    def pivots(self) -> list[Expr]:
        """The pivots in the order of elimination: none may vanish where the solution is used."""
        return [Expr(self.graph, ref) for ref in self.pivot_refs]

    @property
    def watched(self) -> list[Expr]:
        """What `solve` divides by: it must not vanish, and costs nothing beside the solution."""
        return self.pivots

    def solve(self, b: Any) -> Matrix:
        """The solution x of A x = b, for a vector or, column by column, a matrix.

        Raises ValueError when the sizes differ.
        """
        right = b if isinstance(b, Matrix) else matrix(b, self.graph)
        if right.shape[0] != len(self.pivot_refs):
            raise ValueError(
                f"The system has {len(self.pivot_refs)} equations; got a right-hand side that is "
                f"{described(right.shape)}."
            )
        if right.graph is not self.graph:
            raise ValueError("The right-hand side belongs to another graph than the matrix.")
        if len(right.shape) == 1:
            return Matrix(self.graph, right.shape, tuple(self.solve_column(list(right.refs))))
        columns = [self.solve_column(list(column.refs)) for column in right.T]
        refs = tuple(column[i] for i in range(right.shape[0]) for column in columns)
        return Matrix(self.graph, right.shape, refs)

    @abstractmethod
    def solve_column(self, right: list[int]) -> list[int]:
        """The solution for one right-hand side, as references; ``right`` may be overwritten."""


def square(values: Matrix | Sparse) -> Sparse:
    """The entries of a square matrix that do not vanish; raises ValueError for another shape."""
    result = sparse(values)
    if result.shape[0] != result.shape[1]:
        raise ValueError(f"A factorisation takes a square matrix; got {described(result.shape)}.")
    graph = result.graph
    entries = {place: ref for place, ref in result.entries.items() if not vanishes(graph, ref)}
    return Sparse(graph, result.shape, entries)


def symmetric(values: Matrix | Sparse) -> Sparse:
    """The entries of a matrix equal to its transpose, both triangles made one.

    Raises ValueError naming the first pair of entries that differ.
    """
    result = square(values)
    entries = dict(result.entries)
    for i, j in sorted(result.entries):
        if i < j:
            entries[j, i] = entries[i, j]
        if not vanishes(result.graph, (result[i, j] - result[j, i]).ref):
            raise ValueError(
                f"The matrix is not symmetric: entry ({i}, {j}) is '{result[i, j]}' but ({j}, {i}) is "
                f"'{result[j, i]}'. Use lu, or write both as the same expression."
            )
    return Sparse(result.graph, result.shape, entries)


def samples(weights: Any, n: int, threshold: float) -> Samples | None:
    """The sampled values that decide which pivots are safe, if any were given."""
    return None if weights is None else Samples(weights, n, threshold)


def subtract_product(graph: Graph, row: dict[int, int], place: int, a: int, b: int) -> bool:
    """``row[place] -= a b``, dropping what vanishes; whether a new entry appeared."""
    old = row.get(place)
    new = graph.add(graph.ZERO if old is None else old, -graph.mul(a, b))
    if vanishes(graph, new):
        row.pop(place, None)
        return False
    row[place] = new
    return old is None


def permutation(order: Sequence[int] | str, n: int) -> list[int]:
    """An order given by the caller: 'natural', or every index from 0 to n - 1 once."""
    if isinstance(order, str):
        if order != "natural":
            raise ValueError(f"Unknown order {order!r}: expected 'natural', a sequence of indices, or None.")
        return list(range(n))
    if sorted(order) != list(range(n)):
        raise ValueError(f"The order must name each of 0 to {n - 1} once; got {list(order)}.")
    return list(order)
