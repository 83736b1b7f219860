"""Answers to sines against closed forms: filters, channels and gravity multiplied by hand."""

import numpy as np
import pytest

from biela.cueing import Channel, ClassicalWashout, Hexapod, Ride, Simulator, response
from biela.cueing.response import linearised, swept

T, G = 0.02, 9.80665
W = np.array([0.25, 1.0, 4.0, 15.849])
S = 2 / T * 1j * np.tan(W * T / 2)  # of Tustin's rule
CHANNEL = Channel(delay=0.08, damping=0.9, frequency=3.0)
FREE = {"tilt.rate": np.inf}
SMALL = np.full((6, 1), 1e-3)


def hexapod(**values):
    washout = ClassicalWashout.preset("delft").changed(FREE | values)
    return Ride.on(Simulator(Hexapod(), (CHANNEL,) * 6), washout)


def passes():
    return CHANNEL.respond(W / (2 * np.pi), T)


def test_heave_is_high_pass_and_channel():
    """0.5 s / ((s^2 + 2 s + 1)(s + 0.2)) is the way; its acceleration is -w^2 times that."""
    wanted = -(W**2) * 0.5 * S / ((S**2 + 2 * S + 1) * (S + 0.2)) * passes()
    assert linearised(hexapod(), W).of("fz", "fz") == pytest.approx(wanted, rel=1e-7)


def test_a_lasting_force_is_shown_by_tilt_and_the_rest_by_surge():
    """The tilt is the low pass; what gravity shows on the way is taken from what surges."""
    k, low = 0.6, 4.0 / (S + 2.0) ** 2
    pitch = -k / G * low
    surge = (k + G * pitch * np.exp(-1j * W * T)) / (S + 0.8) ** 2  # turned by the tilt of the sample before
    wanted = (-(W**2) * surge - G * pitch) * passes()
    answers = linearised(hexapod(), W)
    assert answers.of("fx", "fx") == pytest.approx(wanted, rel=1e-6)
    assert answers.of("fx", "q") == pytest.approx(1j * W * pitch * passes(), rel=1e-7)
    turned = 0.6 * S / (S + 0.8) ** 2 * passes()  # the angle for a rate of 1 rad/s
    assert answers.of("q", "q") == pytest.approx(1j * W * turned, rel=1e-7)


def test_a_sweep_of_something_linear_is_the_linear_answer():
    ride = hexapod()
    small, exact = swept(ride, W, SMALL), linearised(ride, W)
    gap = np.abs(small.gains - exact.gains).max(axis=1)
    assert (gap <= 1.5e-3 * np.abs(exact.gains).max(axis=1) + 1e-6).all()  # the differences of the head
    washout = ride.washout
    gap = np.abs(swept(washout, W, SMALL).gains - linearised(washout, W).gains)
    assert gap.max() < 1e-6


def test_one_lane_after_the_other_is_the_batch(monkeypatch):
    ride = hexapod(**{"tilt.rate": 0.05})
    many = swept(ride, W[1:3], [[0.5], [0.1]], ("fx", "p"), settle=30.0)
    monkeypatch.setattr(response, "_takes_motion", lambda system: False)
    alone = swept(ride, W[1:3], [[0.5], [0.1]], ("fx", "p"), settle=30.0)
    assert alone.gains == pytest.approx(many.gains, abs=5e-6)  # its window is two samples earlier
    seen = np.abs(many.gains) > 1e-3
    assert alone.distortion[seen] == pytest.approx(many.distortion[seen], abs=1e-3)
    with pytest.raises(ValueError, match="looks ahead"):
        linearised(ride, W)


def test_limits_distort_and_are_told():
    """A tilt that may turn by 3 degrees a second cannot follow 3 m/s2 at 1 rad/s."""
    washout = ClassicalWashout.preset("delft", axes=("pitch",)).changed({"tilt.rate": np.radians(3.0)})
    small, large = (swept(washout, [1.0], size, ("fx",)) for size in (0.1, 3.0))
    assert small.distortion[0, 0, 0] < 1e-3
    assert large.distortion[0, 0, 0] > 0.05
    assert abs(large.gains[0, 0, 0]) < 0.8 * abs(small.gains[0, 0, 0])


@pytest.mark.parametrize(
    ("omega", "sizes", "told"),
    [
        ([], 1.0, "between 0 and 157.1 rad/s"),
        ([0.0], 1.0, "between 0 and"),
        ([np.nan], 1.0, "between 0 and"),
        ([200.0], 1.0, r"got \[200.0\]"),
        ([1.0], 0.0, "Amplitudes of a sweep are positive"),
        ([1.0], np.inf, "Amplitudes of a sweep are positive"),
    ],
)
def test_wrong_sweeps(omega, sizes, told):
    with pytest.raises(ValueError, match=told):
        swept(ClassicalWashout(), omega, sizes)
