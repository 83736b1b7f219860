"""Calibration against the tables of the source."""

import math

import pytest

from biela import arena
from biela.arena.calibration import STRAIGHTS, TURNS, Drive, calibrate, speed_for
from biela.arena.preset import sumbot


def test_error_columns_are_recomputed_and_three_differ():
    tables = arena.source_tables()
    assert len(tables.discrepancies) == 3
    for row in tables.straights:
        assert row.error == pytest.approx(row.printed, abs=0.06)
    assert sum(r.error for r in tables.straights) / 5 == pytest.approx(2.8, abs=0.05)
    assert sum(r.error for r in tables.turns) / 11 == pytest.approx(5.0, abs=0.1)
    assert max(r.error for r in tables.turns) == pytest.approx(9.7, abs=0.05)


def test_the_impossible_row_is_named():
    assert [t.command for t in TURNS if t.anomalous] == [(3, 1)]


def test_bisection_finds_a_speed():
    assert speed_for(4.0, lambda v: 8.0 / v, 0.5, 20.0) == pytest.approx(2.0, rel=2e-3)
    with pytest.raises(ValueError, match="No speed from"):
        speed_for(100.0, lambda v: 8.0 / v, 0.5, 20.0)


@pytest.mark.parametrize("backend", sorted(arena.BACKENDS))
def test_the_robot_of_the_annex_drives_like_the_sources(backend):
    """Before any calibration, with the source's own speeds: its simulated times within a tenth or so."""
    drive = Drive(sumbot.scene(), "1", ("0", "1"), backend, 0.01)
    for row in STRAIGHTS[::2]:
        assert drive.straight(row.speed) == pytest.approx(row.simulated, rel=0.12)
    time, _ = drive.turn(6.0, -6.0)
    assert time == pytest.approx(3.3, rel=0.12)
    assert drive.straight(0.0, longest=0.5) == math.inf


@pytest.mark.study
def test_calibration_is_no_worse_than_the_sources():
    """With a track of 0.125 m (the source's turns imply 0.116 to 0.127)."""
    found = calibrate(Drive(sumbot.scene(track=0.125), "1", ("0", "1"), step=0.01))
    assert found.worst_straight < 0.5
    assert found.worst_turn < 9.7
    assert "anomalous" in str(found)
