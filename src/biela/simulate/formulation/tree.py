"""Trees directly: ``M ddq = delta``, with nothing to close."""

from __future__ import annotations

from biela.mechanics.model import Model
from biela.simulate.flow import Flow, Options
from biela.simulate.formulation.formulation import Formulation


def _flow(model: Model, options: Options) -> Flow:
    return Flow(model, model.functions["ddq"])


def _refuses(model: Model) -> str:
    return "it has constraints" if len(model.phi_dot) else ""


TREE = Formulation("tree", "accelerations from M ddq = delta; for mechanisms without loops", _flow, _refuses)
