"""Sensors of places: along a line, of a marker in the axes of a camera, between two points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from biela.expr.expression import Expr, sqrt
from biela.mechanics.body import Body, fixed_point
from biela.mechanics.joint import direction
from biela.mechanics.kinematics import position
from biela.mechanics.model import Model
from biela.mechanics.space import Point
from biela.mechanics.vector import Vector
from biela.observe.sensor.gyro import axes_of
from biela.observe.sensor.sensor import Sensor, body_of


@final
@dataclass(frozen=True)
class LinearPosition(Sensor):
    """Reads how far a point is along a direction of the ground, m: a draw wire, a scale on a slide.

    ``point`` is a Point, the name of one, or a body, whose origin it is; ``zero`` is the reading's offset.
    """

    point: Point | Body | str
    axis: Any = "x"
    zero: float = 0.0
    unit: ClassVar[str] = "m"

    def value(self, model: Model) -> list[Expr]:
        """The component along the axis."""
        return [_seen(model, self.point, "LinearPosition").dot(direction(model.space, self.axis)) - self.zero]


@final
@dataclass(frozen=True)
class PointPosition(Sensor):
    """Reads where a point is, m: a marker that a camera or a tracker sees.

    ``at`` are components in the base of a body, where ``point`` is one; ``axes`` directions of the ground.
    """

    point: Point | Body | str
    at: Any = (0, 0, 0)
    axes: Any = ("x", "y")
    unit: ClassVar[str] = "m"

    def value(self, model: Model) -> list[Expr]:
        """The components along the axes."""
        seen = _seen(model, self.point, "PointPosition", self.at)
        return [seen.dot(direction(model.space, axis)) for axis in axes_of(self.axes)]


@final
@dataclass(frozen=True)
class Distance(Sensor):
    """Reads the distance between two points, m: a laser, a draw wire between moving parts."""

    one: Point | Body | str
    other: Point | Body | str
    unit: ClassVar[str] = "m"

    def value(self, model: Model) -> list[Expr]:
        """The distance."""
        a, b = (_seen(model, point, "Distance") for point in (self.one, self.other))
        return [sqrt((a - b).dot(a - b))]


def point_of(model: Model, point: Point | Body | str, where: str, at: Any = (0, 0, 0)) -> Point:
    """A point of a model by itself, its name, or as a place on a body; raises ValueError for another."""
    if isinstance(point, Point):
        if point.space is not model.space:
            raise ValueError(f"{where}: point '{point.name}' belongs to another system than '{model.name}'.")
        return point
    if isinstance(point, str) and point not in model.bodies:
        if point in model.points:
            return model.points[point]
        known = ", ".join([*model.points, *model.bodies])
        raise ValueError(f"{where}: model '{model.name}' has no point or body '{point}'. It has {known}.")
    body = body_of(model, point, where)
    return fixed_point(body.origin, body.base, at)


def _seen(model: Model, point: Point | Body | str, where: str, at: Any = (0, 0, 0)) -> Any:
    """From the origin to a point, in the axes of the ground."""
    space = model.space
    r: Vector = position(space, space.origin, point_of(model, point, where, at))
    return r.at(space.root)
