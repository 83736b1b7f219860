"""The race against filterpy is fair only if both do the same work."""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("filterpy")
sys.path.insert(0, str(Path(__file__).parents[2]))
kalman = import_module("benchmarks.kalman")


@pytest.mark.parametrize(("key", "tolerance"), [("ekf", 1e-7), ("ukf", 1e-8)])
def test_both_estimate_the_same(key, tolerance):
    observer = kalman.filters()[key]
    y = kalman.readings(observer, 1)[:400]
    peer = {"ekf": kalman.filterpy_extended, "ukf": kalman.filterpy_unscented}[key]
    theirs = peer(observer, kalman.Peer(observer), y)
    ours = observer.run(y, kalman.start(95.0), kalman.SPREAD)["crank"][1:]
    assert np.abs(theirs - ours).max() < tolerance


def test_errors_hold_what_they_must():
    for row in kalman.errors():
        assert row["ours"] <= row["reference"], row
        assert row["unit"] == "deg"
