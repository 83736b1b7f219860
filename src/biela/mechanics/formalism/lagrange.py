"""Lagrange's equations: M = d2T/ddq2 and delta = dT/dq - d/dt(dT/ddq) at ddq = 0, plus the power of loads.

Formed from the kinetic energy by differentiation alone, hence independent of the other formalisms. For
coordinates whose speeds are their rates, which all are here.
"""

from __future__ import annotations

from biela.expr.derivative import gradient
from biela.expr.expression import Expr, constant
from biela.expr.matrix import Matrix, vector
from biela.mechanics.formalism.bodies import Twist, load_powers, weight_powers
from biela.mechanics.formalism.problem import Equations, Problem
from biela.mechanics.rotation import symmetric


def equations(problem: Problem) -> Equations:
    """M and delta of a problem, under the rule of its space."""
    graph = problem.space.graph
    positions = [c.position for c in problem.coordinates]
    speeds = [c.velocity for c in problem.coordinates]
    T, weights = kinetic_energy(problem)
    momenta = gradient(T, speeds)
    n = len(speeds)
    M = symmetric([[momenta[i].diff(speeds[j]) if j >= i else 0 for j in range(n)] for i in range(n)])
    rates = problem.space.rate(vector(momenta, graph), accelerations=False)
    forces = load_powers(problem)
    terms: list[Expr] = []
    for k, slope in enumerate(gradient(T, positions)):
        terms.append(problem.effort(k) + slope - rates[k] + forces[k] + weights[k])
    return Equations(M if n else Matrix(graph, (0, 0), ()), vector(terms, graph))


def kinetic_energy(problem: Problem) -> tuple[Expr, list[Expr]]:
    """The kinetic energy of all bodies, and the power of their weights for each speed."""
    total = constant(problem.space.graph, 0.0)
    weights = [total] * len(problem.coordinates)
    for body in problem.bodies:
        twist = Twist(problem, body)
        total = total + body.mass * twist.v.dot(twist.v) / 2
        total = total + twist.v.dot(twist.w.cross(twist.first_moment))
        total = total + twist.w.dot(twist.inertia @ twist.w) / 2
        powers = weight_powers(problem, twist)
        weights = [a + b for a, b in zip(weights, powers, strict=True)] if powers else weights
    return total, weights
