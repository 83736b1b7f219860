"""Combination of degrees of freedom: the source's examples, repaired and printed, and what must hold."""

import numpy as np
import pytest
from scipy.optimize import brentq

import biela as bl
from biela.cueing import PLATFORMS, Bisection, Exact, Priority, TwoRSSU

DEG = np.pi / 180
RIG = TwoRSSU.source_002()
ENDS = {(30, 30): 22.765492308, (30, 25): 25.948788840, (-30, 30): -13.740453331}  # of the pitch
HALVED = {(30, 30): (22.763671875, 22.763671875), (30, 25): (25.9423828125, 21.6186523438),
          (-30, 30): (-13.740234375, 13.740234375), (0, 30): (0.0, 26.3745117188),
          (20, 20): (20, 20), (30, 0): (30, 0), (15, 10): (15, 10)}  # fmt: skip


def achieved(combination, demands, platform=RIG):
    """Achieved vectors and scales for demands in degrees, natively."""
    kernel = bl.Kernel(combination.function(platform))
    found = kernel.batch(np.ascontiguousarray(DEG * np.array(demands, float).T))
    return found.achieved.T / DEG, found.scale


def random_demands(count=10_000, most=60.0):
    return np.random.default_rng(5).uniform(-most, most, (count, 2))


def test_the_examples_of_the_source():
    found, _ = achieved(Bisection(), list(HALVED))
    assert found == pytest.approx(np.array(list(HALVED.values())), abs=1e-8)


def test_the_printed_algorithm_returns_what_is_out_of_reach():
    found, _ = achieved(Bisection(printed=True), [(30, 30)])
    assert found[0] == pytest.approx([22.7709960938, 22.7709960938], abs=1e-8)
    assert not RIG.positions(found * DEG)[1][0]


def test_the_exact_scale_reaches_the_end():
    found, _ = achieved(Exact(6, 8), list(ENDS))
    assert found[:, 0] == pytest.approx(list(ENDS.values()), abs=1e-7)


@pytest.mark.parametrize(
    "combination", [Bisection(), Exact(), Exact(0, 3), Priority(("pitch",)), Priority(("roll",), Bisection())]
)
def test_what_is_achieved_is_within_reach(combination):
    found, _ = achieved(combination, random_demands())
    assert RIG.positions(found * DEG)[1].all()


@pytest.mark.parametrize("combination", [Bisection(), Exact()])
def test_proportions_are_kept_and_reachable_demands_unchanged(combination):
    demands = random_demands()
    found, scale = achieved(combination, demands)
    across = found[:, 0] * demands[:, 1] - found[:, 1] * demands[:, 0]
    assert np.abs(across).max() < 1e-12 * 60**2
    within = RIG.positions(demands * DEG)[1]
    assert within.any()
    assert np.array_equal(scale == 1.0, within)
    assert found[within] == pytest.approx(demands[within], abs=1e-12)


def test_the_exact_scale_is_that_of_brent():
    demands = random_demands(200, 40.0)
    _, scale = achieved(Exact(6, 8), demands)
    margin = bl.Kernel(RIG.margin)
    for demand, found in zip(demands * DEG, scale, strict=True):
        if found < 1.0:
            near = brentq(lambda s, d=demand: margin(s * d), max(0.0, found - 0.02), found + 1e-6, xtol=1e-14)
            assert found == pytest.approx(near, abs=1e-7)


def test_the_exact_scale_is_never_below_the_bisected_one():
    demands = random_demands(2000, 35.0)
    exact, halved = achieved(Exact(), demands)[1], achieved(Bisection(), demands)[1]
    assert (exact >= halved - 1e-6).all()
    assert np.abs(exact - halved).max() < 2e-3


def test_priority_serves_the_first_in_full():
    found, _ = achieved(Priority(("pitch",)), [(30, 30), (10, 30), (-12, 40)])
    assert found[:, 0] == pytest.approx([30, 10, -12], abs=1e-12)
    assert (found[:, 1] < 30).all()
    beyond = DEG * (found + np.array([0.0, 0.01]))
    assert not RIG.positions(beyond)[1].any()


@pytest.mark.parametrize("name", PLATFORMS)
def test_every_platform_can_be_combined(name):
    platform = PLATFORMS[name]()
    demands = np.random.default_rng(6).normal(0.0, 30.0, (300, len(platform.dofs)))
    found, scale = achieved(Exact(), demands, platform)
    assert platform.positions(found * DEG)[1].all()
    assert scale.min() < 1.0


def test_bounded_and_refused():
    assert Bisection(1e-30).halvings == 60
    for tolerance in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="tolerance of a bisection is a positive number"):
            Bisection(tolerance)
    with pytest.raises(ValueError, match=r"has no degree of freedom 'yaw'\. It has pitch, roll"):
        Priority(("yaw",)).function(RIG)


def test_a_platform_that_cannot_rest_is_refused():
    lifted = TwoRSSU.source_002(pose_limits=((0.1, 0.2), (-1.0, 1.0)))
    with pytest.raises(ValueError, match="rest is out of reach"):
        Exact().function(lifted)
