"""The equations that keep points and unit vectors on one rigid body, none too many and none too few.

A base point and the vectors to the other points are the entities of a body; a *basis* of them carries
the rest. In space the scalar products of the basis stay constant (three for two vectors, six for three), and
what lies in its span is a fixed combination. In the plane one vector is enough, for it and the same
vector turned by a right angle carry everything, so that no equation leaves open on which side a point lies.

Unit vectors keep their length by an equation of their own, however many bodies share them: no body repeats
it. So a unit vector beyond the basis is only kept parallel to its place, by one equation in the plane
and two in space. What is given from outside, as fixed points are, goes first into the basis, where its
scalar products hold already.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix, vector
from biela.mechanics.entity import Entity
from biela.mechanics.natural_body import combined
from biela.mechanics.space import Space

TOLERANCE = 1e-9
ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class Carrier:
    """What carries a body: its base point and axes, the duals that find weights, and its equations."""

    base: Entity
    axes: tuple[Matrix, ...]
    duals: tuple[Matrix, ...]
    equations: tuple[Expr, ...]


def carrier(
    space: Space,
    where: str,
    entities: Sequence[Entity],
    normal: Matrix | None,
    numbers: Callable[[Matrix], np.ndarray],
) -> Carrier:
    """The carrier of entities, in the plane of a ``normal`` or in space; ``numbers`` gives default values.

    Raises ValueError for entities that cannot carry a body: no point, or all on one line in space.
    """
    order = sorted(entities, key=lambda e: (not e.is_given, e.is_point))
    base = next((e for e in order if e.is_point), None)
    if base is None:
        raise ValueError(f"{where}: at least one of its entities must be a point.")
    arms = [_Arm(e, base) for e in order if e is not base]
    basis, rest = _basis(arms, 3 if normal is None else 1, numbers)
    if not basis:
        raise ValueError(f"{where}: it needs a second point, away from '{base.name}', or a unit vector.")
    if normal is None and len(basis) == 1:
        raise ValueError(
            f"{where}: its entities lie on one line, so they do not tell how it turns. "
            "Add a point beside the line or a unit vector, or use bar() if that does not matter."
        )
    axes, duals = _frame(basis, normal)
    span = len(basis) if normal is None else 2
    equations = [*_products(basis), *_carried(space, rest, axes, duals, span, normal, numbers)]
    return Carrier(base, axes, duals, tuple(equations))


class _Arm:
    """A vector of a body: from the base point to another, or a unit vector."""

    def __init__(self, entity: Entity, base: Entity) -> None:
        self.entity = entity
        self.is_unit = not entity.is_point
        self.value = entity.value - base.value if entity.is_point else entity.value
        self.local = entity.local - base.local if entity.is_point else entity.local


def _basis(
    arms: Sequence[_Arm], size: int, numbers: Callable[[Matrix], np.ndarray]
) -> tuple[list[_Arm], list[_Arm]]:
    """The first arms that are independent, and the others."""
    basis: list[_Arm] = []
    kept: list[np.ndarray] = []
    rest: list[_Arm] = []
    for arm in arms:
        column = numbers(arm.local)
        length = float(np.linalg.norm(column))
        tried = [*kept, column / length] if length > 0.0 else kept
        independent = len(tried) > len(kept) and np.linalg.matrix_rank(np.array(tried), tol=TOLERANCE) == len(
            tried
        )
        if len(basis) < size and independent:
            basis.append(arm)
            kept = tried
        else:
            rest.append(arm)
    return basis, rest


def _frame(basis: Sequence[_Arm], normal: Matrix | None) -> tuple[tuple[Matrix, ...], tuple[Matrix, ...]]:
    """The axes, made full by a right angle or a vector product, and their duals."""
    values, locals_ = [arm.value for arm in basis], [arm.local for arm in basis]
    if normal is not None:
        across = normal.cross(locals_[0])
        return (values[0], normal.cross(values[0])), (_inverse(locals_[0]), _inverse(across))
    if len(basis) == 2:
        values.append(values[0].cross(values[1]))
        locals_.append(locals_[0].cross(locals_[1]))
    a, b, c = locals_
    volume = a.dot(b.cross(c))
    return tuple(values), (b.cross(c) / volume, c.cross(a) / volume, a.cross(b) / volume)


def _inverse(v: Matrix) -> Matrix:
    """The vector along ``v`` whose product with it is one."""
    nonzero = [entry for entry in v if entry.number != 0.0]
    if len(nonzero) == 1:  # short: 1/L, where v/(v.v) would be L/(L*L)
        return vector([0.0 if entry.number == 0.0 else 1 / entry for entry in v], v.graph)
    return v / v.dot(v)


def _products(basis: Sequence[_Arm]) -> list[Expr]:
    """Constant scalar products, without the squares of unit vectors."""
    equations: list[Expr] = []
    for i, a in enumerate(basis):
        if not a.is_unit:
            equations.append(a.value.dot(a.value) - a.local.dot(a.local))
        equations += [a.value.dot(b.value) - a.local.dot(b.local) for b in basis[i + 1 :]]
    return equations


def _carried(
    space: Space,
    rest: Sequence[_Arm],
    axes: tuple[Matrix, ...],
    duals: tuple[Matrix, ...],
    span: int,
    normal: Matrix | None,
    numbers: Callable[[Matrix], np.ndarray],
) -> list[Expr]:
    """What lies beyond the basis, but in its span, stays where the basis carries it."""

    def carried(local: Matrix, count: int = 3) -> Matrix:
        weights = [_cleaned(dual.dot(local)) for dual in duals[:count]]
        return combined(space, weights, axes[: len(weights)])

    equations: list[Expr] = []
    for arm in rest:
        if not arm.is_unit or arm.entity.is_given:
            equations += list(arm.value - carried(arm.local, span))
        elif normal is not None:
            equations.append(arm.value.dot(normal.cross(carried(arm.local))))
        else:
            one = arm.local.cross(_farthest_axis(arm.local, numbers))
            equations += [arm.value.dot(carried(p)) for p in (one, arm.local.cross(one))]
    return [e for e in equations if e.number != 0.0]


def _cleaned(weight: Expr) -> Expr:
    """A weight, without what rounding leaves of zero."""
    number = weight.number
    return weight * 0.0 if number is not None and abs(number) < ROUNDING else weight


def _farthest_axis(local: Matrix, numbers: Callable[[Matrix], np.ndarray]) -> Matrix:
    """The coordinate direction least along a vector."""
    row = [0.0, 0.0, 0.0]
    row[int(np.argmin(np.abs(numbers(local))))] = 1.0
    return vector(row, local.graph)
