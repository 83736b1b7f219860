"""Bias forces along the trees: what inertia, weight and loads ask of coordinates without acceleration.

Outward, the angular velocity and acceleration of every base and the acceleration of every point, with
weight as an acceleration of the ground. Inward, the forces of everything beyond a point and the moments
of everything beyond a base. This is the recursion of Newton and Euler (Luh, Walker and Paul, 1980)
written for separate trees of bases and points, and is virtual power in another order of summation: since
v = sum of (r' + w x r) over the edges to a point and w = sum of spins over the edges to a base, the power
of all forces is collected edge by edge.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from biela.expr.expression import Expr, constant
from biela.expr.matrix import Matrix, matrix
from biela.mechanics.body import Body
from biela.mechanics.formalism.problem import Problem
from biela.mechanics.inertia import spherical
from biela.mechanics.space import Base, Point, Space, is_zero
from biela.mechanics.vector import Vector

ByBase = dict[Base, Matrix]


def bias(problem: Problem, accelerations: bool = False) -> list[Expr]:
    """delta for every coordinate, without efforts; with ``accelerations``, delta - M ddq."""
    motion = TreeMotion(problem, accelerations)
    forces: defaultdict[Point, ByBase] = defaultdict(dict)
    moments: dict[Base, Matrix] = {}
    for body in problem.bodies:
        _add_inertia(motion, body, forces[body.reference], moments)
    for load in problem.loads:
        for point, force in load.forces:
            for base, part in force.parts.items():
                add(forces[point], base, -part)
        for base, moment in load.moments:
            add(moments, base, -moment.at(base))
    totals = [constant(problem.space.graph, 0.0) for _ in problem.coordinates]
    for point in reversed(problem.points[1:]):
        _hand_down_force(problem, point, forces, moments, totals)
    for base in reversed(problem.bases[1:]):
        _hand_down_moment(problem, base, moments, totals)
    return [-total for total in totals]


class TreeMotion:
    """Velocities and accelerations of bases (in themselves) and points.

    Without ``accelerations``, as if all second derivatives were zero.
    """

    def __init__(self, problem: Problem, accelerations: bool = False) -> None:
        self.space = problem.space
        self.accelerations = accelerations
        zero = self.space.zero()
        root = self.space.root
        self.spin: ByBase = {root: zero}
        self.turning: ByBase = {root: zero}
        for base in problem.bases[1:]:
            self._add_base(base)
        self._fields: ByBase = {}
        used = [body.base for body in problem.bodies] + [point.base for point in problem.points]
        used += [own for load in problem.loads for _, force in load.forces for own in force.parts]
        self._carried = Counter(base for own in used for base in own.path)
        weight: ByBase = {} if is_zero(problem.gravity) else {root: -problem.gravity}
        self.acceleration: dict[Point, ByBase] = {self.space.origin: weight}
        for point in problem.points[1:]:
            self._add_point(point)

    def field(self, base: Base) -> Matrix:
        """The matrix w~ + w w, by which a vector fixed in a base accelerates its tip."""
        known = self._fields.get(base)
        if known is None:
            w, a = self.spin[base], self.turning[base]
            known = self._fields[base] = a.skew() + _squared_skew(w)
        return known

    def is_leaf(self, base: Base) -> bool:
        """Whether a base carries one body and nothing else, and turns about the axis of its own edge."""
        return self._carried[base] == 1 and base.edge().keeps(self.field(base))

    def _add_base(self, base: Base) -> None:
        edge = base.edge()
        assert base.parent is not None
        carried = edge.up(self.spin[base.parent])
        own = self.space.rate(edge.spin, self.accelerations)
        self.spin[base] = carried + edge.spin
        self.turning[base] = edge.up(self.turning[base.parent]) + own + carried.cross(edge.spin)

    def _add_point(self, point: Point) -> None:
        space, base, r = self.space, point.base, point.edge()
        assert point.parent is not None
        parts: ByBase = {}
        for own, part in self.acceleration[point.parent].items():
            if own in base.path:
                add(parts, base, space.project(part, own, base))
            else:
                add(parts, own, part)
        rate = space.rate(r)
        own_part = self.field(base) @ r
        if not is_zero(rate):
            own_part = own_part + self.spin[base].cross(rate) * 2 + space.rate(rate, self.accelerations)
        add(parts, base, own_part)
        self.acceleration[point] = parts


def _add_inertia(motion: TreeMotion, body: Body, forces: ByBase, moments: ByBase) -> None:
    space, base, s = motion.space, body.base, body.first_moment
    acceleration = motion.acceleration[body.reference]
    w, turning = motion.spin[base], motion.turning[base]
    round_all_over = spherical(body.inertia)
    if round_all_over is None:
        moment = body.inertia @ turning + w.cross(body.inertia @ w)
    else:
        moment = turning * round_all_over
    for own, part in acceleration.items():
        add(forces, own, part * body.mass)
    if not is_zero(s):
        below = base.parent
        if below is not None and base not in acceleration and motion.is_leaf(base):
            s = base.edge().down(s)  # which M needs too; the field is the same on both sides
            add(forces, below, motion.field(base) @ s)
            moment = moment + base.edge().up(s.cross(at(space, acceleration, below)))
        else:
            add(forces, base, motion.field(base) @ s)
            moment = moment + s.cross(at(space, acceleration, base))
    add(moments, base, moment)


def _hand_down_force(
    problem: Problem,
    point: Point,
    forces: dict[Point, ByBase],
    moments: ByBase,
    totals: list[Expr],
) -> None:
    """What acts at a point acts at its parent, with a moment on the base of the edge between."""
    space, parts, base, r = problem.space, forces.pop(point, {}), point.base, point.edge()
    assert point.parent is not None
    below = {own: part for own, part in parts.items() if own is not base and own in base.path}
    beyond = {own: part for own, part in parts.items() if own not in below}
    passed = forces[point.parent]
    for own, part in below.items():
        add(passed, own, part)
    slopes = list(slopes_of(r, [c.position for c in problem.coordinates]))
    if is_zero(r) and not slopes:
        for own, part in beyond.items():
            add(passed, own, part)
        return
    force = at(space, beyond, base)
    if not is_zero(force):
        add(passed, base, force)
    force = force + at(space, below, base) if below else force
    for k, slope in slopes:
        totals[k] = totals[k] + slope.dot(force)
    add(moments, base, r.cross(force))


def _hand_down_moment(problem: Problem, base: Base, moments: ByBase, totals: list[Expr]) -> None:
    moment = moments.get(base)
    if moment is None:
        return
    edge = base.edge()
    for k, slope in slopes_of(edge.spin, [c.velocity for c in problem.coordinates]):
        totals[k] = totals[k] + slope.dot(moment)
    assert base.parent is not None
    if base.parent.parent is not None:
        add(moments, base.parent, edge.down(moment))


def slopes_of(v: Matrix, symbols: list[Expr]) -> Iterable[tuple[int, Matrix]]:
    """The derivatives of components by the symbols they depend on, with the index of the symbol."""
    inside = {i for i in v.graph.reachable(v.refs) if v.graph.nodes[i][0] == "symbol"}
    for k, symbol in enumerate(symbols):
        if symbol.ref in inside:
            slope = v.diff(symbol)
            if not is_zero(slope):
                yield k, slope


def add(parts: ByBase, base: Base, part: Matrix) -> None:
    """One more part."""
    if not is_zero(part):
        parts[base] = parts[base] + part if base in parts else part


def at(space: Space, parts: ByBase, base: Base) -> Matrix:
    """The sum of parts in a base, those of one path nested."""
    if len(parts) == 1:
        own, part = next(iter(parts.items()))
        return space.project(part, own, base)
    with space.using("extended"):
        value = Vector(space, {})
        value.parts = dict(parts)
        return value.at(base)


def _squared_skew(w: Matrix) -> Matrix:
    x, y, z = w
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return matrix([[-(yy + zz), xy, xz], [xy, -(xx + zz), yz], [xz, yz, -(xx + yy)]], w.graph)
