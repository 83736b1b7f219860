"""Formulations: what becomes of a model's equations before they are integrated.

Adding one is adding a file with a `Formulation` and a row here. `choose` picks the one that suits a
model when none is named.
"""

from __future__ import annotations

from biela.mechanics.model import Model
from biela.simulate.formulation import augmented, driven, independent, multiplier, penalty, tree
from biela.simulate.formulation.formulation import Formulation

FORMULATIONS: dict[str, Formulation] = {
    row.name: row
    for row in (
        tree.TREE,
        multiplier.MULTIPLIERS,
        independent.INDEPENDENT,
        augmented.AUGMENTED,
        penalty.PENALTY,
        penalty.BAUMGARTE,
        driven.DRIVEN,
    )
}


def choose(model: Model) -> str:
    """The formulation for a model when none is named: trees directly, loops with multipliers."""
    return "multipliers" if len(model.phi_dot) else "tree"


__all__ = ["FORMULATIONS", "Formulation", "choose"]
