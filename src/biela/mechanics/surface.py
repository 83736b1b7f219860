"""Surfaces and edges of bodies: places, tangents and normals as functions of parameters.

Those that engineers name are here: surfaces of revolution (wheels, balls), extrusions (rails, planes),
circles and straight edges. Profiles are numbers, expressions or functions, such as a cubic spline:

    profile = lambda y: bl.spline(y, knots, heights)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from biela.expr.expression import Expr, constant, cos, sin
from biela.expr.matrix import Matrix, vector
from biela.mechanics.body import Body, fixed_point
from biela.mechanics.joint import direction
from biela.mechanics.space import Base, Point, Space
from biela.mechanics.vector import Vector

ANGLES = ("angle", "latitude")  # parameters in radians; the others are lengths
Profile = Callable[[Expr], Any]


@dataclass(frozen=True, eq=False)
class Surface:
    """A surface of a body: ``place`` gives three components in ``base`` from the parameters it names.

    The product of its two tangents, in their order, points out of the body. Parameters are two, or one for
    an edge. ``base`` need not be the body's: a surface of revolution is the same in a base that does not
    turn about its axis with the body, and costs less there. ``directions`` may give the tangents and, for
    a surface, the normal, of any lengths, where these are simpler than the derivatives of ``place``.
    """

    body: Body
    origin: Point
    base: Base
    parameters: tuple[str, ...]
    place: Callable[..., Any]
    directions: Callable[..., Sequence[Matrix]] | None = None

    @classmethod
    def of(
        cls,
        body: Body,
        place: Callable[..., Any],
        parameters: Sequence[str] = ("u", "v"),
        at: Any = (0, 0, 0),
        base: Base | None = None,
        directions: Callable[..., Sequence[Matrix]] | None = None,
    ) -> Surface:
        """A surface, or an edge, by any function of its parameters, from a place of the body."""
        own = base or body.base
        if len(parameters) not in (1, 2):
            raise ValueError(
                f"A surface of '{body.name}' has two parameters, an edge one; got {len(parameters)}."
            )
        origin = at if isinstance(at, Point) else fixed_point(body.origin, own, at)
        return cls(body, origin, own, tuple(parameters), place, directions)

    @classmethod
    def revolution(
        cls,
        body: Body,
        profile: Profile | float | Expr,
        axis: Any = "y",
        down: Any = "-z",
        at: Any = (0, 0, 0),
        base: Base | None = None,
    ) -> Surface:
        """A wheel or ball: the radius ``profile(width)`` about an axis; the angle is zero at ``down``."""
        a, ring = _ring(body.space, axis, down)
        radius = _profile(body.space, profile)

        def place(angle: Expr, width: Expr) -> Matrix:
            return a * width + ring(angle) * radius(width)

        def directions(angle: Expr, width: Expr) -> tuple[Matrix, ...]:
            out, slope = ring(angle), _slope(radius, width)
            return out.diff(angle), a + out * slope, out - a * slope

        return cls.of(body, place, ("angle", "width"), at, base, directions)

    @classmethod
    def extrusion(
        cls,
        body: Body,
        profile: Profile | float | Expr,
        along: Any = "x",
        up: Any = "z",
        at: Any = (0, 0, 0),
        base: Base | None = None,
    ) -> Surface:
        """A rail: the height ``profile(across)`` towards ``up``, the same everywhere along a direction."""
        a, u = direction(body.space, along), direction(body.space, up)
        c = u.cross(a)
        height = _profile(body.space, profile)

        def place(s: Expr, across: Expr) -> Matrix:
            return a * s + c * across + u * height(across)

        def directions(s: Expr, across: Expr) -> tuple[Matrix, ...]:
            slope = _slope(height, across)
            return a, c + u * slope, u - c * slope

        return cls.of(body, place, ("along", "across"), at, base, directions)

    @classmethod
    def plane(cls, body: Body, along: Any = "x", up: Any = "z", at: Any = (0, 0, 0)) -> Surface:
        """A plane, facing ``up``."""
        return cls.extrusion(body, 0.0, along, up, at)

    @classmethod
    def sphere(
        cls, body: Body, radius: Any, axis: Any = "y", down: Any = "-z", at: Any = (0, 0, 0)
    ) -> Surface:
        """A ball, by angle and latitude; not to be touched at the poles of its axis."""
        a, ring = _ring(body.space, axis, down)

        def place(angle: Expr, latitude: Expr) -> Matrix:
            return out(angle, latitude) * radius

        def out(angle: Expr, latitude: Expr) -> Matrix:
            return ring(angle) * cos(latitude) + a * sin(latitude)

        def directions(angle: Expr, latitude: Expr) -> tuple[Matrix, ...]:
            normal = out(angle, latitude)
            return ring(angle).diff(angle), normal.diff(latitude), normal

        return cls.of(body, place, ("angle", "latitude"), at, directions=directions)

    @classmethod
    def circle(
        cls,
        body: Body,
        radius: Any,
        axis: Any = "y",
        down: Any = "-z",
        at: Any = (0, 0, 0),
        base: Base | None = None,
    ) -> Surface:
        """The edge of a thin disc, a knife-edged wheel."""
        _, ring = _ring(body.space, axis, down)

        def place(angle: Expr) -> Matrix:
            return ring(angle) * radius

        return cls.of(body, place, ("angle",), at, base)

    @classmethod
    def line(cls, body: Body, along: Any = "x", at: Any = (0, 0, 0), base: Base | None = None) -> Surface:
        """A straight edge: the rail of a roller rig, a knife."""
        a = direction(body.space, along)

        def place(s: Expr) -> Matrix:
            return a * s

        return cls.of(body, place, ("along",), at, base)

    def components(self, parameters: Sequence[Expr]) -> Matrix:
        """The place of parameters, by components in the base; raises ValueError unless there are three."""
        made = self.place(*parameters)
        result = made if isinstance(made, Matrix) else vector(made, self.base.space.graph)
        if result.shape != (3,):
            raise ValueError(
                f"A surface of '{self.body.name}': a place has 3 components; got shape {result.shape}."
            )
        return result

    def tangents(self, parameters: Sequence[Expr]) -> list[Vector]:
        """A vector along each parameter."""
        return [self._vector(v) for v in self._directions(parameters)[: len(parameters)]]

    def normal(self, parameters: Sequence[Expr]) -> Vector:
        """A vector out of the body, square to the tangents of a surface."""
        return self._vector(self._directions(parameters)[2])

    def _vector(self, components: Matrix) -> Vector:
        return Vector(self.base.space, {self.base: components})

    def _directions(self, parameters: Sequence[Expr]) -> Sequence[Matrix]:
        if self.directions is not None:
            return self.directions(*parameters)
        place = self.components(parameters)
        tangents = [place.diff(u) for u in parameters]
        return tangents if len(tangents) == 1 else [*tangents, tangents[0].cross(tangents[1])]


def _ring(space: Space, axis: Any, down: Any) -> tuple[Matrix, Callable[[Expr], Matrix]]:
    """An axis, and the directions square to it by the angle from ``down``."""
    a, d = direction(space, axis), direction(space, down)
    side = a.cross(d)
    return a, lambda angle: d * cos(angle) + side * sin(angle)


def _slope(profile: Profile, at: Expr) -> Expr:
    """The slope of a profile."""
    value = profile(at)
    return value.diff(at) if isinstance(value, Expr) else constant(at.graph, 0.0)


def _profile(space: Space, profile: Any) -> Profile:
    if callable(profile):
        return profile
    value = profile if isinstance(profile, Expr) else constant(space.graph, profile)
    return lambda _: value
