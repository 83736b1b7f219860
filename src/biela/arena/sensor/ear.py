"""An ear, with the limits of the RoboCup 2D simulator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from biela.arena.sensor.sensor import Sensor, Station, Value


@final
@dataclass(frozen=True)
class Ear(Sensor):
    """One message at a time of what others say (command ``say``): from whom, from where, its first letters.

    Of all that was said within ``range`` since the last reading one is heard, by lot. In the RoboCup 2D
    simulator voices carry 50 m, messages have 10 letters and cycles last 0.1 s: the defaults.
    """

    kind: ClassVar[str] = "ear"
    units: ClassVar[dict[str, str]] = {"from": "", "text": "", "bearing": "rad"}

    rate: float = 10.0
    range: float = 50.0
    letters: float = 10.0

    def read(self, station: Station, random: np.random.Generator) -> dict[str, Value] | None:
        """The message that is heard, if there is any."""
        world = station.world
        since = world.time - (1.0 / self.rate if self.rate else world.step) - 1e-9
        heard = [s for s in world.said.values() if s.time > since and s.entity != station.entity.id]
        places = {s.entity: self._towards(station, s.entity) for s in heard}
        heard = [s for s in heard if float(np.linalg.norm(places[s.entity])) <= self.range]
        if not heard:
            return None
        chosen = heard[int(random.integers(len(heard)))]
        x, y, _ = places[chosen.entity].tolist()
        text = chosen.text[: int(self.letters)]
        return {"from": chosen.entity, "text": text, "bearing": math.atan2(y, x)}

    def _towards(self, station: Station, entity: str) -> np.ndarray:
        world = station.world
        body = world.scene.entity[entity].reference_body
        return (world.place(world.index(entity, body.id))[0] - station.place) @ station.axes
