"""Particle filters: constraints, weights, seeds and starts on the four-bar of SimTKpf; wrong calls."""

import numpy as np
import pytest

import biela as bl
from biela.observe.particle import (
    PARTICLE_FILTERS,
    Adaptive,
    Bootstrap,
    OptionError,
    Options,
    Prior,
    RaoBlackwellised,
    Regularised,
    Sir,
)
from biela.observe.particle.resampler import RESAMPLERS
from biela.observe.process import Process
from biela.observe.sensor import Accelerometer, Encoder, Gyro
from biela.simulate import Simulation
from biela.simulate.assembly import assemble, branches

TURN = 2.0 * np.pi
MODEL = bl.mechanisms.four_bar_rod(as_simulated=True).model()
PROCESS = Process(MODEL, 6e-3, "rk4", independent=["input"], position=0.02, velocity=0.0, corrections=3)
GYRO = [Gyro("input_bar", sigma=0.1)]
SPREAD = {"input'": 0.02}


def gaps(x):
    """The largest residual of positions and of velocities, in metres and metres a second."""
    q, dq = np.ascontiguousarray(x[:2]), np.ascontiguousarray(x[2:4])
    t1, t2 = q[0], q[0] + q[1]
    px, py = -2.0 + 4.0 * np.cos(t1) + 3.0 * np.cos(t2), 4.0 * np.sin(t1) + 3.0 * np.sin(t2)
    w2 = dq[0] + dq[1]
    vx = -4.0 * np.sin(t1) * dq[0] - 3.0 * np.sin(t2) * w2
    vy = 4.0 * np.cos(t1) * dq[0] + 3.0 * np.cos(t2) * w2
    length = np.hypot(px, py)
    return np.abs(length - 4.0).max(), np.abs((px * vx + py * vy) / length).max()


def side(x):
    """On which side of the line from A to the origin the joint of bar and rod lies: by geometry alone."""
    t1, t2 = x[0], x[0] + x[1]
    ax, ay = -2.0 + 4.0 * np.cos(t1), 4.0 * np.sin(t1)
    return np.sign(ax * 3.0 * np.sin(t2) - ay * 3.0 * np.cos(t2))


def made(kind, particles=400, **options):
    more = {"biases": {"gyro.input_bar": 0.1}} if kind is RaoBlackwellised else {}
    if kind is Sir:
        return Sir(MODEL, GYRO, particles, **options)
    return kind(PROCESS, GYRO, particles, spread=SPREAD, **more, **options)


@pytest.fixture(scope="module")
def readings():
    start = assemble(MODEL, input=2.0)
    run = Simulation(MODEL, "multipliers", "rk4", dt=6e-3).run(start, 0.6)
    noise = 0.01 * np.random.default_rng(2).standard_normal(100)
    return run, (run["input'"][1:] + noise)[:, None]


@pytest.mark.parametrize("kind", PARTICLE_FILTERS.values(), ids=str)
def test_particles_stay_on_the_constraints(kind, readings):
    pf = made(kind, seed=3)
    pf.start(Prior())
    for y in readings[1][:30]:
        pf.step(y)
        place, speed = gaps(pf.swarm.x)
        assert place < 1e-8
        assert speed < 1e-8
    pf.resample()
    assert max(gaps(pf.swarm.x)) < 1e-8


@pytest.mark.parametrize("kind", PARTICLE_FILTERS.values(), ids=str)
def test_every_kind_follows_the_bar(kind, readings):
    run, y = readings
    branch = 1 if assembled_sign(run.state(0)) > 0 else -1
    record = made(kind, 2000, seed=1).run(y, Prior({"input": (1.0, 3.0)}, branch=branch))
    error = np.abs((record["input"] - run["input"] + np.pi) % TURN - np.pi)
    assert error[-20:].max() < 0.15
    assert record.notes["restarts"] == 0
    assert abs(record["input'"][-1] - run["input'"][-1]) < 0.1


def assembled_sign(state):
    """The branch of a state as filters tell it."""
    pf = made(Bootstrap, 1)
    pf.start(state)
    return 1.0 if pf.estimate().branch > 0.5 else -1.0


