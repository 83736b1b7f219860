"""The weighting Wf against the factors that ISO 2631-1 tabulates, and doses of known motions."""

import numpy as np
import pytest
from scipy import signal

from biela.cueing import sickness

FACTORS = {  # thousandths, ISO 2631-1:1997, table 3, column Wf
    0.02: 24.2, 0.025: 37.7, 0.0315: 59.7, 0.04: 97.1, 0.05: 157, 0.063: 267, 0.08: 461, 0.1: 695, 0.125: 895,
    0.16: 1006, 0.2: 992, 0.25: 854, 0.315: 619, 0.4: 384, 0.5: 224, 0.63: 116,
}  # fmt: skip


def test_the_factors_are_those_of_the_standard():
    hertz = np.array(list(FACTORS))
    found = 1e3 * np.abs(sickness.respond(2 * np.pi * hertz))
    assert found == pytest.approx(list(FACTORS.values()), rel=3e-3)


def test_the_sampled_weighting_is_scipys():
    u = np.random.default_rng(2).normal(size=3000)
    want = u
    for b, a in sickness.SECTIONS:
        want = signal.lfilter(*signal.bilinear(b[::-1], [1.0, *a[::-1]], fs=50), want)
    assert sickness.weighted(u) == pytest.approx(want, abs=1e-10)


def test_a_lasting_sine_doses_by_the_square_root_of_its_time():
    """A sine of 1 m/s2 at 0.2 Hz: 0.992 / sqrt 2 times the square root of the seconds."""
    t = 0.02 * np.arange(50 * 3600)
    assert sickness.dose(np.sin(0.4 * np.pi * t)) == pytest.approx(0.992 / np.sqrt(2) * 60.0, rel=2e-3)


def test_rest_makes_nobody_sick_and_gaps_are_told():
    assert sickness.dose(np.zeros(100)) == 0.0
    with pytest.raises(ValueError, match="row of finite numbers"):
        sickness.dose([0.0, np.nan])
