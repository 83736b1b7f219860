"""`System`: what you describe a mechanism with. Mutable until `System.model` freezes it.

Two levels meet here. The words of engineers (bodies, joints, loops, springs) place bodies on each other;
below them are bases and points, two trees by hand, for any parametrisation (Plaza, 2015). Both may be
mixed. Equations that join bodies are kept as recipes and written when the system is frozen, so the order
of description does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

from biela.expr.expression import Expr, constant
from biela.expr.matrix import vector
from biela.mechanics import drawing as draw
from biela.mechanics import joint as joints
from biela.mechanics.body import Body
from biela.mechanics.condition import Condition, Distance, Meet
from biela.mechanics.constraint import Constraint, constraint
from biela.mechanics.contact import Contact, Rolling, touching
from biela.mechanics.joint import JOINTS, Joint
from biela.mechanics.load import Given, Load, Spring, between, on_body
from biela.mechanics.model import Model
from biela.mechanics.quantity import number
from biela.mechanics.space import Base, Point, Rule
from biela.mechanics.surface import ANGLES, Surface
from biela.mechanics.trees import Place, Trees
from biela.mechanics.validation import faults


class System(Trees):
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
        super().__init__(name)
        self.joints: list[Joint] = []
        self.loads: list[Callable[[], Load]] = []
        self.efforts: list[tuple[Expr, Expr, Expr | None]] = []  # coordinate, effort, potential
        self.constraints: list[Callable[[], Constraint]] = []
        self.starts: dict[str, list[Expr]] = {"position": [], "velocity": []}
        self.weight = self.space.zero()
        self.drawing: list[draw.Shape] = []

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
        pitch: Any = None,
        quaternion: bool = False,
        name: str = "",
    ) -> Joint:
        """A joint of the table `JOINTS` between two bodies.

        It stands at ``at`` on the parent and at ``to`` on the child, each by components in that body's base,
        and along ``axis`` by components in the parent's base, or in ``frame``, a base fixed to the parent.
        A child without a place is placed, with coordinates named after it ('rocker.angle') unless
        ``coordinates`` gives names or expressions. A child that has a place already closes a loop; there
        ``child_axis`` may say where the axis is in the child's base, of a universal joint its second axis.
        ``pitch`` is that of a screw.

        Raises ValueError for an unknown kind or for a joint of a body to itself.
        """
        row = self._find("joint", kind, JOINTS)
        one, other = self._body_of(parent), self._body_of(child)
        label = name or f"{one.name}-{other.name}"
        where = f"Joint '{label}'"
        if one is other or other is self.ground:
            why = "the ground never moves, so name it first" if other is self.ground else "they are one body"
            raise ValueError(f"A {kind} joint from '{one.name}' to '{other.name}': {why}.")
        if (pitch is None) == (row.name == "screw"):
            why = "wants pitch=, its advance a turn" if pitch is None else "has no pitch: leave it out"
            raise ValueError(f"{where}: a {kind} joint {why}.")
        base = frame or one.base
        start = self._place_on(one, at)
        given = joints.listed(coordinates)
        told = {"axis": axis, "second": second, "child_axis": child_axis, "frame": base, "pitch": pitch}
        self._ours(where, axis, second, child_axis, pitch, given)
        if given and (quaternion or other.origin.parent is not None):
            why = "turns by a quaternion" if quaternion else "closes a loop"
            raise ValueError(f"{where} {why}, so coordinates= has no meaning: leave it out.")
        if other.origin.parent is not None:
            end = self._place_on(other, to)
            pair = (base, other.base)
            self._demand(
                label,
                lambda: joints.demands(self.space, row, start, end, pair, (axis, child_axis), second, where),
                (start, end),
            )
            made = Joint(label, row, one, other, start, end, (), True, told)
        elif child_axis is not None:
            raise ValueError(f"{where} places '{other.name}', so child_axis= has no meaning: turn a base.")
        elif quaternion:
            made = self._place_by_quaternion(label, row, one, other, start, base, to)
        else:
            axes, end = joints.frame_axes(self.space, axis, second, where), self._components(to, where)
            q = joints.place(self, row, other, start, base, axes, given, end, pitch)
            made = Joint(label, row, one, other, start, self._place_on(other, to), q, False, told)
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
        told = {"quaternion": True, "frame": base}
        return Joint(label, row, one, other, start, self._place_on(other, to), tuple(q), False, told)

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
        self._demand(label, lambda: [Meet(self.space, a, b)], (a, b))

    def distance(self, p: Place, q: Place, length: Any, name: str = "") -> None:
        """Two points keep a distance, as by a massless rod."""
        a, b = self._point_of(p, "Distance"), self._point_of(q, "Distance")
        label = name or f"|{a.name}-{b.name}|"
        self._ours(f"Constraint '{label}'", length)
        self._demand(label, lambda: [Distance(self.space, a, b, length)], (a, b))

    def constrain(
        self, name: str, *equations: Expr | Condition, points: tuple[Point, Point] | None = None
    ) -> None:
        """Expressions of coordinates, parameters and time that stay zero; raises TypeError for others."""
        self._ours(f"Constraint '{name}'", equations)
        _check_equations(name, equations)
        self._demand(name, lambda: list(equations), points)

    def constrain_velocity(self, name: str, *equations: Expr) -> None:
        """Expressions, linear in the velocities, that stay zero: rolling without slip."""
        self._ours(f"Constraint '{name}'", equations)
        _check_equations(name, equations)
        self.constraints.append(lambda: constraint(name, "velocity", equations))

    def contact(
        self,
        one: Surface,
        other: Surface,
        name: str = "",
        start: Sequence[float] = (),
        speeds: Sequence[float] = (),
    ) -> Contact:
        """Two surfaces touch; their parameters become coordinates without inertia, named after the contact.

        They begin with the values ``start`` and ``speeds``. `roll` and `rub` say what happens along the
        surfaces.

        Raises ValueError for two surfaces of one body.
        """
        label = name or f"{one.body.name}_on_{other.body.name}"
        if one.body is other.body:
            raise ValueError(f"Contact '{label}': both surfaces belong to body '{one.body.name}'.")
        names = [*((k, "1") for k in one.parameters), *((k, "2") for k in other.parameters)]
        begin = zip_longest(names, start, speeds, fillvalue=0.0)
        parameters = [
            self.coordinate(f"{label}.{k}{n}", v, w, "rad" if k in ANGLES else "m", inertia=False)
            for (k, n), v, w in begin  # type: ignore[misc]
        ]
        made = touching(label, one, other, parameters)
        self._demand(label, made.demands, made.ends)
        return made

    def roll(self, contact: Contact) -> None:
        """No slip at a contact: two equations of velocity, along its tangents."""
        name = f"rolling of {contact.name}"
        self.constraints.append(lambda: constraint(name, "velocity", [Rolling(contact)], contact.ends))

    def rub(self, contact: Contact, law: Callable[[Expr, Expr], tuple[Any, Any]], name: str = "") -> None:
        """Friction at a contact: ``law`` gives the forces on the first body along both tangents.

        It is given the speeds at which the first body slips over the second along them; see `creep`.
        """

        def load() -> Load:
            first, second, _ = contact.frame
            along, across = law(*contact.slip())
            force = first * along + second * across
            pairs = ((contact.one.body, force), (contact.other.body, -force))
            acting = [on_body(self.space, b, contact.point, f) for b, f in pairs if b is not self.ground]
            forces, moments = tuple(p for p, _ in acting), tuple(m for _, ms in acting for m in ms)
            return Load(name or f"friction of {contact.name}", "constitutive", forces, moments)

        self.loads.append(load)

    def drive(self, coordinate: Expr | str, motion: Any, name: str = "") -> None:
        """Prescribe a coordinate as an expression of time; its multiplier is the effort of the motor."""
        q = self._placement(coordinate, "Drive").symbols.position
        label = name or f"drive of {q.name}"
        self._ours(label, motion)
        self.constraints.append(lambda: constraint(label, "drive", [q - motion]))

    def start(self, *equations: Expr) -> None:
        """Expressions of positions that are zero at the start only, for assembly."""
        self._ours("Start", equations)
        self.starts["position"] += equations

    def start_velocity(self, *equations: Expr) -> None:
        """Expressions of velocities that are zero at the start only."""
        self._ours("Start", equations)
        self.starts["velocity"] += equations

    def _demand(self, name: str, equations: Callable[[], Sequence[Expr | Condition]], points: Any) -> None:
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
            forces = [on_body(self.space, carrier, point, f)]
            if other is not None:
                forces.append(on_body(self.space, other, point, -f))
            pairs = [pair for pair, _ in forces]
            return Load(
                name or f"force on {carrier.name}",
                kind,
                tuple(pairs),
                tuple(m for _, ms in forces for m in ms),
            )

        self.loads.append(load)

    def moment(
        self, body: Body | str, components: Any, base: Any = None, by: Any = None, name: str = "",
        kind: str = "external",
    ) -> None:  # fmt: skip
        """A moment on a body, by components in a base (the ground by default); ``by`` takes the reaction."""
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
        label = f"{name} {a.name}-{b.name}"
        self._ours(f"Load '{label}'", *push.sizes)
        self.loads.append(lambda: between(self.space, label, a, b, push, kind))

    def effort(self, coordinate: Expr | str, effort: Any, potential: Expr | None = None) -> None:
        """A generalised force on a coordinate: its power is the effort times the coordinate's velocity.

        ``potential`` is the energy it stores, if it does.
        """
        q = self._placement(coordinate, "Effort").symbols.position
        self._ours(f"Effort on '{q.name}'", effort, potential)
        value = (
            effort if isinstance(effort, Expr) else constant(self.graph, number(effort, q.name, "Effort on"))
        )
        self.efforts.append((q, value, potential))

    def torsion_spring(
        self, coordinate: Expr | str, stiffness: Any, rest: Any = 0.0, damping: Any = 0.0
    ) -> None:
        """A spring and damper on a coordinate: the torque of a hinge or the force of a slide."""
        q = self._placement(coordinate, "Torsion spring").symbols.position
        self._ours(f"Torsion spring on '{q.name}'", stiffness, rest, damping)
        stretch = q - rest
        self.effort(q, -stiffness * stretch - damping * q.dt(), stretch * stretch * stiffness / 2)

    def motor(self, coordinate: Expr | str, name: str, unit: str = "N m") -> Expr:
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

    def model(
        self, formalism: str = "direct", rule: Rule = "up", sign: int = 1, constraints: str = "smaller"
    ) -> Model:
        """The frozen model, whose equations are made when they are first asked for.

        ``formalism`` is one of `FORMALISMS`; ``rule`` how it chooses bases; ``sign=-1`` gives M and delta the
        signs of Plaza (2015), -M ddq = -delta. ``constraints`` is the way to the rates of constraints:
        'operators' along the trees, 'differentiation', or the 'smaller' code of both.

        Raises ValueError with all faults at once.
        """
        found = self.validate()
        if found:
            listed = "\n".join(f"{i}. {fault}" for i, fault in enumerate(found, 1))
            raise ValueError(f"System '{self.name}' has {len(found)} fault(s):\n{listed}")
        return Model(self, formalism, rule, sign, constraints)


def _check_equations(name: str, equations: Sequence[Any]) -> None:
    for equation in equations:
        if not isinstance(equation, (Expr, Condition)):
            kind = type(equation).__name__
            raise TypeError(f"Constraint '{name}': expected expressions, got {kind} {equation!r}.")
