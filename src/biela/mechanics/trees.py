"""The trees of a `System`: bases, points and bodies by name, and the operators of kinematics."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from biela.expr.expression import Expr, constant
from biela.expr.matrix import Matrix, vector
from biela.mechanics import kinematics
from biela.mechanics.body import Body, fixed_point, inertia_matrix
from biela.mechanics.natural_body import NaturalBody
from biela.mechanics.quantity import number
from biela.mechanics.rotation import about, by_matrix, by_quaternion
from biela.mechanics.space import Base, Point, Rule, Space, is_zero
from biela.mechanics.symbols import Symbols, check_unused, named
from biela.mechanics.vector import Tensor, Vector

Place = Any  # a Point, the name of one, or three components in a body's base


class Trees(Symbols):
    """Bases, points and bodies by name, and what is computed along them."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.space = Space(self.graph)
        self.bases: dict[str, Base] = {"ground": self.space.root}
        self.points: dict[str, Point] = {"origin": self.space.origin}
        zero, nothing = constant(self.graph, 0.0), self.space.zero()
        tensor = inertia_matrix(self.space, [[0.0] * 3] * 3, "ground")
        origin = self.space.origin
        self.ground = Body("ground", self.space.root, origin, zero, origin, nothing, tensor, origin)
        self.bodies: dict[str, Body] = {"ground": self.ground}
        self.natural_bodies: dict[str, NaturalBody] = {}

    @property
    def origin(self) -> Point:
        """The root of all points."""
        return self.space.origin

    # the trees

    def base(
        self,
        name: str,
        parent: Base | Body | str | None = None,
        axis: Any = None,
        angle: Expr | float | None = None,
        *,
        matrix: Any = None,
        euler: str = "",
        angles: Sequence[Expr | float] = (),
        quaternion: Sequence[Expr] = (),
    ) -> Base:
        """A base turned from its parent: about an axis by an angle, by a matrix, a sequence or a quaternion.

        >>> s = Trees("wrist")
        >>> a, b, c = s.coordinates("a b c")
        >>> s.base("hand", euler="zyx", angles=[a, b, c])
        <Base hand>

        Raises ValueError for a name in use, or when not exactly one description is given.
        """
        given = [axis is not None, matrix is not None, bool(euler), bool(quaternion)]
        if sum(given) != 1:
            raise ValueError(
                f"Base '{name}': give one of axis and angle, matrix, euler and angles, quaternion."
            )
        below = self._base_of(parent, f"Base '{name}'")
        check_unused(self, "base", name, self.bases)
        self._ours(f"Base '{name}'", axis, angle, matrix, list(angles), list(quaternion))
        if euler:
            if len(euler) != len(angles):
                raise ValueError(
                    f"Base '{name}': sequence {euler!r} wants {len(euler)} angles, got {len(angles)}."
                )
            for i, (letter, turned) in enumerate(zip(euler[:-1], angles, strict=False), 1):
                below = self.base(f"{name}.{i}", below, letter, turned)
            axis, angle = euler[-1], angles[-1]
        made = Base(self.space, name)
        made.parent = below
        try:
            if axis is not None:
                if angle is None:
                    raise ValueError("an axis wants an angle.")
                made.rotation = about(self.graph, axis, angle)
            else:
                made.rotation = (
                    by_quaternion(self.graph, quaternion) if quaternion else by_matrix(self.graph, matrix)
                )
        except ValueError as error:
            raise ValueError(f"Base '{name}': {error}") from None
        self.bases[name] = made
        return made

    def point(
        self, name: str, parent: Point | Body | str | None = None, r: Any = (0, 0, 0), base: Any = None
    ) -> Point:
        """A point at ``r`` from its parent, by components in a base (the ground unless given).

        Raises ValueError for a name in use.
        """
        check_unused(self, "point", name, self.points)
        where = f"Point '{name}'"
        made = Point(self.space, name)
        made.parent = self._point_of(parent, where)
        made.base = self._base_of(base, where)
        made.r = self._components(r, where)
        self.points[name] = made
        return made

    def vector(self, components: Any, base: Base | Body | str | None = None) -> Vector:
        """A vector by components in a base."""
        return Vector(self.space, {self._base_of(base, "Vector"): self._components(components, "Vector")})

    def tensor(self, components: Any, base: Base | Body | str | None = None) -> Tensor:
        """A Cartesian tensor by components in a base."""
        self._ours("Tensor", components)
        parts = inertia_matrix(self.space, components, "Tensor")
        return Tensor(self.space, {self._base_of(base, "Tensor"): parts})

    # kinematics

    def position(self, point: Place, relative_to: Place = None) -> Vector:
        """The vector to a point, from the origin unless another point is given."""
        start = self._point_of(relative_to, "Position")
        return kinematics.position(self.space, start, self._point_of(point, "Position"))

    def velocity(self, point: Place, relative_to: Any = None, body: Body | str | None = None) -> Vector:
        """The velocity of a point relative to a frame (a body, a base; the ground unless given).

        With ``body``, that of the place of the body that is there at the moment: for a contact point.
        """
        base, origin = self._frame_of(relative_to)
        p = self._point_of(point, "Velocity")
        if body is None:
            return kinematics.velocity(self.space, p, base, origin)
        carrier = self._find("body", body, self.bodies) if isinstance(body, str) else body
        arm = kinematics.position(self.space, carrier.origin, p)
        spin = kinematics.angular_velocity(self.space, base, carrier.base)
        return kinematics.velocity(self.space, carrier.origin, base, origin) + spin.cross(arm)

    def acceleration(self, point: Place, relative_to: Any = None) -> Vector:
        """The acceleration of a point relative to a frame."""
        base, origin = self._frame_of(relative_to)
        return kinematics.acceleration(self.space, self._point_of(point, "Acceleration"), base, origin)

    def angular_velocity(self, base: Base | Body | str, relative_to: Any = None) -> Vector:
        """The angular velocity of a base or body relative to another."""
        below, above = self._base_of(relative_to, "Angular velocity"), self._base_of(base, "Angular velocity")
        return kinematics.angular_velocity(self.space, below, above)

    def angular_acceleration(self, base: Base | Body | str, relative_to: Any = None) -> Vector:
        """The angular acceleration of a base or body relative to another."""
        below, above = self._base_of(relative_to, "Acceleration"), self._base_of(base, "Acceleration")
        return kinematics.angular_acceleration(self.space, below, above)

    def rotation(self, base: Base | Body | str, relative_to: Any = None) -> Matrix:
        """The matrix from components in ``base`` to components in another."""
        return self.space.rotation(self._base_of(relative_to, "Rotation"), self._base_of(base, "Rotation"))

    def using(self, rule: Rule) -> AbstractContextManager[None]:
        """A context in which operations choose their bases by another rule: up, down or extended."""
        return self.space.using(rule)

    # bodies

    def body(
        self,
        name: str,
        mass: Any = 0.0,
        com: Any = (0, 0, 0),
        inertia: Any = None,
        *,
        about: str = "com",
        first_moment: Any = None,
        origin: Point | None = None,
        base: Base | None = None,
    ) -> Body:
        """A rigid body. Place it by a joint, or give its ``origin`` and ``base`` yourself.

        ``inertia`` is a 3x3 tensor (see `rod`, `disc`, `box` ...), three principal moments, or (xx, yy, zz,
        xy, xz, yz), in the body's base, about the mass centre or, with ``about="origin"``, about the origin.
        ``first_moment``, mass times mass centre, may stand in place of ``com``.

        Raises ValueError for a name in use or a tensor that is not symmetric.
        """
        where = f"Body '{name}'"
        check_unused(self, "body", named(name, "Body"), {**self.bodies, **self.natural_bodies})
        self._ours(where, mass, inertia)
        if about not in ("com", "origin"):
            raise ValueError(f"{where}: about={about!r}; expected 'com' or 'origin'.")
        if (origin is None) != (base is None):
            raise ValueError(f"{where}: give both origin and base, or neither and place it by a joint.")
        if base is None:
            check_unused(self, "base", name, self.bases)
            check_unused(self, "point", name, self.points)
            own_base, own_origin = Base(self.space, name), Point(self.space, name)
            self.bases[name], self.points[name] = own_base, own_origin
        else:
            own_base, own_origin = self._base_of(base, where), self._point_of(origin, where)
        m = mass if isinstance(mass, Expr) else constant(self.graph, number(mass, name, "Mass of body"))
        place = self._components(com, where)
        tensor = inertia_matrix(self.space, [[0.0] * 3] * 3 if inertia is None else inertia, where)
        center, reference = own_origin, own_origin
        if first_moment is None and not is_zero(place):
            center = fixed_point(own_origin, own_base, place, f"{name}.com")
        if about == "com" and first_moment is None:
            reference, moment = center, self.space.zero()
        else:
            moment = place * m if first_moment is None else self._components(first_moment, where)
        made = Body(name, own_base, own_origin, m, reference, moment, tensor, center)
        self.bodies[name] = made
        return made

    def _components(self, value: Any, where: str) -> Matrix:
        if isinstance(value, (str, int, float, Expr, Point)):
            raise TypeError(f"{where}: expected 3 components, got {type(value).__name__} {value!r}.")
        self._ours(where, value)
        given = value if isinstance(value, Matrix) else vector(value, self.graph)
        if given.shape != (3,):
            raise ValueError(f"{where}: expected 3 components, got shape {given.shape}.")
        return given

    # finding things by name, with suggestions

    def _base_of(self, value: Any, where: str) -> Base:
        if value is None:
            return self.space.root
        if isinstance(value, Body):
            return value.base
        base = self._find("base", value, self.bases, where) if isinstance(value, str) else value
        return self._own(base, Base, "base", where)

    def _point_of(self, value: Any, where: str) -> Point:
        if value is None:
            return self.space.origin
        if isinstance(value, Body):
            return value.origin
        point = self._find("point", value, self.points, where) if isinstance(value, str) else value
        return self._own(point, Point, "point", where)

    def _own(self, value: Any, kind: type[Any], what: str, where: str) -> Any:
        if not isinstance(value, kind):
            raise TypeError(
                f"{where}: expected a {what} or the name of one; got {type(value).__name__} {value!r}."
            )
        if value.space is not self.space:
            raise ValueError(f"{where}: {what} '{value.name}' belongs to another system than '{self.name}'.")
        return value

    def _body_of(self, value: Body | str) -> Body:
        body = self._find("body", value, self.bodies) if isinstance(value, str) else value
        if not isinstance(body, Body):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"Expected a body or the name of one; got {type(body).__name__} {body!r}.")
        if body.space is not self.space:
            raise ValueError(f"Body '{body.name}' belongs to another system than '{self.name}'.")
        return body

    def _place_on(self, body: Body, at: Place) -> Point:
        return (
            self._point_of(at, f"Place on '{body.name}'") if isinstance(at, (Point, str)) else body.point(at)
        )

    def _frame_of(self, value: Any) -> tuple[Base, Point]:
        if isinstance(value, tuple):
            return self._base_of(value[0], "Frame"), self._point_of(value[1], "Frame")  # pyright: ignore[reportUnknownArgumentType]
        if isinstance(value, Body):
            return value.base, value.origin
        return self._base_of(value, "Frame"), self.space.origin
