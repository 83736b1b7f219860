"""Explicit Runge-Kutta methods: tableaus with their sources, and the one function that walks them.

A tableau is the matrix a (strictly lower), the weights b of the solution, and those of a second solution
whose difference estimates the error. The nodes c are the row sums of a.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix
from biela.simulate.flow import Flow, Place
from biela.simulate.integrator.integrator import Advance, Integrator


@dataclass(frozen=True)
class Tableau:
    """The coefficients of an explicit method."""

    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    other: tuple[float, ...] = ()


EULER = Tableau(((),), (1.0,))
RK4 = Tableau(((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6))
# Merson, R. H., An operational method for the study of integration processes, 1957
MERSON = Tableau(
    ((), (1 / 3,), (1 / 6, 1 / 6), (1 / 8, 0.0, 3 / 8), (1 / 2, 0.0, -3 / 2, 2.0)),
    (1 / 6, 0.0, 0.0, 2 / 3, 1 / 6),
    (1 / 2, 0.0, -3 / 2, 2.0, 0.0),
)
# Dormand, J. R., Prince, P. J., A family of embedded Runge-Kutta formulae, 1980
DORMAND_PRINCE = Tableau(
    (
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    ),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0.0),
    (5179 / 57600, 0.0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40),
)


def advance(tableau: Tableau, flow: Flow, start: Place, h: Expr, iterations: int) -> Advance:
    """One step along a tableau; stages are closed where the flow asks for it."""
    speeds: list[Matrix] = []
    accelerations: list[Matrix] = []
    for stage, row in enumerate(tableau.a):
        place = start
        if any(row):
            t = None if start.t is None else start.t + h * sum(row)
            q, dq = start.q + _sum(row, speeds) * h, start.dq + _sum(row, accelerations) * h
            place = Place(q, dq, t)
            if flow.stages:
                place, _ = flow.closed(place, iterations)
        if stage < len(tableau.b):
            speeds.append(place.dq)
            accelerations.append(flow.acceleration(place))
    t = None if start.t is None else start.t + h
    end = Place(start.q + _sum(tableau.b, speeds) * h, start.dq + _sum(tableau.b, accelerations) * h, t)
    if not tableau.other:
        return Advance(end)
    gap = [x - y for x, y in zip(tableau.b, tableau.other, strict=True)]
    q, dq = _sum(gap, speeds), _sum(gap, accelerations)
    return Advance(end, Matrix(q.graph, (2 * len(q),), q.refs + dq.refs) * h)


def _sum(weights: Sequence[float], values: Sequence[Matrix]) -> Matrix:
    """Equal weights share one product; zeros are left out."""
    groups: dict[float, Matrix] = {}
    for weight, value in zip(weights, values, strict=True):
        if weight != 0.0:
            groups[weight] = groups[weight] + value if weight in groups else value
    total: Matrix | None = None
    for weight, value in groups.items():
        part = value * weight
        total = part if total is None else total + part
    return values[0] * 0.0 if total is None else total


INTEGRATORS = (
    Integrator("euler", 1, "explicit Euler", partial(advance, EULER)),
    Integrator("rk4", 4, "the classical Runge-Kutta method", partial(advance, RK4)),
    Integrator("merson", 4, "Runge-Kutta-Merson, 4(3), with error control", partial(advance, MERSON), True),
    Integrator(
        "dormand-prince",
        5,
        "Dormand-Prince, 5(4), with error control",
        partial(advance, DORMAND_PRINCE),
        True,
    ),
)
