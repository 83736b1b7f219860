"""The augmented Lagrangian: multipliers by iteration, with a matrix that no position makes singular.

A penalty 1/s alone leaves residuals; the method of multipliers adds what the penalty found to the multipliers
and solves again, until nothing is left (Bayo and Ledesma, 1996). Explicit integrators are given accelerations
that way,

    [M  J'; J  -s] (ddq, lambda+) = (delta, gamma - s lambda),

which is ``(M + J'J / s) ddq = delta + J'(gamma / s - lambda)``, ``lambda+ = lambda + (J ddq - gamma) / s``,
written so that no digits are lost when s is small. Positions and velocities are projected with the same
matrix, that is by the least kinetic energy (mass-orthogonal projections). Implicit integrators solve for
the constraints of position (index 3; Cuadrado, Cardenal and Bayo, 1997), as `biela.simulate.balance` tells.

All equations take part, redundant ones too, and positions where the constraints lose rank are passed. The
stages of explicit integrators are closed too: redundant equations contradict each other elsewhere. Where
equations are redundant the multipliers share the forces as they were shared at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from biela.expr.factorisation import Factorisation
from biela.expr.matrix import Matrix
from biela.expr.pattern import block, identity, zeros
from biela.mechanics.forward import factored
from biela.mechanics.model import Model
from biela.mechanics.sample import Sample, free_samples, with_start
from biela.simulate.flow import Flow, Options
from biela.simulate.formulation.balancing import balance
from biela.simulate.formulation.closing import closing
from biela.simulate.formulation.formulation import Formulation, needs_loops

STATES = 3
ITERATIONS = 2  # of the multipliers; each leaves of the residual about the softness


def flow(model: Model, options: Options) -> Flow:
    """Accelerations by iterated multipliers, projections with the same matrix."""
    n, rows = len(model.q), list(range(len(model.phi_dot)))
    states = with_start(model, STATES) or list(free_samples(model, STATES))
    softness = _softness(model, states, options.softness)
    J = model.phi_dq
    soft = identity(model.graph, len(J)) * -softness
    factor = factored(model, block([[model.mass_matrix, J.T], [J, soft]]), states)
    multipliers = zeros(model.graph, (len(J),))
    solved = zeros(model.graph, (n + len(J),))
    for _ in range(ITERATIONS):
        solved = factor.solve(block([model.delta, model.gamma - multipliers * softness]))
        multipliers = solved[n:]
    rate = model.function("rate", {"ddq": solved[:n]}, "force")
    start = model.function("start", {"ddq": solved[:n], "lambda_": multipliers}, "force")
    change = partial(_change, n, factor)
    return Flow(
        model,
        rate,
        partial(closing, model, rows, change),
        stages=True,
        balancing=partial(balance, model, rows, states, start, softness),
    )


def _softness(model: Model, states: Sequence[Sample], relative: float) -> float:
    """s in the units of J M^-1 J'."""
    pairs = [state.evaluate(model.functions["M|Phi_dq"]) for state in states]
    return relative * float(np.mean([np.sum(J * J) / np.trace(np.abs(M)) for M, J in pairs]))


def _change(n: int, factor: Factorisation, residual: Matrix) -> Matrix:
    return factor.solve(block([zeros(residual.graph, (n,)), residual]))[:n]


AUGMENTED = Formulation(
    "augmented-lagrangian",
    "multipliers by iteration, with redundant equations and through singular positions",
    flow,
    needs_loops,
)
