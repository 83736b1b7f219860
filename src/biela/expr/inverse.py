"""Determinant and inverse of matrices up to 3x3 in closed form, by cofactors, on flat references.

Beyond 3x3 cofactors cost more than elimination and are less accurate, so there is `solve`.
"""

from __future__ import annotations

from collections.abc import Sequence

from biela.expr.graph import Graph

LARGEST = 3


def inner(graph: Graph, a: Sequence[int], b: Sequence[int]) -> int:
    """The sum of products of two rows, without an operation for a zero."""
    total = graph.ZERO
    for x, y in zip(a, b, strict=True):
        if abs(x) != graph.ZERO and abs(y) != graph.ZERO:
            total = graph.add(total, graph.mul(x, y))
    return total


def determinant(graph: Graph, n: int, refs: Sequence[int]) -> int:
    """The determinant of an n x n matrix, n <= 3, along its first row."""
    return inner(graph, refs[:n], [_cofactor(graph, n, refs, 0, j) for j in range(n)])


def inverse(graph: Graph, n: int, refs: Sequence[int]) -> tuple[int, ...]:
    """The adjugate over the determinant, with one division.

    Raises ValueError when the determinant is identically zero.
    """
    scale = determinant(graph, n, refs)
    if abs(scale) == graph.ZERO:
        raise ValueError(f"The ({n}, {n}) matrix is singular: its determinant is identically 0.")
    scale = graph.inv(scale)
    return tuple(graph.mul(_cofactor(graph, n, refs, j, i), scale) for i in range(n) for j in range(n))


def _cofactor(graph: Graph, n: int, a: Sequence[int], i: int, j: int) -> int:
    if n == 1:
        return graph.ONE
    if n == 2:
        minor = a[2 * (1 - i) + 1 - j]
        return minor if i == j else -minor
    # cyclic indices carry the sign of the cofactor with them
    r, s, c, d = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
    return inner(graph, (a[3 * r + c], -a[3 * r + d]), (a[3 * s + d], a[3 * s + c]))
