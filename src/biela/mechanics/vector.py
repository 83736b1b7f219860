"""Vectors, Cartesian tensors and Jacobians that know their bases.

A value has one part for each base it is given in. Under the rules ``up`` and ``down`` of the space every
sum is brought to one base at once; under ``extended`` a sum only files its operands under their bases,
and a product multiplies every pair of parts in the base of one of them (Plaza, 2015, section 5.3).
There, before it is filed, a part moves down toward the root while its components stay exactly the same
(section 5.7): the angular velocity of a planar mechanism ends up in the root. Exactly means that the
part itself is invariant; a first moment, which is not, stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from biela.expr.expression import Expr, constant, sqrt
from biela.expr.matrix import Matrix, matrix
from biela.expr.pattern import zeros
from biela.mechanics.inertia import spherical
from biela.mechanics.space import Base, Space, is_zero

Parts = Mapping[Base, Matrix]


class _Parts:
    """Parts by base, and what vectors and tensors do alike."""

    __slots__ = ("parts", "space")
    shape: tuple[int, ...] = ()

    def __init__(self, space: Space, parts: Parts) -> None:
        self.space = space
        self.parts = dict(_lowered(parts) if space.rule == "extended" else _collapsed(self, space, parts))

    @property
    def base(self) -> Base:
        """The base of a value given in one base only; the root when it is zero.

        Raises ValueError for an extended value, which has no single base.
        """
        if len(self.parts) > 1:
            names = ", ".join(base.name for base in self.parts)
            raise ValueError(f"This value has parts in {names}: say in which base, with at(base).")
        return next(iter(self.parts), self.space.root)

    @property
    def components(self) -> Matrix:
        """The components in `base`."""
        return self.at(self.base)

    def at(self, base: Base) -> Matrix:
        """The components in one base, parts combined from the far end inwards."""
        raise NotImplementedError

    def _like(self, parts: Parts) -> Any:
        return type(self)(self.space, parts)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._sum(other, 1)

    def __sub__(self, other: Any) -> Any:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._sum(other, -1)

    def _sum(self, other: _Parts, sign: int) -> Any:
        if self.space is not other.space:
            raise ValueError("The two values belong to different systems.")
        right = {base: part if sign > 0 else -part for base, part in other.parts.items()}
        if self.space.rule != "extended" and self.parts and right:
            one, two = self._like(self.parts), self._like(right)
            target = self.space.meeting(one.base, two.base)
            return self._like({target: one.at(target) + two.at(target)})
        parts = dict(self.parts)
        for base, part in right.items():
            parts[base] = parts[base] + part if base in parts else part
        return self._like(parts)

    def __neg__(self) -> Any:
        return self._like({base: -part for base, part in self.parts.items()})

    def __mul__(self, factor: Expr | float) -> Any:
        return self._like({base: part * factor for base, part in self.parts.items()})

    __rmul__ = __mul__

    def __truediv__(self, divisor: Expr | float) -> Any:
        return self._like({base: part / divisor for base, part in self.parts.items()})

    def map(self, function: Callable[[Matrix], Matrix]) -> Any:
        """The same function of the components of every part."""
        return self._like({base: function(part) for base, part in self.parts.items()})

    def diff(self, symbol: Expr) -> Any:
        """The derivative of the components of every part, each in its base."""
        return self.map(lambda part: part.diff(symbol))

    def __repr__(self) -> str:
        shown = [f"{part} in {base.name}" for base, part in self.parts.items()]
        return f"<{type(self).__name__} {' + '.join(shown) or 'zero'}>"


class Vector(_Parts):
    """A vector of ordinary space, made by `System.vector` or by an operator of kinematics."""

    __slots__ = ()
    shape = (3,)

    def at(self, base: Base) -> Matrix:
        """The components in a base."""
        return _at(self, base, self.space.project)

    def dot(self, other: Vector) -> Expr:
        """The scalar product."""
        total = constant(self.space.graph, 0.0)
        for target, a, b in _pairs(self, other):
            total = total + self.space.project(a[1], a[0], target).dot(self.space.project(b[1], b[0], target))
        return total

    def cross(self, other: Vector) -> Vector:
        """The vector product."""
        return _product(self, other, lambda a, b: a.cross(b), Vector)

    def skew(self) -> Tensor:
        """The tensor S for which ``S @ v`` is ``self.cross(v)``."""
        return Tensor(self.space, {base: part.skew() for base, part in self.parts.items()})

    def dt(self, base: Base | None = None, accelerations: bool = True) -> Vector:
        """The time derivative seen from a base, the ground unless given.

        Without ``accelerations`` it is the part that is left when all second derivatives are zero.
        """
        from biela.mechanics.kinematics import angular_velocity

        seen = base or self.space.root
        total = Vector(self.space, {})
        for own, part in self.parts.items():
            alone = Vector(self.space, {own: part})
            rate = Vector(self.space, {own: self.space.rate(part, accelerations)})
            total = total + rate + angular_velocity(self.space, seen, own).cross(alone)
        return total

    def norm(self) -> Expr:
        """The length."""
        return self.components.norm() if len(self.parts) <= 1 else sqrt(self.dot(self))


class Tensor(_Parts):
    """A Cartesian tensor of second order: its change of base is two-sided."""

    __slots__ = ()
    shape = (3, 3)

    def at(self, base: Base) -> Matrix:
        """The components in a base."""
        return _at(self, base, self.space.project_tensor)

    @property
    def T(self) -> Tensor:  # noqa: N802 - NumPy's name
        """The transpose."""
        return self.map(lambda part: part.T)

    def __matmul__(self, other: Vector | Tensor) -> Any:
        if not isinstance(other, (Vector, Tensor)):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        factor = _spherical(self)
        if factor is not None:
            return other * factor
        return _product(self, other, lambda a, b: a @ b, type(other))


class Jacobian:
    """Three rows and a column for each speed: the partial velocities of a point or a base.

    A change of base multiplies from the left only.
    """

    __slots__ = ("columns", "space")

    def __init__(self, space: Space, columns: Iterable[Vector]) -> None:
        self.space = space
        self.columns = tuple(columns)

    @classmethod
    def of(cls, velocity: Vector, speeds: Sequence[Expr]) -> Jacobian:
        """The derivatives of a velocity by speeds: no base moves with a speed, so none contributes."""
        return cls(velocity.space, [velocity.diff(speed) for speed in speeds])

    def at(self, base: Base) -> Matrix:
        """The 3xn matrix in a base."""
        return matrix([list(column.at(base)) for column in self.columns], self.space.graph).T

    def __repr__(self) -> str:
        return f"<Jacobian 3x{len(self.columns)}>"


def _at(value: _Parts, base: Base, project: Callable[[Matrix, Base, Base], Matrix]) -> Matrix:
    """All parts in one base. Parts of one path are nested, so that no rotation is applied twice."""
    low = {own: value.space.common(own, base) for own in value.parts}
    rest = dict(value.parts)
    total: Matrix | None = None
    order = sorted(rest, key=lambda own: (low[own] is base, len(own.path)), reverse=True)
    for own in order:  # from the far ends down, each joining the next part on its path
        part = rest.pop(own)
        inner = [b for b in rest if b is not base and b in own.path and len(b.path) >= len(low[own].path)]
        if inner:
            nearest = max(inner, key=lambda b: len(b.path))
            rest[nearest] = rest[nearest] + project(part, own, nearest)
        else:
            moved = project(part, own, base)
            total = moved if total is None else total + moved
    return zeros(value.space.graph, value.shape) if total is None else total


def _collapsed(value: _Parts, space: Space, parts: Parts) -> Parts:
    """Parts without zeros; several are brought to one base by the rule in force."""
    kept = {base: part for base, part in parts.items() if not is_zero(part)}
    if len(kept) < 2:
        return kept
    project = space.project_tensor if value.shape == (3, 3) else space.project
    order = sorted(kept, key=lambda base: len(base.path), reverse=space.rule == "down")
    here = order[0]
    total = kept[here]
    for base in order[1:]:
        target = space.meeting(here, base)
        total, here = project(total, here, target) + project(kept[base], base, target), target
    return {} if is_zero(total) else {here: total}


def _lowered(parts: Parts) -> Parts:
    result: dict[Base, Matrix] = {}
    for base, part in parts.items():
        if is_zero(part):
            continue
        while base.parent is not None and base.edge().keeps(part):
            base = base.parent
        result[base] = result[base] + part if base in result else part
    return {base: part for base, part in result.items() if not is_zero(part)}


def _pairs(a: _Parts, b: _Parts) -> Iterable[tuple[Base, tuple[Base, Matrix], tuple[Base, Matrix]]]:
    if a.space is not b.space:
        raise ValueError("The two values belong to different systems.")
    for i, x in a.parts.items():
        for j, y in b.parts.items():
            yield a.space.meeting(i, j), (i, x), (j, y)


def _product(a: _Parts, b: _Parts, combine: Callable[[Matrix, Matrix], Matrix], kind: type[Any]) -> Any:
    space, parts = a.space, cast(dict[Base, Matrix], {})
    for target, (i, x), (j, y) in _pairs(a, b):
        value = combine(_moved(a, x, i, target), _moved(b, y, j, target))
        parts[target] = parts[target] + value if target in parts else value
    return kind(space, parts)


def _moved(value: _Parts, part: Matrix, source: Base, target: Base) -> Matrix:
    space = value.space
    project = space.project_tensor if value.shape == (3, 3) else space.project
    return project(part, source, target)


def _spherical(tensor: Tensor) -> Expr | None:
    """The factor of a tensor that is a multiple of the identity in one base, hence in all; else None."""
    return spherical(next(iter(tensor.parts.values()))) if len(tensor.parts) == 1 else None


def triple_cross(u: Vector, v: Vector, w: Vector) -> Vector:
    """u x (v x w) as v (u . w) - w (u . v), which changes the base of no column."""
    return v * u.dot(w) - w * u.dot(v)
