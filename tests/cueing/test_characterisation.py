"""Delays, step times and attenuation against what the channel's formulas say."""

import numpy as np
import pytest

from biela.cueing import Channel, attenuation, latency, step_times
from biela.cueing.characterisation import delay_by_correlation
from biela.cueing.signal import chirp, times


@pytest.mark.parametrize(("f0", "r"), [(0.01, 1.1), (0.5, 1.035)])
def test_attenuation_of_a_chirp_is_the_analytic_one(f0, r):
    """Within 3 % of 1.04635944 and 1.77479028 Hz: item 14 of the source's checklist."""
    t = times(70, 0.02)
    found = attenuation(Channel().run(chirp(t, 0.5, f0, r)), 0.02, 0.5, f0, r, delay=0.08)
    assert found["3 dB"] == pytest.approx(1.04635944, rel=0.03)
    assert found["6 dB"] == pytest.approx(1.77479028, rel=0.03)


def test_noise_hardly_moves_the_attenuation():
    t = times(70, 0.02)
    y = Channel().run(chirp(t, 0.5, 0.5, 1.035)) + np.random.default_rng(1).normal(0, 0.01, len(t))
    assert attenuation(y, 0.02, 0.5, 0.5, 1.035)["3 dB"] == pytest.approx(1.046, rel=0.03)


def test_what_is_never_attenuated_is_nan():
    t = times(40, 0.02)
    assert np.isnan(attenuation(chirp(t, 0.5), 0.02, 0.5, 0.01, 1.1)["3 dB"])


def test_step_times_of_the_channel():
    """The analytic shares of 2.8 Hz and 1.5 are at 126, 366 and 606 ms after the delay."""
    channel = Channel()
    y = channel.run(np.ones(2000), 0.002)
    found = step_times(np.ones(2000), y, 0.002)
    assert [found.t50, found.t90, found.t98] == pytest.approx([0.206467, 0.44612, 0.685624], abs=2e-3)
    assert found.settled == pytest.approx(found.t98, abs=2.1e-3)
    assert found.overshoot == 0.0
    assert latency(np.ones(2000), y, 0.002, 1e-6) == pytest.approx(0.08, abs=2.1e-3)


def test_a_square_has_its_first_step_and_overshoot_is_told():
    square = np.where(np.arange(300) < 30, 0.0, np.where(np.arange(300) < 180, 0.4, 0.0))
    found = step_times(square, Channel(damping=0.3).run(square), 0.02)
    assert found.overshoot == pytest.approx(np.exp(-np.pi * 0.3 / np.sqrt(1 - 0.09)), abs=0.02)
    assert 0.08 < found.t50 < 0.3


def test_the_shift_by_correlation():
    u = np.random.default_rng(2).normal(size=500)
    assert delay_by_correlation(u, np.r_[np.zeros(7), u[:-7]], 0.02) == pytest.approx(0.14)


def test_wrong_responses():
    u = np.ones(50)
    for bad, told in ((np.zeros(50), "constant"), (np.full(50, np.nan), "not finite at sample 0")):
        with pytest.raises(ValueError, match=told):
            latency(u, bad, 0.02)
    with pytest.raises(ValueError, match="sampled alike"):
        latency(u, np.ones(49), 0.02)
    with pytest.raises(ValueError, match="not zero all along"):
        step_times(np.zeros(50), u, 0.02)
