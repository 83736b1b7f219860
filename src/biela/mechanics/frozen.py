"""`Frozen`: what a model keeps of its system, symbols with their values and parts; the base of `Model`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from biela.expr.expression import Expr, constant
from biela.mechanics.constraint import Constraint
from biela.mechanics.formalism import FORMALISMS
from biela.mechanics.space import RULES, Rule

if TYPE_CHECKING:
    from biela.mechanics.body import Body
    from biela.mechanics.system import System

LEVELS = ("constant", "position", "velocity", "force", "acceleration")
RATES = ("smaller", "operators", "differentiation")


class Frozen:
    """The symbols and parts of a system that changes no more."""

    def __init__(self, system: System, formalism: str, rule: Rule, sign: int, constraints: str) -> None:
        self.name = system.name
        self.graph, self.space = system.graph, system.space
        self.formalism = known(formalism, FORMALISMS, "formalism")
        self.rule: Rule = known(rule, RULES, "rule")  # type: ignore[assignment]
        if sign not in (1, -1):
            raise ValueError(f"sign={sign!r}: expected 1, for a positive mass matrix, or -1.")
        self.sign = sign
        self.rates_by = known(constraints, RATES, "constraints")
        self.placements = tuple(system.coordinates_by_name.values())
        self.parameters = tuple(system.parameters_by_name.values())
        self.inputs = tuple(system.inputs_by_name.values())
        self.unknowns = tuple(system.unknowns_by_name.values())
        self.time = system.time if system.uses_time else None
        self.bodies: dict[str, Body] = {
            name: b for name, b in system.bodies.items() if b is not system.ground
        }
        self.natural_bodies = tuple(system.natural_bodies.values())
        self.points, self.bases = dict(system.points), dict(system.bases)
        self.joints = tuple(system.joints)
        self.loads = tuple(make() for make in system.loads)
        self.efforts = tuple(system.efforts)
        self.constraints: tuple[Constraint, ...] = tuple(make() for make in system.constraints)
        self.starts = {level: tuple(equations) for level, equations in system.starts.items()}
        self.weight = system.weight
        self.drawing = tuple(system.drawing)

    @property
    def q(self) -> list[Expr]:
        """The coordinates."""
        return [placement.symbols.position for placement in self.placements]

    @property
    def dq(self) -> list[Expr]:
        """Their velocities."""
        return [placement.symbols.velocity for placement in self.placements]

    @property
    def ddq(self) -> list[Expr]:
        """Their accelerations."""
        return [placement.symbols.acceleration for placement in self.placements]

    @property
    def p(self) -> np.ndarray:
        """The default values of the parameters.

        Raises ValueError naming those that have none.
        """
        missing = [quantity.name for quantity in self.parameters if quantity.value != quantity.value]
        if missing:
            raise ValueError(f"Model '{self.name}': no value for parameter {', '.join(missing)}.")
        return np.array([quantity.value for quantity in self.parameters])

    @property
    def u(self) -> np.ndarray:
        """The default values of the inputs."""
        return np.array([quantity.value for quantity in self.inputs])

    @property
    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """The positions and velocities given with the coordinates; not assembled."""
        q = np.array([placement.value for placement in self.placements])
        return q, np.array([placement.speed for placement in self.placements])

    @cached_property
    def multipliers(self) -> list[Expr]:
        """The symbols of the multipliers, one for each equation of velocity."""
        count = sum(len(c.equations) for c in self.constraints)
        return [self.graph.symbol(f"multiplier.m{k}") for k in range(count)]

    def zero(self) -> Expr:
        """The number 0 in the model's graph."""
        return constant(self.graph, 0.0)

    def ports(self, level: str, multipliers: bool = False) -> dict[str, Any]:
        """The inputs of Functions of a level, by name; with the multipliers, where there are any.

        Raises ValueError for an unknown level.
        """
        rank = LEVELS.index(known(level, LEVELS, "level"))
        ports: dict[str, Any] = {}
        if rank >= 1:
            ports["q"] = self.q
        if rank >= 2:
            ports["dq"] = self.dq
        if rank >= 4:
            ports["ddq"] = self.ddq
        if multipliers and self.multipliers:
            ports["lambda_"] = self.multipliers
        if rank >= 1 and self.time is not None:
            ports["t"] = self.time
        if self.parameters:
            ports["p"] = [quantity.symbol for quantity in self.parameters]
        if rank >= 3 and self.inputs:
            ports["u"] = [quantity.symbol for quantity in self.inputs]
        return ports


def known(name: str, table: Iterable[str], what: str) -> str:
    """The name, if the table has it; raises ValueError otherwise."""
    names = list(table)
    if name not in names:
        raise ValueError(f"Unknown {what} {name!r}. Known: {', '.join(names)}.")
    return name