@pytest.mark.parametrize("kind", PARTICLE_FILTERS.values(), ids=str)
def test_the_seed_decides_and_threads_do_not(kind, readings):
    y = readings[1][:25]
    runs = [made(kind, 3001, seed=s, threads=n).run(y) for s, n in ((5, 1), (5, 2), (5, 3), (6, 1))]
    for name in runs[0]:
        assert np.array_equal(runs[0][name], runs[1][name])
        assert np.array_equal(runs[0][name], runs[2][name])
    assert not np.array_equal(runs[0]["input"], runs[3]["input"])


def test_a_filter_runs_again_as_it_did(readings):
    pf = made(Bootstrap, seed=5)
    first, second = pf.run(readings[1][:20]), pf.run(readings[1][:20])
    assert np.array_equal(first["input"], second["input"])
    assert first.notes == second.notes


# the filter of SimTKpf


def test_a_step_of_sir_is_the_simulation_and_its_formula():
    pf = Sir(MODEL, GYRO, 50, Options(MOTION_STDDEV=0.0), seed=2)
    x = pf.start(Prior()).x.copy()
    run = Simulation(MODEL, "multipliers", "rk4", dt=6e-3).batch(x[:2], x[2:], 6e-3)
    pf.threshold = 0.0
    pf.step([0.4])
    np.testing.assert_allclose(pf.swarm.x[0], run["input"][-1], atol=1e-8)
    np.testing.assert_allclose(pf.swarm.x[2], run["input'"][-1], atol=1e-7)
    expected = -0.5 * ((0.4 - pf.swarm.x[2]) / (0.01 * 10.0)) ** 2
    got = pf.swarm.logw - pf.swarm.shift
    np.testing.assert_allclose(got, expected - expected.max(), atol=1e-9)


