"""Models of perception against their published gains, and their sampled filters against SciPy's."""

import numpy as np
import pytest
from scipy import signal

from biela.cueing import CANALS, OTOLITHS, SENSES, Senses, drive
from biela.cueing.perception import THRESHOLDS, Canal, Otolith

GAINS = [  # model, at 0.1, 1 and 10 rad/s: gain and phase in degrees
    (OTOLITHS["young-meiry"], [0.1, 1, 10], [0.58328927, 0.81493036, 0.14837822], [21.02, -27.13, -80.74]),
    (OTOLITHS["telban"], [1], [0.78827621], [4.68]),
    (CANALS["p"], [0.1, 1, 10], [0.49401086, 0.98138516, 0.70700786], [76.48, 5.51, -43.87]),
    (SENSES["telban"].canals["q"], [0.1, 1], [0.49332725, 0.98503369], [67.31, 10.62]),
]


@pytest.mark.parametrize(("model", "omega", "gain", "phase"), GAINS)
def test_gains_are_the_published_ones(model, omega, gain, phase):
    answer = model.respond(omega)
    assert np.abs(answer) == pytest.approx(gain, abs=1e-8)
    assert np.degrees(np.angle(answer)) == pytest.approx(phase, abs=0.005)


def test_sampled_models_are_scipys():
    u = np.random.default_rng(1).normal(size=2000)
    otolith, canal, free = OTOLITHS["young-meiry"], CANALS["q"], SENSES["telban"].canals["q"]
    b, a = signal.bilinear([0.4 * 13.2, 0.4], np.polymul([5.33, 1], [0.66, 1]), fs=50)
    assert otolith.run(u) == pytest.approx(signal.lfilter(b, a, u), abs=1e-10)
    below = np.polymul(np.polymul([5.3, 1], [0.1, 1]), [30.0, 1])
    b, a = signal.bilinear([5.3 * 30.0, 0, 0], below, fs=50)
    assert canal.run(u) == pytest.approx(signal.lfilter(b, a, u), abs=1e-8)
    b, a = signal.bilinear([5.73 * 80.0, 0, 0], np.polymul([5.73, 1], [80.0, 1]), fs=50)
    assert free.run(u) == pytest.approx(signal.lfilter(b, a, u), abs=1e-8)


def test_senses_sense_each_channel_with_its_organ():
    rows = drive.town(4.0)
    sensed = Senses().run(rows, 0.02)
    assert sensed[:, 2] == pytest.approx(OTOLITHS["young-meiry"].run(rows[:, 2] - 9.80665), abs=1e-15)
    assert sensed[:, 5] == pytest.approx(CANALS["r"].run(rows[:, 5]), abs=1e-15)


def test_what_is_recalled_says_so():
    assert OTOLITHS["telban"].recalled
    assert all(model.source for model in (*OTOLITHS.values(), *CANALS.values()))
    assert not any(canal.recalled for canal in CANALS.values())


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: OTOLITHS["telban"].run([0.0, np.nan]), "row of finite numbers"),
        (lambda: OTOLITHS["telban"].run([[0.0]]), r"got shape \(1, 1\)"),
        (lambda: Otolith(0.4, 1.0, 0.0, 0.1), "Otolith: long is a positive number; got 0.0"),
        (lambda: Canal(5.0, float("nan")), "Canal: short is a positive number; got nan"),
        (lambda: Senses(canals={"p": CANALS["p"]}), "canals are for p, q, r; got p"),
        (lambda: Senses(thresholds={**THRESHOLDS, "p": 0.0}), "threshold of p is a positive number; got 0.0"),
    ],
)
def test_wrong_senses(make, told):
    with pytest.raises(ValueError, match=told):
        make()
