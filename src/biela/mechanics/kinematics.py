"""The operators of kinematics: positions, velocities and accelerations of points and bases, from the trees.

Each walks the path between its two nodes once and combines the edges in the order of the rule in force
(Plaza, 2015, section 4.4): ``up`` begins at the root's end, so that all points beyond a node share what
leads to it. Nodes of different branches are split at their last common node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from biela.mechanics.space import Base, Point, Space, last_common
from biela.mechanics.vector import Vector


def position(space: Space, a: Point, b: Point) -> Vector:
    """The vector from one point to another."""

    def contribution(p: Point) -> Vector:
        return Vector(space, {p.base: p.edge()})

    return _along(space, a, b, contribution)


def angular_velocity(space: Space, a: Base, b: Base) -> Vector:
    """The angular velocity of base ``b`` relative to base ``a``."""

    def contribution(base: Base) -> Vector:
        return Vector(space, {base: base.edge().spin})

    return _along(space, a, b, contribution)


def velocity(space: Space, b: Point, base: Base, origin: Point) -> Vector:
    """The velocity of a point relative to the frame of a base and a point."""

    def contribution(p: Point) -> Vector:
        edge = Vector(space, {p.base: p.edge()})
        rate = Vector(space, {p.base: space.rate(p.edge())})
        return rate + angular_velocity(space, base, p.base).cross(edge)

    return _along(space, origin, b, contribution)


def angular_acceleration(space: Space, a: Base, b: Base, accelerations: bool = True) -> Vector:
    """The derivative, seen from ``a``, of the angular velocity of ``b`` relative to ``a``.

    Edge by edge: the rate of an edge's own spin, and the turning of that edge by those below it.
    """
    low = last_common(a.path, b.path)
    if low is not a and low is not b:  # seen from a, what b does relative to the common base turns too
        spin = angular_velocity(space, low, a).cross(angular_velocity(space, low, b))
        beyond = angular_acceleration(space, low, b, accelerations)
        return beyond - angular_acceleration(space, low, a, accelerations) - spin
    if low is b and a is not b:
        return -angular_acceleration(space, b, a, accelerations)

    def contribution(base: Base) -> Vector:
        spin = Vector(space, {base: base.edge().spin})
        rate = Vector(space, {base: space.rate(base.edge().spin, accelerations)})
        assert base.parent is not None
        return rate + angular_velocity(space, a, base.parent).cross(spin)

    return _along(space, a, b, contribution)


def acceleration(space: Space, b: Point, base: Base, origin: Point, accelerations: bool = True) -> Vector:
    """The acceleration of a point relative to the frame of a base and a point.

    Each edge r adds r'' + 2 w x r' + w' x r + w x (w x r), with derivatives inside its own base.
    """

    def contribution(p: Point) -> Vector:
        r = Vector(space, {p.base: p.edge()})
        first = space.rate(p.edge())
        rate = Vector(space, {p.base: first})
        second = Vector(space, {p.base: space.rate(first, accelerations)})
        w = angular_velocity(space, base, p.base)
        turning = angular_acceleration(space, base, p.base, accelerations)
        return second + w.cross(rate * 2 + w.cross(r)) + turning.cross(r)

    return _along(space, origin, b, contribution)


def _along(space: Space, a: Base | Point, b: Base | Point, contribution: Callable[..., Vector]) -> Vector:
    """The sum of the edges' contributions from ``a`` to ``b``; negative for edges walked towards the root."""
    low = last_common(a.path, b.path)  # type: ignore[type-var]
    start = len(low.path)
    ahead = _combined(space, [contribution(node) for node in b.path[start:]])
    if a is low:
        return ahead
    back = _combined(space, [contribution(node) for node in a.path[start:]])
    return -back if b is low else ahead - back


def _combined(space: Space, edges: Sequence[Vector]) -> Vector:
    total = Vector(space, {})
    for edge in reversed(edges) if space.rule == "down" else edges:
        total = edge + total if space.rule == "down" else total + edge
    return total
