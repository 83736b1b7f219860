"""The grammar of sensors: what it makes is what Python makes, for every kind of the registry."""

import math
import re

import pytest

import biela as bl
from biela.cli.fault import UsageError
from biela.cli.sensing import needed, sensor_of
from biela.observe import Accelerometer, Distance, Encoder, Force, Gyro, LinearPosition, Magnetometer
from biela.observe.sensor import SENSORS

DEG = math.pi / 180


@pytest.mark.parametrize(
    ("text", "sensor"),
    [
        ("gyro:coupler", Gyro("coupler")),
        ("Gyro:coupler:0.5deg/s:rate=100Hz", Gyro("coupler", sigma=0.5 * DEG, rate=100.0)),
        ("gyro:coupler:axis=x,y,z:sigma=1", Gyro("coupler", axis=("x", "y", "z"), sigma=1.0)),
        (
            "accelerometer:coupler:0.05:at=0.1,20mm,0:axes=x,y:delay=2ms:dropout=5%",
            Accelerometer("coupler", (0.1, 0.02, 0.0), ("x", "y"), sigma=0.05, delay=2e-3, dropout=0.05),
        ),
        ("encoder:crank:1deg:resolution=0.1deg", Encoder("crank", sigma=DEG, resolution=0.1 * DEG)),
        ("linear_position:P3:1mm:axis=y:zero=10mm", LinearPosition("P3", axis="y", sigma=1e-3, zero=0.01)),
        ("linear-position:P3:1mm", LinearPosition("P3", sigma=1e-3)),
        ("distance:P3,rocker:1mm:limits=0m,2m", Distance("P3", "rocker", sigma=1e-3, limits=(0.0, 2.0))),
        ("force:loop:0.1N:name=cell", Force("loop", sigma=0.1, name="cell")),
        ("magnetometer:coupler:0.01:field=0,1,0:heading=z", Magnetometer("coupler", field=(0.0, 1.0, 0.0),
                                                                         heading="z", sigma=0.01)),
    ],
)  # fmt: skip
def test_a_sensor_is_the_one_that_python_makes(text, sensor):
    assert sensor_of(text) == sensor


@pytest.mark.parametrize("name", [name for name in SENSORS if name != "Reading"])
def test_every_kind_reads_something(name):
    place = {"Encoder": "crank", "Distance": "P3,rocker", "Force": "crank-coupler", "Torque": "crank"}
    sensor = sensor_of(f"{name}:{place.get(name, 'coupler')}:0.1")
    assert sensor.value(bl.mechanisms.four_bar().model())
    assert sensor.sigma == 0.1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("giro:coupler", "There is no kind of sensor 'giro'. Known: Gyro,"),
        ("giro:coupler", "Did you mean 'Gyro'?"),
        ("gyro", "Sensor 'gyro': say what it is on: body"),
        ("distance:P3", "say what it is on: one and other, with a comma between."),
        ("gyro:coupler:1m", "'1m' is in m, where rad/s is wanted"),
        ("gyro:coupler:1:2", "'2' is too much"),
        ("gyro:coupler:sigm=1", "no property 'sigm'"),
        ("gyro:coupler:rate=1s", "'1s' is in s, where Hz is wanted"),
        ("reading:coupler", "There is no kind of sensor 'reading'"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, told):
    with pytest.raises(UsageError, match=re.escape(told)):
        sensor_of(text)


def test_at_least_one_is_needed():
    with pytest.raises(UsageError, match="at least one"):
        needed([])
