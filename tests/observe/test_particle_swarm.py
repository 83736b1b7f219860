"""Particles and their list, angles, readings and the stopwatch: the small parts of SimTKpf."""

import time

import numpy as np
import pytest

import biela as bl
from biela.observe.circle import apart, circular_mean, linear_mean, log_normal, wrapped
from biela.observe.measurement import Measurement
from biela.observe.particle import Particle, Swarm
from biela.observe.process import Process
from biela.observe.sensor import Gyro
from biela.observe.stopwatch import Stopwatch
from biela.simulate import Simulation
from biela.simulate.assembly import assemble

TURN = 2.0 * np.pi


def test_a_particle_weighs_one_and_orders_by_weight():
    light, heavy = Particle(np.zeros(2), -3.0), Particle(np.ones(2))
    assert heavy.logw == 0.0
    assert sorted([heavy, light]) == [light, heavy]
    copy = heavy.copy()
    copy.x[0] = 7.0
    assert heavy.x[0] == 1.0


def test_a_swarm_adds_takes_out_reads_and_replaces():
    swarm = Swarm(np.arange(10.0).reshape(2, 5), -np.arange(5.0))
    assert swarm[3].x.tolist() == [3.0, 8.0]
    assert swarm[3].logw == -3.0
    assert len(swarm.joined(Particle(np.zeros(2)), Particle(np.ones(2)))) == 7
    assert swarm.without().x[0].tolist() == [0, 1, 2, 3]
    assert swarm.without(1).x[0].tolist() == [0, 2, 3, 4]
    half_open = swarm.without(1, 4)
    assert half_open.x[0].tolist() == [0, 4]
    assert half_open.logw.tolist() == [0.0, -4.0]
    swarm[0] = Particle(np.array([9.0, 9.0]), -1.0)
    assert swarm.x[:, 0].tolist() == [9.0, 9.0]
    assert swarm.logw[0] == -1.0
    with pytest.raises(IndexError, match=r"5 particles has none at 4\.\.6"):
        swarm.without(4, 6)
    with pytest.raises(ValueError, match="as many log weights"):
        Swarm(np.zeros((2, 5)), np.zeros(3))


def test_weights_are_made_equal_and_normalised():
    swarm = Swarm(np.zeros((1, 5)), np.array([-1000.0, -1001.0, -1002.0, -1003.0, -np.inf]))
    swarm.normalise()
    assert swarm.logw.max() == 0.0
    swarm.normalise(linear=True)
    assert np.exp(swarm.logw).sum() == pytest.approx(1.0, abs=1e-12)
    assert swarm.weights.sum() == pytest.approx(1.0, abs=1e-12)
    swarm.equalise()
    assert swarm.logw.tolist() == [0.0] * 5
    swarm.equalise(linear=True)
    assert swarm.logw.tolist() == [-np.log(5)] * 5


def test_the_effective_sample_size_is_a_share():
    rng = np.random.default_rng(1)
    logw = rng.normal(size=50)
    assert Swarm(np.zeros((1, 50))).ess == pytest.approx(1.0)
    assert Swarm(np.zeros((1, 4)), np.array([0.0, -900.0, -900.0, -900.0])).ess == 0.25
    assert Swarm(np.zeros((1, 4)), np.full(4, -np.inf)).ess == 0.0
    assert Swarm(np.zeros((1, 4)), np.full(4, np.nan)).ess == 0.0
    assert Swarm(np.zeros((1, 50)), logw + 12.0).ess == pytest.approx(Swarm(np.zeros((1, 50)), logw).ess)
    w = np.exp(logw)
    assert Swarm(np.zeros((1, 50)), logw).ess == pytest.approx(w.sum() ** 2 / (50 * (w**2).sum()))


def test_angles_are_wrapped_and_averaged_on_the_circle():
    for angle in (0.0, -TURN, TURN, 3 * TURN, -1e-300, -1e-17, 1e9, -5.0):
        assert 0.0 <= wrapped(angle) < TURN
    assert wrapped(-1.0) == pytest.approx(TURN - 1.0)
    both, w = [0.2, TURN - 0.1], [1.0, 1.0]
    assert apart(circular_mean(both, w), 0.05) < 1e-12
    assert linear_mean(both, w) == pytest.approx(np.pi + 0.05)
    assert apart(6.2, 0.1) == pytest.approx(0.1 + TURN - 6.2)
    assert log_normal(2.0, 5.0, 1.5) == pytest.approx(-2.0)


@pytest.mark.parametrize("mode", ["real", "cpu"])
def test_a_stopwatch_adds_up_and_restarts(mode):
    watch, total = Stopwatch(mode), 0.0
    for _ in range(3):
        watch.start()
        before = watch.read()
        sum(range(20_000))
        assert watch.stop() > before
    total = watch.read()
    sum(range(20_000))
    assert watch.read() == total  # stopped
    watch.restart()
    assert watch.read() == 0.0


def test_a_stopwatch_on_the_wall_counts_sleep_and_that_of_the_processor_does_not():
    real, cpu = Stopwatch("real"), Stopwatch("cpu")
    real.start()
    cpu.start()
    time.sleep(0.05)
    assert real.measure() >= 0.05
    assert cpu.measure() < 0.05
    steps = np.diff([real.measure() for _ in range(50)])
    assert 0.0 < steps[steps > 0].min() < 1e-3  # far finer than a tick of 15.63 ms
    with pytest.raises(ValueError, match=r"'sun'.*real or cpu"):
        Stopwatch("sun")


@pytest.fixture(scope="module")
def bar():
    model = bl.mechanisms.four_bar_rod(as_simulated=True).model()
    return Process(model, 6e-3, "rk4", independent=["input"]), assemble(model, input=1.0)


@pytest.mark.parametrize("speed", [2.5, -2.5])
def test_a_gyroscope_without_noise_is_the_speed_of_the_bar(bar, speed):
    process, start = bar
    moving = assemble(process.model, start, velocities={"input": speed}, input=start["input"])
    measured = Measurement(process, Gyro("input_bar"))
    assert measured.measure(moving) == pytest.approx(moving["input'"], abs=1e-12)
    assert np.sign(measured.read()[0]) == np.sign(speed)


def test_a_reading_is_one_draw_used_again(bar):
    process, start = bar
    measured = Measurement(process, Gyro("input_bar", sigma=0.01), seed=3)
    assert np.isnan(measured.read()).all()
    readings = []
    for _ in range(10_000):
        readings.append(measured.measure(start)[0])
        assert measured.read()[0] == readings[-1]
    assert np.std(readings) == pytest.approx(0.01, rel=0.05)
    assert np.mean(readings) == pytest.approx(0.0, abs=5e-4)
    assert Measurement(process, Gyro("input_bar", sigma=0.01), seed=3).measure(start)[0] == readings[0]


@pytest.mark.parametrize("as_simulated", [False, True])
def test_the_mechanism_keeps_its_rod_and_its_energy_for_a_minute(as_simulated):
    model = bl.mechanisms.four_bar_rod(as_simulated=as_simulated).model()
    run = Simulation(model, "multipliers", "rk4", dt=1e-3).run(assemble(model, input=2.0), 60.0, every=10)
    assert run.residual.max() < 1e-10
    assert np.abs(run.value("Phi_dot" if "Phi_dot" in model.functions else "Phi")).max() < 1e-8
    assert np.abs(run.energy - run.energy[0]).max() < 1e-5 * np.abs(run.energy).max()
    assert len(model.placements) - len(model.phi) == 1
