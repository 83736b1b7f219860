"""Rigid bodies: a frame, a mass, a mass centre and an inertia tensor about any point.

What the equations need is kept about one *reference* point: the mass centre when the inertia is given
about it, so that no transfer is computed, else the body's origin with the first moment m r.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix, matrix, vector
from biela.mechanics.rotation import symmetric
from biela.mechanics.space import Base, Point, Space, is_zero


@dataclass(frozen=True, eq=False, repr=False)
class Body:
    """A rigid body of a `System`; made by `System.body`."""

    name: str
    base: Base
    origin: Point
    mass: Expr
    reference: Point
    first_moment: Matrix  # about the reference, in the base
    inertia: Matrix  # about the reference, in the base
    com: Point

    def __repr__(self) -> str:
        return f"<Body {self.name}>"

    @property
    def space(self) -> Space:
        """The space it lives in."""
        return self.base.space

    @property
    def has_inertia(self) -> bool:
        """Whether it contributes to the equations of motion."""
        return self.mass.number != 0.0 or not is_zero(self.first_moment) or not is_zero(self.inertia)

    def point(self, r: Any, name: str = "") -> Point:
        """A point fixed on the body, at ``r`` from its origin by components in its base.

        The same place is the same point.
        """
        return fixed_point(self.origin, self.base, r, name)


def fixed_point(origin: Point, base: Base, r: Any, name: str = "") -> Point:
    """The point at ``r`` (components in ``base``) from ``origin``: the origin itself for zero."""
    space = origin.space
    components = r if isinstance(r, Matrix) else vector(r, space.graph)
    if components.shape != (3,):
        raise ValueError(f"A place on '{origin.name}' has 3 components; got shape {components.shape}.")
    if is_zero(components) and not name:
        return origin
    point = Point(space, name or f"{origin.name}{[str(entry) for entry in components]}".replace("'", ""))
    point.parent, point.base, point.r = origin, base, components
    return point


def inertia_matrix(space: Space, value: Any, where: str) -> Matrix:
    """A symmetric 3x3 tensor from rows, from three principal moments, or from (xx, yy, zz, xy, xz, yz).

    Raises ValueError for another form or a tensor that is not symmetric.
    """
    given = value if isinstance(value, Matrix) else matrix(value, space.graph)
    if given.shape == (3,):
        xx, yy, zz = given
        return symmetric([[xx, 0, 0], [0, yy, 0], [0, 0, zz]]) if _any_expression(given) else _numbers(given)
    if given.shape == (6,):
        xx, yy, zz, xy, xz, yz = given
        return symmetric([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if given.shape != (3, 3):
        raise ValueError(
            f"{where}: inertia is a 3x3 tensor, three principal moments, or (xx, yy, zz, xy, xz, yz); "
            f"got shape {given.shape}."
        )
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if given[i, j] != given[j, i]:
            raise ValueError(
                f"{where}: the inertia tensor is not symmetric: entry ({i}, {j}) is '{given[i, j]}', "
                f"({j}, {i}) is '{given[j, i]}'."
            )
    return given


def _any_expression(given: Matrix) -> bool:
    return any(entry.number is None for entry in given)


def _numbers(given: Matrix) -> Matrix:
    xx, yy, zz = given
    return matrix([[xx, 0, 0], [0, yy, 0], [0, 0, zz]], given.graph)
