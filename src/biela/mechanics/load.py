"""Loads: the forces and moments that act on points and bases, as the principle of virtual power wants them.

A `Load` is a set of forces, each at a point, and moments, each on a base. Its power is that of the forces
along the velocities of their points and of the moments along the angular velocities of their bases; a
force between two bodies appears twice, with opposite signs. Weight and inertia are not among them: the
formalisms know those.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from biela.expr.expression import Expr, exp, tanh
from biela.mechanics.body import Body
from biela.mechanics.kinematics import position
from biela.mechanics.space import Base, Point, Space, is_zero
from biela.mechanics.vector import Vector

KINDS = ("external", "constitutive", "actuator", "constraint")


@dataclass(frozen=True, eq=False)
class Load:
    """Forces at points and moments on bases that belong together."""

    name: str
    kind: str
    forces: tuple[tuple[Point, Vector], ...] = ()
    moments: tuple[tuple[Base, Vector], ...] = ()
    potential: Expr | None = None
    line: tuple[Point, Point] | None = None  # it acts along, if it does

    def __post_init__(self) -> None:
        """Raises ValueError for an unknown kind."""
        if self.kind not in KINDS:
            raise ValueError(f"Load '{self.name}': unknown kind {self.kind!r}. Known: {', '.join(KINDS)}.")


def on_body(space: Space, body: Body, point: Point, force: Vector) -> tuple[tuple[Point, Vector], list[Any]]:
    """A force at a point of a body: at the point if it is fixed there, else at the origin with its moment."""
    node = point
    while node is not body.origin:
        fixed = node.r is not None and node.base is body.base and is_zero(space.rate(node.r))
        if not fixed or node.parent is None:
            arm = position(space, body.origin, point)
            return (body.origin, force), [(body.base, arm.cross(force))]
        node = node.parent
    return (point, force), []


def between(space: Space, name: str, p: Point, q: Point, push: Any, kind: str) -> Load:
    """A force along the line between two points: ``push(length, rate)``, positive if it parts them.

    Raises ValueError for two points that are always in one place.
    """
    line = position(space, p, q)
    length = line.norm()
    if length.number == 0.0:
        raise ValueError(f"Load '{name}': its two points are always in one place, so it has no direction.")
    rate = length.dt() if push.needs_rate else None
    force = line * (push(length, rate) / length)
    return Load(name, kind, ((p, -force), (q, force)), potential=push.potential(length), line=(p, q))


class Spring:
    """The push of a linear spring and damper: stiffness (rest - length) - damping rate."""

    def __init__(self, stiffness: Any, rest: Any, damping: Any) -> None:
        self.sizes = self.stiffness, self.rest, self.damping = stiffness, rest, damping
        self.needs_rate = isinstance(damping, Expr) or damping != 0

    def potential(self, length: Expr) -> Expr | None:
        """The energy stored at a length."""
        stretch = length - self.rest
        return stretch * stretch * self.stiffness / 2

    def __call__(self, length: Expr, rate: Expr | None) -> Expr:
        """The push at a length and its rate."""
        push = self.stiffness * (self.rest - length)
        return push if rate is None else push - self.damping * rate


class Given:
    """A push given as an expression."""

    needs_rate = False

    def __init__(self, force: Any) -> None:
        self.force = force
        self.sizes = (force,)

    def potential(self, length: Expr) -> Expr | None:
        """None: it stores nothing."""
        return None

    def __call__(self, length: Expr, rate: Expr | None) -> Any:
        """The push, whatever the length."""
        return self.force


def coulomb(speed: Expr, level: Any, width: Any = 1e-3) -> Expr:
    """Dry friction -level sign(speed), smoothed to a tanh over ``width`` around rest.

    >>> from biela.expr.graph import Graph
    >>> v = Graph().symbol("v")
    >>> coulomb(v, 2.0).value({v: 1.0})
    -2.0
    """
    return -level * tanh(speed / width)


def stribeck(speed: Expr, level: Any, static: Any, fall: Any, viscous: Any = 0.0, width: Any = 1e-3) -> Expr:
    """Friction that falls from ``static`` to ``level`` as the speed grows over ``fall``, and then rises."""
    ratio = speed / fall
    return coulomb(speed, level + (static - level) * exp(-ratio * ratio), width) - viscous * speed
