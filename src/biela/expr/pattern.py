"""Matrices made from a pattern: zeros, diagonals, symbols, and blocks of other matrices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, cast

from biela.expr.expression import Expr
from biela.expr.graph import Graph
from biela.expr.index import Shape, described
from biela.expr.matrix import Matrix, matrix, vector


def zeros(graph: Graph, shape: int | Shape) -> Matrix:
    """A matrix, or vector, of zeros."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    return Matrix(graph, sizes, (graph.ZERO,) * max(prod(sizes), 0))


def identity(graph: Graph, n: int) -> Matrix:
    """The n x n identity."""
    if n < 0:
        raise ValueError(f"identity() takes the number of rows; got {n}.")
    return diagonal([1.0] * n, graph)


def diagonal(entries: Iterable[Any], graph: Graph | None = None) -> Matrix:
    """The square matrix with a given diagonal and zeros elsewhere."""
    row = vector(entries, graph)
    n = len(row)
    refs = [row.graph.ZERO] * (n * n)
    refs[:: n + 1] = row.refs
    return Matrix(row.graph, (n, n), tuple(refs))


def matrix_symbols(graph: Graph, name: str, shape: int | Shape) -> Matrix:
    """A matrix of symbols called ``name_row_column``, or a vector of ``name_index``, from 0.

    >>> matrix_symbols(Graph(), "leg.A", (1, 2))
    [[leg.A_0_0, leg.A_0_1]]
    """
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    places = [()] if not sizes else [(i,) for i in range(sizes[0])]
    for size in sizes[1:]:
        places = [(*place, j) for place in places for j in range(size)]
    refs = tuple(graph.symbol_ref("_".join(map(str, (name, *place)))) for place in places)
    return Matrix(graph, sizes, refs)


def block(rows: Sequence[Any]) -> Matrix:
    """One matrix from rows of matrices, or one vector from vectors; the number 0 is a block of zeros.

    A row of blocks stands side by side, rows of blocks stand above each other: there is no other
    stacking function. The size of a 0 follows from its neighbours.

    >>> x, y = Graph().symbols("x y")
    >>> J = matrix([[x, y]])
    >>> block([[identity(x.graph, 2), J.T], [J, 0]])
    [[1, 0, x],
     [0, 1, y],
     [x, y, 0]]

    Raises ValueError for blocks that do not fit and TypeError when no block is a `Matrix`.
    """
    if any(isinstance(item, Matrix) for item in rows):
        graph = _graph_of([rows])
        return _joined([item if isinstance(item, Matrix) else matrix(item, graph) for item in rows])
    graph = _graph_of(rows)
    blocks = [[_block(graph, part) for part in row] for row in rows]
    lengths = [len(row) for row in blocks]
    if len(set(lengths)) != 1:
        raise ValueError(f"block() takes rows of one length; got rows of {lengths} blocks.")
    heights = [_common(row, 0, f"row {i}") for i, row in enumerate(blocks)]
    widths = [_common(column, 1, f"column {j}") for j, column in enumerate(zip(*blocks, strict=True))]
    refs: list[int] = []
    for row, height in zip(blocks, heights, strict=True):
        for i in range(height):
            for part, width in zip(row, widths, strict=True):
                refs.extend((graph.ZERO,) * width if part is None else part[i].refs)
    return Matrix(graph, (sum(heights), sum(widths)), tuple(refs))


def _joined(vectors: Sequence[Matrix]) -> Matrix:
    for part in vectors:
        if len(part.shape) != 1:
            raise ValueError(
                f"block() of one flat row joins vectors; got {described(part.shape)}. "
                "Write block([[A, B]]) side by side or block([[A], [B]]) above each other."
            )
    graph = vectors[0].graph
    if any(part.graph is not graph for part in vectors):
        raise ValueError("The blocks belong to different graphs: build all from one Graph.")
    refs = tuple(ref for part in vectors for ref in part.refs)
    return Matrix(graph, (len(refs),), refs)


def _graph_of(rows: Sequence[Any]) -> Graph:
    for row in rows:
        for part in row:
            if isinstance(part, (Matrix, Expr)):
                return part.graph
    raise TypeError("block() needs at least one Matrix among its blocks.")


def _block(graph: Graph, part: Any) -> Matrix | None:
    """A block as a matrix; None for a zero whose size is still open."""
    if isinstance(part, (int, float)) and part == 0:
        return None
    if not isinstance(part, (Matrix, Iterable)):
        raise TypeError(f"A block is a matrix or the number 0; got {type(part).__name__} {part!r}.")
    result = part if isinstance(part, Matrix) else matrix(cast(Iterable[Any], part), graph)
    if result.graph is not graph:
        raise ValueError("The blocks belong to different graphs: build all from one Graph.")
    if len(result.shape) != 2:
        raise ValueError(
            f"A block among rows of blocks has two axes; got {described(result.shape)}. "
            "Write v.reshape(-1, 1) for a column or v.reshape(1, -1) for a row."
        )
    return result


def _common(blocks: Sequence[Matrix | None], axis: int, where: str) -> int:
    """The size along one axis that all blocks of a row or column share."""
    sizes = [b.shape[axis] for b in blocks if b is not None]
    if not sizes:
        raise ValueError(f"Block {where} has only zeros, so its size is unknown: write zeros(graph, shape).")
    if len(set(sizes)) != 1:
        raise ValueError(f"Block {where} has blocks of different {('heights', 'widths')[axis]}: {sizes}.")
    return sizes[0]
