"""Small dense matrices and vectors of expressions, with NumPy's shapes, indices and operators.

A `Matrix` is a shape, (n,) or (rows, columns), and its references in row-major order. ``*`` is
elementwise and ``@`` is the product, as in NumPy, and NumPy arrays and lists may stand on the other
side. Unlike NumPy, arrays of different shapes are never stretched to fit: in mechanics that hides a
mistake more often than it saves a line.

Zeros and ones cost nothing: the graph's normal form drops them, so the product with a rotation about
z has the operations that one writes by hand. For systems of more than three equations see
`biela.expr.linear`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, cast

from biela.expr import inverse as _inverse
from biela.expr.expression import Expr, Number, listed, reference
from biela.expr.graph import Graph
from biela.expr.index import Shape, described, select
from biela.expr.inverse import inner

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True, repr=False)
class Matrix:
    """An immutable vector or matrix of expressions; usually made by `matrix` or `vector`.

    >>> x, y = Graph().symbols("x y")
    >>> matrix([[x, 0], [0, y]]) @ [1, 2]
    [x, 2*y]
    """

    graph: Graph
    shape: Shape
    refs: tuple[int, ...]

    __array_ufunc__: ClassVar[None] = None  # numpy arrays give way to our operators

    def __post_init__(self) -> None:
        if len(self.shape) not in (1, 2) or min(self.shape) < 0 or prod(self.shape) != len(self.refs):
            raise ValueError(
                f"A matrix of shape {self.shape} cannot hold {len(self.refs)} entries: "
                "a shape is (n,) or (rows, columns)."
            )

    # entries

    @property
    def expressions(self) -> list[Expr]:
        """The entries, row after row."""
        return [Expr(self.graph, ref) for ref in self.refs]

    @property
    def T(self) -> Matrix:  # noqa: N802 - NumPy's name
        """The transpose; of a vector, the vector itself."""
        if len(self.shape) == 1:
            return self
        refs = tuple(ref for column in self._columns() for ref in column)
        return Matrix(self.graph, self.shape[::-1], refs)

    def reshape(self, *shape: int) -> Matrix:
        """The same entries in another shape; one size may be -1.

        >>> vector(Graph().symbols("x y")).reshape(-1, 1).shape
        (2, 1)

        Raises ValueError when the sizes do not fit.
        """
        known = prod(size for size in shape if size != -1)
        if shape.count(-1) == 1 and known and len(self.refs) % known == 0:
            shape = tuple(len(self.refs) // known if size == -1 else size for size in shape)
        return Matrix(self.graph, shape, self.refs)

    def __getitem__(self, key: Any) -> Any:
        """An entry (`Expr`) or a part (`Matrix`)."""
        shape, places = select(self.shape, key)
        if not shape:
            return Expr(self.graph, self.refs[places[0]])
        return Matrix(self.graph, shape, tuple(self.refs[place] for place in places))

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self.shape[0]))

    def __len__(self) -> int:
        return self.shape[0]

    def _rows(self) -> list[tuple[int, ...]]:
        """The rows of a matrix; a vector is one row."""
        width = self.shape[-1]
        height = self.shape[0] if len(self.shape) == 2 else 1
        return [self.refs[i * width : (i + 1) * width] for i in range(height)]

    def _columns(self) -> list[tuple[int, ...]]:
        """The columns of a matrix; a vector is one column."""
        if len(self.shape) == 1:
            return [self.refs]
        return [self.refs[j :: self.shape[1]] for j in range(self.shape[1])]

    # elementwise operators

    def __add__(self, other: Any) -> Matrix:
        return self._elementwise("+", Graph.add, other)

    def __sub__(self, other: Any) -> Matrix:
        return self._elementwise("-", _subtract, other)

    def __mul__(self, other: Any) -> Matrix:
        return self._elementwise("*", Graph.mul, other)

    def __truediv__(self, other: Any) -> Matrix:
        return self._elementwise("/", Graph.div, other)

    def __pow__(self, other: Any) -> Matrix:
        return self._elementwise("**", Graph.pow, other)

    def __rsub__(self, other: Any) -> Matrix:
        return self._elementwise("-", lambda graph, a, b: graph.add(b, -a), other)

    def __rtruediv__(self, other: Any) -> Matrix:
        return self._elementwise("/", lambda graph, a, b: graph.div(b, a), other)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Matrix:
        return Matrix(self.graph, self.shape, tuple(-ref for ref in self.refs))

    def __pos__(self) -> Matrix:
        return self

    def _elementwise(self, symbol: str, combine: Callable[[Graph, int, int], int], other: Any) -> Any:
        operand = _operand(self.graph, other)
        if operand is None:
            return NotImplemented
        if isinstance(operand, int):
            refs = (operand,) * len(self.refs)
        elif operand.shape == self.shape:
            refs = operand.refs
        else:
            raise ValueError(
                f"'{symbol}' works entry by entry, on equal shapes: got {described(self.shape)} and "
                f"{described(operand.shape)}. For the matrix product write '@'."
            )
        graph = self.graph
        pairs = zip(self.refs, refs, strict=True)
        return Matrix(graph, self.shape, tuple(combine(graph, a, b) for a, b in pairs))

    # products

    def __matmul__(self, other: Any) -> Any:
        operand = _factor(self.graph, other)
        return NotImplemented if operand is None else _product(self, operand)

    def __rmatmul__(self, other: Any) -> Any:
        operand = _factor(self.graph, other)
        return NotImplemented if operand is None else _product(operand, self)

    def dot(self, other: Any) -> Expr:
        """The scalar product of two vectors of one size."""
        a, b = _vectors("dot", self, other, len(self.refs))
        return Expr(self.graph, inner(self.graph, a, b))

    def cross(self, other: Any) -> Matrix:
        """The vector product of two vectors of 3."""
        _, b = _vectors("cross", self, other, 3)
        return self.skew() @ Matrix(self.graph, (3,), b)

    def skew(self) -> Matrix:
        """The matrix S of a vector w of 3 for which ``S @ v`` is ``w.cross(v)``.

        >>> vector(Graph().symbols("x y z")).skew()
        [[0, -z, y],
         [z, 0, -x],
         [-y, x, 0]]
        """
        (x, y, z), _ = _vectors("skew", self, self, 3)
        o = self.graph.ZERO
        return Matrix(self.graph, (3, 3), (o, -z, y, z, o, -x, -y, x, o))

    def outer(self, other: Any) -> Matrix:
        """The matrix of all products of an entry of this vector and one of the other."""
        a, b = _vectors("outer", self, other)
        refs = tuple(self.graph.mul(x, y) for x in a for y in b)
        return Matrix(self.graph, (len(a), len(b)), refs)

    def norm(self) -> Expr:
        """The root of the sum of squares of all entries, as NumPy's norm."""
        graph = self.graph
        return Expr(graph, graph.apply("sqrt", inner(graph, self.refs, self.refs)))

    # square matrices

    def trace(self) -> Expr:
        """The sum of the diagonal."""
        n = self._order("trace")
        total = self.graph.ZERO
        for ref in self.refs[:: n + 1]:
            total = self.graph.add(total, ref)
        return Expr(self.graph, total)

    def det(self) -> Expr:
        """The determinant of a matrix up to 3x3, in closed form; raises ValueError beyond."""
        n = self._order("det", _inverse.LARGEST)
        return Expr(self.graph, _inverse.determinant(self.graph, n, self.refs))

    def inverse(self) -> Matrix:
        """The inverse of a matrix up to 3x3, in closed form; raises ValueError beyond, or when singular."""
        n = self._order("inverse", _inverse.LARGEST)
        return Matrix(self.graph, self.shape, _inverse.inverse(self.graph, n, self.refs))

    def _order(self, verb: str, largest: int | None = None) -> int:
        if len(self.shape) != 2 or self.shape[0] != self.shape[1]:
            raise ValueError(f"{verb}() takes a square matrix; got {described(self.shape)}.")
        if largest is not None and self.shape[0] > largest:
            raise ValueError(
                f"{verb}() is written out up to {largest}x{largest}; got {described(self.shape)}. "
                "Use biela.expr.linear.solve(A, b), with b the identity when the inverse itself is wanted."
            )
        return self.shape[0]

    # calculus and evaluation

    def map(self, function: Callable[[Expr], Expr | Number]) -> Matrix:
        """The function of every entry.

        >>> from biela.expr.expression import sin
        >>> vector(Graph().symbols("x y")).map(sin)
        [sin(x), sin(y)]
        """
        return self._rebuilt([function(entry) for entry in self.expressions])

    def diff(self, *symbols: Expr) -> Matrix:
        """The derivative of every entry by one symbol after another."""
        from biela.expr.derivative import differentiate_all

        entries = self.expressions
        for symbol in symbols:
            entries = differentiate_all(entries, symbol)
        return self._rebuilt(entries)

    def dt(self) -> Matrix:
        """The total time derivative of every entry."""
        from biela.expr.derivative import time_derivative_all

        return self._rebuilt(time_derivative_all(self.expressions))

    def substitute(self, values: Mapping[Expr, Expr | Number]) -> Matrix:
        """Every symbol of ``values`` replaced, all at once."""
        from biela.expr.substitution import substitute

        return self._rebuilt(substitute(self.expressions, values))

    def value(self, values: Mapping[Expr, float] | None = None) -> np.ndarray:
        """The numbers it is worth when its symbols have the given values.

        >>> x = Graph().symbol("x")
        >>> vector([x, x * x]).value({x: 3})
        array([3., 9.])
        """
        import numpy as np

        from biela.expr.program import Program

        nodes = self.graph.nodes
        symbols = [i for i in self.graph.reachable(self.refs) if nodes[i][0] == "symbol"]
        program = Program.lower(self.graph, symbols, self.refs)
        return np.array(program.evaluate_symbols(values or {}), float).reshape(self.shape)

    def _rebuilt(self, entries: Sequence[Expr | Number]) -> Matrix:
        return _filled(self.graph, self.shape, entries)

    # printing

    def __repr__(self) -> str:
        rows = ["[" + ", ".join(repr(Expr(self.graph, ref)) for ref in row) + "]" for row in self._rows()]
        return rows[0] if len(self.shape) == 1 else "[" + ",\n ".join(rows) + "]"

    def latex(self) -> str:
        """The matrix in LaTeX, without delimiters; a vector stands as a column."""
        rows = self._rows() if len(self.shape) == 2 else [(ref,) for ref in self.refs]
        lines = [" & ".join(Expr(self.graph, ref).latex() for ref in row) for row in rows]
        return r"\begin{bmatrix}" + r" \\ ".join(lines) + r"\end{bmatrix}"

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"


