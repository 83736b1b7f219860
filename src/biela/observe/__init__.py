"""Observers: estimate what cannot be measured, from a model and sensors."""

from biela.observe.filter import (
    FILTERS,
    ContinuousKalman,
    EnsembleKalman,
    ErrorStateKalman,
    ExtendedKalman,
    Filter,
    IteratedKalman,
    ProjectionKalman,
    SquareRootExtended,
    SquareRootUnscented,
    UnscentedKalman,
)
from biela.observe.instrument import Instruments
from biela.observe.manifold import Manifold
from biela.observe.process import Process
from biela.observe.sensor import (
    SENSORS,
    Accelerometer,
    Distance,
    Encoder,
    Force,
    Gyro,
    Inclinometer,
    LinearPosition,
    Magnetometer,
    PointPosition,
    Reading,
    Sensor,
    Torque,
)

__all__ = [
    "FILTERS",
    "SENSORS",
    "Accelerometer",
    "ContinuousKalman",
    "Distance",
    "Encoder",
    "EnsembleKalman",
    "ErrorStateKalman",
    "ExtendedKalman",
    "Filter",
    "Force",
    "Gyro",
    "Inclinometer",
    "Instruments",
    "IteratedKalman",
    "LinearPosition",
    "Magnetometer",
    "Manifold",
    "PointPosition",
    "Process",
    "ProjectionKalman",
    "Reading",
    "Sensor",
    "SquareRootExtended",
    "SquareRootUnscented",
    "Torque",
    "UnscentedKalman",
]
