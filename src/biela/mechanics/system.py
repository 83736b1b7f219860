"""`System`: what you describe a mechanism with. Mutable until `System.model` freezes it.

Two levels meet here. The words of engineers (bodies, joints, loops, springs) place bodies on each other;
below them are bases and points, two trees by hand, for any parametrisation (Plaza, 2015). Both may be
mixed. Equations that join bodies are kept as recipes and written when the system is frozen, so the order
of description does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from math import nan
from typing import Any

from biela.expr.expression import Coordinate, Expr, constant, coordinate, cos, sin, time
from biela.expr.graph import Graph
from biela.expr.matrix import Matrix, vector
from biela.mechanics import drawing as draw
from biela.mechanics import joint as joints
from biela.mechanics import kinematics
from biela.mechanics.body import Body, fixed_point, inertia_matrix
from biela.mechanics.constraint import Constraint, constraint, gap
from biela.mechanics.joint import JOINTS, Joint
from biela.mechanics.load import Given, Load, Spring, between
from biela.mechanics.model import Model
from biela.mechanics.quantity import Placement, Quantity, number
from biela.mechanics.rotation import about, by_matrix, by_quaternion
from biela.mechanics.space import Base, Point, Rule, Space, is_zero
from biela.mechanics.validation import faults
from biela.mechanics.vector import Tensor, Vector

Place = Any  # a Point, the name of one, or three components in a body's base


class System:
    """A mechanism being described.

    >>> s = System("pendulum")
    >>> m, l, g = s.parameters(m=1.0, l=2.0, g=9.81)
    >>> bob = s.body("bob", mass=m, com=[l, 0, 0])
    >>> joint = s.revolute(s.ground, bob, axis="z")
    >>> s.gravity([0, -g, 0])
    >>> s.model()
    <Model pendulum: 1 coordinate, 1 degree of freedom>
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.graph = Graph()
        self.space = Space(self.graph)
        self.bases: dict[str, Base] = {"ground": self.space.root}
        self.points: dict[str, Point] = {"origin": self.space.origin}
        self.coordinates_by_name: dict[str, Placement] = {}
        self.parameters_by_name: dict[str, Quantity] = {}
        self.inputs_by_name: dict[str, Quantity] = {}
        self.unknowns_by_name: dict[str, Quantity] = {}
        zero, nothing = constant(self.graph, 0.0), self.space.zero()
        tensor = inertia_matrix(self.space, [[0.0] * 3] * 3, "ground")
        origin = self.space.origin
        self.ground = Body("ground", self.space.root, origin, zero, origin, nothing, tensor, origin)
        self.bodies: dict[str, Body] = {"ground": self.ground}
        self.joints: list[Joint] = []
        self.loads: list[Callable[[], Load]] = []
        self.efforts: list[tuple[Expr, Expr, Expr | None]] = []  # coordinate, effort, potential
        self.constraints: list[Callable[[], Constraint]] = []
        self.starts: dict[str, list[Expr]] = {"position": [], "velocity": []}
        self.weight = nothing
        self.drawing: list[draw.Shape] = []
        self._time: Expr | None = None

    # symbols

    @property
    def origin(self) -> Point:
        """The root of all points."""
        return self.space.origin

    @property
    def time(self) -> Expr:
        """The symbol of time."""
        if self._time is None:
            self._time = time(self.graph)
        return self._time

    @property
    def uses_time(self) -> bool:
        """Whether `time` was asked for."""
        return self._time is not None

    def coordinate(
        self, name: str, value: float = 0.0, speed: float = 0.0, unit: str = "", inertia: bool = True
    ) -> Expr:
        """A coordinate; ``q.dt()`` is its velocity. Without ``inertia`` no body may move with it.

        Raises ValueError for a name in use.
        """
        self._new(name)
        symbols: Coordinate = coordinate(self.graph, name)
        start, rate = number(value, name, "Coordinate"), number(speed, name, "Coordinate")
        self.coordinates_by_name[name] = Placement(symbols, start, rate, unit, inertia)
        return symbols.position

    def coordinates(self, names: str, unit: str = "", inertia: bool = True) -> list[Expr]:
        """Several coordinates, from names separated by blanks."""
        return [self.coordinate(name, unit=unit, inertia=inertia) for name in names.split()]

    def parameter(self, name: str, value: float | None = None, unit: str = "", note: str = "") -> Expr:
        """A constant that stays a symbol, with its default value; raises ValueError for a name in use."""
        return self._quantity(self.parameters_by_name, "Parameter", name, value, unit, note)

    def parameters(self, **values: Any) -> list[Expr]:
        """Several parameters by name; a value may be a pair of number and unit."""
        pairs = {name: v if isinstance(v, tuple) else (v, "") for name, v in values.items()}
        return [self.parameter(name, value, unit) for name, (value, unit) in pairs.items()]

    def input(self, name: str, value: float = 0.0, unit: str = "", note: str = "") -> Expr:
        """A quantity that is given anew at every step: a motor torque, a wind."""
        return self._quantity(self.inputs_by_name, "Input", name, value, unit, note)

    def unknown(self, name: str, unit: str = "") -> Expr:
        """An unknown force of a joint that the coordinates do not respect: an alternative to multipliers."""
        return self._quantity(self.unknowns_by_name, "Unknown", name, None, unit, "")

    def _quantity(
        self, table: dict[str, Quantity], what: str, name: str, value: Any, unit: str, note: str
    ) -> Expr:
        self._new(name)
        known = nan if value is None else number(value, name, what)
        table[name] = Quantity(self.graph.symbol(name), known, unit, note)
        return table[name].symbol

    def _new(self, name: str) -> None:
        tables = {
            "coordinate": self.coordinates_by_name,
            "parameter": self.parameters_by_name,
            "input": self.inputs_by_name,
            "unknown": self.unknowns_by_name,
        }
        for kind, table in tables.items():
            if name in table:
                raise ValueError(f"System '{self.name}': '{name}' is already the name of a {kind}.")

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

        >>> s = System("wrist")
        >>> a, b, c = s.coordinates("a b c")
        >>> s.base("hand", euler="zyx", angles=[a, b, c])
        <Base hand>

        Raises ValueError for a name in use, or when not exactly one description is given.
        """
        given = [axis is not None, matrix is not None, bool(euler), bool(quaternion)]
        if sum(given) != 1:
            raise ValueError(f"Base '{name}': give one of axis and angle, matrix, euler and angles, quaternion.")
        below = self._base_of(parent, f"Base '{name}'")
        self._unused("base", name, self.bases)
        if euler:
            if len(euler) != len(angles):
                raise ValueError(f"Base '{name}': sequence {euler!r} wants {len(euler)} angles, got {len(angles)}.")
            for i, (letter, turned) in enumerate(zip(euler[:-1], angles, strict=False), 1):
                below = self.base(f"{name}.{i}", below, letter, turned)
            axis, angle = euler[-1], angles[-1]
        made = Base(self.space, name)
        made.parent = below
        if axis is not None:
            if angle is None:
                raise ValueError(f"Base '{name}': an axis wants an angle.")
            made.rotation = about(self.graph, axis, angle)
        else:
            made.rotation = (
                by_quaternion(self.graph, quaternion) if quaternion else by_matrix(self.graph, matrix)
            )
        self.bases[name] = made
        return made

    def point(
        self, name: str, parent: Point | Body | str | None = None, r: Any = (0, 0, 0), base: Any = None
    ) -> Point:
        """A point at ``r`` from its parent, by components in a base (the ground unless given).

        Raises ValueError for a name in use.
        """
        self._unused("point", name, self.points)
        where = f"Point '{name}'"
        made = Point(self.space, name)
        made.parent = self._point_of(parent, where)
        made.base = self._base_of(base, where)
        made.r = r if isinstance(r, Matrix) else vector(r, self.graph)
        if made.r.shape != (3,):
            raise ValueError(f"{where}: r has 3 components; got shape {made.r.shape}.")
        self.points[name] = made
        return made

    def vector(self, components: Any, base: Base | Body | str | None = None) -> Vector:
        """A vector by components in a base."""
        parts = components if isinstance(components, Matrix) else vector(components, self.graph)
        return Vector(self.space, {self._base_of(base, "Vector"): parts})

    def tensor(self, components: Any, base: Base | Body | str | None = None) -> Tensor:
        """A Cartesian tensor by components in a base."""
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

    def using(self, rule: Rule) -> Any:
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
        self._unused("body", name, self.bodies)
        if about not in ("com", "origin"):
            raise ValueError(f"{where}: about={about!r}; expected 'com' or 'origin'.")
        if (origin is None) != (base is None):
            raise ValueError(f"{where}: give both origin and base, or neither and place it by a joint.")
        own_base, own_origin = base or Base(self.space, name), origin or Point(self.space, name)
        if base is None:
            self.bases[name], self.points[name] = own_base, own_origin
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
        given = value if isinstance(value, Matrix) else vector(value, self.graph)
        if given.shape != (3,):
            raise ValueError(f"{where}: a place has 3 components; got shape {given.shape}.")
        return given

    # joints

    def joint(
        self,
        kind: str,
        parent: Body | str,
        child: Body | str,
        *,
        at: Place = (0, 0, 0),
        to: Place = (0, 0, 0),
        axis: Any = "z",
        second: Any = None,
        child_axis: Any = None,
        frame: Base | None = None,
        coordinates: Any = (),
        pitch: Any = 0.0,
        quaternion: bool = False,
        name: str = "",
    ) -> Joint:
        """A joint of the table `JOINTS` between two bodies.

        It stands at ``at`` on the parent and at ``to`` on the child, each by components in that body's base,
        and along ``axis`` by components in the parent's base, or in ``frame``, a base fixed to the parent.
        A child without a place is placed, with coordinates named after it ('rocker.angle') unless
        ``coordinates`` gives names or expressions. A child that has a place already closes a loop.

        Raises ValueError for an unknown kind or for a joint of a body to itself.
        """
        row = self._find("joint", kind, JOINTS)
        one, other = self._body_of(parent), self._body_of(child)
        if one is other or other is self.ground:
            raise ValueError(f"A {kind} joint from '{one.name}' to '{other.name}': the child is a moving body.")
        base = frame or one.base
        start = self._place_on(one, at)
        given = [coordinates] if isinstance(coordinates, (str, Expr)) else list(coordinates)
        label = name or f"{one.name}-{other.name}"
        if other.origin.parent is not None:
            end = self._place_on(other, to)
            his = axis if child_axis is None else child_axis
            pair = (base, other.base)
            self._demand(
                label, lambda: joints.demands(self.space, row, start, end, pair, (axis, his), second), (start, end)
            )
            made = Joint(label, row, one, other, start, end, (), True)
        elif quaternion:
            made = self._place_by_quaternion(label, row, one, other, start, base, to)
        else:
            axes = joints.frame_axes(self.space, axis, second)
            q = joints.place(self, row, one, other, start, base, axes, given, self._components(to, label), pitch)
            made = Joint(label, row, one, other, start, self._place_on(other, to), q, False)
        self.joints.append(made)
        return made

    def _place_by_quaternion(
        self, label: str, row: Any, one: Body, other: Body, start: Point, base: Base, to: Any
    ) -> Joint:
        if row.name not in ("spherical", "free"):
            raise ValueError(f"A {row.name} joint has no quaternion: spherical and free joints have.")
        q: list[Expr] = []
        point = start
        if row.name == "free":
            q = [self.coordinate(f"{other.name}.{axis}", unit="m") for axis in "xyz"]
            point = Point(self.space, f"{other.name}.slide")
            point.parent, point.base, point.r = start, base, vector(q)
        q += joints.by_norm(self, other, base, [f"{other.name}.e{i}" for i in range(4)])
        joints.hang(other, point, self._components(to, label))
        return Joint(label, row, one, other, start, self._place_on(other, to), tuple(q), False)

    def revolute(self, parent: Body | str, child: Body | str, **options: Any) -> Joint:
        """A hinge; options as of `joint`."""
        return self.joint("revolute", parent, child, **options)

    def prismatic(self, parent: Body | str, child: Body | str, **options: Any) -> Joint:
        """A slide; options as of `joint`."""
        return self.joint("prismatic", parent, child, **options)

    def cylindrical(self, parent: Body | str, child: Body | str, **options: Any) -> Joint:
        """A slide that turns; options as of `joint`."""
        return self.joint("cylindrical", parent, child, **options)

    def screw(self, parent: Body | str, child: Body | str, pitch: Any, **options: Any) -> Joint:
        """A screw, advancing ``pitch`` a turn; options as of `joint`."""
        return self.joint("screw", parent, child, pitch=pitch, **options)

    def universal(self, parent: Body | str, child: Body | str, **options: Any) -> Joint:
        """A cross between an axis and a ``second`` one; options as of `joint`."""
        return self.joint("universal", parent, child, **options)

    def spherical(self, parent: Body | str, child: Body | str, **options: Any) -> Joint:
        """A ball; options as of `joint`, ``quaternion=True`` for four coordinates without singularity."""
        return self.joint("spherical", parent, child, **options)

    def planar(self, parent: Body | str, child: Body | str, **options: Any) -> Joint:
        """Free in a plane; options as of `joint`."""
        return self.joint("planar", parent, child, **options)

    def free(self, parent: Body | str, child: Body | str, **options: Any) -> Joint:
        """Free in space; options as of `joint`."""
        return self.joint("free", parent, child, **options)

    def weld(self, parent: Body | str, child: Body | str, **options: Any) -> Joint:
        """Fixed; options as of `joint`."""
        return self.joint("weld", parent, child, **options)

    # constraints

    def close(self, p: Place, q: Place, name: str = "") -> None:
        """Two points coincide; equations that hold anyway are left out."""
        a, b = self._point_of(p, "Loop"), self._point_of(q, "Loop")
        label = name or f"{a.name}={b.name}"
        self._demand(label, lambda: list(gap(self.space, a, b)[0]), (a, b))

    def distance(self, p: Place, q: Place, length: Any, name: str = "") -> None:
        """Two points keep a distance, as by a massless rod."""
        a, b = self._point_of(p, "Distance"), self._point_of(q, "Distance")

        def equation() -> list[Expr]:
            d, _ = gap(self.space, a, b)
            return [d.dot(d) - length * length]

        self._demand(name or f"|{a.name}-{b.name}|", equation, (a, b))

    def constrain(self, name: str, *equations: Expr, points: tuple[Point, Point] | None = None) -> None:
        """Expressions of coordinates, parameters and time that stay zero."""
        self._demand(name, lambda: list(equations), points)

    def constrain_velocity(self, name: str, *equations: Expr) -> None:
        """Expressions, linear in the velocities, that stay zero: rolling without slip."""
        self.constraints.append(lambda: constraint(name, "velocity", equations))

    def drive(self, coordinate: Expr, motion: Any, name: str = "") -> None:
        """Prescribe a coordinate as an expression of time and parameters; its multiplier is the motor's effort."""
        self._placement(coordinate)
        label = name or f"drive of {coordinate.name}"
        self.constraints.append(lambda: constraint(label, "drive", [coordinate - motion]))

    def start(self, *equations: Expr) -> None:
        """Expressions of positions that are zero at the start only, for assembly."""
        self.starts["position"] += equations

    def start_velocity(self, *equations: Expr) -> None:
        """Expressions of velocities that are zero at the start only."""
        self.starts["velocity"] += equations

    def _demand(self, name: str, equations: Callable[[], list[Expr]], points: Any) -> None:
        self.constraints.append(lambda: constraint(name, "position", equations(), points))

    # loads

    def gravity(self, components: Any) -> None:
        """The acceleration of free fall, by components in the ground; it acts on every body."""
        self.weight = self._components(components, "Gravity")

    def force(
        self, body: Body | str, components: Any, at: Place = (0, 0, 0), base: Any = None, by: Any = None,
        name: str = "", kind: str = "external",
    ) -> None:  # fmt: skip
        """A force on a body at a place of it, by components in a base (the ground unless given).

        With ``by``, a body, the reaction acts on that body at the same place.
        """
        carrier = self._body_of(body)
        point, f = self._place_on(carrier, at), self.vector(components, base)
        other = None if by is None else self._body_of(by)

        def load() -> Load:
            forces = [_on_body(self.space, carrier, point, f)]
            if other is not None:
                forces.append(_on_body(self.space, other, point, -f))
            pairs = [pair for pair, _ in forces]
            return Load(name or f"force on {carrier.name}", kind, tuple(pairs), tuple(m for _, ms in forces for m in ms))

        self.loads.append(load)

    def moment(
        self, body: Body | str, components: Any, base: Any = None, by: Any = None, name: str = "",
        kind: str = "external",
    ) -> None:  # fmt: skip
        """A moment on a body, by components in a base (the ground unless given); ``by`` takes the reaction."""
        carrier, m = self._body_of(body), self.vector(components, base)
        moments = [(carrier.base, m)]
        if by is not None:
            moments.append((self._body_of(by).base, -m))
        self.loads.append(lambda: Load(name or f"moment on {carrier.name}", kind, (), tuple(moments)))

    def spring(
        self, p: Place, q: Place, stiffness: Any, length: Any = 0.0, damping: Any = 0.0, name: str = ""
    ) -> None:
        """A linear spring of a rest length, with a damper beside it, between two points."""
        self._between(p, q, Spring(stiffness, length, damping), name or "spring", "constitutive")

    def damper(self, p: Place, q: Place, damping: Any, name: str = "") -> None:
        """A linear damper between two points."""
        self._between(p, q, Spring(0.0, 0.0, damping), name or "damper", "constitutive")

    def actuator(self, p: Place, q: Place, force: Any, name: str = "") -> None:
        """A force along the line between two points, positive when it drives them apart."""
        self._between(p, q, Given(force), name or "actuator", "actuator")

    def _between(self, p: Place, q: Place, push: Any, name: str, kind: str) -> None:
        a, b = self._point_of(p, name), self._point_of(q, name)
        self.loads.append(lambda: between(self.space, f"{name} {a.name}-{b.name}", a, b, push, kind))

    def effort(self, coordinate: Expr, effort: Any, potential: Expr | None = None) -> None:
        """A generalised force on a coordinate: its power is the effort times the coordinate's velocity.

        ``potential`` is the energy it stores, if it does.
        """
        self._placement(coordinate)
        value = effort if isinstance(effort, Expr) else constant(self.graph, effort)
        self.efforts.append((coordinate, value, potential))

    def torsion_spring(self, coordinate: Expr, stiffness: Any, rest: Any = 0.0, damping: Any = 0.0) -> None:
        """A spring and damper on a coordinate: the torque of a hinge or the force of a slide."""
        stretch = coordinate - rest
        potential = stretch * stretch * stiffness / 2
        self.effort(coordinate, -stiffness * stretch - damping * coordinate.dt(), potential)

    def motor(self, coordinate: Expr, name: str, unit: str = "N m") -> Expr:
        """An input that acts as an effort on a coordinate."""
        torque = self.input(name, unit=unit)
        self.effort(coordinate, torque)
        return torque

    # drawing

    def draw(self, *shapes: draw.Shape) -> None:
        """Add shapes to the drawing of the mechanism."""
        self.drawing += shapes

    # freezing

    def validate(self) -> list[str]:
        """Every fault of the description in words; an empty list when there is none."""
        return faults(self)

    def model(self, formalism: str = "direct", rule: Rule = "up", sign: int = 1) -> Model:
        """The frozen model, whose equations are made when they are first asked for.

        ``formalism`` is one of `FORMALISMS`; ``rule`` how it chooses bases; ``sign=-1`` gives M and delta the
        signs of Plaza (2015), -M ddq = -delta.

        Raises ValueError with all faults at once.
        """
        found = self.validate()
        if found:
            listed = "\n".join(f"{i}. {fault}" for i, fault in enumerate(found, 1))
            raise ValueError(f"System '{self.name}' has {len(found)} fault(s):\n{listed}")
        return Model(self, formalism, rule, sign)

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
            raise TypeError(f"{where}: expected a {what} or the name of one; got {type(value).__name__} {value!r}.")
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
        return self._point_of(at, f"Place on '{body.name}'") if isinstance(at, (Point, str)) else body.point(at)

    def _frame_of(self, value: Any) -> tuple[Base, Point]:
        if isinstance(value, tuple):
            return self._base_of(value[0], "Frame"), self._point_of(value[1], "Frame")  # pyright: ignore[reportUnknownArgumentType]
        if isinstance(value, Body):
            return value.base, value.origin
        return self._base_of(value, "Frame"), self.space.origin

    def _placement(self, coordinate: Any) -> Placement:
        name = coordinate.name if isinstance(coordinate, Expr) else str(coordinate)
        return self._find("coordinate", name, self.coordinates_by_name)

    def _find(self, kind: str, name: str, table: dict[str, Any], where: str = "") -> Any:
        if name in table:
            return table[name]
        close = get_close_matches(name, list(table), 1)
        hint = f" Did you mean '{close[0]}'?" if close else ""
        start = f"{where}: " if where else ""
        raise ValueError(
            f"{start}there is no {kind} '{name}' in system '{self.name}'. Known: {', '.join(table)}.{hint}"
        )

    def _unused(self, kind: str, name: str, table: Iterable[str]) -> None:
        if name in table:
            raise ValueError(f"System '{self.name}': there is a {kind} '{name}' already. Choose another name.")


def _on_body(space: Space, body: Body, point: Point, force: Vector) -> tuple[tuple[Point, Vector], list[Any]]:
    """A force at a point of a body: at the point if it is fixed there, else at the origin with its moment."""
    node = point
    while node is not body.origin:
        fixed = node.r is not None and node.base is body.base and is_zero(space.rate(node.r))
        if not fixed or node.parent is None:
            arm = kinematics.position(space, body.origin, point)
            return (body.origin, force), [(body.base, arm.cross(force))]
        node = node.parent
    return (point, force), []


__all__ = ["System", "cos", "sin"]
