"""The accelerometer: specific force, the acceleration of its place less that of free fall.

Convention: at rest it reads +9.81 m/s2 along an axis that points up. A sensor mounted upside down is given
so by its axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from biela.expr.expression import Expr
from biela.mechanics.body import Body, fixed_point
from biela.mechanics.joint import direction
from biela.mechanics.kinematics import acceleration
from biela.mechanics.model import Model
from biela.mechanics.space import Point
from biela.mechanics.vector import Vector
from biela.observe.sensor.gyro import axes_of
from biela.observe.sensor.sensor import Sensor, body_of


@final
@dataclass(frozen=True)
class Accelerometer(Sensor):
    """Reads the specific force at a place of a body along axes fixed to it, m/s2.

    ``at`` is a point, or three components in the base of the body, which may be expressions of parameters:
    the lever arm; ``axes`` are directions in that base, as expressions or numbers: the mounting.
    """

    body: Body | str
    at: Any = (0, 0, 0)
    axes: Any = ("x", "y")
    unit: ClassVar[str] = "m/s2"

    @property
    def label(self) -> str:
        """'accelerometer' and the body."""
        return f"accelerometer.{self.body.name if isinstance(self.body, Body) else self.body}"

    def value(self, model: Model) -> list[Expr]:
        """The components along the axes."""
        body, space = body_of(model, self.body, "Accelerometer"), model.space
        place = self.at if isinstance(self.at, Point) else fixed_point(body.origin, body.base, self.at)
        a = acceleration(space, place, space.root, space.origin) - Vector(space, {space.root: model.weight})
        force = a.at(body.base)
        return [force.dot(direction(space, axis)) for axis in axes_of(self.axes)]
