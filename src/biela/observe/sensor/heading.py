"""Inclinometer and magnetometer: how a body stands against the vertical and against the north."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from biela.expr.expression import Expr, atan2
from biela.expr.matrix import Matrix, vector
from biela.mechanics.body import Body
from biela.mechanics.joint import direction
from biela.mechanics.model import Model
from biela.mechanics.vector import Vector
from biela.observe.sensor.gyro import axes_of
from biela.observe.sensor.sensor import Sensor, body_of


@final
@dataclass(frozen=True)
class Inclinometer(Sensor):
    """Reads the tilt of a body about an axis fixed to it, rad: 0 where ``up`` points up.

    It grows as the body turns about ``axis``; both are directions in the base of the body. Readings jump by a
    turn at half a turn. It is the tilt that gravity shows, so an accelerometer at rest would read it.
    """

    body: Body | str
    axis: Any = "z"
    up: Any = "y"
    unit: ClassVar[str] = "rad"
    turns: ClassVar[bool] = True

    def value(self, model: Model) -> list[Expr]:
        """The angle; raises ValueError for a model without gravity."""
        if all(entry.number == 0.0 for entry in model.weight):
            raise ValueError(f"Inclinometer: model '{model.name}' has no gravity to tilt against.")
        body = body_of(model, self.body, "Inclinometer")
        plumb = -Vector(model.space, {model.space.root: model.weight}).at(body.base)
        return [_angle(model, plumb, self.axis, self.up)]


@final
@dataclass(frozen=True)
class Magnetometer(Sensor):
    """Reads the direction of a uniform field along axes fixed to a body: the field's components there.

    ``field`` is in the base of the ground: (1, 0, 0) is a unit field along x. With ``heading`` an axis
    of the body, the reading is the angle by which the body is turned about it from the field, rad.
    """

    body: Body | str
    field: Any = (1, 0, 0)
    axes: Any = ("x", "y")
    heading: Any = None
    unit: ClassVar[str] = ""

    def value(self, model: Model) -> list[Expr]:
        """The components, or the heading."""
        body = body_of(model, self.body, "Magnetometer")
        field = Vector(model.space, {model.space.root: vector(self.field, model.graph)}).at(body.base)
        if self.heading is not None:
            return [_angle(model, field, self.heading, "x")]
        return [field.dot(direction(model.space, axis)) for axis in axes_of(self.axes)]

    def wraps(self, model: Model) -> list[bool]:
        """The heading is an angle; components are not."""
        return [True] if self.heading is not None else super().wraps(model)


def _angle(model: Model, seen: Matrix, axis: Any, mark: Any) -> Expr:
    """How far the body is turned about its axis, from what it sees of a direction that stays."""
    n, mark = direction(model.space, axis), direction(model.space, mark)
    across = n.cross(mark)
    return -atan2(seen.dot(across), seen.dot(mark))
