"""Rides that are felt: errors, delays and cues of signals whose comparison is known."""

import numpy as np
import pytest

from biela.cueing import ClassicalWashout, Ride, Simulator, drive, felt
from biela.cueing.feeling import Cue, Felt, intervals, ridden
from biela.cueing.perception import CHANNELS, THRESHOLDS

REST = [0, 0, 9.80665, 0, 0, 0]
T = 0.02
t = T * np.arange(2000)
LIMIT = THRESHOLDS["fx"]


def lively():
    return Ride.on(Simulator.source_002(), ClassicalWashout.preset("lively"))


def of(vehicle, platform):
    """A comparison of two signals of fx."""
    rows = np.zeros((2, len(vehicle), 6))
    rows[0, :, 0], rows[1, :, 0] = vehicle, platform
    return Felt(rows[0], rows[1], T)


def test_a_platform_at_rest_shows_gravity_alone():
    rows = np.tile(REST, (100, 1))
    assert ridden(lively(), rows) == pytest.approx(rows, abs=1e-12)
    sensed = felt(lively(), rows)
    assert not any(sensed.errors.values())
    assert not sensed.cues()
    assert np.isnan([*sensed.correlations.values(), *sensed.delays.values()]).all()  # nothing to compare


def test_a_lasting_force_is_shown_by_tilt():
    rows = np.tile([1.5, -1.0, 9.80665, 0, 0, 0], (1500, 1))
    assert ridden(lively(), rows)[-1, :2] == pytest.approx([1.5, -1.0], abs=1e-3)


def test_rates_of_the_platform_are_those_of_its_angles():
    rows = drive.town(10.0)
    ride = lively()
    rates = ridden(ride, rows)[:, 3:]
    assert np.cumsum(rates[1:, 0]) * 0.02 == pytest.approx(ride.run(rows)["roll"][1:], abs=2e-3)


def test_errors_count_thresholds():
    sensed = felt(lively(), drive.town(20.0))
    gap = np.sqrt(((sensed.platform[:, 0] - sensed.vehicle[:, 0]) ** 2).mean())
    assert sensed.errors["fx"] == pytest.approx(gap / THRESHOLDS["fx"])
    assert sensed.error == pytest.approx(np.sqrt(np.mean([e**2 for e in sensed.errors.values()])))
    assert all(0.0 <= share <= 1.0 for share in sensed.false.values())


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.25, 0.333])
def test_a_delay_is_found_to_a_fraction_of_a_sample(delay):
    wave = lambda at: np.sin(0.8 * at) + 0.5 * np.sin(1.9 * at + 1)  # noqa: E731
    assert of(wave(t), 0.3 * wave(t - delay)).delays["fx"] == pytest.approx(delay, abs=2e-3)


def test_a_sine_and_its_shift_have_the_cosine_as_likeness():
    angle = np.radians(40.0)
    wide = 2 * np.pi / (T * 500)
    found = of(np.sin(wide * t), np.sin(wide * t - angle))
    assert found.correlations["fx"] == pytest.approx(np.cos(angle), abs=1e-12)


def test_time_above_the_threshold():
    found = of(2 * LIMIT * (t < 3.0), 2 * LIMIT * (t < 1.0))
    assert found.noticed["fx"] == pytest.approx((3.0, 1.0))


def test_cues_have_their_kinds_and_intervals():
    one = LIMIT * np.where((t >= 4) & (t < 8), 1.0, 0.0)
    cases = {
        "missing": (3 * one, 0.5 * one),
        "false": (0.5 * one, 3 * one),
        "scale": (5 * one, 2 * one),
    }
    for kind, (vehicle, platform) in cases.items():
        (cue,) = of(vehicle, platform).cues()
        assert (cue.kind, cue.channel) == (kind, "fx")
        assert (cue.begin, cue.end) == pytest.approx((4.0, 8.0))
        assert cue.worst == pytest.approx(3.0 if kind == "scale" else 2.5)
    (reversed_one,) = of(3 * one, -3 * one).cues()
    assert reversed_one.kind == "false"
    assert not of(3 * one, 2 * one).cues()
    assert not of(3 * one * (t < 4.05), 0 * one).cues()  # too short to be told
    assert str(Cue("false", "fx", 1.0, 2.5, 3.0)) == "fx false   1.00 to 2.50 s       by 3.0 thresholds"


def test_every_moment_has_at_most_one_kind():
    kinds = felt(lively(), drive.town(20.0)).kinds()
    assert (sum(flags.astype(int) for flags in kinds.values()) <= 1).all()


def test_the_table_has_a_line_for_each_channel():
    lines = str(felt(lively(), drive.town(10.0))).splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == list(CHANNELS)


def test_intervals_end_with_the_flags():
    assert intervals(np.array([True, True, False, True])) == [(0, 2), (3, 4)]
    assert intervals(np.zeros(3)) == []
