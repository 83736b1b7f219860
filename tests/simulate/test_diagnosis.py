"""Constraints that are redundant, ineffective, inconsistent, or singular, by their names."""

import numpy as np
import pytest

import biela as bl
from biela.simulate.assembly import AssemblyError, assemble
from biela.simulate.diagnosis import diagnose


def test_a_sound_mechanism():
    found = diagnose(bl.mechanisms.four_bar().model())
    assert found.sound
    assert (found.freedom, found.rank) == (1, 2)
    assert str(found) == "rank 2, 1 degree of freedom"
    assert diagnose(bl.mechanisms.double_pendulum().model()).freedom == 2


def test_bricards_linkage_has_one_redundant_equation():
    found = diagnose(bl.mechanisms.bricard().model())
    assert (found.freedom, len(found.redundant)) == (1, 1)
    ((name, others),) = found.redundant.items()
    assert name == "last hinge[4]"
    assert others
    assert not found.inconsistent
    assert "'last hinge[4]' is redundant: it follows from" in str(found)


def doubled(length):
    """A bar on two parallel cranks with a third one between them, of that length."""
    s = bl.System("three_cranks")
    left = s.body("left", mass=1.0)
    bar = s.body("bar", mass=1.0)
    s.revolute(s.ground, left, coordinates=s.coordinate("left", 0.5, unit="rad"))
    s.revolute(left, bar, at=[1, 0, 0], coordinates=s.coordinate("bar", -0.5, unit="rad"))
    s.distance(s.point("B", r=[4, 0, 0]), bar.point([4, 0, 0]), 1.0, name="right crank")
    s.distance(s.point("C", r=[2, 0, 0]), bar.point([2, 0, 0]), length, name="middle crank")
    return s.model()


def test_a_third_parallel_crank_is_redundant():
    found = diagnose(doubled(1.0))
    assert found.freedom == 1
    assert found.redundant == {"middle crank": ("right crank",)}
    assert not found.inconsistent


def test_bars_that_are_too_short():
    """Stretched out towards the other pivot, the chain ends where it can come nearest."""
    model = bl.mechanisms.four_bar().model()
    found = diagnose(model, p={"l4": 2.0})
    gap = 2.0 - (0.120 + 0.540 + 0.455)
    assert np.linalg.norm(list(found.inconsistent.values())) == pytest.approx(gap, rel=1e-6)
    assert set(found.inconsistent) <= {"loop[0]", "loop[1]"}
    assert "cannot hold" in str(found)
    assert not found.sound


def slides(*constraints):
    """Two blocks at x and y."""
    s = bl.System("slides")
    x, y = s.coordinate("x", 0.0, unit="m"), s.coordinate("y", 0.0, unit="m")
    for name, q, axis in (("one", x, "x"), ("two", y, "y")):
        s.prismatic(s.ground, s.body(name, mass=1.0), axis=axis, coordinates=q)
    for name, equation in constraints:
        s.constrain(name, equation(x, y, s.time))
    return s.model()


def test_stops_that_contradict_each_other():
    """x = 1 and x + y^2 = 0.6 hold nowhere; nearest they come with both half the gap away."""
    found = diagnose(slides(("stop", lambda x, y, t: x - 1.0), ("other", lambda x, y, t: x + y * y - 0.6)))
    assert found.inconsistent == pytest.approx({"stop": 0.2, "other": 0.2}, rel=1e-6)
    assert found.conflicts == (("stop", "other"),)
    assert "stop, other contradict each other" in str(found)


def test_speeds_that_contradict_each_other():
    model = slides(("slow", lambda x, y, t: x - t), ("fast", lambda x, y, t: x + y * y - 2.0 * t))
    with pytest.raises(AssemblyError, match="velocities contradict"):
        assemble(model)
    assert diagnose(model).inconsistent == pytest.approx({"slow": 0.5, "fast": 0.5}, rel=1e-6)


def test_an_equation_that_restrains_nothing():
    """Its gradient is zero where it holds."""
    model = slides(("squared", lambda x, y, t: x * x), ("joined", lambda x, y, t: x - y))
    found = diagnose(model)
    assert found.ineffective == ("squared",)
    assert "'squared' is ineffective: it restrains nothing" in str(found)


def test_a_singular_position():
    """All bars of a rhombus in one line: it may fold, or turn on."""
    s = bl.System("rhombus")
    a, b = s.body("a", mass=1.0), s.body("b", mass=1.0)
    s.revolute(s.ground, a, coordinates=s.coordinate("a", unit="rad"))
    s.revolute(a, b, at=[1, 0, 0], coordinates=s.coordinate("b", unit="rad"))
    s.distance(s.point("B", r=[1, 0, 0]), b.point([1, 0, 0]), 1.0, name="rocker")
    model = s.model()
    flat = assemble(model, np.zeros(2), velocities=np.zeros(2))
    found = diagnose(model, flat)
    assert found.singular
    assert found.freedom == 2
    assert not diagnose(model, assemble(model, a=1.0)).singular
