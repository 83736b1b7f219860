"""Rotations from a base to a neighbour: about an axis, or by a matrix.

A `Rotation` turns components in the new base into components in the old one. Turns about a coordinate
axis are kept as (axis, angle), so that products touch only two components and turns about one axis can
be merged; everything else is a matrix. ``spin`` is the angular velocity of the new base relative to
the old one, by components in the new base.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose, sqrt
from typing import Any

from biela.expr.expression import Expr, constant, cos, sin
from biela.expr.graph import Graph
from biela.expr.matrix import Matrix, matrix, vector
from biela.expr.pattern import identity

ROUNDING = 1e-9  # of the numbers of a rotation matrix
AXES = {"x": 0, "y": 1, "z": 2}


class Rotation:
    """One edge of the tree of bases; made by `about`, `by_matrix` or `by_quaternion`."""

    __slots__ = ("_matrix", "angle", "axis", "graph", "spin")

    def __init__(
        self,
        graph: Graph,
        spin: Matrix,
        axis: int | None = None,
        angle: Expr | None = None,
        matrix: Matrix | None = None,
    ) -> None:
        self.graph = graph
        self.spin = spin
        self.axis = axis
        self.angle = angle
        self._matrix = matrix

    @property
    def matrix(self) -> Matrix:
        """Its matrix: old components from new ones."""
        if self._matrix is None:
            assert self.axis is not None
            assert self.angle is not None
            columns = [turn(self.axis, self.angle, column) for column in identity(self.graph, 3)]
            self._matrix = matrix([list(column) for column in columns]).T
        return self._matrix

    def down(self, v: Matrix) -> Matrix:
        """Components in the old base of a vector, or of the columns of a 3xn matrix."""
        if self.axis is None or self.angle is None:
            return self.matrix @ v
        return turn(self.axis, self.angle, v)

    def up(self, v: Matrix) -> Matrix:
        """Components in the new base."""
        if self.axis is None or self.angle is None:
            return self.matrix.T @ v
        return turn(self.axis, -self.angle, v)

    def tensor_down(self, tensor: Matrix) -> Matrix:
        """Components in the old base of a Cartesian tensor."""
        return self.down(self.down(tensor).T).T

    def inertia_down(self, tensor: Matrix) -> Matrix:
        """`tensor_down` of a symmetric tensor, symmetric node by node and with fewer operations."""
        if self.axis is None or self.angle is None:
            half = self.matrix @ tensor
            rows = [[half[i].dot(self.matrix[j]) if j >= i else 0 for j in range(3)] for i in range(3)]
            return symmetric(rows)
        return _turn_inertia(self.axis, self.angle, tensor)

    def keeps(self, v: Matrix) -> bool:
        """Whether components are the same on both sides: a vector along the axis, a tensor about it."""
        if self.axis is None:
            down = self.tensor_down(v) if v.shape == (3, 3) else self.down(v)
            return down == v
        i, j, k = self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3
        if v.shape == (3, 3):
            zero = all(_is_zero(v[place]) for place in ((i, j), (i, k), (j, i), (k, i)))
            return zero and v[j, j] == v[k, k] and _is_zero(v[j, k] + v[k, j])
        return _is_zero(v[j]) and _is_zero(v[k])


def about(graph: Graph, axis: Any, angle: Expr | float) -> Rotation:
    """The rotation by an angle about an axis: 'x', '-y' ... or a vector.

    Raises ValueError for an axis that is none.
    """
    turned = angle if isinstance(angle, Expr) else constant(graph, angle)
    if isinstance(axis, str):
        sign, name = (-1, axis[1:]) if axis[:1] == "-" else (1, axis)
        if name not in AXES:
            raise ValueError(f"Axis {axis!r}: expected x, y, z, -x, -y, -z or a vector of 3.")
        return _elementary(graph, AXES[name], sign * turned)
    k = unit(graph, axis)
    for i in range(3):
        if all(k[j].number == 0.0 for j in range(3) if j != i):
            return _elementary(graph, i, k[i] * turned)
    c, s = circle(turned)
    rodrigues = identity(graph, 3) * c + k.skew() * s + k.outer(k) * (1 - c)
    return Rotation(graph, k * turned.dt(), matrix=rodrigues)


def by_matrix(graph: Graph, rows: Any) -> Rotation:
    """The rotation whose matrix gives old components from new ones.

    Raises ValueError for another shape than 3x3, or numbers that are no rotation.
    """
    R = rows if isinstance(rows, Matrix) else matrix(rows, graph)
    if R.shape != (3, 3):
        raise ValueError(f"A rotation matrix is 3x3; got shape {R.shape}.")
    size = R.det().number
    squares = [entry.number for entry in (R.T @ R - identity(graph, 3)).reshape(9)]
    if size is not None and (size < 0.0 or any(square and abs(square) > ROUNDING for square in squares)):
        raise ValueError("The matrix is no rotation: its columns are not square, right-handed unit vectors.")
    W = R.T @ R.dt()
    return Rotation(graph, vector([W[2, 1], W[0, 2], W[1, 0]], graph), matrix=R)


def by_quaternion(graph: Graph, quaternion: Sequence[Expr]) -> Rotation:
    """The rotation of a unit quaternion (e0, e1, e2, e3), scalar first; its norm is left to a constraint."""
    if len(quaternion) != 4:
        raise ValueError(f"A quaternion has 4 components, scalar first; got {len(quaternion)}.")
    e0, e1, e2, e3 = quaternion
    R = matrix(
        [
            [1 - 2 * (e2 * e2 + e3 * e3), 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)],
            [2 * (e1 * e2 + e0 * e3), 1 - 2 * (e1 * e1 + e3 * e3), 2 * (e2 * e3 - e0 * e1)],
            [2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 1 - 2 * (e1 * e1 + e2 * e2)],
        ]
    )
    G = matrix([[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]])
    return Rotation(graph, G @ vector([e.dt() for e in quaternion]) * 2, matrix=R)


def unit(graph: Graph, axis: Any) -> Matrix:
    """An axis as a vector of length one; a symbolic axis is taken to have that length.

    Raises ValueError for a zero or non-finite axis, or one that has not three components.
    """
    k = axis if isinstance(axis, Matrix) else vector(axis, graph)
    if k.shape != (3,):
        raise ValueError(f"An axis has 3 components; got shape {k.shape}.")
    numbers = [entry.number for entry in k]
    if any(number is None for number in numbers):
        return k
    length = sqrt(sum(number * number for number in numbers if number is not None))
    if not 0.0 < length < float("inf"):
        raise ValueError(f"The axis {k} has no direction.")
    return k if isclose(length, 1.0, rel_tol=1e-15) else k / length


def turn(axis: int, angle: Expr, v: Matrix) -> Matrix:
    """A vector, or each column of a matrix with three rows, turned about a coordinate axis."""
    graph = v.graph
    c, s = (entry.ref for entry in circle(angle))
    j, k = (axis + 1) % 3, (axis + 2) % 3
    width = 1 if len(v.shape) == 1 else v.shape[1]
    refs = list(v.refs)
    for column in range(width):
        a, b = v.refs[j * width + column], v.refs[k * width + column]
        refs[j * width + column] = graph.add(graph.mul(c, a), -graph.mul(s, b))
        refs[k * width + column] = graph.add(graph.mul(s, a), graph.mul(c, b))
    return Matrix(graph, v.shape, tuple(refs))


def circle(angle: Expr) -> tuple[Expr, Expr]:
    """Cosine and sine; exact for constants that are quarter turns to rounding."""
    c, s = cos(angle), sin(angle)
    if angle.number is None:
        return c, s
    return tuple(constant(angle.graph, round(v)) if abs(v - round(v)) < 1e-15 else constant(angle.graph, v)
                 for v in (c.number or 0.0, s.number or 0.0))  # type: ignore[return-value]  # fmt: skip


def symmetric(rows: Any) -> Matrix:
    """A symmetric matrix from its upper triangle: both triangles the same nodes."""
    n = len(rows)
    return matrix([[rows[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)])


def _elementary(graph: Graph, axis: int, angle: Expr) -> Rotation:
    spin: list[Expr | float] = [0.0, 0.0, 0.0]
    spin[axis] = angle.dt()
    return Rotation(graph, vector(spin, graph), axis, angle)


def _turn_inertia(axis: int, angle: Expr, tensor: Matrix) -> Matrix:
    """R T Rt: with h = s (a - d) + 2 c b, [[a, b], [b, d]] becomes [[a - s h, c h - b], [., d + s h]]."""
    i, j, k = axis, (axis + 1) % 3, (axis + 2) % 3
    c, s = circle(angle)
    a, b, d, p, q = tensor[j, j], tensor[j, k], tensor[k, k], tensor[i, j], tensor[i, k]
    h = s * (a - d) + c * (b + b)
    rows: list[list[Any]] = [[0, 0, 0] for _ in range(3)]
    entries = {
        (i, i): tensor[i, i],
        (j, j): a - s * h,
        (k, k): d + s * h,
        (j, k): c * h - b,
        (i, j): c * p - s * q,
        (i, k): s * p + c * q,
    }
    for (m, n), entry in entries.items():
        rows[m][n] = rows[n][m] = entry
    return matrix(rows, tensor.graph)


def _is_zero(entry: Any) -> bool:
    """Whether an entry, or a row of them, is zero by the normal form."""
    refs: tuple[int, ...] = entry.refs if isinstance(entry, Matrix) else (entry.ref,)
    return all(abs(ref) == Graph.ZERO for ref in refs)
