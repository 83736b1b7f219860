"""A range finder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from biela.arena.sensor.sensor import Sensor, Station, Value


@final
@dataclass(frozen=True)
class Range(Sensor):
    """How far a thin ray goes until it meets another entity, floors included; ``range`` if none is there."""

    kind: ClassVar[str] = "range"
    units: ClassVar[dict[str, str]] = {"distance": "m"}

    range: float = 1.0

    def read(self, station: Station, random: np.random.Generator) -> dict[str, Value]:
        """One ray."""
        among = station.world.others(station.entity.id, floor=True)
        found, _ = station.world.cast(station.place, station.ahead[None], among)
        return {"distance": min(self.range, float(found[0]))}

    def disturbed(self, values: dict[str, Value], random: np.random.Generator) -> dict[str, Value]:
        """Noise, but never less than nothing nor beyond the range."""
        gap = float(random.standard_normal())
        return {k: min(self.range, max(0.0, float(v) + self.sigma * gap)) for k, v in values.items()}
