import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import biela as bl
from biela.expr import cos, sin
from biela.expr.turning import SERIES, turned

ANGLE, SHARE = st.floats(-100.0, 100.0), st.floats(-1.0, 1.0)


def step(a, b, v, w):
    """Sines of two angles and their sum, after a motion, after a correction, and after one more."""
    moved, other = a + 0.1 * v, b + 0.05 * w
    corrected = other + 1e-2 * (v * w)
    again = corrected + 1e-4 * (v * v)
    return [
        sin(a + b) * cos(a), sin(b), sin(moved), cos(moved + other), sin(corrected), cos(moved + corrected),
        cos(again), sin(moved + again),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def function():
    a, b, v, w = bl.Graph().symbols("a b v w")
    return bl.Function("f", [a, b, v, w], {"y": step(a, b, v, w)})


@pytest.fixture(scope="module")
def near(function):
    return turned(function, [function.value(port) for port in function.inputs[:2]])


@given(ANGLE, ANGLE, SHARE, SHARE)
def test_turned_sines_are_those_of_the_angles(function, near, a, b, v, w):
    found = near.evaluate(a, b, v, w)
    np.testing.assert_allclose(found.y, function.evaluate(a, b, v, w), rtol=0.0, atol=1e-13)
    assert found.far == 0.0


def test_sines_are_computed_at_the_start_only(function, near):
    def sines(f):
        return {i.operands for i in f.program.instructions if i.name in ("sin", "cos")}

    assert len(sines(function)) > 8
    assert len(sines(near)) == 2


@pytest.mark.parametrize(("v", "w"), [(2.0, 0.0), (0.0, 4.0), (-2.0, 1.0), (1.3, -1.3), (1e9, 0.0)])
def test_what_turns_too_far_says_so(near, v, w):
    assert near.evaluate(1.0, 2.0, v, w).far == 1.0


@pytest.mark.parametrize(("v", "w"), [(np.nan, 0.0), (0.0, np.nan), (2.0, np.nan), (np.nan, 4.0)])
def test_what_turns_by_no_number_says_so(near, v, w):
    assert near.evaluate(1.0, 2.0, v, w).far == 1.0
    assert bl.Kernel(near)(1.0, 2.0, v, w).far == 1.0


@pytest.mark.parametrize("series", SERIES)
def test_series_leave_less_than_they_say_up_to_their_bound(series):
    with mpmath.workdps(40):
        for share in (0.1, 0.5, 0.9, 1.0):
            d = mpmath.mpf(series.bound) * share
            s = sum((-1) ** k * d ** (2 * k + 1) / mpmath.factorial(2 * k + 1) for k in range(series.sine))
            c = sum((-1) ** k * d ** (2 * k) / mpmath.factorial(2 * k) for k in range(series.cosine))
            assert abs(s - mpmath.sin(d)) < 2.0**-54
            assert abs(c - mpmath.cos(d)) < 2.0**-54


def test_what_has_no_near_angles_is_left_as_it_is():
    a, p, t = bl.Graph().symbols("a p t")
    for other in (sin(a + p), sin(a + 0.5), sin(p * t), cos(2.0 * a)):
        f = bl.Function("f", [a, p, t], {"y": sin(a) + other})
        assert turned(f, [a]) is f
