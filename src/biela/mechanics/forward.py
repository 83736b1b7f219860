"""Forward dynamics: accelerations and multipliers, by a factorisation chosen once.

The matrix of ``M ddq + J^T lambda = delta, J ddq = gamma`` is factored symbolically as L D L', sparse, with
pivots that are safe at states drawn on the constraints; where the diagonal offers none, as L U. M may be
singular, as it is with coordinates without inertia, if the whole matrix is not. Equations that follow from
others are left out; their multipliers are zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biela.expr.factorisation import Factorisation
from biela.expr.linear import ldl, lu
from biela.expr.matrix import Matrix
from biela.expr.pattern import block, zeros
from biela.mechanics.rank import first_rows
from biela.mechanics.sample import Sample, free_samples, with_start

if TYPE_CHECKING:
    from biela.mechanics.model import Model

STATES = 3


def accelerations(model: Model) -> dict[str, Any]:
    """The accelerations ``ddq`` and, with constraints, the multipliers ``lambda_`` as expressions.

    Raises ValueError when the accelerations are not determined.
    """
    n, graph = len(model.q), model.graph
    if not len(model.phi_dot):
        return {"ddq": factored(model, model.mass_matrix, with_start(model, STATES)).solve(model.delta)}
    states = with_start(model, STATES) or list(free_samples(model, STATES))
    rows = independent_rows(model, states)
    J = Matrix(graph, (len(rows), n), tuple(ref for i in rows for ref in model.phi_dq[i].refs))
    gamma = Matrix(graph, (len(rows),), tuple(model.gamma.refs[i] for i in rows))
    KKT = block([[model.mass_matrix, J.T], [J, zeros(graph, (len(rows), len(rows)))]])
    solution = factored(model, KKT, states).solve(block([model.delta, gamma]))
    multipliers = [graph.ZERO] * len(model.phi_dot)
    for i, ref in zip(rows, solution.refs[n:], strict=True):
        multipliers[i] = ref
    return {"ddq": solution[:n], "lambda_": Matrix(graph, (len(multipliers),), tuple(multipliers))}


def independent_rows(model: Model, states: list[Sample]) -> list[int]:
    """The equations of velocity that do not follow from those before them, at the best of some states."""
    found = [first_rows(state.evaluate(model.functions["Phi_dq"])) for state in states]
    return max(found, key=len)


def factored(model: Model, values: Matrix, states: list[Sample]) -> Factorisation:
    """A symmetric matrix of a model's symbols factored with pivots that are safe at some states.

    Raises ValueError when it is singular there.
    """
    matrix = model.function("factored", {"values": values}, "force")
    weights = [state.evaluate(matrix) for state in states]
    try:
        return ldl(values, weights=weights)
    except ValueError:
        pass  # no safe pivot on the diagonal
    try:
        return lu(values, weights=weights)
    except ValueError as error:
        raise ValueError(
            f"Model '{model.name}': its accelerations are not determined. Give inertia to what moves, or "
            f"constrain the coordinates without inertia. {error}"
        ) from None
