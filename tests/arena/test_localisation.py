"""State estimation in a match: better than the camera, and than dead reckoning, against the truth."""

import numpy as np
import pytest

from biela import arena
from biela.arena.localisation import Senses, Track, Watch, errors, estimated, localiser, readings, reckoned

ROBOT = arena.VSSS_ROBOTS["rsim"]


def circle(seconds=4.0, step=0.005, speed=0.4, rate=2.0):
    """Wheels that roll without slipping around a circle, in closed form."""
    t = np.arange(0.0, seconds, step)
    left, right = ROBOT.wheel_speeds(speed, rate)
    radius = speed / rate
    columns = [radius * np.sin(rate * t), radius * (1 - np.cos(rate * t)), rate * t]
    return Track(step, np.column_stack([*columns, *(np.full_like(t, v) for v in (rate, left, right))]))


def test_without_noise_everything_is_exact():
    senses = Senses(0.0, 1e-9, 1e-9, 1e-9)
    found = errors(circle(), senses, ROBOT)
    assert found["camera"][0] < 1e-8
    assert found["filter"][0] < 1e-3
    assert found["dead reckoning"][0] < 5e-3  # Euler's steps of 5 ms


def test_rolling_wheels_are_worth_more_than_the_camera():
    senses = Senses(slipping=0.02, sliding=0.02)
    found = errors(circle(), senses, ROBOT, seed=1)
    assert found["filter"][0] < 0.35 * found["camera"][0]
    assert found["filter"][1] < 0.35 * found["camera"][1]


@pytest.mark.parametrize("seed", [3, 5])
def test_in_a_match_it_beats_camera_and_dead_reckoning(seed):
    rules = arena.FootballRules(half=5.0, halves=1)
    match = arena.football(left="roles", right="swarm", seed=seed, rules=rules)
    watch = Watch("left1")
    match.kernel.join(watch)
    match.play()
    assert len(watch.rows) > 400
    found = errors(watch.track, Senses(), ROBOT, seed)
    for k in range(2):
        assert found["filter"][k] < 0.85 * found["camera"][k]
    assert found["filter"][0] < 0.2 * found["dead reckoning"][0]


def test_the_camera_may_be_rare_and_the_heading_jumps_by_turns():
    senses = Senses(camera_rate=10.0, slipping=0.02, sliding=0.02)
    track = circle(6.0)
    assert track.pose[-1, 2] > 2 * np.pi
    taken = readings(track, senses)
    assert np.isnan(taken[:, 4]).mean() == pytest.approx(0.95, abs=0.01)
    found, record = estimated(localiser(ROBOT, track.step, senses), taken)
    assert np.abs(found - track.pose[1:])[100:, :2].max() < 0.02
    assert np.isfinite(record["nis"][1:]).all()
    assert reckoned(track, taken, ROBOT).shape == found.shape


def test_nothing_seen_is_told():
    with pytest.raises(ValueError, match="Nothing was seen of 'left9'"):
        _ = Watch("left9").track
