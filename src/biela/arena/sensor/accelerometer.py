"""An accelerometer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from biela.arena.sensor.sensor import Sensor, Station, Value


@final
@dataclass(frozen=True)
class Accelerometer(Sensor):
    """The specific force along its own axes, m/s^2: the acceleration less gravity.

    At rest and level it reads +9.81 along z: it is held up. The acceleration is the mean over the last step.
    """

    kind: ClassVar[str] = "accelerometer"
    units: ClassVar[dict[str, str]] = {"x": "m/s^2", "y": "m/s^2", "z": "m/s^2"}

    def read(self, station: Station, random: np.random.Generator) -> dict[str, Value]:
        """In its own axes."""
        world = station.world
        change = (station.velocity - station.before) / world.step
        x, y, z = ((change - world.gravity) @ station.axes).tolist()
        return {"x": x, "y": y, "z": z}
