"""Sensors: what each reads, as expressions of a model, so that its slope comes for free.

Adding one is adding a file with a final class derived from `Sensor` and a row here.
"""

from __future__ import annotations

from biela.observe.sensor.accelerometer import Accelerometer
from biela.observe.sensor.encoder import Encoder
from biela.observe.sensor.gyro import Gyro
from biela.observe.sensor.sensor import Sensor

SENSORS: dict[str, type[Sensor]] = {kind.__name__: kind for kind in (Gyro, Accelerometer, Encoder)}

__all__ = ["SENSORS", "Accelerometer", "Encoder", "Gyro", "Sensor"]
