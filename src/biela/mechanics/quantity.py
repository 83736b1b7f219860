"""Named symbols with a default value and a unit: coordinates, parameters, inputs and unknowns of a system."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from biela.expr.expression import Coordinate, Expr

TURN = 2.0 * math.pi


def deg(angle: Any) -> Any:
    """An angle given in degrees, in radians.

    >>> deg(180.0) == math.pi
    True
    """
    return angle * (math.pi / 180.0)


def rpm(speed: Any) -> Any:
    """A speed given in turns a minute, in radians a second."""
    return speed * (TURN / 60.0)


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """A symbol that is not a coordinate; ``value`` is nan where none was given."""

    symbol: Expr
    value: float
    unit: str
    note: str = ""

    @property
    def name(self) -> str:
        """The name of the symbol."""
        return self.symbol.name


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """A coordinate with the position and speed a study starts from unless told otherwise.

    Without ``inertia`` no body moves with it: it locates a contact, or is there to be looked at.
    """

    symbols: Coordinate
    value: float
    speed: float
    unit: str
    inertia: bool

    @property
    def name(self) -> str:
        """The name of the coordinate."""
        return self.symbols.position.name


def number(value: Any, name: str, what: str) -> float:
    """A value as a finite float; raises ValueError otherwise."""
    try:
        result = None if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        result = None
    if result is None:
        raise TypeError(f"{what} '{name}': expected a number, got {type(value).__name__} {value!r}.")
    if not math.isfinite(result):
        raise ValueError(f"{what} '{name}': expected a finite number, got {value!r}.")
    return result
