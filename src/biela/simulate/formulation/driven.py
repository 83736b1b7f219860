"""Motion from the constraints alone, for mechanisms whose every degree of freedom is driven.

With as many independent equations as coordinates, ``Phi_dq ddq = gamma`` gives the accelerations without any
forces. It is integrated where constraints of velocity leave positions to be found that way, as in rolling
(Plaza, 2015, section 2.5); without them `biela.simulate.kinematic` needs no integration.
"""

from __future__ import annotations

from biela.expr.linear import lu
from biela.expr.matrix import Matrix
from biela.mechanics.forward import independent_rows
from biela.mechanics.model import Model
from biela.mechanics.sample import free_samples, samples
from biela.simulate.flow import Flow, Options
from biela.simulate.formulation.formulation import Formulation
from biela.simulate.formulation.multiplier import projection

STATES = 3


def flow(model: Model, options: Options) -> Flow:
    """Accelerations from the constraints, and the projection."""
    n, graph = len(model.q), model.graph
    states = samples(model, STATES) or list(free_samples(model, STATES))
    rows = independent_rows(model, states)
    if len(rows) < n:
        raise ValueError(
            f"Model '{model.name}': {len(rows)} independent equations do not give {n} accelerations. Drive "
            "what is free, or use a formulation with forces."
        )
    J = Matrix(graph, (len(rows), n), tuple(ref for i in rows for ref in model.phi_dq[i].refs))
    gamma = Matrix(graph, (len(rows),), tuple(model.gamma.refs[i] for i in rows))
    weights = [state.evaluate(model.functions["Phi_dq"])[rows] for state in states]
    ddq = lu(J, weights=weights).solve(gamma)
    return Flow(
        model, model.function("driven_rate", {"ddq": ddq}, "force"), projection(model, options.metric)
    )


def _refuses(model: Model) -> str:
    free = model.freedom
    if not free:
        return ""
    which = "degree of freedom is" if free == 1 else "degrees of freedom are"
    return f"{free} {which} not driven: use system.drive(...) or system.constrain_velocity(...)"


DRIVEN = Formulation(
    "driven", "accelerations from the constraints alone, where all motion is prescribed", flow, _refuses
)
