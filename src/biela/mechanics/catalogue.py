"""The Functions every model offers, by name: what each computes, and which symbols it depends on.

Adding one is adding a row. A row that does not apply (constraints of a tree) is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biela.expr.matrix import matrix, vector
from biela.mechanics import energy, inverse, reaction
from biela.mechanics.drawing import Shape, bases_of, points_of
from biela.mechanics.forward import accelerations
from biela.mechanics.kinematics import position
from biela.mechanics.rate import slopes

if TYPE_CHECKING:
    from biela.mechanics.model import Model


@dataclass(frozen=True, slots=True)
class Row:
    """One Function: its level, its outputs as expressions, and when there is such a thing."""

    level: str
    outputs: Callable[[Model], dict[str, Any]]
    description: str
    applies: Callable[[Model], bool] = lambda model: True
    multipliers: bool = False


def _constrained(model: Model) -> bool:
    return len(model.phi_dot) > 0


def _positioned(model: Model) -> bool:
    return len(model.phi) > 0


def _starting(level: str) -> Callable[[Model], bool]:
    return lambda model: bool(model.starts[level])


def _phi_init(model: Model) -> dict[str, Any]:
    phi = vector([*model.phi, *model.starts["position"]], model.graph)
    return {"Phi_init": phi, "Phi_init_q": slopes(phi, model.q)}


def _phi_dot_init(model: Model) -> dict[str, Any]:
    rows = vector([*model.phi_dot, *model.starts["velocity"]], model.graph)
    at_rest = rows.substitute(dict.fromkeys(model.dq, 0.0))
    return {"Phi_init_dq": slopes(rows, model.dq), "beta_init": -at_rest}


def _momentum(model: Model) -> dict[str, Any]:
    linear, angular = energy.momentum(model)
    return {"linear": linear, "angular": angular}


def frames(model: Model, shapes: Sequence[Shape]) -> dict[str, Any]:
    """Outputs with a row for the place of each point and the turn of each base that shapes stand on."""
    space, outputs = model.space, dict[str, Any]()
    places = [position(space, space.origin, p).at(space.root) for p in points_of(shapes)]
    if places:
        outputs["places"] = matrix([list(place) for place in places], model.graph)
    turns = [space.rotation(space.root, base) for base in bases_of(shapes)]
    if turns:
        outputs["turns"] = matrix([list(turn.reshape(9)) for turn in turns], model.graph)
    return outputs


FUNCTIONS: dict[str, Row] = {
    "M": Row("position", lambda m: {"M": m.mass_matrix}, "mass matrix"),
    "delta": Row("force", lambda m: {"delta": m.delta}, "right-hand side of the equations of motion"),
    "Phi": Row("position", lambda m: {"Phi": m.phi}, "equations of position", _positioned),
    "Phi_q": Row("position", lambda m: {"Phi_q": m.phi_q}, "their Jacobian", _positioned),
    "Phi_dot": Row("velocity", lambda m: {"Phi_dot": m.phi_dot}, "equations of velocity", _constrained),
    "Phi_dq": Row("position", lambda m: {"Phi_dq": m.phi_dq}, "Jacobian by the velocities", _constrained),
    "beta": Row("position", lambda m: {"beta": m.beta}, "right-hand side of velocities", _constrained),
    "gamma": Row("velocity", lambda m: {"gamma": m.gamma}, "right-hand side of accelerations", _constrained),
    "Phi_init": Row("position", _phi_init, "positions with the start's", _starting("position")),
    "Phi_init_dq": Row("velocity", _phi_dot_init, "velocities with the start's", _starting("velocity")),
    "energy": Row(
        "velocity",
        lambda m: {"kinetic": energy.kinetic(m), "potential": energy.potential(m)},
        "kinetic and potential energy",
    ),
    "momentum": Row("velocity", _momentum, "linear and angular momentum about the origin"),
    "e": Row(
        "acceleration",
        lambda m: {"e": inverse.efforts(m)},
        "M ddq - delta by recursion: the efforts that a motion asks for",
    ),
    "K": Row(
        "acceleration",
        lambda m: {"K": inverse.observation_matrix(m)},
        "observation matrix: what inertia asks for is K phi, with phi the inertia parameters",
    ),
    "ddq": Row(
        "force",
        accelerations,
        "forward dynamics: accelerations and multipliers, by a sparse factorisation",
    ),
    "reactions": Row(
        "acceleration",
        reaction.reactions,
        "force and moment that each joint and loop transmits",
        reaction.available,
        multipliers=True,
    ),
    "V": Row(
        "position",
        lambda m: {"V": inverse.unknown_powers(m)},
        "power of the joint unknowns: M ddq + V^T eps = delta",
        lambda m: bool(m.unknowns),
    ),
    "frames": Row(
        "position",
        lambda m: frames(m, m.drawing),
        "places and turns of what is drawn",
        lambda m: bool(m.drawing),
    ),
}


def _all(model: Model) -> dict[str, Any]:
    rows = [FUNCTIONS[name] for name in SIMULATED]
    return {name: value for row in rows if row.applies(model) for name, value in row.outputs(model).items()}


SIMULATED = ("M", "delta", "Phi", "Phi_q", "Phi_dot", "Phi_dq", "beta", "gamma")
FUNCTIONS["all"] = Row("force", _all, f"all that a simulation needs: {', '.join(SIMULATED)}")
