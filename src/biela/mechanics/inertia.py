"""Inertia tensors of simple homogeneous bodies about their mass centres, and their transfer to other points.

Each takes a mass and sizes, numbers or expressions, and returns the rows of a 3x3 tensor for
`System.body`. ``axis`` is the direction of symmetry in the body's base.
"""

from __future__ import annotations

from typing import Any

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix
from biela.mechanics.rotation import AXES, symmetric

Scalar = Any  # an Expr or a number
Rows = list[list[Scalar]]


def rod(mass: Scalar, length: Scalar, axis: str = "x") -> Rows:
    """A thin straight rod.

    >>> rod(12.0, 1.0)
    [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    across = mass * length * length / 12.0
    return _axial(0.0, across, axis)


def disc(mass: Scalar, radius: Scalar, axis: str = "z") -> Rows:
    """A thin round disc."""
    across = mass * radius * radius / 4.0
    return _axial(2.0 * across, across, axis)


def cylinder(mass: Scalar, radius: Scalar, length: Scalar, axis: str = "z") -> Rows:
    """A solid round cylinder."""
    along = mass * radius * radius / 2.0
    return _axial(along, along / 2.0 + mass * length * length / 12.0, axis)


def tube(mass: Scalar, outer: Scalar, inner: Scalar, length: Scalar, axis: str = "z") -> Rows:
    """A hollow cylinder of outer and inner radius."""
    along = mass * (outer * outer + inner * inner) / 2.0
    return _axial(along, along / 2.0 + mass * length * length / 12.0, axis)


def box(mass: Scalar, x: Scalar, y: Scalar, z: Scalar) -> Rows:
    """A solid box of the given edges."""
    xx, yy, zz = (mass * edge * edge / 12.0 for edge in (x, y, z))
    return _diagonal(yy + zz, xx + zz, xx + yy)


def ball(mass: Scalar, radius: Scalar) -> Rows:
    """A solid sphere."""
    moment = 0.4 * mass * radius * radius
    return _diagonal(moment, moment, moment)


def spherical(tensor: Matrix) -> Expr | None:
    """The factor of a tensor that is a multiple of the identity; else None."""
    off = [tensor[i, j].number for i in range(3) for j in range(3) if i != j]
    same = tensor[0, 0] == tensor[1, 1] and tensor[1, 1] == tensor[2, 2]
    return tensor[0, 0] if same and all(number == 0.0 for number in off) else None


def shifted(inertia: Matrix, mass: Any, first_moment: Matrix, r: Matrix) -> Matrix:
    """The tensor about a point, from that about another that stands at ``r`` from it.

    ``first_moment`` is that about the other point. Grouped so that its terms are also those of the
    moment about the new point of a turning body (see `biela.mechanics.formalism.direct`).
    """
    S = first_moment
    after = S + r * mass
    rows: Rows = [[inertia[i, j] for j in range(3)] for i in range(3)]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        total = rows[i][i] + r[j] * S[j] + r[k] * S[k]
        rows[i][i] = total + r[j] * after[j] + r[k] * after[k]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        rows[i][j] = rows[i][j] - r[i] * S[j] - r[j] * after[i]
    return symmetric(rows)


def _axial(along: Scalar, across: Scalar, axis: str) -> Rows:
    if axis not in AXES:
        raise ValueError(f"Axis {axis!r}: expected x, y or z.")
    moments = [across, across, across]
    moments[AXES[axis]] = along
    return _diagonal(*moments)


def _diagonal(xx: Scalar, yy: Scalar, zz: Scalar) -> Rows:
    return [[xx, 0.0, 0.0], [0.0, yy, 0.0], [0.0, 0.0, zz]]
