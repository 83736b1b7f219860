"""The way back to the constraints after a step, by a change of all coordinates or of the dependent ones.

Newton's method for ``Phi(q) = 0``, then for the velocities, with one factorisation: that at the state the
integrator hands over. The state is so near that its Jacobian serves all iterations (a chord method), and
each gains as many digits as the integrator's error has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from biela.expr.expression import Expr, constant, maximum
from biela.expr.function import Function
from biela.expr.matrix import Matrix
from biela.mechanics.model import Model

Change = Callable[[Matrix], Matrix]  # from a residual of independent equations to a change of all coordinates


def closing(model: Model, rows: list[int], change: Change, iterations: int) -> Function:
    """The Function (q, dq, ...) -> (q, dq, gap); ``rows`` are the equations that are independent."""
    graph, held = model.graph, len(model.phi)
    q, dq = Matrix(graph, (len(model.q),), tuple(e.ref for e in model.q)), _velocities(model)
    positions = [i for i in rows if i < held]
    for _ in range(iterations if positions else 0):
        residual = _chosen(_at(model, model.phi, q, dq), positions)
        q = q - change(_with_zeros(residual, rows, held))
    for _ in range(iterations):
        residual = _chosen(_at(model, model.phi_dot, q, dq), rows)
        dq = dq - change(residual)
    gap = _largest(model, _at(model, model.phi, q, dq))
    return model.function(f"closing{iterations}", {"q_closed": q, "dq_closed": dq, "gap": gap}, "force")


def _velocities(model: Model) -> Matrix:
    return Matrix(model.graph, (len(model.dq),), tuple(e.ref for e in model.dq))


def _at(model: Model, values: Matrix, q: Matrix, dq: Matrix) -> Matrix:
    known: dict[Any, Any] = dict(zip([*model.q, *model.dq], [*q, *dq], strict=True))
    return values.substitute(known)


def _chosen(values: Matrix, rows: list[int]) -> Matrix:
    return Matrix(values.graph, (len(rows),), tuple(values.refs[i] for i in rows))


def _with_zeros(residual: Matrix, rows: list[int], held: int) -> Matrix:
    """Zero for the equations of velocity only, which do not restrain positions."""
    waiting = iter(residual.refs)
    refs = tuple(next(waiting) if i < held else residual.graph.ZERO for i in rows)
    return Matrix(residual.graph, (len(rows),), refs)


def _largest(model: Model, values: Matrix) -> Expr:
    total = constant(model.graph, 0.0)
    for value in values:
        total = maximum(total, abs(value))
    return total
