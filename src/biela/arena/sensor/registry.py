"""`SENSORS`: kind -> class. A new one is a file with a final class, and its row here."""

from __future__ import annotations

from biela.arena.sensor.accelerometer import Accelerometer
from biela.arena.sensor.bump import Bump
from biela.arena.sensor.camera import Camera
from biela.arena.sensor.ear import Ear
from biela.arena.sensor.encoder import Encoder
from biela.arena.sensor.gyro import Gyro
from biela.arena.sensor.line import Line
from biela.arena.sensor.proximity import Proximity
from biela.arena.sensor.range import Range
from biela.arena.sensor.sensor import Sensor

SENSORS: dict[str, type[Sensor]] = {
    kind.kind: kind for kind in (Proximity, Range, Line, Bump, Camera, Encoder, Gyro, Accelerometer, Ear)
}
