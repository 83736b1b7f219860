"""Feedback: a model whose inputs are no longer given but follow from its state, time and further numbers.

A control law, a motor's characteristic or a signal in time takes the place of the inputs' symbols in every
load and effort. What remains is a model like any other, so each formulation and integrator works with it,
and implicit ones differentiate through the law.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

from biela.expr.expression import Expr
from biela.mechanics.formalism import Equations
from biela.mechanics.functions import Functions
from biela.mechanics.load import Load
from biela.mechanics.model import Model
from biela.mechanics.quantity import Quantity
from biela.mechanics.vector import Vector


def closed_loop(
    model: Model,
    law: Mapping[Expr, Expr],
    parameters: Sequence[Quantity] = (),
    inputs: Sequence[Quantity] = (),
    time: Expr | None = None,
) -> Model:
    """The model with expressions in place of its inputs' symbols.

    ``parameters`` come after those of the model; ``inputs`` are all that the new model has; ``time`` is its
    symbol of time where the model itself has none.
    """
    closed = copy(model)
    for name in _derived(model):
        closed.__dict__.pop(name, None)
    closed.parameters = (*model.parameters, *parameters)
    closed.inputs = tuple(inputs)
    closed.time = model.time if model.time is not None else time
    known: dict[Any, Any] = dict(law)
    with model.space.using(model.rule):
        closed.loads = tuple(_load(load, known) for load in model.loads)
    closed.efforts = tuple((q, effort.substitute(known), stored) for q, effort, stored in model.efforts)
    equations = model.equations
    closed.__dict__["equations"] = Equations(equations.M, equations.delta.substitute(known))
    closed.functions = Functions(closed)
    return closed


def _derived(model: Model) -> list[str]:
    """What a model has computed and kept, which may depend on the inputs."""
    kinds = type(model).__mro__
    return [
        name for kind in kinds for name, value in vars(kind).items() if isinstance(value, cached_property)
    ]


def _load(load: Load, known: Mapping[Any, Any]) -> Load:
    forces = tuple((point, _vector(force, known)) for point, force in load.forces)
    moments = tuple((base, _vector(moment, known)) for base, moment in load.moments)
    return replace(load, forces=forces, moments=moments)


def _vector(vector: Vector, known: Mapping[Any, Any]) -> Vector:
    parts = {base: part.substitute(known) for base, part in vector.parts.items()}
    return Vector(vector.space, parts)
