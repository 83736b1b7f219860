"""Conditions between two bodies: what joints and loops demand, and all that follows from it.

A `Condition` knows the points and directions it is about, so it can say more than its equations:

* their rates by operators: positions and directions travel down the tree of bases together with their first
  and second rates, d(R v) = R (v' + w x v), instead of being differentiated once they are written out.
  This is smaller where an edge is long and its spin is shared (Plaza, 2015, names it as future work);
* their actions: with lambda the multiplier, the force -lambda f at the second point and the moment
  -lambda m on the second body, and the opposite on the first.

An equation that is merely an expression has neither, unless it stays inside one joint (`Inner`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix
from biela.expr.pattern import identity
from biela.mechanics.constraint import below_run, gap, gathered, paths
from biela.mechanics.space import Base, Point, Space
from biela.mechanics.vector import Vector


class Rates(NamedTuple):
    """The rate of an equation, and the rate of that as if all accelerations were zero."""

    rate: Expr
    bias: Expr


class Action(NamedTuple):
    """What the second body feels, per unit of minus the multiplier: a force at its point and a moment."""

    force: Vector
    moment: Vector


@dataclass(frozen=True, eq=False)
class Jet:
    """Components in a base, with their rate in it and their second rate without accelerations."""

    value: Matrix
    rate: Matrix
    bias: Matrix

    @classmethod
    def of(cls, space: Space, v: Matrix) -> Jet:
        """Components that change only as their expressions do."""
        rate = space.rate(v)
        return cls(v, rate, space.rate(rate, accelerations=False))

    def __add__(self, other: Jet) -> Jet:
        return Jet(self.value + other.value, self.rate + other.rate, self.bias + other.bias)

    def __sub__(self, other: Jet) -> Jet:
        return Jet(self.value - other.value, self.rate - other.rate, self.bias - other.bias)

    def dot(self, other: Jet) -> Rates:
        """The rates of the scalar product of two in one base."""
        rate = self.rate.dot(other.value) + self.value.dot(other.rate)
        mixed = self.rate.dot(other.rate) * 2
        return Rates(rate, self.bias.dot(other.value) + mixed + self.value.dot(other.bias))

    def down(self, space: Space, base: Base, below: Base) -> Jet:
        """The same vector in a base that is one edge, or one run of turns about one axis, nearer the root."""
        edges = [b.edge() for b in base.path[len(below.path) :]]
        if edges[-1].axis is None:
            return self._multiplied(space, edges[-1].matrix)
        spin = edges[-1].spin
        for edge in edges[:-1]:
            spin = spin + edge.spin
        carried = spin.cross(self.value)
        turning = space.rate(spin, accelerations=False).cross(self.value)
        bias = self.bias + spin.cross(self.rate * 2 + carried) + turning
        parts = (self.value, self.rate + carried, bias)
        return Jet(*(space.project(part, base, below, merge=True) for part in parts))

    def _multiplied(self, space: Space, R: Matrix) -> Jet:
        """Through a matrix, which need be no rotation: a quaternion may have drifted off its norm."""
        first = space.rate(R)
        second = space.rate(first, accelerations=False)
        bias = R @ self.bias + first @ self.rate * 2 + second @ self.value
        return Jet(R @ self.value, R @ self.rate + first @ self.value, bias)

    def lowered(self, space: Space, base: Base, target: Base) -> Jet:
        """The same vector in a base on the way to the root."""
        jet = self
        while base is not target:
            below = below_run(base, target)
            jet, base = jet.down(space, base, below), below
        return jet


class Condition(ABC):
    """Equations between two bodies; the subclasses are the words that `JOINTS` uses."""

    @abstractmethod
    def equations(self) -> list[Expr]:
        """What stays zero."""

    def rates(self) -> Sequence[Rates] | None:
        """The rates of the equations by operators; None where differentiation is the only way."""
        return None

    @abstractmethod
    def actions(self) -> Sequence[Action | None]:
        """What each multiplier does to the bodies; None where it acts inside a joint."""


@dataclass(frozen=True, eq=False)
class Meet(Condition):
    """Two points coincide."""

    space: Space
    p: Point
    q: Point

    def equations(self) -> list[Expr]:
        """The components of the gap, in the base where they are smallest."""
        return list(gap(self.space, self.p, self.q)[0])

    def rates(self) -> list[Rates]:
        """Their rates, those of a velocity relative to that base."""
        d, _ = moving_gap(self.space, self.p, self.q)
        return [Rates(rate, bias) for rate, bias in zip(d.rate, d.bias, strict=True)]

    def actions(self) -> list[Action]:
        """A force along each direction of that base."""
        _, base = gap(self.space, self.p, self.q)
        rows = identity(self.space.graph, 3)
        nothing = Vector(self.space, {})
        return [Action(Vector(self.space, {base: row}), nothing) for row in rows]


@dataclass(frozen=True, eq=False)
class Distance(Condition):
    """Two points keep a distance."""

    space: Space
    p: Point
    q: Point
    length: Expr | float

    def equations(self) -> list[Expr]:
        """The square of the distance less that of the length."""
        d, _ = gap(self.space, self.p, self.q)
        return [d.dot(d) - self.length * self.length]

    def rates(self) -> list[Rates] | None:
        """Twice the gap times its rate, for a length that is constant."""
        if isinstance(self.length, Expr) and self.length.dt().number != 0.0:
            return None
        d, _ = moving_gap(self.space, self.p, self.q)
        bias = (d.rate.dot(d.rate) + d.value.dot(d.bias)) * 2
        return [Rates(d.value.dot(d.rate) * 2, bias)]

    def actions(self) -> list[Action]:
        """A force along the line."""
        d, base = gap(self.space, self.p, self.q)
        return [Action(Vector(self.space, {base: d * 2}), Vector(self.space, {}))]


@dataclass(frozen=True, eq=False)
class Aligned(Condition):
    """The gap between two points has no component along directions of a base of the first body."""

    space: Space
    p: Point
    q: Point
    base: Base
    directions: Sequence[Matrix]

    def equations(self) -> list[Expr]:
        """Those components."""
        d, base = gap(self.space, self.p, self.q)
        line = Vector(self.space, {base: d})
        return [line.dot(Vector(self.space, {self.base: u})) for u in self.directions]

    def rates(self) -> list[Rates]:
        """Their rates, in the last base that the gap and the directions have in common."""
        d, base = moving_gap(self.space, self.p, self.q)
        low = self.space.common(base, self.base)
        line = d.lowered(self.space, base, low)
        return [line.dot(Jet.of(self.space, u).lowered(self.space, self.base, low)) for u in self.directions]

    def actions(self) -> list[Action]:
        """A force along each direction."""
        nothing = Vector(self.space, {})
        return [Action(Vector(self.space, {self.base: u}), nothing) for u in self.directions]


@dataclass(frozen=True, eq=False)
class Square(Condition):
    """A direction of the first body is square to one of the second."""

    space: Space
    bases: tuple[Base, Base]
    u: Matrix
    v: Matrix

    def _vectors(self) -> tuple[Vector, Vector]:
        return Vector(self.space, {self.bases[0]: self.u}), Vector(self.space, {self.bases[1]: self.v})

    def equations(self) -> list[Expr]:
        """Their scalar product."""
        u, v = self._vectors()
        return [u.dot(v)]

    def rates(self) -> list[Rates]:
        """Its rates, in their last common base."""
        low = self.space.common(*self.bases)
        one, other = (
            Jet.of(self.space, w).lowered(self.space, base, low)
            for base, w in zip(self.bases, (self.u, self.v), strict=True)
        )
        return [one.dot(other)]

    def actions(self) -> list[Action]:
        """A moment about the common normal."""
        u, v = self._vectors()
        return [Action(Vector(self.space, {}), v.cross(u))]


@dataclass(frozen=True, eq=False)
class Inner(Condition):
    """Expressions of the coordinates of one joint: their multipliers are efforts inside it."""

    expressions: Sequence[Expr]

    def equations(self) -> list[Expr]:
        """The expressions."""
        return list(self.expressions)

    def actions(self) -> list[None]:
        """None that a body would feel."""
        return [None] * len(self.expressions)


def moving_gap(space: Space, p: Point, q: Point) -> tuple[Jet, Base]:
    """`gap` with its rates, edge by edge, relative to the base it is given in."""
    ahead, back, target = paths(space, p, q)

    def edge(node: Point) -> Jet:
        return Jet.of(space, node.edge())

    def down(jet: Jet, base: Base, below: Base) -> Jet:
        return jet.down(space, base, below)

    zero = Jet(space.zero(), space.zero(), space.zero())
    total = gathered(ahead, target, edge, down, zero)
    return (total - gathered(back, target, edge, down, zero) if back else total), target
