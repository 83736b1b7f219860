"""Numbers with units: every unit of the mechanisms is known, and no value passes in a wrong dimension."""

import math

import pytest

from biela.cli.fault import UsageError
from biela.cli.quantity import assigned, counted, measured, quantity, unit
from biela.mechanisms import MECHANISMS


@pytest.mark.parametrize(
    ("text", "wanted", "value"),
    [
        ("90deg", "rad", math.pi / 2),
        ("-.5 turn", "rad", -math.pi),
        ("60rpm", "rad/s", 2 * math.pi),
        ("0.5 deg/s", "rad/s", math.pi / 360),
        ("1e1ms", "s", 0.01),
        ("2 min", "s", 120.0),
        ("100Hz", "Hz", 100.0),
        ("1.5", "rad", 1.5),
        ("120 mm", "m", 0.12),
        ("400g", "kg", 0.4),
        ("3 kN", "N", 3000.0),
        ("3 N m", "N m", 3.0),
        ("3Nm", "N m", 3.0),
        ("10 N mm/deg", "N m/rad", 0.01 * 180 / math.pi),
        ("2 kg m^2", "kg m2", 2.0),
        ("1 m/s2", "m/s^2", 1.0),
        ("2 1/s", "Hz", 2.0),
        ("50%", "", 0.5),
        ("36 km/h", "m/s", 10.0),
    ],
)
def test_a_value_is_brought_to_si(text, wanted, value):
    assert quantity(text, wanted) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "wanted", "told"),
    [
        ("90m", "rad", "'90m' is in m, where rad is wanted; give one like 90deg."),
        ("1rad", "m", "is in rad, where m is wanted"),
        ("3 deg", "1", "is in deg, where 1 is wanted"),
        ("ten", "s", "'ten' is no number; give one like 10s or 1ms."),
        ("1 second", "s", "no unit 'second'"),
        ("1 m//s", "m/s", "is no unit"),
        ("1e999", "s", "too large"),
        ("nan", "s", "is no number"),
        ("", "s", "is no number"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, wanted, told):
    with pytest.raises(UsageError, match=told.replace("(", r"\(")):
        quantity(text, wanted)


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_units_of_every_mechanism_are_known(name):
    model = MECHANISMS[name]().model()
    for one in (*model.parameters, *model.inputs, *model.placements):
        factor, _ = unit(one.unit)
        assert factor == 1.0, f"{one.name} is not in SI: {one.unit}"
        assert quantity(f"2 {one.unit}", one.unit) == 2.0


def test_types_of_arguments():
    assert measured("s", positive=True)("1ms") == 1e-3
    assert counted(0)("0") == 0
    assert assigned(" crank = 90 deg") == ("crank", "90 deg")
    for read, text in ((measured("s", positive=True), "0s"), (counted(), "0"), (counted(), "1.5"),
                       (assigned, "crank"), (assigned, "=1"), (assigned, "a=")):  # fmt: skip
        with pytest.raises(UsageError):
            read(text)
