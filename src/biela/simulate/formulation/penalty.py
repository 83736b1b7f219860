"""Penalty and Baumgarte: constraints kept by restoring forces instead of projections. For comparison.

Both let the residual obey ``Phi'' + 2 z w Phi' + w^2 Phi = 0``. Baumgarte (1972) puts that in place of the
constraints in the equations with multipliers. The penalty method adds the forces
``-a Phi_q' (Phi'' + 2 z w Phi' + w^2 Phi)`` with a large factor a, and has no multipliers. Residuals stay
small but do not vanish, and depend on z, w and a.
"""

from __future__ import annotations

from functools import partial

from biela.expr.linear import ldl
from biela.expr.matrix import Matrix, vector
from biela.expr.pattern import block, zeros
from biela.expr.sparse import Sparse, sparse
from biela.mechanics.forward import factored, independent_rows
from biela.mechanics.model import Model
from biela.mechanics.sample import Sample, free_samples, with_start
from biela.simulate.balance import Balance
from biela.simulate.flow import Flow, Options
from biela.simulate.formulation.balancing import chosen, motion
from biela.simulate.formulation.formulation import Formulation, needs_loops

STATES = 3


def _restored(model: Model, options: Options) -> Matrix:
    """gamma less the restoring terms; what is demanded of velocities only is restored by 2 z w alone."""
    w, held = options.frequency, len(model.phi)
    back = 2.0 * options.damping * w
    refs = list((model.gamma - model.phi_dot * back).refs)
    stiff = model.phi * (w * w)
    for i in range(held):
        refs[i] = model.graph.add(refs[i], -stiff.refs[i])
    return Matrix(model.graph, (len(refs),), tuple(refs))


def _baumgarte(model: Model, options: Options) -> Flow:
    n, graph = len(model.q), model.graph
    states = with_start(model, STATES) or list(free_samples(model, STATES))
    rows = independent_rows(model, states)
    J = Matrix(graph, (len(rows), n), tuple(ref for i in rows for ref in model.phi_dq[i].refs))
    demanded = _restored(model, options)
    right = Matrix(graph, (len(rows),), tuple(demanded.refs[i] for i in rows))
    factor = factored(model, block([[model.mass_matrix, J.T], [J, zeros(graph, (len(rows),) * 2)]]), states)
    solved = factor.solve(block([model.delta, right]))
    rate = model.function("baumgarte_rate", {"ddq": solved[:n]}, "force")
    return Flow(model, rate, balancing=partial(_balance, model, rows, states, demanded, solved))


def _balance(
    model: Model, rows: list[int], states: list[Sample], demanded: Matrix, solved: Matrix
) -> Balance:
    """The same at the end of a step: the equations of constraint stay at the level of accelerations."""
    n = len(model.q)
    start = model.function("start", {"ddq": solved[:n], "lambda_": solved[n:]}, "force")
    multipliers = tuple(model.multipliers[i] for i in rows)
    constraints = chosen(model.phi_dq @ vector(model.ddq, model.graph) - demanded, rows)
    forces = motion(model, multipliers, rows)
    return Balance(model, forces, constraints, ("acceleration",) * len(rows), multipliers, states, start)


def _penalty(model: Model, options: Options) -> Flow:
    J, M = sparse(model.phi_dq), sparse(model.mass_matrix)
    stiff = J.T @ J
    entries: dict[tuple[int, int], int] = {}
    for i, j in {*M.entries, *stiff.entries}:
        if i <= j:
            entry = M[i, j] + options.penalty * stiff[i, j]
            entries[i, j] = entries[j, i] = entry.ref
    demanded = _restored(model, options)
    pressed = model.phi_dq @ vector(model.ddq, model.graph) - demanded
    states = with_start(model, STATES) or list(free_samples(model, STATES))
    right = model.delta + J.T @ (demanded * options.penalty)
    ddq = ldl(Sparse(model.graph, M.shape, entries)).solve(right)
    rate = model.function("penalty_rate", {"ddq": ddq}, "force")
    forces = motion(model) + J.T @ (pressed * options.penalty)
    nothing = zeros(model.graph, (0,))
    return Flow(model, rate, balancing=lambda: Balance(model, forces, nothing, (), (), states, rate))


BAUMGARTE = Formulation(
    "baumgarte", "multipliers with restoring terms in place of projections", _baumgarte, needs_loops
)
PENALTY = Formulation(
    "penalty", "restoring forces with a large factor in place of multipliers", _penalty, needs_loops
)
