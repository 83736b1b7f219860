"""The classical washout against closed forms: steps of acceleration, gains at 1 rad/s, limits of the tilt."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import biela as bl
from biela.cueing import PRESETS, ClassicalWashout, drive
from biela.cueing.washout.scaling import cubic

G = 9.80665
DEG = np.pi / 180
ORDERS = PRESETS["delft"].options["orders"]
FREE = {"tilt.rate": np.inf}


def motion(count, **columns):
    """Rows at rest, but for some columns."""
    names = ("fx", "fy", "fz", "p", "q", "r")
    rows = np.zeros((count, 6))
    rows[:, 2] = G
    for name, values in columns.items():
        rows[:, names.index(name)] = values
    return rows


def delft(values=None, **options):
    return ClassicalWashout.preset("delft", dt=0.002).changed(values, **options)


def test_a_second_order_leaves_the_platform_displaced():
    """k a / wn^2 = 0.9375 m for k = 0.6, a = 1 m/s2, wn = 0.8; at 2 s 0.44537724 m."""
    y = delft(axes=("surge",)).run(motion(30_000, fx=1.0))[:, 0]
    assert y[-1] == pytest.approx(0.9375, abs=1e-8)
    assert (y[999] + y[998]) / 2 < 0.44537724 < (y[1000] + y[999]) / 2 + 2.5e-4


def test_a_third_order_brings_it_back():
    washout = delft({"surge.omega_b": 0.2}, axes=("surge",), orders={**ORDERS, "surge": 3})
    y = washout.run(motion(30_000, fx=1.0))[:, 0]
    assert y.max() == pytest.approx(0.51820265, abs=1e-6)
    assert 0.002 * np.argmax(y) == pytest.approx(3.894, abs=4e-3)
    assert y[-1] == pytest.approx(1.0e-5, abs=1e-6)


def test_a_first_order_lets_it_drift():
    washout = delft(axes=("surge",), orders={**ORDERS, "surge": 1})
    y = washout.run(motion(30_000, fx=1.0))[:, 0]
    assert np.diff(y)[-1] / 0.002 == pytest.approx(0.6 / 0.8, rel=1e-6)


def test_the_tilt_shows_a_lasting_force():
    """asin(0.6 / g) = 3.50771688 degrees, at no more than 2.57922198 degrees a second, at 0.5 s."""
    y = -delft(FREE, axes=("pitch",)).run(motion(30_000, fx=1.0))[:, 0] / DEG
    assert y[-1] == pytest.approx(3.50771688, abs=1e-7)
    assert np.diff(y).max() / 0.002 == pytest.approx(2.57922198, abs=2e-3)
    assert 0.002 * np.argmax(np.diff(y)) == pytest.approx(0.5, abs=0.01)


def test_the_limit_of_the_rate_begins_where_it_must():
    """At 3 degrees a second from 1.163 m/s2 on."""
    for size, limited in ((1.16, False), (1.17, True)):
        rows = motion(5000, fx=size)
        gap = np.abs(delft(axes=("pitch",)).run(rows) - delft(FREE, axes=("pitch",)).run(rows)).max()
        assert (gap > 1e-9) == limited
    y = delft(axes=("pitch",)).run(motion(5000, fx=5.0))[:, 0]
    assert np.abs(np.diff(y)).max() / 0.002 <= 3 * DEG + 1e-9


def test_the_tilt_starts_and_stops_within_its_acceleration():
    limits = {"tilt.rate": 0.1, "tilt.acceleration": 0.2}
    y = delft(limits, axes=("pitch",)).run(motion(5000, fx=3.0))[:, 0]
    rate = np.diff(np.concatenate([[0.0, 0.0], y])) / 0.002
    assert 0.099 < np.abs(rate).max() <= 0.1 + 1e-12
    assert np.abs(np.diff(rate)).max() / 0.002 <= 0.2 + 1e-9
    assert y[-1] == pytest.approx(-np.arcsin(0.6 * 3.0 / G), abs=1e-4)
    assert y.min() > -np.arcsin(0.6 * 3.0 / G) - 1e-4  # it brakes in time


def test_the_scaling_is_the_cubic():
    """Through (limit, gain limit), begin and end times the gain steep; the straight line for 1 and 1."""
    bent = {"surge.limit": 5.0, "surge.begin": 1.5, "surge.end": 0.2}
    straight = delft({"surge.limit": 5.0}, axes=("surge",))
    washout = straight.changed(bent)
    whole = straight.run(motion(500, fx=1.0))[-1, 0]
    for size in (-7.0, -5.0, -2.0, 0.1, 1.0, 3.0, 5.0, 9.0):
        shown = washout.run(motion(500, fx=size))[-1, 0] / whole
        assert shown == pytest.approx(cubic(size, 5.0, 5.0, 1.5, 0.2), rel=1e-9)
    assert straight.run(motion(500, fx=3.0))[-1, 0] / whole == pytest.approx(3.0, rel=1e-9)


def test_a_setting_that_has_no_effect_is_refused():
    lively = ClassicalWashout.preset("lively")
    with pytest.raises(ValueError, match=r"tilt\.rate = inf is left out of the sample"):
        lively.settings({"tilt.rate": [0.1]})
    with pytest.raises(ValueError, match=r"sway\.omega_b = 0 is left out of the sample"):
        lively.settings({"sway.omega_b": [0.1]})
    assert lively.changed({"tilt.rate": 0.2}).settings({"tilt.rate": [0.1, 0.3]}).shape[1] == 2


def test_the_tilt_has_the_signs_of_gravity():
    """On a platform at rest the specific force is the upward g in its own axes: R^T (0, 0, g)."""
    y = delft(FREE | {"tilt.omega": 20.0}, axes=("roll", "pitch")).run(motion(9000, fx=1.5, fy=-2.0))[-1]
    shown = Rotation.from_euler("ZYX", [0.0, y[1], y[0]]).inv().apply([0.0, 0.0, G])
    assert shown[:2] == pytest.approx([0.6 * 1.5, 0.6 * -2.0], abs=1e-6)


@pytest.mark.parametrize(
    ("law", "angle"), [("linear", 0.3), ("asin", np.arcsin(0.3)), ("atan", np.arctan(0.3))]
)
def test_laws_of_the_tilt(law, angle):
    washout = delft(FREE | {"surge.gain": 1.0}, law=law, axes=("pitch",))
    assert washout.run(motion(20_000, fx=0.3 * G))[-1, 0] == pytest.approx(-angle, abs=1e-9)
    assert np.isfinite(washout.run(motion(2000, fx=50.0))).all()


GAINS = {"surge": ("fx", 0.36585366, 77.32), "sway": ("fy", 0.3, 90.0), "roll": ("p", 0.3, 90.0),
         "pitch": ("q", 0.36585366, 77.32), "heave": ("fz", 0.24514517, 101.31)}  # fmt: skip


@pytest.mark.parametrize("axis", GAINS)
def test_gains_at_1_rad_s(axis):
    """The cue filter of each axis: acceleration out for acceleration in, rate out for rate in."""
    column, gain, phase = GAINS[axis]
    t = 0.002 * np.arange(60_000)
    small = 1e-4
    quiet = {"surge.gain": 0.0, "sway.gain": 0.0} if column in "pq" else {}
    rows = motion(len(t), **{column: small * np.sin(t) + (G if axis == "heave" else 0.0)})
    y = delft(FREE | quiet, axes=(axis,)).run(rows)[:, 0]
    late = t > 80.0
    table = np.stack([np.sin(t[late]), np.cos(t[late])], axis=1)
    a, b = np.linalg.lstsq(table, y[late], rcond=None)[0]
    answer = (a + 1j * b) / small * (1j if column in "pq" else -1.0)
    assert abs(answer) == pytest.approx(gain, abs=2e-4)
    assert np.degrees(np.angle(answer)) == pytest.approx(phase, abs=0.1)


def test_rest_stays_at_rest():
    assert not ClassicalWashout().run(motion(200)).any()


def test_a_deadband_keeps_the_platform_still_and_never_turns_a_sign():
    washout = delft(FREE | {"surge.deadband": 0.5}, axes=("surge",))
    assert not washout.run(motion(500, fx=0.4)).any()
    weak, strong = (washout.run(motion(500, fx=size))[-1, 0] for size in (0.6, 2.0))
    assert 0 < weak < strong
    assert washout.run(motion(500, fx=-2.0))[-1, 0] == pytest.approx(-strong)


def test_a_limit_cuts_what_is_stronger():
    washout = delft({"surge.limit": 2.0}, axes=("surge",))
    assert np.array_equal(washout.run(motion(300, fx=2.0)), washout.run(motion(300, fx=30.0)))


def test_the_cubic_has_its_slopes_and_ends():
    x = bl.Graph().symbol("x")
    y = cubic(x, 10.0, 4.0, 1.0, 0.1)
    value, slope = (lambda at: y.value({x: at})), (lambda at: y.diff(x).value({x: at}))
    assert [value(10.0), value(-10.0), value(25.0)] == pytest.approx([4.0, -4.0, 4.0])
    assert [slope(1e-9), slope(10.0 - 1e-9)] == pytest.approx([1.0, 0.1], abs=1e-6)


def test_settings_are_lanes():
    washout = ClassicalWashout(axes=("roll", "pitch"))
    rows = drive.slalom(10.0)
    p = washout.columns("tilt.rate", np.linspace(0.02, 0.3, 9))
    many = washout.run(rows, p)
    for k in (0, 4, 8):
        alone = washout.changed({"tilt.rate": np.linspace(0.02, 0.3, 9)[k]}).run(rows)
        assert many[:, :, k] == pytest.approx(alone, abs=1e-15)


def test_every_number_is_explained():
    washout = ClassicalWashout.preset("lively")
    for name in washout.names:
        assert "Raise it" in ClassicalWashout.explain(name)
        assert name in washout.values


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: ClassicalWashout.preset("delf"), "Did you mean 'delft'"),
        (lambda: ClassicalWashout().changed({"tilt.omegas": 1.0}), "Did you mean 'tilt.omega'"),
        (lambda: ClassicalWashout().changed({"surge.omega": 0.0}), "surge.omega is 0.0; it must be positive"),
        (
            lambda: ClassicalWashout().changed({"surge.omega": np.nan}),
            "surge.omega is nan; it must be a finite",
        ),
        (
            lambda: ClassicalWashout().changed({"tilt.omega": 200.0}),
            "not below half the sample rate, 157.08 rad/s",
        ),
        (lambda: ClassicalWashout(axes=("warp",)), "Unknown axis 'warp'"),
        (lambda: ClassicalWashout(law="sine"), "Unknown law of the tilt 'sine'"),
        (lambda: ClassicalWashout(orders={"surge": 4}), "orders are 1, 2 or 3"),
        (lambda: ClassicalWashout(dt=0.0), "dt is a positive number"),
        (
            lambda: ClassicalWashout().run(np.zeros((5, 3))),
            r"columns fx, fy, fz, p, q, r; got shape \(5, 3\)",
        ),
        (lambda: ClassicalWashout().run(motion(5, fx=np.nan)), "not finite in row 0"),
    ],
)
def test_wrong_washouts(make, told):
    with pytest.raises(ValueError, match=told):
        make()
