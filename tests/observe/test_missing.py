"""Missing, late, repeated and multirate readings; readings and covariances that are none."""

import bench_linkage as rig
import numpy as np
import pytest
import spring_cart as cart

from biela.observe import (
    FILTERS,
    Accelerometer,
    Bootstrap,
    Encoder,
    ExtendedKalman,
    Gyro,
    Inclinometer,
    Instruments,
    Reading,
)
from biela.observe import covariance as checks
from biela.simulate import assemble

DEG = rig.DEG
MODEL = cart.model()


@pytest.mark.parametrize("key", list(FILTERS))
def test_without_readings_a_filter_is_its_model(key):
    process = cart.process(MODEL)
    run = FILTERS[key](process, cart.sensors()).run(np.full((50, 3), np.nan), cart.start(MODEL), cart.P0)
    free = np.linalg.matrix_power(cart.RUNGE_KUTTA, 50) @ cart.START
    near = 1e-12 if key != "ensemble" else 0.3  # whose mean has the noise of its members
    assert np.abs(np.array([run["x"][-1], run["x'"][-1]]) - free).max() < near
    assert np.isnan(run["nis"]).all()
    assert (run["readings"] == 0.0).all()


@pytest.mark.parametrize("key", list(FILTERS))
@pytest.mark.parametrize("nothing", [np.nan, np.inf, -np.inf, 1e301])
def test_what_is_no_reading_changes_nothing(key, nothing):
    process = cart.process(MODEL)
    observer = FILTERS[key](process, cart.sensors())
    y = cart.readings(60)
    spoilt = np.where(np.isnan(y), nothing, y)
    runs = [observer.run(values, cart.start(MODEL), cart.P0) for values in (y, spoilt)]
    assert np.array_equal(runs[0]["x"], runs[1]["x"])
    assert runs[1].ok
    assert np.array_equal(runs[0]["readings"], runs[1]["readings"])


@pytest.mark.parametrize("key", list(FILTERS))
def test_one_sensor_that_never_reads_is_as_if_it_were_not_there(key):
    process = cart.process(MODEL)
    y = cart.readings(60)
    y[:, 2] = np.nan
    both = FILTERS[key](process, cart.sensors()).run(y, cart.start(MODEL), cart.P0)
    one = FILTERS[key](process, cart.sensors()[:1]).run(y[:, :2], cart.start(MODEL), cart.P0)
    assert np.abs(both["x"] - one["x"]).max() < 1e-12
    assert np.abs(both["sd(x)"] - one["sd(x)"]).max() < 1e-12


@pytest.mark.parametrize("key", [k for k in FILTERS if k != "ensemble"])
def test_more_sensors_at_their_own_rates_on_the_linkage(key):
    sensors = [
        Gyro("coupler", sigma=0.5 * DEG),
        Gyro("rocker", sigma=0.5 * DEG),
        Accelerometer("coupler", at=(0.36, 0.12, 0.0), sigma=0.05),
        Encoder("crank", sigma=1.0 * DEG),
    ]
    process = rig.process("rk4")
    y = rig.truth().value(Instruments(process, sensors).function)[1:1501].copy()
    every = np.array([10, 15, 20, 20, 250])
    y[np.arange(1, 1501)[:, None] % every != 0] = np.nan
    run = FILTERS[key](process, sensors).run(y, rig.guess(), rig.SPREAD)
    assert abs(run["crank"][-1] - rig.truth()["crank"][1500]) < 0.01 * DEG
    assert np.abs(run.residual).max() < 1e-10


def test_angles_that_jump_by_a_turn_do_no_harm():
    tilt = Inclinometer("crank", sigma=1.0 * DEG)
    process = rig.process("rk4")
    y = rig.truth()["crank"][1:, None].copy()
    y = y - 2 * np.pi * np.round(y / (2 * np.pi))
    assert np.abs(np.diff(y[:, 0])).max() > 6.0
    for key in ("ekf", "ukf", "iterated", "sqrt-ukf", "projection"):
        run = FILTERS[key](process, [tilt]).run(y, rig.guess(), rig.SPREAD)
        assert abs(run["crank"][-1] - rig.truth()["crank"][-1]) < 0.1 * DEG


def test_readings_of_a_wrong_shape():
    observer = ExtendedKalman(rig.process(), rig.gyros())
    for y in (np.zeros((10, 3)), np.zeros(10), np.zeros((1, 2, 3, 4))):
        with pytest.raises(ValueError, match="a column for each"):
            observer.run(y, rig.guess(), rig.SPREAD)
    with pytest.raises(ValueError, match="no readings"):
        observer.run(np.zeros((0, 2)), rig.guess(), rig.SPREAD)


