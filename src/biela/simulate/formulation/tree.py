"""Trees directly: ``M ddq = delta``, with nothing to close."""

from __future__ import annotations

from biela.mechanics.model import Model
from biela.mechanics.sample import with_start
from biela.simulate.flow import Flow, Options
from biela.simulate.formulation.balancing import balance
from biela.simulate.formulation.formulation import Formulation

STATES = 3


def _flow(model: Model, options: Options) -> Flow:
    rate = model.functions["ddq"]
    return Flow(model, rate, balancing=lambda: balance(model, [], with_start(model, STATES), rate))


def _refuses(model: Model) -> str:
    return "it has constraints" if len(model.phi_dot) else ""


TREE = Formulation("tree", "accelerations from M ddq = delta; for mechanisms without loops", _flow, _refuses)
