"""The adaptive washout: its fixed filters, its derivatives, its descent."""

import numpy as np
import pytest
from scipy.signal import bilinear, lfilter

from biela.cueing import AdaptiveWashout, drive

DT, G = 0.02, 9.80665
TUNED = ("surge", "sway", "heave", "roll", "pitch", "yaw", "tilt")
FREE = {"tilt.rate": np.inf}


def adapting(speed, values=None, **options):
    """The washout with the same speed of adaptation for all gains."""
    made = AdaptiveWashout(**options)
    return made.changed({f"{name}.adaptation": speed for name in TUNED} | (values or {}))


def filtered(b, a, u):
    """A transfer function at work on a signal, by Tustin's rule, from rest."""
    return lfilter(*bilinear(b, a, 1 / DT), u)


def test_without_adaptation_it_is_a_fixed_linear_filter():
    """x = s f / ((s + p)(s2 + 2 z w s + w2)), theta = (q - p f / g) / (s + p), and what turning displaces."""
    washout = adapting(0.0, FREE, axes=("surge", "pitch"))
    value = washout.values
    w, z, p = value["surge.omega"], value["surge.damping"], value["pitch.omega"]
    rows = drive.town(30.0)
    f, q = value["surge.gain"] * rows[:, 0], value["pitch.gain"] * rows[:, 4]
    angle = filtered([1.0], [1.0, p], q - p * f / G)
    second = [1.0, 2 * z * w, w * w]
    place = filtered([1.0], second, f + G * angle)
    pose = washout.run(rows)
    assert pose[:, 1] == pytest.approx(angle, abs=1e-12)
    assert pose[:, 0] == pytest.approx(place, abs=1e-12)
    third = filtered([1.0, 0.0], np.polymul([1.0, p], second), f)  # coordination is the third order
    turned = filtered([G], np.polymul([1.0, p], second), q)
    assert pose[:, 0] == pytest.approx(third + turned, abs=1e-10)


@pytest.mark.parametrize("limits", [FREE, {"tilt.rate": 0.03, "tilt.acceleration": 0.2}])
def test_its_slopes_are_those_of_differences(limits):
    """dJ/dd, as it moves the gains, against two rides with gains held a little off."""
    speed, off, count = 1e-9, 1e-5, 400
    rows = drive.town(8.0)
    washout = adapting(speed, limits)
    names = [str(symbol) for symbol in washout.step.value(washout.step.inputs[0])]
    found = washout.recursion.run(washout.rest, rows, washout.p)
    held = adapting(0.0, limits)
    for channel, gains in (("surge", ("p1", "p2", "p3")), ("sway", ("p1", "p2", "p3")),
                           ("heave", ("p1",)), ("yaw", ("p2", "p3"))):  # fmt: skip
        cost = names.index(f"{channel}.cost")
        for gain in gains:
            k = names.index(f"{channel}.{gain}")
            ends = []
            for sign in (1.0, -1.0):
                x = held.rest
                x[k] = sign * off
                ends.append(held.recursion.run(x, rows, held.p)[1:, cost])
            slope = (ends[0] - ends[1]) / (2 * off)
            tuned = {
                "p1": channel,
                "p2": "tilt",
                "p3": {"surge": "pitch", "sway": "roll"}.get(channel, channel),
            }
            ours = -np.diff(found[:, k]) / (DT * washout.values[f"{tuned[gain]}.adaptation"])
            assert np.abs(ours).max() > 1e-4
            if limits is FREE:
                assert ours == pytest.approx(slope, abs=1e-5 * np.abs(slope).max())
            else:  # at the corners of the limits a difference sees both sides
                assert np.isclose(ours, slope, atol=1e-3 * np.abs(slope).max()).mean() > 0.97, (channel, gain)
    assert count == len(rows)


@pytest.mark.parametrize("name", drive.DRIVES)
def test_adapting_costs_less(name):
    rows = drive.DRIVES[name](100.0)
    fixed, adapted = (adapting(speed).costs(rows) for speed in (0.0, 0.1))
    for channel in ("surge", "sway", "yaw"):
        assert adapted[channel].mean() < fixed[channel].mean()
    assert sum(cost.mean() for cost in adapted.values()) < 0.95 * sum(cost.mean() for cost in fixed.values())


def test_large_cues_are_shown_less_than_small_ones():
    rows = drive.town(60.0)
    rows[:, 4] = 0.0
    sizes = [1e-3, 1.0, 3.0]
    shown = [np.ptp(AdaptiveWashout(axes=("surge",)).run(size * rows)) / size for size in sizes]
    assert shown[0] > 1.05 * shown[1] > 1.1 * shown[2]


def test_the_tilt_keeps_its_limits():
    limits = {"tilt.rate": 0.05, "tilt.acceleration": 0.3, "pitch.gain": 0.0, "roll.gain": 0.0}
    pose = adapting(0.3, limits, axes=("roll", "pitch")).run(2.0 * drive.town(60.0))
    rate = np.diff(pose, axis=0) / DT
    assert 0.049 < np.abs(rate).max() < 0.05 + 1e-12
    assert np.abs(np.diff(rate, axis=0)).max() / DT < 0.3 + 1e-9
