"""A gyro."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from biela.arena.sensor.sensor import Sensor, Station, Value


@final
@dataclass(frozen=True)
class Gyro(Sensor):
    """The angular velocity about its own axes, rad/s; ``z`` of one that sits level is the yaw rate."""

    kind: ClassVar[str] = "gyro"
    units: ClassVar[dict[str, str]] = {"x": "rad/s", "y": "rad/s", "z": "rad/s"}

    def read(self, station: Station, random: np.random.Generator) -> dict[str, Value]:
        """In its own axes."""
        x, y, z = (station.spin @ station.axes).tolist()
        return {"x": x, "y": y, "z": z}
