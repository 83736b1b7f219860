"""Contacts: two bodies whose surfaces touch in one point, wherever that point happens to be.

When two surfaces touch, their four parameters are coordinates without inertia, and five equations hold
(Plaza, 2015, eqs A.3 to A.6): the two places coincide, and the normal of one surface is square to both
tangents of the other. So a contact takes one degree of freedom, the motion along the common normal. An
edge has one parameter and one tangent less; two edges that cross have three equations and no condition on
tangents.

The multipliers of the first three equations are the contact force, which lies along the normal; those of
the others are zero. The equations are independent where the surfaces are curved with respect to each
other: a cylinder on a plane touches along a line, on which no point is singled out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from biela.expr.expression import Expr
from biela.mechanics.condition import Action, Condition, Meet, Square
from biela.mechanics.kinematics import angular_velocity, position, velocity
from biela.mechanics.space import Base, Point, Space
from biela.mechanics.surface import Surface
from biela.mechanics.vector import Vector


@dataclass(frozen=True, eq=False)
class Contact:
    """Two surfaces that touch; made by `System.contact`."""

    name: str
    one: Surface
    other: Surface
    coordinates: tuple[Expr, ...]
    places: tuple[Point, Point]  # on either surface; they coincide when the contact holds

    def __repr__(self) -> str:
        return f"<Contact {self.name}: {self.one.body.name} on {self.other.body.name}>"

    @property
    def point(self) -> Point:
        """The place on the first surface."""
        return self.places[0]

    @property
    def ends(self) -> tuple[Point, Point]:
        """The place on the second surface, then that on the first, whose body feels the contact force."""
        return self.places[1], self.places[0]

    @property
    def parameters(self) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        """The coordinates of the first surface and those of the second."""
        split = len(self.one.parameters)
        return self.coordinates[:split], self.coordinates[split:]

    @cached_property
    def frame(self) -> tuple[Vector, Vector, Vector]:
        """Two tangents and the outward normal of the second surface (of the first, if that is an edge).

        They have length one and are square to each other. Between two edges, the first tangent is that of
        the first edge and the normal is square to both.
        """
        mine, his = self.parameters
        if len(his) == 2 or len(mine) == 2:
            surface, own = (self.other, his) if len(his) == 2 else (self.one, mine)
            first, normal = surface.tangents(own)[0], surface.normal(own)
        else:
            first = self.one.tangents(mine)[0]
            normal = first.cross(self.other.tangents(his)[0])
        e, n = first / first.norm(), normal / normal.norm()
        return e, n.cross(e), n

    def demands(self) -> list[Condition]:
        """The two places coincide; the normal of one surface is square to the tangents of the other."""
        space, (mine, his) = self.one.base.space, self.parameters
        found: list[Condition] = [Meet(space, self.places[1], self.places[0])]
        if len(his) == 2:
            bases, normal = (self.other.base, self.one.base), self.other.normal(his)
            tangents = self.one.tangents(mine)
        elif len(mine) == 2:
            bases, normal = (self.one.base, self.other.base), self.one.normal(mine)
            tangents = self.other.tangents(his)
        else:
            return found
        return found + [Square(space, bases, normal.at(bases[0]), t.at(bases[1])) for t in tangents]

    def slip(self) -> tuple[Expr, Expr]:
        """How fast the first body slides over the second, along the two tangents of `frame`."""
        e1, e2, _ = self.frame
        base = self.other.base
        v = (self._carried(self.one) - self._carried(self.other)).at(base)
        return v.dot(e1.at(base)), v.dot(e2.at(base))

    def _carried(self, surface: Surface) -> Vector:
        """The velocity of that place of a body which is at the contact at the moment."""
        body, place = surface.body, self.places[surface is self.other]
        space = body.space
        arm = position(space, body.origin, place)
        spin = angular_velocity(space, space.root, surface.base)
        if surface.base is not body.base:
            spin = spin + _lowered(space, surface.base, body.base)
        return velocity(space, body.origin, space.root, space.origin) + spin.cross(arm)


@dataclass(frozen=True, eq=False)
class Rolling(Condition):
    """The first surface does not slip on the second."""

    contact: Contact

    def equations(self) -> list[Expr]:
        """The speeds along both tangents."""
        return list(self.contact.slip())

    def actions(self) -> list[Action]:
        """A force along each tangent."""
        first, second, _ = self.contact.frame
        nothing = Vector(self.contact.one.body.space, {})
        return [Action(tangent, nothing) for tangent in (first, second)]


def touching(name: str, one: Surface, other: Surface, coordinates: Sequence[Expr]) -> Contact:
    """The contact of two surfaces at given parameters, with the points there."""
    space, split = one.base.space, len(one.parameters)
    places: list[Point] = []
    for k, (surface, us) in enumerate(((one, coordinates[:split]), (other, coordinates[split:])), 1):
        place = Point(space, f"{name}.{k}")
        place.parent, place.base, place.r = surface.origin, surface.base, surface.components(us)
        places.append(place)
    return Contact(name, one, other, tuple(coordinates), (places[0], places[1]))


def _lowered(space: Space, low: Base, high: Base) -> Vector:
    """The angular velocity between two bases, as near to the root as its components stay the same."""
    with space.using("extended"):
        return angular_velocity(space, low, high)
