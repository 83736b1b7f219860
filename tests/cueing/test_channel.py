"""Channels against SciPy, tabulated samples, and what limits and delays must do."""

import numpy as np
import pytest
from scipy import signal

from biela.cueing import Channel

COEFFICIENTS = {
    2.8: (0.01985649069331, 0.03971298138662, 0.01985649069331, -1.24337575587702, 0.32280171865027),
    2.7: (0.01871589629571, 0.03743179259141, 0.01871589629571, -1.26319699040455, 0.33806057558738),
}
STEPS = {
    2.8: [0, 0.0198564907, 0.0842585512, 0.5110740375, 0.8726664815, 0.9913738864, 0.9994156305],
    2.7: [0, 0.0187158963, 0.0797895528, 0.4956692404, 0.8621458956, 0.9897159017, 0.9992327928],
}
DEG = np.pi / 180


def noise(count, seed=1):
    return np.random.default_rng(seed).normal(size=count)


def scipy_channel(channel, u, dt=0.02):
    """The same by SciPy: the analogue chain, its bilinear transform, and a delay."""
    w = 2 * np.pi * channel.frequency
    w = 2 / dt * np.tan(w * dt / 2) if channel.prewarp else w
    above, below = np.array([channel.gain]), np.array([1.0])
    for _ in range(channel.order // 2):
        above, below = above * w**2, np.polymul(below, [1, 2 * channel.damping * w, w**2])
    if channel.order % 2:
        above, below = above * w, np.polymul(below, [1, w])
    b, a = signal.bilinear(above, below, fs=1 / dt)
    delay = round(channel.delay / dt)
    return np.r_[np.zeros(delay), signal.lfilter(b, a, u)][: len(u)]


@pytest.mark.parametrize("frequency", COEFFICIENTS)
def test_coefficients_of_the_source(frequency):
    found = Channel(frequency=frequency).coefficients(0.02)
    assert found == pytest.approx(COEFFICIENTS[frequency], abs=1e-13)
    w = 2 * np.pi * frequency
    b, a = signal.bilinear([w * w], [1, 3 * w, w * w], fs=50)
    assert found == pytest.approx([*b, *a[1:]], abs=1e-13)
    assert sum(found[:3]) / (1 + found[3] + found[4]) == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("frequency", STEPS)
def test_step_of_the_source(frequency):
    y = Channel(frequency=frequency).run(np.ones(70))
    assert y[[3, 4, 5, 10, 20, 40, 60]] == pytest.approx(STEPS[frequency], abs=1e-10)


def test_a_delay_of_80_ms_is_4_samples():
    y = Channel().run(np.ones(10))
    assert np.flatnonzero(y)[0] == 4
    assert np.flatnonzero(Channel(delay=0.0).run(np.ones(3)))[0] == 0


def test_the_printed_recursion_is_the_direct_form():
    u = noise(3000)
    assert np.abs(Channel(form="printed").run(u) - Channel().run(u)).max() < 1e-14


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("prewarp", [False, True])
def test_every_order_is_that_of_scipy(order, prewarp):
    channel = Channel(order=order, prewarp=prewarp, gain=1.3, damping=0.7, frequency=3.0)
    u = noise(400)
    assert channel.run(u) == pytest.approx(scipy_channel(channel, u), abs=1e-11)


def test_a_gain_scales_the_output_exactly_and_rest_stays_rest():
    u = noise(500)
    assert np.array_equal(Channel(gain=2.0).run(u), 2.0 * Channel().run(u))
    assert not Channel(gain=2.0).run(np.zeros(50)).any()


def test_the_response_is_the_analogue_and_the_sampled_one():
    channel = Channel()
    gains = np.abs(channel.respond([0.1, 0.5, 1.0]))
    assert gains == pytest.approx([0.99556459, 0.90379159, 0.72374014], abs=1e-8)
    phases = np.degrees(np.angle(channel.respond([0.1, 0.5, 1.0])))
    assert phases == pytest.approx([-9.003255, -43.358373, -79.644566], abs=1e-6)
    assert np.abs(channel.respond([1.04786963])) == pytest.approx([0.7071067812], abs=1e-7)
    assert np.abs(channel.respond([1.04635944, 1.77479028], 0.02)) == pytest.approx(
        [0.70710678, 0.5], abs=1e-7
    )


def test_prewarping_keeps_the_natural_frequency():
    phase = np.angle(Channel(prewarp=True, delay=0.0).respond([2.8], 0.02))
    assert np.degrees(phase) == pytest.approx([-90.0], abs=1e-9)


@pytest.mark.parametrize("form", ["direct", "servo"])
def test_limits_make_excursions_as_long_as_measured(form):
    """Over 1 s for the full excursion of 60 degrees, under 0.8 s for half: item 17 of the checklist."""
    damping, frequency, rate = {"direct": (1.5, 4.0, 75.0), "servo": (1.5, 2.8, 75.0)}[form]
    channel = Channel(
        form=form, damping=damping, frequency=frequency, rate=rate * DEG, acceleration=1500 * DEG
    )
    times = {}
    for way in (60.0, 30.0):
        y = channel.run(np.full(200, way * DEG)) / DEG
        times[way] = 0.02 * (np.flatnonzero(np.abs(y - way) > 1.0)[-1] + 1)
        assert np.diff(y).max() / 0.02 <= rate + 1e-9
    assert 1.0 < times[60.0] < 1.2
    assert 0.6 < times[30.0] < 0.8


def test_the_limiter_bounds_rate_and_acceleration_and_arrives():
    channel = Channel(delay=0.0, order=1, frequency=12.0, rate=1.0, acceleration=4.0)
    goal = np.where(np.arange(400) < 200, 0.7, -0.3)
    y = channel.run(goal)
    assert np.abs(np.diff(y)).max() / 0.02 <= 1.0 + 1e-9
    assert y[199] == pytest.approx(0.7, abs=1e-9)
    assert y[399] == pytest.approx(-0.3, abs=1e-9)
    assert y.max() < 0.7 + 1e-3  # it brakes in time


def test_wide_limits_change_nothing():
    u = 0.1 * noise(300)
    wide = Channel(rate=1e6, acceleration=1e9).run(u)
    assert wide == pytest.approx(Channel().run(u), abs=1e-12)


def test_the_servo_is_the_low_pass_while_no_limit_is_met():
    t = 0.002 * np.arange(5000)
    u = 0.2 * np.sin(2 * np.pi * 0.7 * t)
    servo = Channel(form="servo", rate=10.0, acceleration=1e4).run(u, 0.002)
    assert servo == pytest.approx(Channel().run(u, 0.002), abs=2e-3)


def test_softening_slows_large_motions_only():
    soft, stiff = Channel(softening=3.0), Channel()
    small = np.abs(soft.run(np.full(60, 1e-4)) - stiff.run(np.full(60, 1e-4))).max() / 1e-4
    large = np.abs(soft.run(np.full(60, 1.0)) - stiff.run(np.full(60, 1.0))).max()
    assert small < 1e-3
    assert large > 0.1


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"frequency": 0.0}, "frequency is 0.0; it must be finite and positive"),
        ({"delay": -0.1}, "delay is -0.1; it must be finite and not negative"),
        ({"damping": np.nan}, "damping is nan"),
        ({"rate": -1.0}, "rate is -1.0"),
        ({"order": 0}, "order 0 must be 1, 2"),
        ({"form": "tustin"}, "form 'tustin' one of direct, printed, servo"),
        ({"form": "servo", "order": 4}, "of second order"),
    ],
)
def test_wrong_channels(values, told):
    with pytest.raises(ValueError, match=told):
        Channel(**values)


def test_wrong_sample_times_and_signals():
    with pytest.raises(ValueError, match=r"fn = 2\.8 Hz is not below half the sample rate, 2\.5 Hz"):
        Channel().run([1.0], 0.2)
    with pytest.raises(ValueError, match="positive number of seconds; got 0"):
        Channel().run([1.0], 0.0)
    with pytest.raises(ValueError, match="row of finite numbers"):
        Channel().run([1.0, np.nan])