def matrix(rows: Iterable[Any], graph: Graph | None = None) -> Matrix:
    """A matrix from rows of expressions and numbers, or a vector from one flat row.

    The graph is that of the first expression; pass ``graph`` when all entries are numbers.

    >>> x = Graph().symbol("x")
    >>> matrix([[x, 1], [0, x]]).shape
    (2, 2)

    Raises ValueError for ragged rows and TypeError for entries that are not scalars.
    """
    items = listed(rows, "entries")
    flat = not any(isinstance(item, Iterable) for item in items)
    table: list[list[Any]] = [items] if flat else [_row(item, i) for i, item in enumerate(items)]
    width = len(table[0])
    for i, row in enumerate(table):
        if len(row) != width:
            raise ValueError(f"Row {i} of the matrix has {len(row)} entries where row 0 has {width}.")
    shape = (width,) if flat else (len(table), width)
    return _filled(graph, shape, [entry for row in table for entry in row])


def vector(entries: Iterable[Any], graph: Graph | None = None) -> Matrix:
    """A vector from expressions and numbers.

    Raises ValueError for nested entries.
    """
    result = matrix(entries, graph)
    if len(result.shape) != 1:
        raise ValueError(f"vector() takes a flat row; got {described(result.shape)}. Use matrix().")
    return result


