"""`Formulation`: a row of the registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from biela.mechanics.model import Model
from biela.simulate.flow import Flow, Options


def everywhere(model: Model) -> str:
    """It applies to every model."""
    return ""


@dataclass(frozen=True)
class Formulation:
    """A way from a model to a `Flow`; ``refuses`` says why it does not suit a model, or nothing."""

    name: str
    description: str
    flow: Callable[[Model, Options], Flow]
    refuses: Callable[[Model], str] = everywhere


def needs_loops(model: Model) -> str:
    """Why a formulation for constraints refuses a model without any."""
    return "" if len(model.phi_dot) else "it has no constraints: use 'tree'"
