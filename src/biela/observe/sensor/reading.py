"""`Reading`: anything that can be written as an expression of a model, as a sensor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from biela.expr.expression import Expr, constant
from biela.mechanics.model import Model
from biela.observe.sensor.sensor import Sensor


@final
@dataclass(frozen=True)
class Reading(Sensor):
    """Reads an expression, several of them, or what a function of the model returns.

    A kind of sensor that is wanted more than once is a class derived from `Sensor` with one method,
    ``value(model)``.
    """

    what: Any | Callable[[Model], Any] = None
    measured_in: str = ""

    def value(self, model: Model) -> list[Expr]:
        """The expressions; raises ValueError for those of another system."""
        given: Any = (
            self.what(model) if callable(self.what) and not isinstance(self.what, Expr) else self.what
        )
        if given is None:
            raise ValueError("Reading: say what it reads, as in Reading(what=model.q[0]).")
        many: list[Any] = [given] if isinstance(given, (Expr, int, float)) else list(given)
        found = [v if isinstance(v, Expr) else constant(model.graph, float(v)) for v in many]
        if any(v.graph is not model.graph for v in found):
            raise ValueError(f"Reading: its expressions belong to another system than model '{model.name}'.")
        return found
