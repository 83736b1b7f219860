"""A camera that knows what it sees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from biela.arena.sensor.sensor import Sensor, Station, Value
from biela.arena.sensor.world import Thing

SPREAD = 0.7  # of the radius of what is looked at: where its outer points are


@final
@dataclass(frozen=True)
class Camera(Sensor):
    """Distance, bearing and elevation of the other moving entities within its cone.

    ``angle`` is from the axis to the edge, rad. Of each, its reference body is looked at: the middle and four
    points around it; it is seen if at least the share ``threshold`` of them is not hidden. Values are named
    ``ball.distance`` and so on. As in the RoboCup simulator, what is outside the cone but nearer than
    ``near`` is only known to be there: ``ball.near`` is 1. ``sigma`` is the noise of distances, m,
    ``sigma_angle`` that of both angles, rad; each entity is missed with the probability ``missing``.
    """

    kind: ClassVar[str] = "camera"
    units: ClassVar[dict[str, str]] = {"distance": "m", "bearing": "rad", "elevation": "rad", "near": ""}

    range: float = 5.0
    angle: float = 0.8
    near: float = 0.0
    threshold: float = 0.4
    sigma_angle: float = 0.0
    missing: float = 0.0

    def read(self, station: Station, random: np.random.Generator) -> dict[str, Value]:
        """All that is seen."""
        found: dict[str, Value] = {}
        for entity in station.world.scene.entities:
            body = entity.reference_body
            if entity is station.entity or body.immovable:
                continue
            index = station.world.index(entity.id, body.id)
            x, y, z = ((station.world.place(index)[0] - station.place) @ station.axes).tolist()
            far = math.sqrt(x * x + y * y + z * z)
            if far <= self.range and math.atan2(math.hypot(y, z), x) <= self.angle:
                if self._clear(station, index) >= self.threshold:
                    found[f"{entity.id}.distance"] = far
                    found[f"{entity.id}.bearing"] = math.atan2(y, x)
                    found[f"{entity.id}.elevation"] = math.atan2(z, math.hypot(x, y))
            elif far < self.near:
                found[f"{entity.id}.near"] = 1.0
        return found

    def _clear(self, station: Station, index: int) -> float:
        """The share of five points of a thing that nothing hides."""
        world, thing = station.world, station.world.things[index]
        among = [i for i in world.others(station.entity.id, floor=False) if _hides(world.things[i], thing)]
        middle = world.place(index)[0]
        ahead = (middle - station.place) / max(float(np.linalg.norm(middle - station.place)), 1e-12)
        aside = np.cross([0.0, 0.0, 1.0], ahead)
        aside /= max(float(np.linalg.norm(aside)), 1e-12)
        up, reach = np.cross(ahead, aside), SPREAD * float(thing.body.half_extent().min())
        points = middle + reach * np.array([np.zeros(3), aside, -aside, up, -up])
        rays = points - station.place
        found, _ = world.cast(station.place, rays, among)
        return float((found >= 1.0).mean())

    def disturbed(self, values: dict[str, Value], random: np.random.Generator) -> dict[str, Value]:
        """Distances and angles with noise of their own; some entities are missed."""
        sizes = {"distance": self.sigma, "near": 0.0}
        seen = dict.fromkeys(name.rsplit(".", 1)[0] for name in values)
        missed = {name for name in seen if random.random() < self.missing}
        found: dict[str, Value] = {}
        for name, value in values.items():
            who, what = name.rsplit(".", 1)
            gap = sizes.get(what, self.sigma_angle) * float(random.standard_normal())
            if who not in missed:
                found[name] = float(value) + gap
        return found


def _hides(one: Thing, other: Thing) -> bool:
    return one.entity is not other.entity
