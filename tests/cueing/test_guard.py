"""Orders to a washout, whichever it is: pause, ride again, stop, reset; nothing jumps, nothing jolts."""

import numpy as np
import pytest

from biela.cueing import WASHOUTS, ClassicalWashout, Guard, drive
from biela.cueing.washout.guard import EASING

DT = 0.02
SMOOTH = {"tilt.acceleration": 0.5}


def guarded(kind, **times):
    washout = WASHOUTS[kind]
    short = {"stages": 3, "length": 0.6, "iterations": 1} if kind == "predictive" else {}
    return Guard(washout.preset(next(iter(washout.presets)), axes=("surge", "pitch"), **short), **times)


def orders(count, **at):
    """Ride, but for some intervals."""
    given = ["ride"] * count
    for name, intervals in at.items():
        for begin, end in intervals:
            given[begin:end] = [name] * (end - begin)
    return given


@pytest.mark.parametrize("kind", WASHOUTS)
def test_riding_is_the_washout_once_it_is_faded_in(kind):
    guard = guarded(kind)
    rows = drive.town(6.0)
    level = np.array([0.0, 0.0, 9.80665, 0.0, 0.0, 0.0])
    s = np.minimum(DT * np.arange(1, len(rows) + 1), 1.0)[:, None]
    faded = level + s**3 * (10 - 15 * s + 6 * s * s) * (rows - level)
    assert guard.run(rows, orders(300)) == pytest.approx(guard.washout.run(faded), abs=1e-12)


@pytest.mark.parametrize("kind", WASHOUTS)
def test_a_pause_goes_to_rest_without_a_jolt(kind):
    """Jerk is no more than that of easing the acceleration, then of the polynomial from where that ends."""
    guard = guarded(kind)
    rows = drive.slalom(16.0, period=3.0)
    pose = guard.run(rows, orders(len(rows), pause=[(300, 700)]))
    riding = guard.run(rows, orders(len(rows)))
    assert np.array_equal(pose[:300], riding[:300])
    assert np.abs(pose[299]).max() > 1e-3
    a0 = np.diff(pose[297:300], 2, axis=0)[0] / DT**2
    v0 = (pose[299] - pose[298]) / DT + DT / 2 * a0
    x1, v1 = pose[299] + EASING * v0 + EASING**2 / 3 * a0, v0 + EASING / 2 * a0
    most = np.abs(a0) / EASING + (60 * np.abs(x1) + 36 * np.abs(2.0 * v1)) / 2.0**3
    jerk = np.abs(np.diff(pose[300:500], 3, axis=0)).max(axis=0) / DT**3
    assert (jerk <= 1.05 * most + 1e-9).all()
    assert not pose[300 + 107 : 700].any()
    again = guard.run(rows[700:], orders(len(rows) - 700))
    assert pose[700:] == pytest.approx(again, abs=1e-12)  # it begins anew


def test_jerk_does_not_grow_with_the_rate_of_samples():
    most = []
    for dt in (0.02, 0.005):
        washout = ClassicalWashout.preset("delft", axes=("sway",), dt=dt).changed(SMOOTH)
        count, begin, end = (round(t / dt) for t in (18.0, 12.5, 15.5))
        rows = drive.slalom(60.0, dt)[:count]
        pose = Guard(washout).run(rows, orders(count, pause=[(begin, end)]))[:, 0]
        most.append(np.abs(np.diff(pose[begin - 5 :], 3)).max() / dt**3)
    assert 0.1 < most[1] < 1.2 * most[0]


@pytest.mark.parametrize("kind", WASHOUTS)
def test_a_pause_is_silent(kind):
    guard = guarded(kind)
    rows = drive.town(8.0)
    given = orders(400, pause=[(150, 400)])
    quiet = guard.run(rows, given)
    loud = rows.copy()
    loud[150:] = 1e5
    loud[200] = np.nan
    assert np.array_equal(guard.run(loud, given), quiet)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_what_no_vehicle_does_is_a_pause(bad):
    guard = Guard(ClassicalWashout(axes=("surge", "pitch")))
    rows = drive.town(8.0)
    asked = guard.run(rows, orders(400, pause=[(200, 260)]))
    rows[200:260, 4] = bad
    assert np.array_equal(guard.run(rows, orders(400)), asked)


@pytest.mark.parametrize("kind", WASHOUTS)
def test_a_stop_stands_until_it_is_reset(kind):
    guard = guarded(kind)
    rows = drive.slalom(20.0, period=3.0)
    pose = guard.run(rows, orders(1000, stop=[(300, 301)], pause=[(400, 450)], reset=[(600, 601)]))
    for k in range(2):
        begin = np.sign(pose[299, k] - pose[298, k])
        speed = begin * np.diff(pose[300 + round(EASING / DT) : 325, k])
        assert (np.diff(speed) < 1e-9).all() or (np.diff(speed) > -1e-9).all()  # it brakes all the way
    assert (pose[325:600] == pose[325]).all()  # riding or pausing, it stands
    assert np.abs(pose[325] - pose[299]).max() < 0.3
    assert np.abs(np.diff(pose, axis=0)).max() < 2.0 * np.abs(np.diff(pose[:300], axis=0)).max() + 1e-3
    assert not np.array_equal(pose[-1], pose[600])  # it rides again


def test_whatever_the_orders_nothing_jumps():
    guard = guarded("classical", settling=1.0, fading=0.5)
    rng = np.random.default_rng(1)
    rows = drive.town(80.0)
    given = np.repeat(rng.choice(["ride", "ride", "pause", "stop", "reset"], 200), 20)
    pose = guard.run(rows, given)
    free = guard.washout.run(rows)
    assert np.isfinite(pose).all()
    assert np.abs(np.diff(pose, axis=0)).max() < 3.0 * np.abs(np.diff(free, axis=0)).max()
    assert np.abs(np.diff(pose, 2, axis=0)).max() < 3.0 * np.abs(np.diff(free, 2, axis=0)).max()


def test_wrong_orders():
    guard = Guard(ClassicalWashout(axes=("yaw",)))
    rows = drive.town(1.0)
    with pytest.raises(ValueError, match=r"Unknown order 'halt'\. Known: ride, pause, stop, reset"):
        guard.run(rows, ["halt"] * 50)
    with pytest.raises(ValueError, match="Unknown order 7"):
        guard.run(rows, [7] * 50)
    with pytest.raises(ValueError, match=r"an order a row; got shape \(50, 6\) and 49 orders"):
        guard.run(rows, [0] * 49)
    with pytest.raises(ValueError, match=r"guard\.settling is 0\.0; it must be positive"):
        Guard(ClassicalWashout(), settling=0.0)
