"""Test signals against tabulated values, SciPy, and what their names say."""

import numpy as np
import pytest
from scipy import signal as scipy_signal

from biela.cueing import source_002
from biela.cueing.signal import chirp, chirp_phase, damped_sine, damped_square, sawtooth, signal, triangle

T = [1, 10, 30, 60, 70]
PHASES = {
    (0.01, 1.1): [0.06592355, 1.05065159, 10.84402976, 200.06586731, 519.96998644],
    (0.5, 1.035): [3.19625531, 37.4965277, 164.99925645, 628.11813074, 923.51918445],
}
FREQUENCIES = {
    (0.01, 1.1): [0.011, 0.02593742, 0.17449402, 3.0448164, 7.89746957],
    (0.5, 1.035): [0.5175, 0.70529938, 1.40339685, 3.93904545, 5.55641263],
    (0.01, 1.08): [0.0108, 0.02158925, 0.10062657, 1.01257064, 2.18606406],
}


@pytest.mark.parametrize("numbers", PHASES)
def test_the_phase_of_a_chirp_is_the_tabulated_one(numbers):
    assert chirp_phase(T, *numbers) == pytest.approx(PHASES[numbers], abs=1e-8)


@pytest.mark.parametrize("numbers", FREQUENCIES)
def test_the_frequency_of_a_chirp_is_the_slope_of_its_phase(numbers):
    t, h = np.array(T, float), 1e-5
    slope = (chirp_phase(t + h, *numbers) - chirp_phase(t - h, *numbers)) / (4 * np.pi * h)
    assert slope == pytest.approx(FREQUENCIES[numbers], abs=2e-8)


def test_a_chirp_has_the_tabulated_values():
    values = chirp([10, 30, 50, 60], 30.0, 0.01, 1.1)
    assert values == pytest.approx([26.0324176332, -29.6561726315, 29.1398603998, -25.1801111936], abs=1e-8)


def test_a_chirp_is_the_logarithmic_one_of_scipy():
    t = np.linspace(0, 60, 500)
    theirs = scipy_signal.chirp(t, 0.01, 60.0, 0.01 * 1.1**60, method="logarithmic", phi=-90)
    assert chirp(t, 1.0, 0.01, 1.1) == pytest.approx(theirs, abs=1e-12)


def test_a_chirp_that_does_not_grow_is_a_sine():
    t = np.linspace(0, 10, 99)
    assert chirp(t, 2.0, 0.3, 1.0) == pytest.approx(2 * np.sin(2 * np.pi * 0.3 * t), abs=1e-13)
    assert chirp(t, 2.0, 0.3, 1.0 + 1e-13) == pytest.approx(chirp(t, 2.0, 0.3, 1.0), abs=1e-9)


def test_other_signals_at_times_that_tell():
    assert damped_square([0.0, 0.9, 1.0, 2.0], 30.0, 0.5) == pytest.approx([30, 30, -30, 30])
    assert triangle([0.0, 2.0, 4.0, 6.0], 20.0, 0.125) == pytest.approx([0, 20, 0, -20], abs=1e-12)
    assert sawtooth([0.0, 0.25, 0.75, 1.0], 30.0, 1.0) == pytest.approx([0, 15, -15, 0])
    assert damped_sine([0.25], 30.0, 1.0, 0.06) == pytest.approx([30 * np.exp(-0.015)])


def test_the_signals_of_the_source_are_those_of_its_tables():
    assert set(source_002.SINGLE) | set(source_002.JOINT) == set(source_002.FITS)
    assert np.degrees(source_002.SINGLE["S1"]["roll"]([50.0])) == pytest.approx([29.1398603998 * 25 / 30])
    assert np.degrees(source_002.JOINT["S8"]["roll"]([10.0])) == pytest.approx([18.0])


def test_the_tables_of_the_source_have_their_means():
    pitch, roll = ([row[dof] for row in source_002.FITS.values() if dof in row] for dof in ("pitch", "roll"))
    joint = [row["both"] for row in source_002.FITS.values() if "both" in row]
    assert np.mean(pitch) == pytest.approx(0.911125)
    assert np.mean(roll) == pytest.approx(0.89665)
    assert np.mean([*pitch, *roll, *joint]) == pytest.approx(0.904692, abs=1e-6)
    assert 100.0 / source_002.SPEED_S["digital filters"] == pytest.approx(216.45, abs=0.01)
    assert sum(len(rows) for rows in source_002.ATTENUATION_HZ.values()) == 9
    assert source_002.RANGES_DEG["pitch"][1] * 2 == pytest.approx(60.54)


def test_wrong_signals():
    with pytest.raises(ValueError, match=r"Unknown signal 'chrip'\. Known: chirp, sine"):
        signal("chrip", 1.0)
    with pytest.raises(ValueError, match=r"f0 > 0 and r > 0; got f0=0\.0"):
        chirp([0.0], 1.0, 0.0)
