"""Reactions: the wrench that a joint transmits, what its coordinates' efforts contribute included.

Along a tree it follows from the balance of all that lies beyond the joint (Newton and Euler, inwards):

    reaction = sum over the bodies beyond of (inertia - weight - loads - forces of closed loops)

as a function of the motion (q, dq, ddq) and of the multipliers; so no equation is solved. A joint or
constraint that closes a loop transmits what its multipliers say (`Condition.actions`).

A wrench is six numbers: the force, then the moment about the joint's place on the child, of the parent on the
child, by components in the child's base. For a constraint between two points the child is the body
of the second, and the place that point. A body that was placed by hand is held by the body that its origin
hangs on. Multipliers have the model's sign.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from biela.expr.matrix import Matrix
from biela.expr.pattern import block
from biela.mechanics.constraint import Constraint, gap
from biela.mechanics.formalism.bias import TreeMotion, at
from biela.mechanics.space import Base, Point
from biela.mechanics.vector import Vector
from biela.suggestion import suggestion

if TYPE_CHECKING:
    from biela.mechanics.body import Body
    from biela.mechanics.model import Model


@dataclass(frozen=True, eq=False)
class Wrench:
    """A force at a point and a moment."""

    point: Point
    force: Vector
    moment: Vector

    def moved(self, point: Point) -> Wrench:
        """The same action about another point."""
        arm, base = gap(point.space, point, self.point)
        return Wrench(point, self.force, self.moment + Vector(point.space, {base: arm}).cross(self.force))

    def __add__(self, other: Wrench) -> Wrench:
        there = other.moved(self.point)
        return Wrench(self.point, self.force + there.force, self.moment + there.moment)

    def __neg__(self) -> Wrench:
        return Wrench(self.point, -self.force, -self.moment)

    def at(self, base: Base) -> Matrix:
        """Its six components in a base."""
        return block([self.force.at(base), self.moment.at(base)])


class Balance:
    """The bodies of a model, who holds whom, and the wrench that each asks of its holder."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.bodies = list(model.bodies.values())
        self.joints = {joint.child.name: joint for joint in model.joints if not joint.closes}
        self.totals = {body.name: Wrench(self._place(body), *self._nothing()) for body in self.bodies}
        self._add_inertia()
        self._take_loads()
        self.loops = _loops(model)
        for constraint, wrench in self.loops:
            self._take_loop(constraint, wrench)
        for body in sorted(self.bodies, key=self._depth, reverse=True):
            holder = self._holder(body)
            if holder is not None:
                self._add(holder, self.totals[body.name])

    def wrenches(self) -> list[tuple[str, Matrix]]:
        """The components of the wrench of every joint, then of every loop, with their names."""
        found = [(j.name, self.totals[j.child.name].at(j.child.base)) for j in self.joints.values()]
        for constraint, wrench in self.loops:
            body = self._carrier(wrench.point)
            found.append((constraint.name, wrench.at(body.base if body else self.model.space.root)))
        return found

    def _add_inertia(self) -> None:
        problem = self.model.problem
        motion = TreeMotion(problem, accelerations=True)
        for body in problem.bodies:
            base, s, w = body.base, body.first_moment, motion.spin[body.base]
            a = at(problem.space, motion.acceleration[body.reference], base)
            force = a * body.mass + motion.field(base) @ s
            moment = s.cross(a) + body.inertia @ motion.turning[base] + w.cross(body.inertia @ w)
            pair = (Vector(problem.space, {base: part}) for part in (force, moment))
            self._add(body, Wrench(body.reference, *pair))

    def _take_loads(self) -> None:
        zero = Vector(self.model.space, {})
        for load in self.model.loads:
            for point, force in load.forces:
                self._add(self._carrier(point), -Wrench(point, force, zero))
            for base, moment in load.moments:
                body = self._carrier_of_base(base)
                if body is not None:
                    self._add(body, -Wrench(self._place(body), zero, moment))

    def _take_loop(self, constraint: Constraint, wrench: Wrench) -> None:
        assert constraint.points is not None
        self._add(self._carrier(constraint.points[1]), -wrench)
        self._add(self._carrier(constraint.points[0]), wrench)

    def _add(self, body: Body | None, wrench: Wrench) -> None:
        if body is not None:
            self.totals[body.name] = self.totals[body.name] + wrench

    def _nothing(self) -> tuple[Vector, Vector]:
        return Vector(self.model.space, {}), Vector(self.model.space, {})

    def _place(self, body: Body) -> Point:
        joint = self.joints.get(body.name)
        return body.origin if joint is None else joint.to

    def _holder(self, body: Body) -> Body | None:
        joint = self.joints.get(body.name)
        if joint is not None:
            return self.model.bodies.get(joint.parent.name)
        below = body.origin.parent
        return None if below is None else self._carrier(below)

    def _depth(self, body: Body) -> int:
        holder, depth = self._holder(body), 0
        while holder is not None:
            holder, depth = self._holder(holder), depth + 1
        return depth

    def _carrier(self, point: Point) -> Body | None:
        """The last body on the way to a point; None for the ground."""
        near = [body for body in self.bodies if body.origin in point.path]
        return max(near, key=lambda body: len(body.origin.path), default=None)

    def _carrier_of_base(self, base: Base) -> Body | None:
        near = [body for body in self.bodies if body.base in base.path]
        return max(near, key=lambda body: len(body.base.path), default=None)


