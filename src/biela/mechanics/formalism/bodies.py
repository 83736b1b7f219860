"""Direct virtual power, body by body, as the thesis prints it (Plaza, 2015, eqs 4.54 and 4.62, corrected).

M = sum of m Jv^T Jv + (Jv^T (m r)~^T Jw + its transpose) + Jw^T I Jw, and delta with the same factors. What
the base of each product is, the rule of the space decides; inertia and first moments are never multiplied
by rotations of their own. Derivatives of velocities are taken relative to the ground, as the printed
formulas forget to say. For comparison with `direct`, and under the rule ``extended`` free of terms
like sin^2 + cos^2.
"""

from __future__ import annotations

from biela.expr.expression import Expr, constant
from biela.expr.matrix import vector
from biela.mechanics.body import Body
from biela.mechanics.formalism.problem import Equations, Problem
from biela.mechanics.kinematics import angular_velocity, velocity
from biela.mechanics.rotation import symmetric
from biela.mechanics.space import Space, is_zero
from biela.mechanics.vector import Jacobian, Tensor, Vector


class Twist:
    """A body's velocities, their partial velocities, and their rates when no speed changes."""

    def __init__(self, problem: Problem, body: Body) -> None:
        space, speeds = problem.space, [c.velocity for c in problem.coordinates]
        self.body = body
        self.v = velocity(space, body.reference, space.root, space.origin)
        self.w = angular_velocity(space, space.root, body.base)
        self.v_speeds = Jacobian.of(self.v, speeds).columns
        self.w_speeds = Jacobian.of(self.w, speeds).columns
        self.v_rate = self.v.dt(accelerations=False)
        self.w_rate = self.w.dt(accelerations=False)
        self.first_moment = Vector(space, {body.base: body.first_moment})
        self.inertia = Tensor(space, {body.base: body.inertia})


def equations(problem: Problem) -> Equations:
    """M and delta of a problem, under the rule of its space."""
    n, zero = len(problem.coordinates), constant(problem.space.graph, 0.0)
    M = [[zero] * n for _ in range(n)]
    delta = [problem.effort(k) for k in range(n)]
    for body in problem.bodies:
        twist = Twist(problem, body)
        _add_mass(M, twist)
        for k, term in enumerate(_inertia_terms(twist)):
            delta[k] = delta[k] - term
        for k, power in enumerate(weight_powers(problem, twist)):
            delta[k] = delta[k] + power
    for k, power in enumerate(load_powers(problem)):
        delta[k] = delta[k] + power
    return Equations(symmetric(M), vector(delta, problem.space.graph))


def _add_mass(M: list[list[Expr]], twist: Twist) -> None:
    """Each triangle once: the product by rows of the thesis's figure 4.9, and M_vw only once."""
    n, mass = len(M), twist.body.mass
    skew = twist.first_moment.skew()
    arms = [skew @ w for w in twist.w_speeds]
    momenta = [twist.inertia @ w for w in twist.w_speeds]
    for i in range(n):
        for j in range(i, n):
            vi, vj, wi = twist.v_speeds[i], twist.v_speeds[j], twist.w_speeds[i]
            coupling = vi.dot(arms[j]) + vj.dot(arms[i])
            M[i][j] = M[i][j] + vi.dot(vj) * mass - coupling + wi.dot(momenta[j])


def _inertia_terms(twist: Twist) -> list[Expr]:
    """The power of inertia for each speed when no speed changes."""
    body, s, w = twist.body, twist.first_moment, twist.w
    force = twist.v_rate * body.mass + twist.w_rate.cross(s) + w.cross(w.cross(s))
    moment = s.cross(twist.v_rate) + twist.inertia @ twist.w_rate + w.cross(twist.inertia @ w)
    return [v.dot(force) + u.dot(moment) for v, u in zip(twist.v_speeds, twist.w_speeds, strict=True)]


def weight_powers(problem: Problem, twist: Twist) -> list[Expr]:
    """The power of a body's weight for each speed; weight is at home in the ground: the rule is ``down``."""
    space, body = problem.space, twist.body
    if is_zero(problem.gravity):
        return []
    with _down(space):
        g = Vector(space, {space.root: problem.gravity})
        moment = twist.first_moment.cross(g)
        pairs = zip(twist.v_speeds, twist.w_speeds, strict=True)
        return [v.dot(g * body.mass) + w.dot(moment) for v, w in pairs]


def load_powers(problem: Problem) -> list[Expr]:
    """The power of all loads for each speed."""
    space, speeds = problem.space, [c.velocity for c in problem.coordinates]
    totals = [constant(space.graph, 0.0) for _ in speeds]
    pairs: list[tuple[Vector, Vector]] = []
    for load in problem.loads:
        pairs += [(velocity(space, p, space.root, space.origin), f) for p, f in load.forces]
        pairs += [(angular_velocity(space, space.root, b), m) for b, m in load.moments]
    for motion, action in pairs:
        with _down(space):
            for k, slope in enumerate(Jacobian.of(motion, speeds).columns):
                totals[k] = totals[k] + slope.dot(action)
    return totals


def _down(space: Space):
    return space.using("extended" if space.rule == "extended" else "down")
