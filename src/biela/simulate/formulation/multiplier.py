"""Lagrange multipliers: all coordinates are integrated, and what drifts is projected back after each step.

The projection is the smallest change of all coordinates that fulfils the linearised constraints, measured
by the metric: plainly ('identity') or by kinetic energy ('mass').
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from biela.expr.expression import Expr, constant, minimum
from biela.expr.factorisation import Factorisation
from biela.expr.function import Function
from biela.expr.matrix import Matrix
from biela.expr.pattern import block, identity, zeros
from biela.mechanics.forward import factored, independent_rows
from biela.mechanics.model import Model
from biela.mechanics.sample import Sample, free_samples, with_start
from biela.simulate.flow import Flow, Options
from biela.simulate.formulation.balancing import balance, chosen
from biela.simulate.formulation.closing import closing
from biela.simulate.formulation.formulation import Formulation, needs_loops

STATES = 3
METRICS = ("identity", "mass")


def flow(model: Model, options: Options) -> Flow:
    """Accelerations from the whole system of equations, and the projection."""
    _check(options.metric)
    n, states = len(model.q), _states(model)
    rows = independent_rows(model, states)
    factor = _factored(model, model.mass_matrix, rows, states)
    solved = factor.solve(block([model.delta, chosen(model.gamma, rows)]))
    start = model.function("start", {"ddq": solved[:n], "lambda_": solved[n:]}, "force")
    closer = factor if options.metric == "mass" else _plain(model, rows, states)
    return Flow(
        model,
        model.function("rate", {"ddq": solved[:n]}, "force"),
        partial(closing, model, rows, _change(n, closer)),
        balancing=partial(balance, model, rows, states, start),
        pivot=model.function("pivot", {"pivot": smallest_pivot(model, factor, states)}, "force"),
    )


def projection(model: Model, metric: str) -> Callable[[int], Function]:
    """The closing of a model by the smallest change; raises ValueError for an unknown metric."""
    _check(metric)
    states = _states(model)
    rows = independent_rows(model, states)
    mass = metric == "mass"
    factor = _factored(model, model.mass_matrix, rows, states) if mass else _plain(model, rows, states)
    return partial(closing, model, rows, _change(len(model.q), factor))


def smallest_pivot(model: Model, factor: Factorisation, states: Sequence[Sample]) -> Expr:
    """The smallest pivot, each relative to its usual size: near zero where the matrix is near singular."""
    pivots = factor.watched
    function = model.function("pivots", {"pivots": pivots}, "force")
    usual = np.median([np.abs(state.evaluate(function)) for state in states], axis=0)
    total = constant(model.graph, 1.0)
    for pivot, size in zip(pivots, usual, strict=True):
        if size > 0.0:
            total = minimum(total, abs(pivot) * (1.0 / float(size)))
    return total


def _check(metric: str) -> None:
    if metric not in METRICS:
        raise ValueError(f"Unknown metric {metric!r}. Known: {', '.join(METRICS)}.")


def _states(model: Model) -> list[Sample]:
    return with_start(model, STATES) or list(free_samples(model, STATES))


def _plain(model: Model, rows: list[int], states: list[Sample]) -> Factorisation:
    return _factored(model, identity(model.graph, len(model.q)), rows, states)


def _factored(model: Model, weight: Matrix, rows: list[int], states: list[Sample]) -> Factorisation:
    n, graph = len(model.q), model.graph
    J = Matrix(graph, (len(rows), n), tuple(ref for i in rows for ref in model.phi_dq[i].refs))
    return factored(model, block([[weight, J.T], [J, zeros(graph, (len(rows), len(rows)))]]), states)


def _change(n: int, factor: Factorisation) -> Callable[[Matrix], Matrix]:
    def change(residual: Matrix) -> Matrix:
        right = block([zeros(residual.graph, (n,)), residual])
        return factor.solve(right)[:n]

    return change


MULTIPLIERS = Formulation(
    "multipliers",
    "accelerations and multipliers together; positions and velocities projected after each step",
    flow,
    needs_loops,
)
