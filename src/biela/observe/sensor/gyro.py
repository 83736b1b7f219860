"""The gyroscope: the angular velocity of a body along axes fixed to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from biela.expr.expression import Expr
from biela.mechanics.body import Body
from biela.mechanics.joint import direction
from biela.mechanics.kinematics import angular_velocity
from biela.mechanics.model import Model
from biela.observe.sensor.sensor import Sensor, body_of


@final
@dataclass(frozen=True)
class Gyro(Sensor):
    """Reads the angular velocity of a body relative to the ground, rad/s.

    ``axis`` is one direction in the base of the body, or a tuple of several: 'z', ('x', 'y', 'z'), [0, 1, 0].
    """

    body: Body | str
    axis: Any = "z"
    unit: ClassVar[str] = "rad/s"

    @property
    def label(self) -> str:
        """'gyro' and the body."""
        return f"gyro.{self.body.name if isinstance(self.body, Body) else self.body}"

    def value(self, model: Model) -> list[Expr]:
        """The components along the axes."""
        body = body_of(model, self.body, "Gyro")
        w = angular_velocity(model.space, model.space.root, body.base).at(body.base)
        return [w.dot(direction(model.space, axis)) for axis in axes_of(self.axis)]


def axes_of(given: Any) -> list[Any]:
    """One axis or several: a tuple of names or vectors is several."""
    if isinstance(given, (str, bytes)):
        return [given]
    parts = list(given)
    return parts if parts and not isinstance(parts[0], (int, float, Expr)) else [parts]
