"""Load cells: the force or the moment that a joint or a loop transmits, and what an actuator exerts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix
from biela.mechanics.joint import direction
from biela.mechanics.model import Model
from biela.mechanics.reaction import reaction
from biela.observe.sensor.gyro import axes_of
from biela.observe.sensor.sensor import Sensor


@final
@dataclass(frozen=True)
class Force(Sensor):
    """Reads the force of the parent on the child in a joint or loop, N, along axes of the child's base."""

    joint: str
    axes: Any = ("x", "y")
    unit: ClassVar[str] = "N"

    def value(self, model: Model) -> list[Expr]:
        """The components; raises ValueError for an unknown joint."""
        return _along(model, reaction(model, self.joint)[:3], self.axes)


@final
@dataclass(frozen=True)
class Torque(Sensor):
    """Reads the moment of the parent on the child in a joint, N m, or what acts on a coordinate.

    ``place`` is the name of a joint or, if there is none of that name, that of a coordinate, whose motors,
    springs and dampers are read together.
    """

    place: str
    axes: Any = "z"
    unit: ClassVar[str] = "N m"

    def value(self, model: Model) -> list[Expr]:
        """The components, or the effort; raises ValueError for an unknown place."""
        names = {c.symbols.position: c.name for c in model.placements}
        efforts = [value for symbol, value, _ in model.efforts if names.get(symbol) == self.place]
        if efforts and self.place not in {joint.name for joint in model.joints}:
            return [sum(efforts[1:], efforts[0])]
        return _along(model, reaction(model, self.place)[3:], self.axes)


def _along(model: Model, part: Matrix, axes: Any) -> list[Expr]:
    return [part.dot(direction(model.space, axis)) for axis in axes_of(axes)]
