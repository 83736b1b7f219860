"""The mass matrix from composite bodies, on separate trees of bases and points.

An entry of M is the power of one unit motion against the momentum of another. A *motion* is what one
speed does to one edge: a turn of everything whose base lies beyond a base, about its pivot, or a shift
of everything beyond a point. The momentum of a motion is that of a composite body: the first moment
and inertia about the pivot of all that turns, where what hangs on it without turning counts as a mass
(Featherstone, 2008, chapter 6, for single trees). It is passed down the edges, and meets each lower motion
as a force along a shift or a moment along a turn.

That is right when all that the upper motion moves, moves as one with respect to the lower one. For the
pairs of motions where it does not, in mechanisms with absolute angles or with orientations taken
elsewhere, the entry is summed body by body.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from biela.expr.expression import Expr, constant
from biela.expr.matrix import Matrix
from biela.expr.pattern import zeros
from biela.mechanics.body import Body
from biela.mechanics.formalism.bias import ByBase, add, slopes_of
from biela.mechanics.formalism.problem import Problem
from biela.mechanics.inertia import shifted
from biela.mechanics.rotation import symmetric
from biela.mechanics.space import Base, Point, is_zero
from biela.mechanics.vector import Vector


@dataclass(frozen=True, eq=False)
class EdgeMotion:
    """What the unit speed of a coordinate does to one edge: ``slope`` is an axis or a direction."""

    coordinate: int
    slope: Matrix
    base: Base | None = None  # of a turn
    point: Point | None = None  # of a shift


def mass_matrix(problem: Problem) -> Matrix:
    """M of the problem's coordinates, symmetric node by node."""
    return _Composites(problem).matrix()


