"""The `Balance` of a model: index 3, with the constraints themselves at the end of the step.

Velocities and accelerations are projected afterwards with the same matrix, which keeps the trapezoidal rule
from oscillating (Cuadrado, Cardenal and Bayo, 1997, section 4).
"""

from __future__ import annotations

from collections.abc import Sequence

from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.expr.matrix import Matrix, vector
from biela.mechanics.inverse import efforts
from biela.mechanics.model import Model
from biela.mechanics.sample import Sample
from biela.simulate.balance import Balance


def balance(
    model: Model, rows: Sequence[int], states: Sequence[Sample], start: Function, softness: float = 0.0
) -> Balance:
    """Forces, and the equations of some rows: of position where there are, of velocity for what rolls."""
    held = len(model.phi)
    multipliers = tuple(model.multipliers[i] for i in rows)
    constraints = vector([model.phi[i] if i < held else model.phi_dot[i] for i in rows], model.graph)
    levels = tuple("position" if i < held else "velocity" for i in rows)
    projections = (chosen(model.phi_dot, rows), pressed(model, rows)) if rows else ()
    return Balance(
        model, motion(model, multipliers, rows), constraints, levels, multipliers, states, start,
        projections, softness,
    )  # fmt: skip


def motion(model: Model, multipliers: Sequence[Expr] = (), rows: Sequence[int] = ()) -> Matrix:
    """M ddq - delta, with the constraints' forces ``Phi_dq' lambda`` of some rows."""
    total = efforts(model) * float(model.sign)
    if not rows:
        return total
    J = Matrix(model.graph, (len(rows), len(model.q)), tuple(r for i in rows for r in model.phi_dq[i].refs))
    return total + J.T @ vector(multipliers, model.graph)


def pressed(model: Model, rows: Sequence[int]) -> Matrix:
    """The residual of some equations of acceleration, ``Phi_dq ddq - gamma``."""
    return chosen(model.phi_dq @ vector(model.ddq, model.graph) - model.gamma, rows)


def chosen(values: Matrix, rows: Sequence[int]) -> Matrix:
    """Some entries of a vector."""
    return Matrix(values.graph, (len(rows),), tuple(values.refs[i] for i in rows))
