"""Smoothers: on a linear problem one dense least squares problem has the answer."""

import bench_linkage as rig
import numpy as np
import pytest
import spring_cart as cart

from biela.observe import (
    SMOOTHERS,
    BatchSmoother,
    ErrorStateKalman,
    ExtendedKalman,
    FixedLag,
    RauchTungStriebel,
    UnscentedKalman,
    rmse,
)

DEG = rig.DEG
MODEL = cart.model()
Y = cart.readings(120)


def least_squares(y, F, Q):
    """Means and covariances of all states from all readings, by one dense system."""
    count = len(y) + 1
    information, right = np.zeros((2 * count, 2 * count)), np.zeros(2 * count)

    def add(J, r, C):
        W = np.linalg.inv(C)
        information[:] += J.T @ W @ J
        right[:] += J.T @ W @ r

    def row(k, block, width=2):
        J = np.zeros((width, 2 * count))
        J[:, 2 * k : 2 * k + 2] = block
        return J

    add(row(0, np.eye(2)), cart.START, cart.P0)
    for k, values in enumerate(y):
        add(row(k + 1, np.eye(2)) - row(k, F), np.zeros(2), Q)
        there = np.isfinite(values)
        if there.any():
            add(row(k + 1, cart.SLOPES[there], there.sum()), values[there], cart.R[np.ix_(there, there)])
    P = np.linalg.inv(information)
    blocks = [P[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] for k in range(count)]
    return (P @ right).reshape(count, 2), np.array(blocks)


def states(run):
    return np.stack([run["x"], run["x'"]], axis=1)


def spreads(run):
    return np.stack([run["sd(x)"], run["sd(x')"]], axis=1)


@pytest.mark.parametrize("kind", [RauchTungStriebel, BatchSmoother])
def test_smoother_is_the_least_squares_solution(kind):
    process = cart.process(MODEL)
    means, P = least_squares(Y, cart.RUNGE_KUTTA, process.covariance)
    run = kind(ExtendedKalman(process, cart.sensors())).run(Y, cart.start(MODEL), cart.P0)
    assert np.abs(states(run) - means).max() < 1e-10
    assert np.abs(spreads(run) - np.sqrt(P[:, [0, 1], [0, 1]])).max() < 1e-10
    assert run.ok


@pytest.mark.parametrize("lag", [1, 7, 30])
def test_fixed_lag_is_the_smoother_of_what_is_known_by_then(lag):
    process = cart.process(MODEL)
    run = FixedLag(ExtendedKalman(process, cart.sensors()), lag).run(Y, cart.start(MODEL), cart.P0)
    for k in (0, 3, 50, len(Y) - lag, len(Y) - 1, len(Y)):
        known = Y[: min(k + lag, len(Y))]
        means, P = least_squares(known, cart.RUNGE_KUTTA, process.covariance)
        assert np.abs(states(run)[k] - means[k]).max() < 1e-10
        assert np.abs(spreads(run)[k] - np.sqrt(np.diag(P[k]))).max() < 1e-10


@pytest.mark.parametrize("key", list(SMOOTHERS))
def test_smoothing_the_four_bar_helps(key):
    observer = ExtendedKalman(rig.process("rk4", position=1e-5, velocity=1e-3), rig.gyros())
    y, start, P = rig.noisy(1)[:2000], rig.guess(93.0), [5 * DEG, 0.01]
    truth = rig.truth(2.0)
    before = rmse(truth, observer.run(y, start, P), "crank")
    run = SMOOTHERS[key](observer).run(y, start, P)
    assert rmse(truth, run, "crank") < (0.5 if key != "fixed-lag" else 0.7) * before
    assert np.abs(run.residual).max() < 1e-10
    velocity = np.einsum("tij,tj->ti", run.value("Phi_dq"), run.dq)
    assert np.abs(velocity).max() < 1e-9


def test_batch_goes_on_where_linearisation_ended():
    observer = UnscentedKalman(rig.process("rk4", position=1e-5, velocity=1e-3), rig.gyros())
    run = BatchSmoother(observer).run(rig.noisy(2)[:1000], rig.guess(100.0), [10 * DEG, 0.01])
    costs = run.notes["costs"]
    assert costs[-1] < costs[0]
    assert (np.diff(costs) <= 1e-9 * np.array(costs[1:])).all()
    assert len(costs) > 2


def test_smoothed_covariance_is_honest():
    observer = ExtendedKalman(rig.process("rk4", position=1e-6, velocity=1e-4), rig.gyros())
    rng = np.random.default_rng(3)
    off = []
    for seed in range(1, 25):
        angle = 90.0 + rng.standard_normal()
        run = RauchTungStriebel(observer).run(rig.noisy(seed)[:1000], rig.guess(angle), [DEG, 1e-3])
        off.append((run["crank"][500] - rig.truth()["crank"][500]) / run["sd(crank)"][500])
    assert 0.5 < np.sqrt(np.mean(np.square(off))) < 1.6


def test_wrong_smoothers():
    process = cart.process(MODEL)
    with pytest.raises(ValueError, match="smoothers want"):
        RauchTungStriebel(ErrorStateKalman(process, cart.sensors(), "force"))
    with pytest.raises(ValueError, match="one step or more"):
        FixedLag(ExtendedKalman(process, cart.sensors()), 0)
    with pytest.raises(ValueError, match="Q is singular"):
        BatchSmoother(ExtendedKalman(cart.process(MODEL, position=0.0), cart.sensors()))