class _Composites:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.space = problem.space
        self.graph = problem.space.graph
        self.zero = constant(self.graph, 0.0)
        self.bodies = [body for body in problem.bodies if body.has_inertia]
        self.points = {id(p): p for body in self.bodies for p in body.reference.path if _first_there(p) is p}
        self.children: dict[int, list[Point]] = {}
        self.bodies_at: dict[int, list[Body]] = {}
        for point in sorted(self.points.values(), key=lambda p: len(p.path)):
            if point.parent is not None:
                self.children.setdefault(id(_first_there(point.parent)), []).append(point)
        for body in self.bodies:
            self.bodies_at.setdefault(id(_first_there(body.reference)), []).append(body)
        self.known: dict[tuple[int, int], tuple[Matrix, Matrix]] = {}

    def matrix(self) -> Matrix:
        motions = self.motions
        columns = [self.column(y) for y in motions]
        n = len(self.problem.coordinates)
        M = [[self.zero] * n for _ in range(n)]
        for b, y in enumerate(motions):
            for a in range(b + 1):
                x = motions[a]
                entry = columns[b].get(a)
                if entry is None:
                    entry = columns[a].get(b)
                if entry is None:
                    entry = self.body_by_body(x, y)
                i, j = sorted((x.coordinate, y.coordinate))
                twice = i == j and a != b
                M[i][j] = M[i][j] + (entry + entry if twice else entry)
        return symmetric(M) if n else zeros(self.graph, (0, 0))

    @cached_property
    def motions(self) -> list[EdgeMotion]:
        """All motions, the lower edges first."""
        coordinates = self.problem.coordinates
        found: list[EdgeMotion] = []
        used = {id(b): b for p in self.points.values() for b in p.base.path}
        used |= {id(b): b for body in self.bodies for b in body.base.path}
        for point in sorted(self.points.values(), key=lambda p: len(p.path)):
            if point.parent is not None:
                slopes = slopes_of(point.edge(), [c.position for c in coordinates])
                found += [EdgeMotion(k, slope, point=point) for k, slope in slopes]
        for base in sorted(used.values(), key=lambda b: len(b.path)):
            if base.parent is not None:
                slopes = slopes_of(base.edge().spin, [c.velocity for c in coordinates])
                found += [EdgeMotion(k, slope, base=base) for k, slope in slopes]
        return found

    # what lies beyond a point

    @cached_property
    def mass(self) -> dict[int, Expr]:
        """The mass of all bodies at and beyond each point."""
        total: dict[int, Expr] = {}
        for point in sorted(self.points.values(), key=lambda p: len(p.path), reverse=True):
            own = self.zero
            for body in self.bodies_at.get(id(point), ()):
                own = own + body.mass
            for child in self.children.get(id(point), ()):
                own = own + total[id(child)]
            total[id(point)] = own
        return total

    def beyond(self, point: Point) -> list[Base]:
        """The bases of all that would have a moment if all beyond a point were shifted."""
        key = id(point)
        if key not in self._beyond:
            found: dict[int, Base] = {}
            for body in self.bodies_at.get(key, ()):
                if not is_zero(body.first_moment):
                    found[id(body.base)] = body.base
            for child in self.children.get(key, ()):
                found[id(child.base)] = child.base
                found |= {id(base): base for base in self.beyond(child)}
            self._beyond[key] = list(found.values())
        return self._beyond[key]

    @cached_property
    def _beyond(self) -> dict[int, list[Base]]:
        return {}

    def composite(self, point: Point, base: Base) -> tuple[Matrix, Matrix]:
        """First moment and inertia about a point, in a base, of what lies beyond and turns with the base.

        What does not turn with it is a mass where it leaves.
        """
        key = (id(point), id(base))
        if key not in self.known:
            self.known[key] = self._composite(point, base)
        return self.known[key]

    def _composite(self, point: Point, base: Base) -> tuple[Matrix, Matrix]:
        moment, inertia = self.space.zero(), zeros(self.graph, (3, 3))
        for body in self.bodies_at.get(id(point), ()):
            if body.base is base:
                moment, inertia = moment + body.first_moment, _sum(inertia, body.inertia)
        for child in self.children.get(id(point), ()):
            if child.base is base:
                moment, inertia = self._attach(moment, inertia, child, base, child.edge())
        for above in self._bases_above(point, base):
            if self._moves_as_one(point, above, base):
                part, tensor = self.composite(point, above)
                moment = moment + above.edge().down(part)
                inertia = _sum(inertia, above.edge().inertia_down(tensor))
                continue
            for body in self.bodies_at.get(id(point), ()):
                if above in body.base.path:
                    s, tensor = self._moved(body.first_moment, body.inertia, body.base, base)
                    moment, inertia = moment + s, _sum(inertia, tensor)
            for child in self.children.get(id(point), ()):
                if above in child.base.path:
                    r = self.space.project(child.edge(), child.base, base)
                    moment, inertia = self._attach(moment, inertia, child, base, r)
        return moment, inertia

    def _attach(
        self, moment: Matrix, inertia: Matrix, child: Point, base: Base, r: Matrix
    ) -> tuple[Matrix, Matrix]:
        part, tensor = self.composite(child, base)
        mass = self.mass[id(child)]
        return moment + (part + r * mass), _sum(inertia, shifted(tensor, mass, part, r))

    def _bases_above(self, point: Point, base: Base) -> list[Base]:
        """The children of a base to which something at the point belongs."""
        depth = len(base.path)
        found: dict[int, Base] = {}
        owners = [body.base for body in self.bodies_at.get(id(point), ())]
        owners += [child.base for child in self.children.get(id(point), ())]
        for owner in owners:
            if len(owner.path) > depth and owner.path[depth - 1] is base:
                found[id(owner.path[depth])] = owner.path[depth]
        return list(found.values())

    def _moves_as_one(self, point: Point, above: Base, base: Base) -> bool:
        """Whether all that is reached over ``above`` and turns with ``base`` also turns with ``above``."""
        stack = [c for c in self.children.get(id(point), ()) if above in c.base.path]
        while stack:
            node = stack.pop()
            owners = [body.base for body in self.bodies_at.get(id(node), ())]
            owners += [child.base for child in self.children.get(id(node), ())]
            if any(base in owner.path and above not in owner.path for owner in owners):
                return False
            stack += self.children.get(id(node), ())
        return True

    def _moved(self, moment: Matrix, inertia: Matrix, source: Base, target: Base) -> tuple[Matrix, Matrix]:
        while source is not target:
            edge = source.edge()
            moment, inertia = edge.down(moment), edge.inertia_down(inertia)
            assert source.parent is not None
            source = source.parent
        return moment, inertia

    # the momentum of a motion, passed down

    def column(self, y: EdgeMotion) -> dict[int, Expr]:
        """The entries of M between a motion and those that its momentum meets, by their index."""
        moments: ByBase = {}
        entries: dict[int, Expr] = {}
        for point, force, base in self._momentum(y, moments):
            self._meet_shifts(y, point, force, base, moments, entries)
        self._meet_turns(y, moments, entries)
        return entries

    def _momentum(self, y: EdgeMotion, moments: ByBase) -> list[tuple[Point, Matrix, Base]]:
        """The forces at points that the momentum of a motion amounts to; the moments go into ``moments``."""
        if y.base is not None:
            acting: list[tuple[Point, Matrix, Base]] = []
            for pivot in self._pivots(y.base):
                first, inertia = self.composite(pivot, y.base)
                add(moments, y.base, inertia @ y.slope)
                acting.append((pivot, y.slope.cross(first), y.base))
            return acting
        assert y.point is not None
        tip, base = y.point, y.point.base
        low = self._common_base(tip, base)
        if low is not None:
            first, _ = self.composite(tip, low)
            add(moments, low, first.cross(self.space.project(y.slope, base, low)))
        return [(tip, y.slope * self.mass[id(tip)], base)]

    def _common_base(self, tip: Point, base: Base) -> Base | None:
        """The base, not beyond that of the shift, with which what lies beyond turns; None if all is zero."""
        owners = self.beyond(tip)
        if not owners:
            return None
        low = base
        for owner in owners:
            low = self.space.common(low, owner)
        return low

    def _pivots(self, base: Base) -> list[Point]:
        """The points about which what belongs to a base turns: they do not belong to it themselves."""
        found: dict[int, Point] = {}
        for point in self.points.values():
            owners = [body.base for body in self.bodies_at.get(id(point), ())]
            owners += [child.base for child in self.children.get(id(point), ())]
            inside = point.parent is not None and base in point.base.path
            if not inside and any(base in owner.path for owner in owners):
                found[id(point)] = point
        return list(found.values())

    def _meet_shifts(
        self,
        y: EdgeMotion,
        point: Point,
        force: Matrix,
        base: Base,
        moments: ByBase,
        entries: dict[int, Expr],
    ) -> None:
        for node in reversed(point.path[1:]):
            r, here = node.edge(), self._shifts.get(id(node), [])
            if here and self._carries(y, node):
                here = []
            if is_zero(r) and not here:
                continue
            force = self.space.project(force, base, node.base)
            base = node.base
            for a in here:
                entries[a] = entries.get(a, self.zero) + self.motions[a].slope.dot(force)
            add(moments, base, r.cross(force))

    def _meet_turns(self, y: EdgeMotion, moments: ByBase, entries: dict[int, Expr]) -> None:
        while moments:
            base = max(moments, key=lambda b: len(b.path))
            moment = moments.pop(base)
            if base.parent is None:
                continue
            for a in self._turns.get(id(base), []):
                if self._as_one(y, base):
                    entries[a] = entries.get(a, self.zero) + self.motions[a].slope.dot(moment)
            if base.parent.parent is not None:
                add(moments, base.parent, base.edge().down(moment))
        *_, carrier = self._moved_bases(y)
        for base in () if carrier is None else carrier.path:  # a moment may have been zero
            for a in self._turns.get(id(base), []):
                if a not in entries and self._as_one(y, base):
                    entries[a] = self.zero

    def _carries(self, y: EdgeMotion, node: Point) -> bool:
        """Whether a turn moves a point as a whole, so that what lies beyond has momentum besides its own."""
        return any(y.base in p.base.path and not is_zero(p.edge()) for p in node.path[1:])

    def _as_one(self, y: EdgeMotion, base: Base) -> bool:
        """Whether all that a motion moves turns with a base, as far as that base turns any of it."""
        moved, left, carrier = self._moved_bases(y)
        if carrier is not None and base in carrier.path:
            return not any(base in owner.path for owner in left)
        return not any(base in owner.path for owner in (*moved, *left))

    def _moved_bases(self, y: EdgeMotion) -> tuple[list[Base], list[Base], Base | None]:
        """The bases of all that a motion moves, and the one at which its moment begins.

        First those that turn with it, then those of what hangs on these and counts as a mass where it leaves.
        """
        key = id(y)
        if key not in self._moved_known:
            if y.base is not None:
                moved, left = list[Base](), list[Base]()
                for pivot in self._pivots(y.base):
                    self._add_moved(pivot, y.base, moved, left)
                self._moved_known[key] = moved, left, y.base
            else:
                assert y.point is not None
                carrier = self._common_base(y.point, y.point.base)
                self._moved_known[key] = self.beyond(y.point), [], carrier
        return self._moved_known[key]

    @cached_property
    def _moved_known(self) -> dict[int, tuple[list[Base], list[Base], Base | None]]:
        return {}

    def _add_moved(self, pivot: Point, base: Base, moved: list[Base], left: list[Base]) -> None:
        """The bases of all beyond a pivot that a turn of ``base`` moves: what turns with it, and the rest."""
        stack = [pivot]
        while stack:
            node = stack.pop()
            for body in self.bodies_at.get(id(node), ()):
                if base in body.base.path:
                    moved.append(body.base)
                elif node is not pivot and not is_zero(body.first_moment):
                    left.append(body.base)
            for child in self.children.get(id(node), ()):
                if base in child.base.path:
                    moved.append(child.base)
                    stack.append(child)
                elif node is not pivot:
                    left += [child.base, *self.beyond(child)]

    @cached_property
    def _shifts(self) -> dict[int, list[int]]:
        places: dict[int, list[int]] = {}
        for a, motion in enumerate(self.motions):
            if motion.point is not None:
                places.setdefault(id(motion.point), []).append(a)
        return places

    @cached_property
    def _turns(self) -> dict[int, list[int]]:
        places: dict[int, list[int]] = {}
        for a, motion in enumerate(self.motions):
            if motion.base is not None:
                places.setdefault(id(motion.base), []).append(a)
        return places

    # body by body

    def body_by_body(self, x: EdgeMotion, y: EdgeMotion) -> Expr:
        """An entry of M as the sum over the bodies that both motions move."""
        total = self.zero
        common = self._moved_bodies(x) & self._moved_bodies(y)
        with self.space.using("extended"):
            for body in (b for b in self.bodies if id(b) in common):
                vx, wx = self._velocities(x, body)
                vy, wy = self._velocities(y, body)
                s = Vector(self.space, {body.base: body.first_moment})
                total = total + body.mass * vx.dot(vy) + vx.dot(wy.cross(s)) + vy.dot(wx.cross(s))
                if wx.parts and wy.parts:
                    total = total + wx.at(body.base).dot(body.inertia @ wy.at(body.base))
        return total

    def _moved_bodies(self, x: EdgeMotion) -> set[int]:
        if x.point is not None:
            return {id(b) for b in self.bodies if x.point in b.reference.path}
        return {
            id(b)
            for b in self.bodies
            if x.base in b.base.path or any(x.base in p.base.path for p in b.reference.path[1:])
        }

    def _velocities(self, x: EdgeMotion, body: Body) -> tuple[Vector, Vector]:
        """The velocity of a body's reference and its angular velocity in a unit motion."""
        nothing = Vector(self.space, {})
        if x.point is not None:
            inside = x.point in body.reference.path
            return (Vector(self.space, {x.point.base: x.slope}) if inside else nothing), nothing
        assert x.base is not None
        axis = Vector(self.space, {x.base: x.slope})
        arm = nothing
        for node in body.reference.path[1:]:
            if x.base in node.base.path:
                arm = arm + Vector(self.space, {node.base: node.edge()})
        return axis.cross(arm), axis if x.base in body.base.path else nothing


def _first_there(point: Point) -> Point:
    """The point nearest the origin that stands at the same place, whatever the coordinates."""
    while point.parent is not None and is_zero(point.edge()):
        point = point.parent
    return point


def _sum(one: Matrix, other: Matrix) -> Matrix:
    """The sum of two symmetric tensors."""
    return symmetric([[one[i, j] + other[i, j] if j >= i else 0 for j in range(3)] for i in range(3)])
