"""The tuner: what it finds is better, is what it says, and is found again."""

import numpy as np
import pytest

from biela.cueing import ClassicalWashout, Ride, Simulator, drive, tune

OVER = {"tilt.rate": (0.01, 0.2), "sway.gain": (0.2, 1.0)}
ROWS = drive.town(30.0)


def delft():
    return Ride.on(Simulator.source_002(), ClassicalWashout.preset("delft"))


@pytest.mark.parametrize("method", ["evolve", "grid", "descend"])
def test_every_method_improves_the_ride(method):
    found = tune(delft(), ROWS, OVER, method=method, size=16, rounds=12)
    assert found.cost < 0.95 * found.before
    assert all(low <= found.values[name] <= high for name, (low, high) in OVER.items())
    told = found.ride.endure(ROWS, 1)
    assert told["force"] + 10 * told["clipped"] == pytest.approx(found.cost, abs=1e-12)


def test_a_seed_gives_the_same_answer():
    one, two = (tune(delft(), ROWS, OVER, size=8, rounds=4, seed=5) for _ in range(2))
    assert one.values == two.values
    assert np.array_equal(one.history, two.history)
    assert (np.diff(one.history) <= 0).all()


def test_the_cost_is_yours():
    found = tune(delft(), ROWS, OVER, cost=lambda told: told["pose"], size=16, rounds=6)
    assert found.ride.endure(ROWS, 1)["pose"] == pytest.approx(found.cost)
    assert found.values["sway.gain"] < 0.3  # who moves little errs little


def test_wrong_searches():
    for over, told in (
        ({"tilt.rat": (0.1, 0.2)}, r"Did you mean 'tilt\.rate'"),
        ({"tilt.rate": (0.0, 0.2)}, r"tilt\.rate is 0\.0; it must be positive"),
        ({"tilt.rate": (0.2, 0.1)}, "finite bounds, low < high"),
        ({}, "nothing to tune"),
    ):
        with pytest.raises(ValueError, match=told):
            tune(delft(), ROWS, over)
    with pytest.raises(ValueError, match=r"Unknown method 'anneal'\. Known: evolve, grid, descend"):
        tune(delft(), ROWS, OVER, method="anneal")
