"""Filters of the four-bar against the numbers computed for source 003 by independent programs."""

import bench_linkage as rig
import numpy as np
import pytest

from biela.observe import ExtendedKalman, SquareRootUnscented, UnscentedKalman
from biela.observe.filter.sigma import SETS
from biela.simulate import assemble

DEG = rig.DEG
EULER, SCALED = {"jacobian": "euler"}, {"points": "scaled"}
KEPT = SCALED | {"redraw": False}
ROWS = [  # th(0.1), th(1), th(5), RMSE in degrees over 0-5 s and 1-5 s, tolerance of the angles
    (ExtendedKalman, EULER, 1.6171197695, 4.6887226161, 6.1754091056, 0.52947472, 0.07342630, 1e-9),
    (ExtendedKalman, {}, 1.6160586509, 4.6887234848, 6.1754094997, 0.50468703, 0.07337946, 1e-8),
    (UnscentedKalman, {}, 1.6165110980, 4.6887212119, 6.1754052678, 0.50639573, 0.07332006, 1e-7),
    (SquareRootUnscented, {}, 1.6165110980, 4.6887212119, 6.1754052678, 0.50639573, 0.07332006, 1e-7),
    (UnscentedKalman, SCALED, 1.6165266482, 4.6887212125, 6.1754052678, 0.50622181, 0.07332041, 1e-7),
    (UnscentedKalman, KEPT, 1.6165074345, 4.6887174367, 6.1754041457, 0.50531861, 0.07323827, 1e-7),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "options", "a", "b", "c", "whole", "later", "tolerance"), ROWS)
def test_deterministic_run(kind, options, a, b, c, whole, later, tolerance):
    run = kind(rig.process(), rig.gyros(), **options).run(rig.readings(), rig.guess(), rig.SPREAD)
    assert np.abs(run["crank"][[100, 1000, 5000]] - [a, b, c]).max() < tolerance
    # the RMSE is printed to 1e-8, and it is that of the first 5 s without the start
    assert abs(rig.rmse(run, rig.DT) - whole) < 2e-5
    assert abs(rig.rmse(run, 1.0 + rig.DT) - later) < 2e-6


def test_open_loop_by_euler():
    run = ExtendedKalman(rig.process(), rig.gyros()).run(
        np.full((5000, 2), np.nan), rig.guess(90.0), rig.SPREAD
    )
    assert np.abs(run["crank"][[1000, 2000, 5000]] - [4.6870368200, 6.2394310394, 6.1345152339]).max() < 1e-9


def test_a_better_integrator_removes_the_rest():
    process = rig.process("rk4")
    run = ExtendedKalman(process, rig.gyros(), "euler").run(rig.readings(), rig.guess(), rig.SPREAD)
    assert rig.rmse(run, 1.0) < 1e-4
    semi = rig.process("semi-implicit-euler")
    run = ExtendedKalman(semi, rig.gyros(), "euler").run(rig.readings(), rig.guess(), rig.SPREAD)
    assert rig.rmse(run, 1.0) > 0.07


@pytest.mark.parametrize(("jacobian", "one", "five"), [("euler", 1.0361, 1.1702), ("exact", 0.9404, 0.8248)])
def test_gyros_at_rest_see_no_angle_but_gravity_does(jacobian, one, five):
    rest = assemble(rig.model(), crank=217.3938311492 * DEG)
    y = np.zeros((5000, 2))
    y[np.arange(1, 5001) % 10 != 0] = np.nan
    run = ExtendedKalman(rig.process(), rig.gyros(), jacobian).run(y, rest, [DEG, 0.01])
    assert abs(run["sd(crank)"][1000] / DEG - one) < 6e-5
    assert abs(run["sd(crank)"][5000] / DEG - five) < 6e-5


@pytest.mark.parametrize("points", ["julier", "scaled"])
@pytest.mark.parametrize("size", [2, 4, 10])
def test_weights_sum_to_one(points, size):
    weights = UnscentedKalman(rig.process(), rig.gyros(), points).weights
    assert abs(weights.mean + 2 * 2 * weights.other - 1.0) < 1e-9
    several = SETS[points](size)
    assert abs(several.mean + 2 * size * several.other - 1.0) < 1e-9


def test_extended_filter_is_cheaper_than_the_unscented():
    counts = [
        kind(rig.process(), rig.gyros()).function.operations for kind in (ExtendedKalman, UnscentedKalman)
    ]
    assert counts[0].total < 0.5 * counts[1].total  # what a step takes is in `python -m benchmarks.kalman`


def test_covariance_stays_positive_definite():
    for kind in (ExtendedKalman, UnscentedKalman):
        observer = kind(rig.process(), rig.gyros())
        P = observer.covariances(observer.rows(rig.readings(), rig.guess(), rig.SPREAD))
        assert np.linalg.eigvalsh(P).min() > 0.0
        assert np.array_equal(P, P.transpose(0, 2, 1))


@pytest.mark.parametrize("kind", [ExtendedKalman, UnscentedKalman])
def test_noisy_gyros_at_half_a_degree_a_second(kind):
    run = kind(rig.process(), rig.gyros()).run(rig.noisy(1), rig.guess(90.0), rig.SPREAD)
    assert rig.rmse(run) < 0.30
    best = kind(rig.process("rk4", position=1e-6, velocity=1e-4), rig.gyros())
    assert rig.rmse(best.run(rig.noisy(1), rig.guess(90.0), [DEG, 1e-3])) < 0.1


def test_noisy_runs_of_many_seeds_side_by_side():
    y = np.stack([rig.noisy(seed) for seed in range(1, 101)], axis=-1)
    observer = ExtendedKalman(rig.process("rk4", position=1e-6, velocity=1e-4), rig.gyros())
    runs = observer.batch(y, rig.guess(90.0), [DEG, 1e-3])
    off = (runs["crank"] - rig.truth()["crank"][:, None]) / DEG
    assert np.median(np.sqrt((off**2).mean(axis=0))) < 0.15
    for lane in (0, 63, 99):
        alone = observer.run(y[:, :, lane], rig.guess(90.0), [DEG, 1e-3])
        assert np.array_equal(alone["crank"], runs["crank"][:, lane])
