"""A ride in haste is the ride: the same states where nothing, something and everything is out of reach."""

import numpy as np
import pytest

from biela.cueing import (
    Bisection,
    Channel,
    ClassicalWashout,
    Exact,
    Hexapod,
    Priority,
    Ride,
    Simulator,
    drive,
    passage,
)

ROWS = drive.slalom(24.0, lateral=14.0, period=9.0)


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch):
    monkeypatch.setattr(passage, "CHUNK", 130)


def ride(combination, platform=None):
    simulator = Simulator.source_002() if platform is None else Simulator(platform, (Channel(),) * 6)
    return Ride.on(simulator.changed(combination=combination), ClassicalWashout.preset("delft"))


@pytest.mark.parametrize(
    "combination", [Exact(), Bisection(), Bisection(printed=True), Priority(("pitch",)), Priority(("roll",))]
)
def test_haste_changes_nothing(combination):
    whole = ride(combination)
    for most in (0.02, 0.2, 0.4):
        settings = whole.settings({"tilt.rate": np.linspace(0.01, most, 23)})
        wanted = whole.recursion.run(whole.rest, ROWS, settings)
        found = whole.passage.run(whole.rest, ROWS, settings)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13)
        last = whole.passage.run(whole.rest, ROWS, settings, last=True, threads=2)
        np.testing.assert_array_equal(last, found[-1])
        clipped = whole.batch(ROWS, settings)["clipped"]
        assert clipped.max() == 0.0 if most == 0.02 else clipped.max() > 0.05


def test_one_setting_keeps_its_trajectory():
    whole = ride(Exact())
    whole = Ride.on(whole.simulator, whole.washout.changed({"tilt.rate": 0.3}))
    wanted = whole.recursion.run(whole.rest, ROWS, whole.p)
    np.testing.assert_allclose(whole.passage.run(whole.rest, ROWS, whole.p), wanted, rtol=0, atol=1e-13)
    assert whole.run(ROWS).notes["clipped"] > 50


def test_six_degrees_of_freedom_go_in_haste_too():
    whole = ride(Exact(), Hexapod())
    settings = whole.settings({"surge.gain": np.linspace(0.1, 3.0, 9)})
    rows = drive.town(10.0)
    wanted = whole.recursion.run(whole.rest, rows, settings)
    np.testing.assert_allclose(whole.passage.run(whole.rest, rows, settings), wanted, rtol=0, atol=1e-12)
    assert wanted[-1, -3].max() > 0.0


def test_lanes_that_are_within_reach_are_not_searched(monkeypatch):
    whole = ride(Exact())
    settings = whole.settings({"tilt.rate": np.linspace(0.01, 0.4, 23)})
    searched = []
    go = whole.recursion.go

    def counted(x, rows, w, **more):
        searched.append(x.shape[1] * len(rows))
        return go(x, rows, w, **more)

    monkeypatch.setattr(whole.recursion, "go", counted)
    monkeypatch.setattr(passage, "MANY", 1.1)
    whole.batch(ROWS, settings)
    clipped = whole.batch(ROWS, settings)["clipped"]
    assert 0 < sum(searched) < 2 * (clipped > 0).sum() * len(ROWS)
    assert (clipped == 0).any()
