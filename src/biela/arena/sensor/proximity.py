"""A proximity sensor: the source's own example of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from biela.arena.sensor.cone import spiral, within
from biela.arena.sensor.sensor import Sensor, Station, Value

RAYS = 31


@final
@dataclass(frozen=True)
class Proximity(Sensor):
    """The distance to the nearest point of another entity within a cone; ``range`` if none is nearer.

    ``angle`` is from the axis to the edge, rad. Floors are not seen. Rays go to the nearest point and the
    middle of every body, brought to the edge of the cone where these lie outside, and along a fixed spiral:
    that is exact for spheres, and for all whose nearest point lies within.
    """

    kind: ClassVar[str] = "proximity"
    units: ClassVar[dict[str, str]] = {"distance": "m"}

    range: float = 0.5
    angle: float = 0.2

    def read(self, station: Station, random: np.random.Generator) -> dict[str, Value]:
        """The shortest of all rays."""
        return {"distance": nearest(station, self.angle, self.range)}

    def disturbed(self, values: dict[str, Value], random: np.random.Generator) -> dict[str, Value]:
        """Noise, but never less than nothing nor beyond the range."""
        gap = float(random.standard_normal())
        return {k: min(self.range, max(0.0, float(v) + self.sigma * gap)) for k, v in values.items()}


def nearest(station: Station, angle: float, reach: float) -> float:
    """The distance to the nearest point of another entity within a cone, ``reach`` at most."""
    world, axes = station.world, station.axes
    among = world.others(station.entity.id, floor=False)
    aims = [spiral(angle, RAYS)]
    for index in among:
        for point in (world.nearest(station.place, index), world.place(index)[0]):
            aims.append(within((point - station.place) @ axes, angle)[None])
    found, _ = world.cast(station.place, np.concatenate(aims) @ axes.T, among)
    return min(reach, float(found.min()))
