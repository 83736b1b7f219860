"""Sensors: what each reads, as expressions of a model, so that its slope comes for free.

Adding one is adding a final class derived from `Sensor` and a row here.
"""

from __future__ import annotations

from biela.observe.sensor.accelerometer import Accelerometer
from biela.observe.sensor.encoder import Encoder
from biela.observe.sensor.gyro import Gyro
from biela.observe.sensor.heading import Inclinometer, Magnetometer
from biela.observe.sensor.load_cell import Force, Torque
from biela.observe.sensor.position import Distance, LinearPosition, PointPosition
from biela.observe.sensor.reading import Reading
from biela.observe.sensor.sensor import Sensor

SENSORS: dict[str, type[Sensor]] = {
    kind.__name__: kind
    for kind in (
        Gyro,
        Accelerometer,
        Inclinometer,
        Magnetometer,
        Encoder,
        LinearPosition,
        PointPosition,
        Distance,
        Force,
        Torque,
        Reading,
    )
}

__all__ = [
    "SENSORS",
    "Accelerometer",
    "Distance",
    "Encoder",
    "Force",
    "Gyro",
    "Inclinometer",
    "LinearPosition",
    "Magnetometer",
    "PointPosition",
    "Reading",
    "Sensor",
    "Torque",
]
