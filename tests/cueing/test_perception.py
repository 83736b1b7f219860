"""Models of perception against their published gains, their sampled filters, and rides that are felt."""

import numpy as np
import pytest
from scipy import signal

from biela.cueing import CANALS, OTOLITHS, ClassicalWashout, Ride, Simulator, drive, felt
from biela.cueing.perception import THRESHOLDS, shown

GAINS = [  # model, at 0.1, 1 and 10 rad/s: gain and phase in degrees
    (OTOLITHS["young-meiry"], [0.1, 1, 10], [0.58328927, 0.81493036, 0.14837822], [21.02, -27.13, -80.74]),
    (OTOLITHS["telban"], [1], [0.78827621], [4.68]),
    (CANALS["p"], [0.1, 1, 10], [0.49401086, 0.98138516, 0.70700786], [76.48, 5.51, -43.87]),
]


@pytest.mark.parametrize(("model", "omega", "gain", "phase"), GAINS)
def test_gains_are_the_published_ones(model, omega, gain, phase):
    answer = model.respond(omega)
    assert np.abs(answer) == pytest.approx(gain, abs=1e-8)
    assert np.degrees(np.angle(answer)) == pytest.approx(phase, abs=0.005)


def test_sampled_models_are_scipys():
    u = np.random.default_rng(1).normal(size=2000)
    otolith, canal = OTOLITHS["young-meiry"], CANALS["q"]
    b, a = signal.bilinear([0.4 * 13.2, 0.4], np.polymul([5.33, 1], [0.66, 1]), fs=50)
    assert otolith.run(u) == pytest.approx(signal.lfilter(b, a, u), abs=1e-10)
    below = np.polymul(np.polymul([5.3, 1], [0.1, 1]), [30.0, 1])
    b, a = signal.bilinear([5.3 * 30.0, 0, 0], below, fs=50)
    assert canal.run(u) == pytest.approx(signal.lfilter(b, a, u), abs=1e-8)


def lively():
    return Ride.on(Simulator.source_002(), ClassicalWashout.preset("lively"))


def test_a_platform_at_rest_shows_gravity_alone():
    rows = np.tile([0, 0, 9.80665, 0, 0, 0], (100, 1))
    assert shown(lively(), rows) == pytest.approx(rows, abs=1e-12)
    sensed = felt(lively(), rows)
    assert not any(sensed.errors.values())
    assert not any(sensed.false.values())


def test_a_lasting_force_is_shown_by_tilt():
    rows = np.tile([1.5, -1.0, 9.80665, 0, 0, 0], (1500, 1))
    assert shown(lively(), rows)[-1, :2] == pytest.approx([1.5, -1.0], abs=1e-3)


def test_rates_of_the_platform_are_those_of_its_angles():
    rows = drive.town(10.0)
    ride = lively()
    rates = shown(ride, rows)[:, 3:]
    assert np.cumsum(rates[1:, 0]) * 0.02 == pytest.approx(ride.run(rows)["roll"][1:], abs=2e-3)


def test_errors_count_thresholds():
    sensed = felt(lively(), drive.town(20.0))
    gap = np.sqrt(((sensed.platform[:, 0] - sensed.vehicle[:, 0]) ** 2).mean())
    assert sensed.errors["fx"] == pytest.approx(gap / THRESHOLDS["fx"])
    assert all(0.0 <= share <= 1.0 for share in sensed.false.values())


def test_signals_that_cannot_be_sensed():
    with pytest.raises(ValueError, match="row of finite numbers"):
        OTOLITHS["telban"].run([0.0, np.nan])
