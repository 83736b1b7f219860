"""Consistency, convergence, observability: against closed forms and matched simulations."""

import bench_linkage as rig
import numpy as np
import pytest
import spring_cart as cart
from scipy.stats import chi2

from biela.observe import (
    Encoder,
    ExtendedKalman,
    Gyro,
    UnscentedKalman,
    convergence,
    nees,
    nis,
    observability,
    rmse,
    step_times,
)
from biela.observe.judgement import error
from biela.simulate import Record, Simulation, assemble

DEG = rig.DEG


def record(values, unit="rad"):
    return Record(np.arange(len(values)) * 0.1, {"a": np.asarray(values, float)}, {"a": unit})


def test_errors_of_angles_go_the_short_way():
    a, b = record([0.1, 3.1]), record([2 * np.pi + 0.2, -3.1])
    assert np.abs(error(a, b, "a") - [0.1, 2 * np.pi - 6.2]).max() < 1e-14
    assert abs(rmse(a, b, "a", 0.1) - (2 * np.pi - 6.2)) < 1e-14
    assert rmse(record([0.0, 3.0], "m"), record([0.0, -4.0], "m"), "a", 0.1) == 7.0


def test_records_of_other_moments_are_refused():
    with pytest.raises(ValueError, match="have 2 and 3 moments"):
        rmse(record([1, 2]), record([1, 2, 3]), "a")


def test_convergence_is_when_it_stays():
    truth = record(np.zeros(10))
    lanes = np.zeros((10, 4))
    lanes[:3, 0] = 1.0  # converges at the fourth moment
    lanes[5, 1] = 1.0  # goes astray once
    lanes[:, 2] = 1.0  # never
    found = convergence(truth, Record(truth.t, {"a": lanes}, {"a": "rad"}), "a", 0.5)
    assert np.array_equal(found, [truth.t[3], truth.t[6], np.inf, 0.0])
    assert (
        convergence(truth, Record(truth.t, {"a": lanes}, {"a": "rad"}), "a", 0.5, hold=1.0)[:2] == np.inf
    ).all()


@pytest.mark.parametrize("kind", [ExtendedKalman, UnscentedKalman])
def test_matched_simulation_is_consistent(kind):
    """Motions drawn from the filter's own assumptions: 300 of them side by side."""
    m = cart.model()
    process = cart.process(m)
    rng, runs, steps = np.random.default_rng(5), 300, 200
    x = rng.multivariate_normal(cart.START, cart.P0, runs).T
    Q, y, truth = np.linalg.cholesky(process.covariance), np.empty((steps, 3, runs)), [x]
    for k in range(steps):
        x = cart.RUNGE_KUTTA @ x + Q @ rng.standard_normal((2, runs))
        y[k] = cart.SLOPES @ x + np.linalg.cholesky(cart.R) @ rng.standard_normal((3, runs))
        truth.append(x)
    states = np.array(truth)
    right = Record(process.dt * np.arange(steps + 1), {"x": states[:, 0], "x'": states[:, 1]}, {"x": "m"})
    observer = kind(process, cart.sensors())
    estimates = observer.batch(y, cart.start(m), cart.P0)
    for moment in (0, 50, -1):
        assert nees(right, estimates, ("x", "x'"), moment, 0.999).ok
    alone = [nis(observer.run(y[:, :, k], cart.start(m), cart.P0)) for k in range(20)]
    assert sum(c.ok for c in alone) >= 16  # of 20, each with 95 %
    sure = kind(cart.process(m, velocity=2e-3), cart.sensors())
    assert nis(sure.run(y[:, :, 0], cart.start(m), cart.P0)).mean > alone[0].high


def test_bounds_are_those_of_chi_square():
    m = cart.model()
    y = np.full((10, 3), np.nan)
    y[4] = y[7, 0] = 0.0
    found = nis(ExtendedKalman(cart.process(m), cart.sensors()).run(y, cart.start(m), cart.P0), level=0.9)
    assert abs(found.low - chi2.ppf(0.05, 4) / 2) < 1e-12
    assert abs(found.high - chi2.ppf(0.95, 4) / 2) < 1e-12
    with pytest.raises(ValueError, match="no reading"):
        nis(ExtendedKalman(cart.process(m), cart.sensors()).run(y, cart.start(m), cart.P0), begin=1.0)


def test_four_bar_filter_is_consistent_while_moving():
    """Source 003 tests no consistency: with the exact integrator and little noise on the states it is."""
    observer = ExtendedKalman(rig.process("rk4", position=1e-6, velocity=1e-4), rig.gyros())
    found = [nis(observer.run(rig.noisy(k), rig.guess(90.0), [DEG, 1e-3])) for k in range(1, 21)]
    assert sum(c.ok for c in found) >= 16


def resting(duration=1.0):
    rest = assemble(rig.model(), crank=217.3938311492 * DEG)
    return Simulation(rig.model(), dt=rig.DT).run(rest, duration)


def test_gyros_at_rest_do_not_tell_the_angle_by_equation_18():
    observer = ExtendedKalman(rig.process(), rig.gyros(), "euler")
    found = observability(observer, resting(), [DEG, 0.01], jacobian="euler")
    assert found.rank == 1
    assert list(found.unobservable[0]) == ["crank"]
    found.require("crank'")
    with pytest.raises(ValueError, match="'crank' cannot be told"):
        found.require("crank")


def test_gravity_tells_it_if_the_model_is_right():
    observer = ExtendedKalman(rig.process(), rig.gyros())
    found = observability(observer, resting(), [DEG, 0.01])
    assert found.rank == 2
    assert found.unobservable == []
    found.require("crank", "crank'")


def test_an_encoder_tells_the_angle_and_moving_gyros_do():
    process = rig.process()
    seen = observability(ExtendedKalman(process, [Encoder("crank", sigma=0.01)]), resting(), [DEG, 0.01])
    assert seen.rank == 2
    gyros = ExtendedKalman(process, rig.gyros(), "euler")
    assert observability(gyros, rig.truth(), [DEG, 0.01], rig.readings(), "euler").rank == 2


def test_gramian_against_products_by_hand():
    m = cart.model()
    observer = ExtendedKalman(cart.process(m), cart.sensors())
    motion = Simulation(m, dt=cart.H).run(cart.start(m), 50 * cart.H)
    found = observability(observer, motion, [0.2, 0.3])
    W, Phi = np.zeros((2, 2)), np.eye(2)
    for _ in range(50):
        Phi = cart.RUNGE_KUTTA @ Phi
        W += Phi.T @ cart.SLOPES.T @ np.linalg.solve(cart.R, cart.SLOPES @ Phi)
    S = np.diag([0.2, 0.3])
    assert np.abs(found.gramian - S @ W @ S).max() < 1e-9 * np.abs(W).max()


def test_wrong_questions():
    observer = ExtendedKalman(rig.process(), rig.gyros())
    with pytest.raises(ValueError, match="deviations beforehand"):
        observability(observer, resting(0.01), [DEG, -1.0])
    with pytest.raises(ValueError, match="no part of the error"):
        observability(observer, resting(0.01), [DEG, 1.0]).require("rocker")


def test_timing_counts_every_step():
    observer = ExtendedKalman(rig.process(), [Gyro("coupler", sigma=0.01)])
    found = step_times(observer, rig.readings()[:200, :1], rig.guess(), rig.SPREAD)
    assert found.calls.shape == (200,)
    assert (found.calls > 0.0).all()
    assert found.step > 0.0
    assert "us a step" in repr(found)
