"""The encoder: a coordinate, or any combination of coordinates, read directly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from biela.expr.expression import Expr
from biela.mechanics.model import Model
from biela.observe.sensor.sensor import Sensor


@final
@dataclass(frozen=True)
class Encoder(Sensor):
    """Reads a coordinate, given by its name or as an expression of coordinates.

    ``resolution`` is the angle or length of a count. An ``incremental`` one counts from where it was switched
    on, so its bias is where that was, and a filter has to estimate it: ``biases=["encoder.crank"]``.
    """

    coordinate: str | Expr
    incremental: bool = False
    unit: ClassVar[str] = "rad"

    @property
    def label(self) -> str:
        """'encoder' and the coordinate."""
        return f"encoder.{self.coordinate}"

    @property
    def relative(self) -> bool:
        """Whether it is incremental."""
        return self.incremental

    def value(self, model: Model) -> list[Expr]:
        """The coordinate; raises KeyError for an unknown one."""
        if isinstance(self.coordinate, Expr):
            return [self.coordinate]
        names = [placement.name for placement in model.placements]
        if self.coordinate not in names:
            raise KeyError(
                f"Encoder: model '{model.name}' has no coordinate '{self.coordinate}': {', '.join(names)}."
            )
        return [model.q[names.index(self.coordinate)]]
