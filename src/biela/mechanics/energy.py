"""Energy and momentum of a model: kinetic energy body by body, potential of weight, springs and efforts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix
from biela.mechanics.kinematics import angular_velocity, position, velocity
from biela.mechanics.vector import Tensor, Vector

if TYPE_CHECKING:
    from biela.mechanics.body import Body
    from biela.mechanics.model import Model


def kinetic(model: Model) -> Expr:
    """The kinetic energy of all bodies."""
    total = model.zero()
    for body in model.problem.bodies:
        v, w, s, inertia = _motion(model, body)
        total = total + body.mass * v.dot(v) / 2 + v.dot(w.cross(s)) + w.dot(inertia @ w) / 2
    for body in model.natural_bodies:
        for e, f, mass in body.products():
            product = model.space.rate(e).dot(model.space.rate(f)) * mass
            total = total + (product / 2 if e is f else product)
    return total


def potential(model: Model) -> Expr:
    """The potential energy of weight, of springs and of efforts that store energy."""
    space, total = model.space, model.zero()
    g = Vector(space, {space.root: model.weight})
    for body in model.problem.bodies:
        r = position(space, space.origin, body.reference)
        s = Vector(space, {body.base: body.first_moment})
        total = total - body.mass * g.dot(r) - g.dot(s)
    for body in model.natural_bodies:
        for e, moment in body.moments():
            total = total - model.weight.dot(e) * moment
    for load in model.loads:
        if load.potential is not None:
            total = total + load.potential
    for _, _, stored in model.efforts:
        if stored is not None:
            total = total + stored
    return total


def momentum(model: Model) -> tuple[Matrix, Matrix]:
    """Linear momentum, and angular momentum about the origin, by components in the ground."""
    space = model.space
    linear, angular = space.zero(), space.zero()
    for body in model.problem.bodies:
        v, w, s, inertia = _motion(model, body)
        r = position(space, space.origin, body.reference)
        p = v * body.mass + w.cross(s)
        linear = linear + p.at(space.root)
        angular = angular + (r.cross(p) + s.cross(v) + inertia @ w).at(space.root)
    for body in model.natural_bodies:
        for e, moment in body.moments():
            linear = linear + space.rate(e) * moment
        for e, f, mass in body.products():
            angular = angular + e.cross(space.rate(f)) * mass
            if e is not f:
                angular = angular + f.cross(space.rate(e)) * mass
    return linear, angular


def _motion(model: Model, body: Body) -> tuple[Vector, Vector, Vector, Tensor]:
    space = model.space
    v = velocity(space, body.reference, space.root, space.origin)
    w = angular_velocity(space, space.root, body.base)
    return v, w, Vector(space, {body.base: body.first_moment}), Tensor(space, {body.base: body.inertia})
