"""What bodies in natural coordinates add to M and delta, whatever the formalism of the other bodies.

With entities e_i, slopes Ji = de_i/dq and accelerations a_i left when no speed changes: M += m_ij Ji^T Jj,
delta -= m_ij Ji^T aj, and weight adds s_i Ji^T g. M is constant where the entities are coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence

from biela.expr.expression import Expr, constant
from biela.expr.matrix import Matrix, vector
from biela.mechanics.formalism.bias import slopes_of
from biela.mechanics.formalism.problem import Equations
from biela.mechanics.natural_body import NaturalBody
from biela.mechanics.rotation import symmetric
from biela.mechanics.space import Space, is_zero


def joined(
    found: Equations, space: Space, bodies: Sequence[NaturalBody], q: list[Expr], gravity: Matrix
) -> Equations:
    """M and delta over the coordinates ``q``, with bodies added; M is symmetric node by node."""
    if not bodies:
        return found
    n = len(q)
    rows = [[found.M[i, j] for j in range(n)] for i in range(n)]
    for body in bodies:
        _add_mass(body, q, rows)
    return Equations(symmetric(rows), found.delta - asked(space, bodies, q, gravity))


def asked(
    space: Space,
    bodies: Sequence[NaturalBody],
    q: list[Expr],
    gravity: Matrix,
    accelerations: bool = False,
) -> Matrix:
    """What inertia and weight ask of every coordinate: M ddq - delta, without ``accelerations`` -delta."""
    totals = [constant(space.graph, 0.0) for _ in q]

    def add(e: Matrix, force: Matrix) -> None:
        if not is_zero(force):
            for k, slope in slopes_of(e, q):
                totals[k] = totals[k] + slope.dot(force)

    for body in bodies:
        rates = {id(e): space.rate(space.rate(e), accelerations) for e in body.entities}
        for e, f, mass in body.products():
            add(e, rates[id(f)] * mass)
            if e is not f:
                add(f, rates[id(e)] * mass)
        for e, moment in body.moments():
            add(e, gravity * -moment)
    return vector(totals, space.graph)


def _add_mass(body: NaturalBody, q: list[Expr], rows: list[list[Expr]]) -> None:
    """Into the upper triangle; a pair of two entities stands for m_ij and m_ji."""
    slopes = {id(e): dict(slopes_of(e, q)) for e in body.entities}
    for e, f, mass in body.products():
        for a, u in slopes[id(e)].items():
            for b, v in slopes[id(f)].items():
                if e is f and b < a:
                    continue
                entry = u.dot(v) * mass
                i, j = min(a, b), max(a, b)
                rows[i][j] = rows[i][j] + (entry + entry if a == b and e is not f else entry)
