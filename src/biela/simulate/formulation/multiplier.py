"""Lagrange multipliers: all coordinates are integrated, and what drifts is projected back after each step.

The projection is the smallest change of all coordinates that fulfils the linearised constraints, measured
by the metric: plainly ('identity') or by kinetic energy ('mass').
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from biela.expr.factorisation import Factorisation
from biela.expr.function import Function
from biela.expr.matrix import Matrix
from biela.expr.pattern import block, identity, zeros
from biela.mechanics.forward import accelerations, factored, independent_rows
from biela.mechanics.model import Model
from biela.mechanics.sample import Sample, free_samples, with_start
from biela.simulate.balance import Balance
from biela.simulate.flow import Flow, Options
from biela.simulate.formulation.balancing import balance, chosen
from biela.simulate.formulation.closing import closing
from biela.simulate.formulation.formulation import Formulation, needs_loops

STATES = 3
METRICS = ("identity", "mass")


def flow(model: Model, options: Options) -> Flow:
    """Accelerations from the whole system of equations, and the projection."""
    rate = model.function("rate", {"ddq": accelerations(model)["ddq"]}, "force")
    return Flow(model, rate, projection(model, options.metric), balancing=partial(_balance, model))


def _balance(model: Model) -> Balance:
    states = _states(model)
    rows = independent_rows(model, states)
    solved = accelerations(model)
    start = {"ddq": solved["ddq"], "lambda_": chosen(solved["lambda_"], rows)}
    return balance(model, rows, states, model.function("start", start, "force"))


def _states(model: Model) -> list[Sample]:
    return with_start(model, STATES) or list(free_samples(model, STATES))


def projection(model: Model, metric: str) -> Callable[[int], Function]:
    """The closing of a model by the smallest change; raises ValueError for an unknown metric."""
    if metric not in METRICS:
        raise ValueError(f"Unknown metric {metric!r}. Known: {', '.join(METRICS)}.")
    n, graph = len(model.q), model.graph
    states = _states(model)
    rows = independent_rows(model, states)
    J = Matrix(graph, (len(rows), n), tuple(ref for i in rows for ref in model.phi_dq[i].refs))
    weight = model.mass_matrix if metric == "mass" else identity(graph, n)
    factor = factored(model, block([[weight, J.T], [J, zeros(graph, (len(rows), len(rows)))]]), states)
    return partial(closing, model, rows, _change(n, factor))


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
