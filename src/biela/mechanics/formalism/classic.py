"""Classic virtual power: e, the power of all forces for each speed; then M = de/dddq, delta = -e at ddq = 0.

The thesis's yardstick for the direct methods (Plaza, 2015, section 6.6): generation is slower, M is not
symmetric node by node, and the expressions are larger.
"""

from __future__ import annotations

from biela.expr.expression import Expr, constant
from biela.expr.matrix import matrix, vector
from biela.mechanics.formalism.bodies import Twist, load_powers, weight_powers
from biela.mechanics.formalism.problem import Equations, Problem


def equations(problem: Problem) -> Equations:
    """M and delta of a problem, under the rule of its space."""
    e = inertia_power(problem)
    accelerations = [c.acceleration for c in problem.coordinates]
    M = matrix([[term.diff(a) for a in accelerations] for term in e], problem.space.graph)
    at_rest = vector(e, problem.space.graph).substitute(dict.fromkeys(accelerations, 0.0))
    terms = [problem.effort(k) - inertia for k, inertia in enumerate(at_rest)]
    for body in problem.bodies:
        terms = _sum(terms, weight_powers(problem, Twist(problem, body)))
    return Equations(M, vector(_sum(terms, load_powers(problem)), problem.space.graph))


def inertia_power(problem: Problem) -> list[Expr]:
    """What inertia asks of each coordinate, accelerations included: linear in them."""
    totals = [constant(problem.space.graph, 0.0) for _ in problem.coordinates]
    for body in problem.bodies:
        twist = Twist(problem, body)
        force, moment = inertia_wrench(twist)
        pairs = zip(twist.v_speeds, twist.w_speeds, strict=True)
        totals = _sum(totals, [v.dot(force) + w.dot(moment) for v, w in pairs])
    return totals


def inertia_wrench(twist: Twist):
    """The rate of momentum of a body and that of its angular momentum about the reference (D'Alembert)."""
    s, w = twist.first_moment, twist.w
    v_rate, w_rate = twist.v.dt(), twist.w.dt()
    force = v_rate * twist.body.mass + w_rate.cross(s) + w.cross(w.cross(s))
    moment = s.cross(v_rate) + twist.inertia @ w_rate + w.cross(twist.inertia @ w)
    return force, moment


def _sum(totals: list[Expr], terms: list[Expr]) -> list[Expr]:
    return [a + b for a, b in zip(totals, terms, strict=True)] if terms else totals