def labelled(model: Model) -> list[tuple[str, Matrix]]:
    """The wrench of every joint, then of every loop, with their names.

    Raises ValueError for a constraint whose forces are not known, and for a model with joint unknowns.
    """
    if model.unknowns:
        raise ValueError(f"Model '{model.name}' has joint unknowns: these are its reactions; see 'V'.")
    for constraint in model.constraints:
        if not constraint.tells:
            raise ValueError(
                f"Constraint '{constraint.name}' is given as expressions, which do not tell the forces on "
                "the bodies: reactions are known if loops are closed by joints, close() and distance()."
            )
    return Balance(model).wrenches()


def reactions(model: Model) -> dict[str, Matrix]:
    """The wrenches by the names of outputs; raises ValueError as `labelled`."""
    found = labelled(model)
    return dict(zip(output_names([name for name, _ in found]), [wrench for _, wrench in found], strict=True))


def available(model: Model) -> bool:
    """Whether there is any, and all are known."""
    joined = bool(model.joints) or any(c.points for c in model.constraints)
    return joined and not model.unknowns and all(c.tells for c in model.constraints)


def reaction(model: Model, name: str) -> Matrix:
    """The wrench of one joint or loop, by its name or that of its output.

    Raises ValueError for an unknown name.
    """
    found = labelled(model)
    labels = [label for label, _ in found]
    for label, other, (_, wrench) in zip(labels, output_names(labels), found, strict=True):
        if name in (label, other):
            return wrench
    hint = suggestion(name, labels)
    raise ValueError(f"Model '{model.name}' has no joint '{name}'. Known: {', '.join(labels)}.{hint}")


def output_names(labels: Sequence[str]) -> list[str]:
    """Names of joints as names of outputs: letters, digits and single underscores; the second has a number.

    >>> output_names(["ground-crank", "ground-crank", "2"])
    ['ground_crank', 'ground_crank_2', 'joint_2']
    """
    names: list[str] = []
    for label in labels:
        plain = re.sub(r"[\W_]+", "_", label, flags=re.ASCII).strip("_")
        plain = plain if plain[:1].isalpha() else f"joint_{plain}"
        numbered = (plain if k == 1 else f"{plain}_{k}" for k in count(1))
        names.append(next(name for name in numbered if name not in names))
    return names


def _loops(model: Model) -> list[tuple[Constraint, Wrench]]:
    """What each constraint does to the body of its second point, where it does not stay inside a joint."""
    space, multipliers = model.space, iter(model.multipliers)
    ordered = sorted(model.constraints, key=lambda c: c.level == "velocity")  # as the rows of phi_dot
    found: list[tuple[Constraint, Wrench]] = []
    for constraint in ordered:
        force, moment = Vector(space, {}), Vector(space, {})
        for action in constraint.actions() or ():
            multiplier = next(multipliers)
            if action is not None:
                force = force - action.force * (multiplier * model.sign)
                moment = moment - action.moment * (multiplier * model.sign)
        if constraint.points:
            found.append((constraint, Wrench(constraint.points[1], force, moment)))
    return found
