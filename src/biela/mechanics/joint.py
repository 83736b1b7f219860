"""The joints engineers name, as data: what each lets move, and what it demands when it closes a loop.

A joint between a placed body and one that has no place yet places the second: it becomes a branch of
the trees, with a coordinate for each motion. Between two placed bodies the same joint closes a loop, and
becomes equations.

Motions are carried out in their order, along or about the joint's axes: ``a`` is the axis given, ``b`` and
``c`` complete it to a right-handed frame (or ``b`` is the second axis given), x, y and z are those of the
base. Demands are: ``point`` the two places meet, ``line`` they meet but for a shift along the axis, ``plane``
they meet but for shifts across it, ``parallel`` the axes are parallel, ``square`` the first body's axis is
square to the second's, ``turn`` no turn about the axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix, vector
from biela.mechanics.body import Body
from biela.mechanics.condition import Aligned, Condition, Inner, Meet, Square
from biela.mechanics.quantity import TURN
from biela.mechanics.rotation import about, by_quaternion, unit
from biela.mechanics.space import Base, Point, Space

if TYPE_CHECKING:
    from biela.mechanics.system import System


SQUARE = 1e-9  # the cosine of two axes that are square to each other but for rounding


@dataclass(frozen=True, slots=True)
class Kind:
    """A row of the table: motions with the names of their coordinates, and demands."""

    name: str
    motions: tuple[tuple[str, str, str], ...]  # ("turn" or "shift", axis, coordinate)
    demands: tuple[str, ...]
    description: str


def _free(*turns: tuple[str, str, str]) -> tuple[tuple[str, str, str], ...]:
    return (("shift", "x", "x"), ("shift", "y", "y"), ("shift", "z", "z"), *turns)


_ZYX = (("turn", "z", "yaw"), ("turn", "y", "pitch"), ("turn", "x", "roll"))

JOINTS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("revolute", (("turn", "a", "angle"),), ("point", "parallel"), "a hinge: turns about an axis"),
        Kind(
            "prismatic", (("shift", "a", "distance"),), ("line", "parallel", "turn"), "slides along an axis"
        ),
        Kind(
            "cylindrical",
            (("shift", "a", "distance"), ("turn", "a", "angle")),
            ("line", "parallel"),
            "slides along an axis and turns about it",
        ),
        Kind("screw", (("screw", "a", "angle"),), (), "turns about an axis and advances a pitch a turn"),
        Kind(
            "universal",
            (("turn", "a", "angle1"), ("turn", "b", "angle2")),
            ("point", "square"),
            "turns about an axis of each body, square to each other",
        ),
        Kind(
            "spherical",
            (("turn", "x", "angle1"), ("turn", "y", "angle2"), ("turn", "z", "angle3")),
            ("point",),
            "a ball: turns in any direction",
        ),
        Kind(
            "planar",
            (("shift", "b", "distance1"), ("shift", "c", "distance2"), ("turn", "a", "angle")),
            ("plane", "parallel"),
            "slides in the plane square to an axis and turns about it",
        ),
        Kind("free", _free(*_ZYX), (), "moves freely; yaw, pitch and roll are turns about z, then y, then x"),
        Kind("weld", (), ("point", "parallel", "turn"), "does not move"),
    )
}


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint of a system: its kind, the two bodies, the places on both, and its coordinates."""

    name: str
    kind: Kind
    parent: Body
    child: Body
    at: Point
    to: Point
    coordinates: tuple[Expr, ...]
    closes: bool
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])  # as they were given


def frame_axes(space: Space, axis: Any, second: Any, where: str) -> dict[str, Matrix]:
    """The directions a motion can be along: x, y, z and the joint's own a, b, c.

    Raises ValueError for what is no axis, or when the second axis is not square to the first.
    """
    try:
        return _frame_axes(space, axis, second)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _frame_axes(space: Space, axis: Any, second: Any) -> dict[str, Matrix]:
    graph = space.graph
    axes = {
        name: vector(row, graph) for name, row in zip("xyz", ([1, 0, 0], [0, 1, 0], [0, 0, 1]), strict=True)
    }
    a = direction(space, axis)
    axes["a"] = a
    if second is not None:
        axes["b"] = direction(space, second)
    else:
        axes["b"] = across(space, a)
    axes["c"] = a.cross(axes["b"])
    skewness = a.dot(axes["b"]).number
    if skewness is not None and abs(skewness) > SQUARE:
        raise ValueError(f"The two axes {a} and {axes['b']} of a joint are not square to each other.")
    return axes


def direction(space: Space, axis: Any) -> Matrix:
    """An axis, given by name ('x', '-y') or components, as a vector of length one."""
    if isinstance(axis, str):
        names = {"x": 0, "y": 1, "z": 2}
        sign, name = (-1.0, axis[1:]) if axis[:1] == "-" else (1.0, axis)
        if name not in names:
            raise ValueError(f"Axis {axis!r}: expected x, y, z, -x, -y, -z or a vector of 3.")
        row = [0.0, 0.0, 0.0]
        row[names[name]] = sign
        return vector(row, space.graph)
    return unit(space.graph, axis)


