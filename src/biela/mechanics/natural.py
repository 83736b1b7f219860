"""Natural coordinates: mechanisms described by points and unit vectors that bodies share.

The coordinates are the components of points at the joints and of unit vectors along their axes (Garcia de
Jalon and Bayo, 1994). A body keeps constant the scalar products of the entities it is made of
(`biela.mechanics.rigidity`) and spreads its inertia on them (`biela.mechanics.natural_body`). Joints are
shared entities: in the plane bodies that share a point turn about it, in space a shared point is a ball, and
with a shared unit vector a hinge. Angles and distances are added as coordinates, with an equation each.

The angle z of a vector a about an axis, from a reference b, has the cosine C = b.a and the sine
S = (b x a).axis, both scaled by the lengths. C - cos z = 0 is singular where the sine vanishes, and so is
S - sin z = 0 where the cosine does: programs switch between the two. The equation here is
S cos z - C sin z = 0. Its slope by z is minus the length at every angle, it is smooth, and its only other
solution lies half a turn away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from biela.expr.expression import Expr, cos, sin
from biela.expr.matrix import Matrix, matrix, vector
from biela.expr.pattern import identity
from biela.mechanics.body import inertia_matrix
from biela.mechanics.entity import ROUNDING, Entities, Entity
from biela.mechanics.inertia import shifted
from biela.mechanics.natural_body import NaturalBody, between_ends, combined, in_a_plane, in_space, on_a_line
from biela.mechanics.rigidity import Carrier, carrier
from biela.mechanics.rotation import unit
from biela.mechanics.space import Base
from biela.mechanics.symbols import check_unused, named
from biela.mechanics.vector import Vector


class Natural(Entities):
    """Natural coordinates of a system, in a plane ('xy', 'zx' ...) or in space.

    >>> from biela.mechanics.system import System
    >>> s = System("pendulum")
    >>> n = Natural(s, plane="xy")
    >>> O, A = n.fixed("O", [0, 0]), n.point("A", [0, -2])
    >>> rod = n.bar("rod", O, A, mass=1.0)
    >>> s.gravity([0, -9.81, 0])
    >>> s.model()
    <Model pendulum: 2 coordinates, 1 constraint equation, 1 degree of freedom>

    Points are ordinary points of the system, and directions ordinary vectors: springs, forces, loops
    and drawings take them, and bodies placed by joints may stand beside.

    Raises ValueError for a plane that is none.
    """

    # bodies

    def bar(
        self,
        name: str,
        a: Any,
        b: Any,
        length: Any = None,
        mass: Any = 0.0,
        com: Any = None,
        inertia: Any = None,
    ) -> NaturalBody:
        """A straight bar between two points; its length is their distance at the start unless given.

        ``com`` is the distance of the mass centre from the first point, half the length unless given, and
        ``inertia`` the moment about it and across the bar, that of a thin uniform bar unless given.

        Raises ValueError for a name in use, or ends that are not two points apart.
        """
        where, graph, space = f"Bar '{name}'", self.system.graph, self.system.space
        self._unused(name)
        ends = [self._entity(value, where) for value in (a, b)]
        if not all(end.is_point for end in ends):
            raise ValueError(f"{where}: both ends are points; got a vector.")
        axis = ends[1].value - ends[0].value
        L, m = self._length(axis, where) if length is None else self._scalar(length), self._scalar(mass)
        self._demand(name, [axis.dot(axis) - L * L])
        com, inertia = (None if v is None else self._scalar(v) for v in (com, inertia))
        center = L / 2 if com is None else com
        about_a = (m * L * L / 12 if inertia is None else inertia) + m * center * center
        return self._kept(
            NaturalBody(
                name,
                space,
                "x",
                space.zero(),
                ends[0].value,
                (axis,),
                (vector([1 / L, 0.0, 0.0], graph),),
                self._base(name, [axis * (1 / L)]) if self.plane else None,
                m,
                vector([m * center, 0.0, 0.0], graph),
                matrix([[0.0, 0.0, 0.0], [0.0, about_a, 0.0], [0.0, 0.0, about_a]], graph),
                on_a_line(L),
                (ends[0].value, ends[1].value),
                between_ends(m, L, com, inertia),
            )
        )

    def body(
        self,
        name: str,
        entities: Mapping[Any, Any] | Sequence[Any],
        mass: Any = 0.0,
        com: Any = None,
        inertia: Any = None,
        about: str = "com",
    ) -> NaturalBody:
        """A rigid body that carries points and unit vectors, given with their places in its frame.

        Without places, its frame is the one that lies in the ground at the start, where its entities stand
        then. ``com`` and ``inertia`` are as for `System.body`; in a plane the inertia is one moment.

        Raises ValueError for a name in use, for entities that cannot carry a body, and for mass without
        a mass centre.
        """
        where, space = f"Body '{name}'", self.system.space
        self._unused(name)
        held = carrier(space, where, self._described(entities, where), self._normal, self._numbers)
        m, first, tensor = self._inertia(held.base.local, mass, com, inertia, about, where)
        recipe = in_space(held.duals) if self._normal is None else in_a_plane(held.duals, self._normal)
        spread = recipe(m, first, tensor)
        origin, entities_ = held.base.value, (held.base.value, *held.axes)
        self._demand(name, held.equations)
        return self._kept(
            NaturalBody(
                name, space, self._letters, held.base.local, origin, held.axes, held.duals,
                self._base(name, self._columns(held)), m, first, tensor, recipe, entities_, spread,
            )
        )  # fmt: skip

    # relations

    def combination(self, name: str, point: Any, weights: Mapping[Any, Any]) -> None:
        """A point is a fixed combination of points and vectors: on a bar's line, in a body's plane."""
        parts = [self._entity(value, name).value for value in weights]
        factors = [self._scalar(weight) for weight in weights.values()]
        total = combined(self.system.space, factors, parts)
        self._demand(name, list(self._entity(point, name).value - total))

    def keep(self, name: str, a: Any, b: Any, value: Any = None) -> None:
        """Two vectors, or lines between pairs of points, keep their scalar product: that of the start.

        Two unit vectors with ``value=0.0`` and a shared point make a universal joint.
        """
        product = self._line(a, name).dot(self._line(b, name))
        self._demand(name, [product - (self._number(product) if value is None else value)])

    def distance(self, name: str, a: Any, b: Any) -> Expr:
        """The distance of two points as a coordinate, which must not become zero; see `slide`."""
        between = self._line((a, b), name)
        d = self.system.coordinate(name, float(np.linalg.norm(self._numbers(between))), unit="m")
        self._demand(name, [between.dot(between) - d * d])
        return d

    def slide(self, name: str, start: Any, along: Any, point: Any) -> Expr:
        """A point slides on the line through another along a unit vector: its place there is a coordinate.

        It has a sign and may be zero. ``along`` may also be a pair of points of one body. With a shared unit
        vector this is a cylindrical joint, with a second one a prismatic joint.
        """
        line = self._line(along, name)
        if not isinstance(along, Vector):
            line = line * (1 / self._length(line, name))
        gap = self._line((start, point), name)
        s = self.system.coordinate(name, float(self._numbers(gap) @ self._numbers(line)), unit="m")
        self._demand(name, list(gap - line * s))
        return s

    def angle(self, name: str, of: Any, start: Any = None, about: Vector | None = None) -> Expr:
        """The angle from one vector to another as a coordinate; a pair of points stands for the line between.

        In a plane it is counted from the first axis of the plane unless ``start`` is given. In space it
        turns about a unit vector, which must not become parallel to the others. It starts between -pi and pi.

        Raises ValueError in space without ``start`` and ``about``, and for a vector along the axis.
        """
        where = f"Angle '{name}'"
        if self._normal is None and (start is None or about is None):
            raise ValueError(f"{where}: in space, say from which vector it starts and about which it turns.")
        axis = self._normal if about is None else about.at(self.system.space.root)
        assert axis is not None
        one = self._first if start is None else self._line(start, where)
        other = self._line(of, where)
        sine, cosine = one.cross(other).dot(axis), one.dot(other)
        if self._normal is None:
            cosine = cosine - one.dot(axis) * other.dot(axis)
        S, C = self._number(sine), self._number(cosine)
        if np.hypot(S, C) < ROUNDING:
            raise ValueError(f"{where}: a vector is zero or along the axis at the start, so it has no angle.")
        z = self.system.coordinate(name, float(np.arctan2(S, C)), unit="rad")
        self._demand(name, [sine * cos(z) - cosine * sin(z)])
        return z

    # parts of bodies

    def _described(self, entities: Mapping[Any, Any] | Sequence[Any], where: str) -> list[Entity]:
        graph = self.system.graph
        if not isinstance(entities, Mapping):
            found = [self._entity(value, where) for value in entities]
            return [Entity(e.name, e.is_point, e.is_given, e.value, self._at_start(e.value)) for e in found]
        described: list[Entity] = []
        for value, place in entities.items():
            e = self._entity(value, where)
            local = self._components(place, f"{where}, place of {e.name}")
            local = local if e.is_point else unit(graph, local)
            described.append(Entity(e.name, e.is_point, e.is_given, e.value, local))
        return described

    def _inertia(
        self, place: Matrix, mass: Any, com: Any, inertia: Any, about: str, where: str
    ) -> tuple[Expr, Matrix, Matrix]:
        """Mass, first moment and inertia about the place of the base point."""
        space = self.system.space
        if about not in ("com", "origin"):
            raise ValueError(f"{where}: about={about!r}; expected 'com' or 'origin'.")
        m = self._scalar(mass)
        if com is None and m.number != 0.0:
            raise ValueError(f"{where}: it has mass. Say where in its frame the mass centre is, com=[...].")
        center = space.zero() if com is None else self._components(com, where)
        arm = center - place
        if self._normal is None:
            tensor = inertia_matrix(space, [[0.0] * 3] * 3 if inertia is None else inertia, where)
            if about == "com":
                return m, arm * m, shifted(tensor, m, space.zero(), arm)
            return m, arm * m, shifted(tensor, m, center * m, -place)
        moment = self._scalar(0.0 if inertia is None else inertia)
        if about == "origin":
            moment = moment - m * center.dot(center)
        if self._number(moment) < 0.0:
            raise ValueError(f"{where}: its moment of inertia about the mass centre is negative.")
        return m, arm * m, self._normal.outer(self._normal) * (moment + m * arm.dot(arm))

    def _columns(self, held: Carrier) -> list[Matrix]:
        """The directions of the body's frame, by components in the ground."""
        return [
            combined(self.system.space, [dual.dot(row) for dual in held.duals], held.axes)
            for row in identity(self.system.graph, 3)
        ]

    def _base(self, name: str, columns: Sequence[Matrix]) -> Base:
        """A base that turns with the body; in a plane its first two columns or one are enough."""
        normal = self._normal
        if normal is not None and len(columns) == 1:
            across = normal.cross(columns[0])
            columns = [columns[0], across, normal]
        elif normal is not None:
            columns = [c + normal * n for c, n in zip(columns, normal, strict=True)]
        return self.system.base(name, matrix=matrix([list(c) for c in columns], self.system.graph).T)

    def _kept(self, body: NaturalBody) -> NaturalBody:
        self.system.natural_bodies[body.name] = body
        return body

    def _unused(self, name: str) -> None:
        taken = {**self.system.bodies, **self.system.natural_bodies}
        check_unused(self.system, "body", named(name, "Body"), taken)
