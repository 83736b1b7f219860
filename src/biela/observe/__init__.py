"""Observers: estimate what cannot be measured, from a model and sensors."""

from biela.observe.filter import FILTERS, ExtendedKalman, Filter, UnscentedKalman
from biela.observe.instrument import Instruments
from biela.observe.manifold import Manifold
from biela.observe.process import Process
from biela.observe.sensor import SENSORS, Accelerometer, Encoder, Gyro, Sensor

__all__ = [
    "FILTERS",
    "SENSORS",
    "Accelerometer",
    "Encoder",
    "ExtendedKalman",
    "Filter",
    "Gyro",
    "Instruments",
    "Manifold",
    "Process",
    "Sensor",
    "UnscentedKalman",
]