@pytest.mark.parametrize("motion", [0.02, 0.2])  # few particles that move far, and many
def test_turned_sines_move_particles_as_sines_do(motion, readings, monkeypatch):
    swarms = []
    for turns in (True, False):
        if not turns:
            monkeypatch.setattr("biela.observe.particle.passing.turned", lambda move, angles: move)
        pf = Sir(MODEL, GYRO, 5000, Options(MOTION_STDDEV=motion), threshold=0.0, seed=4)
        pf.start(Prior())
        for y in readings[1][:3]:
            pf.step(y)
        swarms.append(pf.swarm)
    turned, computed = swarms
    count = np.isfinite(computed.logw)
    assert np.array_equal(np.isfinite(turned.logw), count)
    np.testing.assert_allclose(turned.x[:, count], computed.x[:, count], rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(turned.logw[count], computed.logw[count], rtol=1e-10, atol=1e-10)


def test_the_factor_of_the_sensor_may_change_in_mid_run():
    pf = Sir(MODEL, GYRO, 50, Options(MOTION_STDDEV=0.0), threshold=0.0, seed=2)
    pf.start(Prior())
    pf.step([0.4])
    before = pf.swarm.logw - pf.swarm.shift
    pf.options["SENSOR_STDDEV_MOD"] = 25.0
    pf.step([0.3])
    expected = before - 0.5 * ((0.3 - pf.swarm.x[2]) / 0.25) ** 2
    np.testing.assert_allclose(pf.swarm.logw - pf.swarm.shift, expected - expected.max(), atol=1e-9)


def test_options_are_five_copied_and_checked():
    given = Options(MOTION_STDDEV=0.5)
    pf = Sir(MODEL, GYRO, 10, given)
    given["MOTION_STDDEV"] = 0.1
    assert pf.options["MOTION_STDDEV"] == 0.5
    assert dict(Options()) == {
        "SIMULATION_TIME_STEP": 0.006, "SENSOR_STDDEV": 0.01, "SENSOR_STDDEV_MOD": 10.0,
        "MOTION_STDDEV": 0.02, "RESAMPLE_STDDEV": 0.02,
    }  # fmt: skip
    del given["MOTION_STDDEV"]
    assert given["MOTION_STDDEV"] == 0.02
    with pytest.raises(OptionError, match=r"'MOTION_STDEV'.*Did you mean MOTION_STDDEV"):
        given["MOTION_STDEV"]
    with pytest.raises(OptionError, match="SENSOR_STDDEV is positive; got 0"):
        given["SENSOR_STDDEV"] = 0


def test_motion_noise_has_its_deviation_at_the_angle_and_resampling_at_the_speed():
    pf = Sir(MODEL, GYRO, 40_000, Options(MOTION_STDDEV=0.03, RESAMPLE_STDDEV=0.05), seed=4)
    state = assemble(MODEL, input=2.0)
    pf.start(state)
    pf.step([np.nan])
    assert np.std(pf.swarm.x[0]) == pytest.approx(0.03, rel=0.02)
    assert np.std(pf.swarm.x[2]) < 1e-12
    pf.resample()
    assert np.std(pf.swarm.x[2]) == pytest.approx(0.05, rel=0.02)
    assert max(gaps(pf.swarm.x)) < 1e-8


def test_a_long_step_is_made_of_short_ones():
    long = Sir(MODEL, GYRO, 20, Options(MOTION_STDDEV=0.0, SIMULATION_TIME_STEP=0.3), seed=2)
    x = long.start(Prior()).x.copy()
    run = Simulation(MODEL, "multipliers", "rk4", dt=1e-3).batch(x[:2], x[2:], 0.3)
    long.step([np.nan])
    assert long.substeps == 30
    np.testing.assert_allclose(long.swarm.x[0], run["input"][-1], atol=1e-5)


# weights and resampling


def test_it_resamples_below_the_threshold_and_not_at_it():
    x = np.repeat(np.r_[assemble(MODEL, input=2.0).q, 0.0, 0.0][:, None], 4, axis=1)
    pf = Bootstrap(
        Process(MODEL, 6e-3, "rk4", independent=["input"], position=0.0, velocity=0.0), GYRO, 4, seed=1
    )
    for logw, times in ((np.log([1.0, 1.0, 1e-30, 1e-30]), 0), (np.log([1.0, 0.9, 1e-30, 1e-30]), 1)):
        pf.again(1)
        pf.start(x)
        pf.swarm.logw[:] = logw
        assert pf.step([np.nan]) <= 0.5 + 1e-12
        pf.threshold = 0.5
        assert pf.resamplings == times
    assert (pf.swarm.logw == 0.0).all()


def test_readings_of_several_sensors_weigh_by_their_full_covariance():
    R = np.array([[0.04, 0.01], [0.01, 0.09]])
    rig = [Accelerometer("floating_bar", covariance=tuple(map(tuple, R)), name="a"), *GYRO]
    quiet = Process(MODEL, 6e-3, "rk4", independent=["input"], position=0.0, velocity=0.0)
    pf = Bootstrap(quiet, rig, 30, threshold=0.0, seed=1)
    pf.start(Prior())
    y = np.array([1.0, 9.0, 0.2])
    pf.step(y)
    x = pf.swarm.x
    ideal = bl.Kernel(pf.instruments.function)
    have = {"q": np.ascontiguousarray(x[:2]), "dq": np.ascontiguousarray(x[2:]), "p": MODEL.p}
    h = ideal.batch(**{port.name: have[port.name] for port in ideal.function.inputs})
    whole = np.zeros((3, 3))
    whole[:2, :2], whole[2, 2] = R, 0.01
    r = y[:, None] - h
    expected = -0.5 * np.einsum("in,ij,jn->n", r, np.linalg.inv(whole), r)
    np.testing.assert_allclose(
        pf.swarm.logw - pf.swarm.shift, expected - expected.max(), rtol=1e-9, atol=1e-8
    )
    before = pf.swarm.logw - pf.swarm.shift
    pf.step([np.nan, np.nan, np.nan])
    np.testing.assert_allclose(pf.swarm.logw - pf.swarm.shift, before, atol=1e-12)


@pytest.mark.parametrize("name", RESAMPLERS)
def test_every_resampler_serves_a_filter(name, readings):
    record = made(Bootstrap, resampling=name, seed=1).run(readings[1][:30])
    assert record.notes["resamplings"] > 0


def test_impossible_particles_restart_from_the_prior_and_it_is_said():
    pf = made(Bootstrap, 100, seed=1)
    pf.start(Prior())
    pf.step([0.1])
    with pytest.warns(RuntimeWarning, match="no particle explains step 2"):
        assert pf.step([1e6]) == 1.0
    assert pf.restarts == 1
    assert (pf.swarm.logw == 0.0).all()
    assert (pf.swarm.x[2] == 0.0).all()
    pf.swarm.x[:] = np.nan
    with pytest.warns(RuntimeWarning, match="no particle explains step 3"):
        pf.step([0.1])
    assert pf.restarts == 2
    assert np.isfinite(pf.estimate().mean).all()


# starts


def test_an_unknown_start_is_anywhere_the_mechanism_closes_at_rest():
    pf = made(Bootstrap, 20_000, seed=1)
    x = pf.start(Prior()).x
    assert max(gaps(x)) < 1e-9
    assert (x[2:] == 0.0).all()
    counts, _ = np.histogram(x[0], 16, (0.0, TURN))
    assert counts.sum() == 20_000
    assert ((counts - 1250) ** 2 / 1250).sum() < 37.7  # chi-squared, 15 degrees of freedom, 0.1 %
    share = np.mean(side(x) > 0)
    assert 0.45 < share < 0.55
    assert pf.estimate().branch == pytest.approx(share, abs=1e-9) or pf.estimate().branch == pytest.approx(
        1.0 - share, abs=1e-9
    )


@pytest.mark.parametrize("branch", [1, -1])
def test_a_known_branch_and_boxes_restrict_the_start(branch):
    pf = made(Bootstrap, 2000, seed=1)
    x = pf.start(Prior({"input": (1.0, 1.5), "input'": (-2.0, -1.0)}, branch=branch)).x
    assert 1.0 <= x[0].min() < x[0].max() <= 1.5
    assert -2.0 <= x[2].min() < x[2].max() <= -1.0
    assert max(gaps(x)) < 1e-9
    assert len(set(side(x))) == 1
    assert pf.estimate().branch == (1.0 if branch > 0 else 0.0)


def test_a_start_about_a_state_has_its_deviations():
    pf = made(Bootstrap, 40_000, seed=1)
    x = pf.start(assemble(MODEL, input=2.0), [0.05, 0.3]).x
    assert np.mean(x[0]) == pytest.approx(2.0, abs=2e-3)
    assert np.std(x[0]) == pytest.approx(0.05, rel=0.02)
    assert np.std(x[2]) == pytest.approx(0.3, rel=0.02)
    assert max(gaps(x)) < 1e-8


def test_estimates_are_the_weighted_moments_on_the_circle():
    pf = made(Bootstrap, 300, seed=1)
    x = pf.start(Prior({"input": (-0.4, 0.5), "input'": (-1.0, 1.0)}, branch=1)).x
    pf.swarm.logw[:] = -np.random.default_rng(1).exponential(size=300)
    w, found = pf.swarm.weights, pf.estimate()
    assert found["input"] == pytest.approx(np.arctan2(w @ np.sin(x[0]), w @ np.cos(x[0])), abs=1e-12)
    assert found["input'"] == pytest.approx(w @ x[2], abs=1e-12)
    d = np.stack([(x[0] - found["input"] + np.pi) % TURN - np.pi, x[2] - found["input'"]])
    np.testing.assert_allclose(found.covariance, (w * d) @ d.T, rtol=1e-9)
    assert found.ess == pytest.approx(pf.swarm.ess)


def test_the_adaptive_filter_needs_fewer_when_it_knows(readings):
    pf = Adaptive(PROCESS, GYRO, 5000, seed=1)
    pf.start(Prior())
    for y in readings[1]:
        pf.step(y)
    assert 100 <= len(pf.swarm) < 1500


def test_an_unknown_branch_is_found_with_two_gyros_and_an_accelerometer():
    rig = [Gyro("input_bar", sigma=0.05), Gyro("floating_bar", sigma=0.05),
           Accelerometer("floating_bar", sigma=0.3, at=(1.5, 0, 0))]  # fmt: skip
    found = 0
    for seed, start in enumerate(branches(MODEL, input=1.0)):
        pf = Bootstrap(PROCESS, rig, 4000, seed=seed, spread={"input'": 0.05})
        truth = Simulation(MODEL, "multipliers", "rk4", dt=6e-3).run(start, 0.6)
        rng = np.random.default_rng(seed)
        y = truth.value(pf.instruments.function)[1:]
        y = y + rng.standard_normal(y.shape) * np.sqrt(np.diag(pf.instruments.covariance))
        pf.run(y, Prior())
        sides = side(pf.swarm.x)
        found += int(np.mean(sides == side(truth.q[-1])) > 0.99)
    assert found == 2


# other mechanisms


@pytest.mark.parametrize(
    ("name", "first", "box"),
    [
        ("car_axis", "yl", {"yl": (0.49, 0.51), "yr": (0.49, 0.51)}),  # its constraints move with time
        ("five_bar", "left_outer", {}),
        ("four_bar", "crank", {}),
        ("double_pendulum", "angle1", {}),
    ],
)
def test_other_mechanisms_are_followed_and_close(name, first, box):
    model = getattr(bl.mechanisms, name)().model()
    process = Process(model, 1e-3, "rk4", position=1e-4, velocity=1e-3)
    assert first in process.manifold.names
    start = assemble(model)
    truth = Simulation(model, dt=1e-3).run(start, 0.1)
    pf = Bootstrap(process, [Encoder(first, sigma=0.01)], 300, seed=1)
    deviations = np.repeat([1e-3], process.manifold.size)
    record = pf.run(truth[first][1:, None], start, deviations)
    assert np.abs(record[first] - truth[first]).max() < 2e-3
    for t, made in ((0.1, pf.swarm.x), (0.7, pf.start(Prior(box), t=0.7).x)):
        if not len(model.phi):
            continue
        kernel, n = bl.Kernel(model.functions["Phi"]), len(model.q)
        have = {"q": np.ascontiguousarray(made[:n]), "p": model.p, "t": t}
        gap = kernel.batch(**{port.name: have[port.name] for port in kernel.function.inputs})
        assert np.abs(gap).max() < 1e-8
    if model.time is not None:
        assert (pf.swarm.x[pf.transition.names.index("t")] == 0.7).all()


# wrong calls


def test_wrong_calls_are_told():
    with pytest.raises(ValueError, match="threshold is a share"):
        made(Bootstrap, threshold=1.5)
    with pytest.raises(ValueError, match="at least one particle"):
        made(Bootstrap, 0)
    with pytest.raises(ValueError, match="cannot shake 'floating'"):
        Bootstrap(PROCESS, GYRO, 10, spread={"floating": 0.1})
    with pytest.raises(ValueError, match="no input 'torque'"):
        Bootstrap(PROCESS, GYRO, 10, forces={"torque": 1.0})
    with pytest.raises(ValueError, match=r"no channel 'gyro\.coupler'"):
        RaoBlackwellised(PROCESS, GYRO, 10, biases={"gyro.coupler": 0.1})
    with pytest.raises(ValueError, match="bandwidth is a positive"):
        Regularised(PROCESS, GYRO, 10, bandwidth=0.0)
    pf = made(Bootstrap, 10)
    with pytest.raises(ValueError, match=r"number for each of \['gyro.input_bar'\]; got shape \(2,\)"):
        pf.step([0.1, 0.2])
    with pytest.raises(ValueError, match="not finite: a missing one is NaN"):
        pf.step([np.inf])
    with pytest.raises(ValueError, match=r"rows input, floating, input', floating'.*got shape \(3, 5\)"):
        pf.start(np.zeros((3, 5)))
    with pytest.raises(ValueError, match="'floating' depends on others"):
        pf.start(Prior({"floating": (0.0, 1.0)}))
    with pytest.raises(KeyError, match="no coordinate 'crank'"):
        pf.start(Prior({"crank": (0.0, 1.0)}))
    with pytest.raises(ValueError, match="interval for 'input'"):
        pf.start(Prior({"input": (1.0, 0.0)}))


def test_branches_of_particles_are_sides_of_the_linkage():
    """By geometry alone; which sign is which side is a matter of convention, the same for all."""
    observer = made(Bootstrap, seed=3)
    observer.start()
    told = observer.branches()
    assert set(told) == {1, -1}
    assert abs(np.mean(told * side(observer.swarm.x))) == 1.0


def test_a_picture_of_a_swarm_has_all_particles_and_all_weight():
    pytest.importorskip("matplotlib").use("Agg")
    observer = made(Bootstrap, seed=3)
    with pytest.raises(ValueError, match="no particles yet"):
        observer.plot()
    observer.start()
    left, right = observer.plot(assemble(MODEL, input=2.0)).axes
    clouds = [cloud.get_offsets() for cloud in left.collections]
    assert sum(map(len, clouds)) == 400
    assert sum(bar.get_height() for bar in right.patches) == pytest.approx(1.0)
    assert [left.get_xlabel(), left.get_ylabel()] == ["input [rad]", "input' [rad/s]"]
    turns = np.concatenate(clouds)[:, 0]
    assert np.ptp(turns) <= TURN
    assert np.allclose(np.sort(np.cos(turns)), np.sort(np.cos(observer.swarm.x[0])))
