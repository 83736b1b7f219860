"""A bumper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from biela.arena.sensor.proximity import nearest
from biela.arena.sensor.sensor import Sensor, Station, Value


@final
@dataclass(frozen=True)
class Bump(Sensor):
    """A switch with a plunger of length ``reach``: 1 while another entity presses it, else 0.

    ``angle`` is how far from its axis the plunger feels, rad.
    """

    kind: ClassVar[str] = "bump"
    units: ClassVar[dict[str, str]] = {"pressed": ""}

    reach: float = 0.005
    angle: float = 0.5

    def read(self, station: Station, random: np.random.Generator) -> dict[str, Value]:
        """Whether something is nearer than the plunger is long."""
        return {"pressed": float(nearest(station, self.angle, self.reach) < self.reach)}