def _subtract(graph: Graph, a: int, b: int) -> int:
    return graph.add(a, -b)


def _product(a: Matrix, b: Matrix) -> Any:
    """The product of NumPy's ``@``: an `Expr` for two vectors, else a `Matrix`."""
    if a.shape[-1] != b.shape[0]:
        left, right = described(a.shape), described(b.shape)
        raise ValueError(
            f"{left[0].upper()}{left[1:]} cannot multiply {right}: "
            f"inner sizes {a.shape[-1]} and {b.shape[0]} differ."
        )
    columns = b._columns()  # pyright: ignore[reportPrivateUsage]
    rows = a._rows()  # pyright: ignore[reportPrivateUsage]
    refs = tuple(inner(a.graph, row, column) for row in rows for column in columns)
    shape = a.shape[:-1] + b.shape[1:]
    return Matrix(a.graph, shape, refs) if shape else Expr(a.graph, refs[0])


def _vectors(
    verb: str, left: Matrix, right: Any, size: int | None = None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The references of both operands of a product of vectors, of the given size if any."""
    operand = _operand(left.graph, right)
    wanted = "vectors" if size is None else f"vectors of {size}"
    if not isinstance(operand, Matrix):
        raise TypeError(f"{verb}() takes {wanted}; got {type(right).__name__} {right!r}.")
    for shape in (left.shape, operand.shape):
        if len(shape) != 1 or size not in (None, shape[0]):
            raise ValueError(f"{verb}() takes {wanted}; got {described(shape)}.")
    return left.refs, operand.refs


def _operand(graph: Graph, value: Any) -> Matrix | int | None:
    """The other side of an operator: a matrix, the reference of a scalar, or None when neither."""
    if isinstance(value, Matrix):
        return _check_graph(graph, value)
    if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 0:
        return matrix(cast(Iterable[Any], value), graph)
    return reference(graph, value)


def _factor(graph: Graph, value: Any) -> Matrix | None:
    operand = _operand(graph, value)
    if isinstance(operand, int):
        raise TypeError(f"'@' multiplies matrices and vectors; got the scalar {value!r}. Use '*'.")
    return operand


def _check_graph(graph: Graph, value: Matrix) -> Matrix:
    if value.graph is not graph:
        raise ValueError("The two matrices belong to different graphs: build both from one Graph.")
    return value


def _row(item: Any, i: int) -> list[Any]:
    if not isinstance(item, Iterable):
        raise ValueError(f"Row {i} of the matrix is the scalar {item!r} among rows.")
    return list(item)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _filled(graph: Graph | None, shape: Shape, entries: Sequence[Any]) -> Matrix:
    graph = graph or _graph_of(entries)
    refs: list[int] = []
    for i, entry in enumerate(entries):
        ref = reference(graph, entry)
        if ref is None:
            place = i if len(shape) == 1 else divmod(i, shape[1])
            raise TypeError(
                f"Entry {place} of the matrix is {type(entry).__name__} {entry!r}; "
                "expected an expression or a real number."
            )
        refs.append(ref)
    return Matrix(graph, shape, tuple(refs))


def _graph_of(entries: Iterable[Any]) -> Graph:
    for entry in entries:
        if isinstance(entry, Expr):
            return entry.graph
    raise TypeError("No entry of the matrix is an expression: pass the graph, as in matrix(rows, graph).")
