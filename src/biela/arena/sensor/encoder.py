"""An encoder on a motor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, final

import numpy as np

from biela.arena.scene.fault import Faults, known
from biela.arena.sensor.sensor import Sensor, Station, Value

if TYPE_CHECKING:
    from biela.arena.scene.entity import Entity


@final
@dataclass(frozen=True)
class Encoder(Sensor):
    """The angle a motor has turned its joint by since the entity came, and its speed.

    ``ticks`` a turn quantise the angle; 0 does not. The only motor is meant unless one is named.
    """

    kind: ClassVar[str] = "encoder"
    units: ClassVar[dict[str, str]] = {"angle": "rad", "speed": "rad/s"}

    motor: str = ""
    ticks: float = 0.0

    def read(self, station: Station, random: np.random.Generator) -> dict[str, Value]:
        """Angle and speed."""
        key = (station.entity.id, self.motor or station.entity.motors[0].id)
        return {"angle": station.world.angles[key], "speed": station.world.speeds[key]}

    def disturbed(self, values: dict[str, Value], random: np.random.Generator) -> dict[str, Value]:
        """Noise, then whole ticks."""
        found = super().disturbed(values, random)
        if self.ticks:
            tick = 2 * math.pi / self.ticks
            found["angle"] = tick * math.floor(float(found["angle"]) / tick)
        return found

    def check(self, entity: Entity, where: str, faults: Faults) -> None:
        """A motor of that name must be there."""
        super().check(entity, where, faults)
        good = self.motor in entity.motor if self.motor else len(entity.motors) == 1
        faults.check(good, where, f"motor '{self.motor}'.", known(self.motor, entity.motor))
