"""A line sensor: borders of sumo rings, lines of fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from biela.arena.sensor.sensor import Sensor, Station, Value


@final
@dataclass(frozen=True)
class Line(Sensor):
    """How much of its spot is painted: 1 on a line, 0 off it, falling over a spot of radius ``spot``.

    It looks along its x axis, so that one that looks down is turned by a quarter about y. Nothing within
    ``range`` reads 0, as beyond the edge of a ring.
    """

    kind: ClassVar[str] = "line"
    units: ClassVar[dict[str, str]] = {"brightness": ""}

    range: float = 0.05
    spot: float = 0.002

    def read(self, station: Station, random: np.random.Generator) -> dict[str, Value]:
        """Where the ray meets the ground, and what is painted there."""
        world = station.world
        among = world.others(station.entity.id, floor=True)
        far, who = world.cast(station.place, station.ahead[None], among)
        if who[0] < 0 or far[0] > self.range:
            return {"brightness": 0.0}
        x, y, _ = station.place + far[0] * station.ahead
        gap = min((m.distance(x, y) for m in world.things[int(who[0])].entity.marks), default=np.inf)
        width = max(self.spot, 1e-9)
        return {"brightness": float(np.clip(0.5 - gap / (2 * width), 0.0, 1.0))}
