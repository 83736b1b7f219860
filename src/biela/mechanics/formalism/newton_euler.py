"""The stack of Newton's and Euler's equations, six rows a body, and its projection on the speeds.

A ddq + b = w + (constraint wrenches), where A = Mc J, b holds the other inertia terms and w the applied
wrenches, each body's moments about its reference, all in the base of the body. J^T projects it: M = J^T A
and delta = J^T (w - b).
"""

from __future__ import annotations

from typing import NamedTuple

from biela.expr.matrix import Matrix, vector
from biela.expr.pattern import block, zeros
from biela.mechanics.formalism.bias import TreeMotion, at
from biela.mechanics.formalism.bodies import Twist, load_powers
from biela.mechanics.formalism.problem import Equations, Problem
from biela.mechanics.space import is_zero
from biela.mechanics.vector import Jacobian


class Stack(NamedTuple):
    """J (6n x p), A (6n x p) and b (6n), weight included in b."""

    J: Matrix
    A: Matrix
    b: Matrix


def equations(problem: Problem) -> Equations:
    """M and delta of a problem."""
    stacked = stack(problem)
    M = stacked.J.T @ stacked.A
    bias = stacked.J.T @ stacked.b
    powers = load_powers(problem)
    terms = [problem.effort(k) + power - bias[k] for k, power in enumerate(powers)]
    n = len(terms)
    rows = tuple(M[min(i, j), max(i, j)].ref for i in range(n) for j in range(n))
    return Equations(Matrix(problem.space.graph, (n, n), rows), vector(terms, problem.space.graph))


def stack(problem: Problem) -> Stack:
    """The equations of all bodies."""
    if not problem.bodies:
        graph, n = problem.space.graph, len(problem.coordinates)
        return Stack(zeros(graph, (0, n)), zeros(graph, (0, n)), zeros(graph, (0,)))
    motion = TreeMotion(problem)
    parts = [_rows(problem, motion, Twist(problem, body)) for body in problem.bodies]
    J, A = (block([[part[i]] for part in parts]) for i in (0, 1))
    return Stack(J, A, block([part[2] for part in parts]))


def _rows(problem: Problem, motion: TreeMotion, twist: Twist) -> tuple[Matrix, Matrix, Matrix]:
    space, body = problem.space, twist.body
    base, s, mass, inertia = body.base, body.first_moment, body.mass, body.inertia
    v = Jacobian(space, twist.v_speeds).at(base)
    w = Jacobian(space, twist.w_speeds).at(base)
    skew = s.skew()
    a = at(space, motion.acceleration[body.reference], base)
    spin, turning = motion.spin[base], motion.turning[base]
    force = a * mass + (motion.field(base) @ s if not is_zero(s) else space.zero())
    moment = s.cross(a) + inertia @ turning + spin.cross(inertia @ spin)
    A = block([[v * mass - skew @ w], [skew @ v + inertia @ w]])
    return block([[v], [w]]), A, block([force, moment])