def across(space: Space, a: Matrix) -> Matrix:
    """A direction square to a numeric one: the coordinate axis after the nearest, made square."""
    numbers = [entry.number for entry in a]
    if any(number is None for number in numbers):
        raise ValueError(f"The axis {a} is symbolic: give the second axis of the joint too.")
    values = [abs(number or 0.0) for number in numbers]
    row = [0.0, 0.0, 0.0]
    row[(values.index(max(values)) + 1) % 3] = 1.0
    start = vector(row, space.graph)
    return unit(space.graph, start - a * a.dot(start))


def place(
    system: System,
    kind: Kind,
    child: Body,
    start: Point,
    frame: Base,
    axes: dict[str, Matrix],
    coordinates: Sequence[Any],
    to: Any,
    pitch: Any,
) -> tuple[Expr, ...]:
    """Hang a body on its parent through the motions of a joint; returns the coordinates made or given.

    Raises ValueError for more coordinates than motions.
    """
    if len(coordinates) > len(kind.motions):
        wanted = f"{len(kind.motions)} coordinate{'s' * (len(kind.motions) != 1)}"
        raise ValueError(f"A {kind.name} joint has {wanted}; got {len(coordinates)} for '{child.name}'.")
    space, point, base = system.space, start, frame
    made: list[Expr] = []
    turns = sum(motion != "shift" for motion, _, _ in kind.motions)
    for n, (motion, axis, name) in enumerate(kind.motions):
        q = _coordinate(system, coordinates, n, f"{child.name}.{name}", "m" if motion == "shift" else "rad")
        made.append(q)
        if motion in ("shift", "screw"):
            advance = q if motion == "shift" else q * (pitch / TURN)
            moved = Point(space, f"{child.name}.slide{(len(point.name) and n) or ''}")
            moved.parent, moved.base, moved.r = point, base, axes[axis] * advance
            point = moved
        if motion in ("turn", "screw"):
            turns -= 1
            turned = child.base if turns == 0 else Base(space, f"{child.name}.turn{n}")
            turned.parent, turned.rotation = base, about(space.graph, axes[axis], q)
            base = turned
    if child.base is not base:  # it never turns: an unturned copy, so that every body has a base of its own
        child.base.parent, child.base.rotation = base, about(space.graph, "x", 0.0)
    hang(child, point, to)
    return tuple(made)


def hang(child: Body, point: Point, to: Any) -> None:
    """Put the body's origin where its place ``to`` meets a point."""
    r = to if isinstance(to, Matrix) else vector(to, child.space.graph)
    child.origin.parent, child.origin.base, child.origin.r = point, child.base, -r


def by_norm(system: System, child: Body, parent: Base, names: Sequence[str]) -> list[Expr]:
    """Turn a body by a unit quaternion of four new coordinates; their norm becomes a constraint."""
    e = [system.coordinate(name, value=float(i == 0)) for i, name in enumerate(names)]
    child.base.parent, child.base.rotation = parent, by_quaternion(system.graph, e)
    norm = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - 1.0
    system.constrain(f"{child.name}.norm", Inner([norm]))
    return e


def demands(
    space: Space, kind: Kind, p: Point, q: Point, bases: tuple[Base, Base], axes: tuple[Any, Any],
    second: Any, where: str,
) -> list[Condition]:  # fmt: skip
    """The conditions by which a joint closes a loop between ``p`` on the parent and ``q`` on the child.

    ``axes`` are those of the parent and of the child. Without the child's, the joint is that which would have
    placed it: at rest the two bases agree, and the child's axis of a universal joint is the second one.

    Raises ValueError for a joint that has none.
    """
    if not kind.demands:
        raise ValueError(
            f"{where}: a {kind.name} joint cannot close a loop: use another joint, or write the equations."
        )
    own = frame_axes(space, axes[0], second, where)
    same = axes[1] is None
    his = own if same else frame_axes(space, axes[1], None, where)
    conditions: list[Condition] = []
    for demand in kind.demands:
        if demand == "point":
            conditions.append(Meet(space, p, q))
        elif demand in ("line", "plane"):
            names = ("b", "c") if demand == "line" else ("a",)
            conditions.append(Aligned(space, p, q, bases[0], [own[name] for name in names]))
        elif demand == "parallel":
            conditions += [Square(space, bases, own["a"], his[name]) for name in ("b", "c")]
        elif demand == "square":
            conditions.append(Square(space, bases, own["a"], his["b" if same else "a"]))
        else:
            conditions.append(Square(space, bases, own["b"], his["c"]))
    return conditions


def listed(coordinates: Any) -> list[Any]:
    """Coordinates given alone or in a list, as a list."""
    return [coordinates] if isinstance(coordinates, (str, int, float, Expr)) else list(coordinates)


def _coordinate(system: System, given: Sequence[Any], n: int, name: str, unit: str) -> Expr:
    if n < len(given):
        value = given[n]
        return value if isinstance(value, Expr) else system.coordinate(value, unit=unit)
    return system.coordinate(name, unit=unit)
