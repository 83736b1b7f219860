"""`Sparse`: a matrix of expressions that keeps only its entries that are not identically zero.

It is the form in which the factorisations of `biela.expr.linear` take large systems. An entry is
left out when the graph's normal form makes it zero: 'x - x' is, 'sin(x)**2 + cos(x)**2 - 1' is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from biela.expr.expression import Expr
from biela.expr.graph import Graph
from biela.expr.index import described, select
from biela.expr.matrix import Matrix, matrix


@dataclass(frozen=True, slots=True, repr=False)
class Sparse:
    """Entries by (row, column), as references into the graph; do not change ``entries``.

    >>> x, y = Graph().symbols("x y")
    >>> A = sparse(matrix([[x, 0], [1, y]]))
    >>> A
    <Sparse (2, 2) with 3 entries>
    >>> A @ [1, 2]
    [x, 2*y + 1]
    """

    graph: Graph
    shape: tuple[int, int]
    entries: Mapping[tuple[int, int], int]

    def __post_init__(self) -> None:
        for i, j in self.entries:
            if not (0 <= i < self.shape[0] and 0 <= j < self.shape[1]):
                raise ValueError(f"Entry ({i}, {j}) lies outside {described(self.shape)}.")

    def __repr__(self) -> str:
        return f"<Sparse {self.shape} with {len(self.entries)} entries>"

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, place: tuple[int, int]) -> Expr:
        shape, places = select(self.shape, place)
        if shape:
            raise IndexError(f"A sparse matrix gives one entry at a time, A[i, j]; got {place!r}.")
        return Expr(self.graph, self.entries.get(divmod(places[0], self.shape[1]), self.graph.ZERO))

    @property
    def T(self) -> Sparse:  # noqa: N802 - NumPy's name
        """The transpose."""
        entries = {(j, i): ref for (i, j), ref in self.entries.items()}
        return Sparse(self.graph, (self.shape[1], self.shape[0]), entries)

    def dense(self) -> Matrix:
        """The same matrix with its zeros."""
        columns = self.shape[1]
        refs = [self.graph.ZERO] * (self.shape[0] * columns)
        for (i, j), ref in self.entries.items():
            refs[i * columns + j] = ref
        return Matrix(self.graph, self.shape, tuple(refs))

    def rows(self) -> list[dict[int, int]]:
        """One new dictionary per row, from column to reference; zeros are left out."""
        rows: list[dict[int, int]] = [{} for _ in range(self.shape[0])]
        for (i, j), ref in sorted(self.entries.items()):
            if abs(ref) != self.graph.ZERO:
                rows[i][j] = ref
        return rows

    def __matmul__(self, other: Any) -> Any:
        """The product: sparse with a `Sparse`, else a dense `Matrix`."""
        if isinstance(other, Sparse):
            return self._times(other)
        right = other if isinstance(other, Matrix) else matrix(other, self.graph)
        columns = right.reshape(-1, 1) if len(right.shape) == 1 else right
        product = self._times(sparse(columns)).dense()
        return product.reshape(-1) if len(right.shape) == 1 else product

    def _times(self, other: Sparse) -> Sparse:
        if self.graph is not other.graph:
            raise ValueError("The two matrices belong to different graphs: build both from one Graph.")
        if self.shape[1] != other.shape[0]:
            raise ValueError(
                f"A sparse {self.shape} matrix cannot multiply {described(other.shape)}: "
                f"inner sizes {self.shape[1]} and {other.shape[0]} differ."
            )
        graph, right = self.graph, other.rows()
        sums: dict[tuple[int, int], int] = {}
        for i, row in enumerate(self.rows()):
            for k, a in row.items():
                for j, b in right[k].items():
                    sums[i, j] = graph.add(sums.get((i, j), graph.ZERO), graph.mul(a, b))
        entries = {place: ref for place, ref in sums.items() if abs(ref) != graph.ZERO}
        return Sparse(graph, (self.shape[0], other.shape[1]), entries)


def sparse(values: Matrix | Sparse) -> Sparse:
    """The sparse form of a matrix, without its zeros; a `Sparse` passes through.

    Raises TypeError for anything else and ValueError for a vector.
    """
    if isinstance(values, Sparse):
        return values
    if not isinstance(values, Matrix):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"Expected a Matrix or Sparse; got {type(values).__name__}. See matrix(rows).")
    if len(values.shape) != 2:
        raise ValueError(f"A sparse matrix has two axes; got {described(values.shape)}.")
    rows, columns = values.shape
    places = ((i, j) for i in range(rows) for j in range(columns))
    pairs = zip(places, values.refs, strict=True)
    zero = values.graph.ZERO
    return Sparse(values.graph, (rows, columns), {place: ref for place, ref in pairs if abs(ref) != zero})