GOOD = np.array([[0.04, 0.005], [0.005, 0.09]])


def test_covariances_are_taken_repaired_or_refused_by_name():
    names = ["crank", "crank'"]
    assert np.array_equal(checks.checked(GOOD, names, "start"), GOOD)
    assert np.array_equal(checks.checked([0.2, 0.3], names, "start"), np.diag([0.2**2, 0.3**2]))
    flat = np.array([[1.0, 1.0], [1.0, 1.0]]) * (1.0 + np.array([[0.0, 1e-11], [1e-11, 0.0]]))
    with pytest.warns(UserWarning, match="repaired"):
        mended = checks.checked(flat, names, "start")
    assert np.linalg.eigvalsh(mended).min() > 0.0
    assert np.abs(mended - flat).max() < 1e-9
    for given, told in [
        ([[1.0, 2.0], [2.0, 1.0]], "eigenvalue -1"),
        ([[1.0, 0.1], [0.2, 1.0]], r"not symmetric at \(crank, crank'\)"),
        ([0.1, 0.0], "variance of 'crank''"),
        ([0.1, -0.2], "variance of 'crank''"),
        ([[1.0, np.nan], [np.nan, 1.0]], "not finite"),
        ([0.1, 0.1, 0.1], "2 deviations"),
    ]:
        with pytest.raises(ValueError, match=told):
            checks.checked(given, names, "start")


def test_covariances_of_readings_are_repaired_or_refused_by_name():
    flat = tuple(map(tuple, np.array([[1.0, 1.0], [1.0, 1.0]]) * 1e-4))
    pair = Reading(lambda m: [m.q[0], m.dq[0]], covariance=flat, name="pair")
    observer = ExtendedKalman(cart.process(MODEL), [pair])
    with pytest.warns(UserWarning, match="covariance of the readings was not positive definite by rounding"):
        run = observer.run(cart.readings(5)[:, :2], cart.start(MODEL), cart.P0)
    assert run.ok
    wrong = Reading(lambda m: [m.q[0], m.dq[0]], covariance=((1.0, 2.0), (2.0, 1.0)), name="pair")
    with pytest.raises(ValueError, match="'pair': its covariance is not symmetric and positive definite"):
        ExtendedKalman(cart.process(MODEL), [wrong]).run(np.zeros((1, 2)), cart.start(MODEL), cart.P0)


def test_particle_filters_check_their_start():
    pf = Bootstrap(cart.process(MODEL), cart.sensors(), 10)
    for given, told in [
        ([[1.0, 2.0], [2.0, 1.0]], "not positive definite"),
        ([0.1, -0.1], "variance of 'x''"),
        ([0.1, 0.1, 0.1], "2 deviations"),
        ([[1.0, np.nan], [np.nan, 1.0]], "not finite"),
    ]:
        with pytest.raises(ValueError, match=told):
            pf.start(cart.start(MODEL), given)
    pf.start(cart.start(MODEL), [0.1, 0.0])
    assert np.std(pf.swarm.x[1]) == 0.0


@pytest.mark.parametrize("key", list(FILTERS))
def test_every_filter_checks_its_start(key):
    observer = FILTERS[key](rig.process(), rig.gyros())
    with pytest.raises(ValueError, match="not positive definite"):
        observer.start(rig.guess(), [[1.0, 2.0], [2.0, 1.0]])


def test_wrong_options():
    process = rig.process()
    for kind, options, told in [
        ("ekf", {"jacobian": "none"}, "Unknown jacobian 'none'"),
        ("ukf", {"points": "none"}, "Unknown points"),
        ("sqrt-ukf", {"points": "none"}, "Unknown points"),
        ("iterated", {"iterations": 0}, "once or more"),
        ("error-state", {"disturbance": "wind"}, "Unknown disturbance"),
        ("error-state", {"memory": 0.0}, "memory > 0"),
        ("ensemble", {"members": 2}, "More members"),
    ]:
        with pytest.raises(ValueError, match=told):
            FILTERS[kind](process, rig.gyros(), **options)
    with pytest.raises(ValueError, match="not negative"):
        rig.process(position=-1.0)


def test_a_run_that_diverges_tells_when():
    observer = ExtendedKalman(rig.process(), rig.gyros())
    y = np.full((20, 2), np.nan)
    wild = assemble(rig.model(), crank=1.0).changed(dq=np.array([1e200, 0.0, 0.0]))
    assert observer.run(y, wild, rig.SPREAD).status.startswith("diverged: a value is not finite from t=")
