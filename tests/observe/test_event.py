"""Readings at times of their own: the estimates of fixed steps where they coincide, Kalman's where not."""

import bench_linkage as rig
import numpy as np
import pytest
import spring_cart as cart

import biela as bl
from biela.observe import (
    FILTERS,
    PARTICLE_FILTERS,
    Bench,
    Bootstrap,
    Encoder,
    ExtendedKalman,
    Gyro,
    Live,
    LiveParticles,
    Packet,
    Prior,
    Process,
    Reading,
    Sir,
    UnscentedKalman,
    events,
)
from biela.simulate import Simulation, assemble

MODEL = cart.model()
SENSORS = [Gyro("coupler", sigma=0.01, rate=100.0), Gyro("rocker", sigma=0.01, rate=50.0)]


def packets(duration=1.0):
    return Bench(Simulation(rig.model(), dt=rig.DT), SENSORS).packets(rig.truth(duration))


def linkage():
    return ExtendedKalman(rig.process("rk4"), SENSORS)


@pytest.mark.parametrize("key", list(FILTERS))
def test_events_on_the_ticks_give_the_estimates_of_fixed_steps(key):
    observer = FILTERS[key](cart.process(MODEL), cart.sensors())
    y = cart.readings(60)
    ticked = observer.run(y, cart.start(MODEL), cart.P0)
    evented = observer.run(y, cart.start(MODEL), cart.P0, times=cart.H * np.arange(1, 61))
    for name in ("x", "x'", "sd(x)", "nis"):
        assert np.array_equal(ticked[name], evented[name], equal_nan=True)


def test_packets_on_the_ticks_give_the_estimates_of_fixed_steps():
    observer = linkage()
    y = Bench(Simulation(rig.model(), dt=rig.DT), SENSORS).readings(rig.truth(1.0))
    found = events(packets()[::-1], observer.instruments, end=1.0)
    assert np.array_equal(found.readings, y, equal_nan=True)
    one = observer.run(y, rig.guess(), rig.SPREAD)
    other = observer.run(found.readings, rig.guess(), rig.SPREAD, times=found.times)
    assert np.array_equal(one["crank"], other["crank"])


@pytest.mark.parametrize("key", [k for k in FILTERS if k not in ("continuous", "error-state", "ensemble")])
def test_between_the_ticks_it_is_the_filter_of_the_textbook(key):
    rng = np.random.default_rng(5)
    times = np.cumsum(rng.uniform(0.1, 1.0, 80) * cart.H)
    y, process = cart.readings(80), cart.process(MODEL)
    observer = FILTERS[key](process, cart.sensors())
    run = observer.run(y, cart.start(MODEL), cart.P0, times=times)
    x, P, before = cart.START, cart.P0, 0.0
    for k, (t, row) in enumerate(zip(times, y, strict=True)):
        h, before = t - before, t
        F = sum((np.linalg.matrix_power(cart.A * h, i) / f for i, f in enumerate((1, 1, 2, 6, 24))), 0.0)
        x, P = F @ x, F @ P @ F.T + process.covariance * h / cart.H
        there = np.isfinite(row)
        H, R = cart.SLOPES[there], cart.R[np.ix_(there, there)]
        K = P @ H.T @ np.linalg.inv(H @ P @ H.T + R)
        x, P = x + K @ (row[there] - H @ x), (np.eye(2) - K @ H) @ P
        assert np.abs([run["x"][k + 1] - x[0], run["x'"][k + 1] - x[1]]).max() < 1e-10
        assert abs(run["sd(x)"][k + 1] - np.sqrt(P[0, 0])) < 1e-10
    assert np.abs(run.t[1:] - times).max() < 1e-12


@pytest.mark.parametrize("key", list(FILTERS))
def test_a_step_is_a_prediction_and_an_update(key):
    observer = FILTERS[key](cart.process(MODEL), cart.sensors())
    x, y = observer.start(cart.start(MODEL), cart.P0), cart.readings(1)[0]
    for h in (None, 0.3 * cart.H, 0.0):
        halves = observer.update(observer.predict(x, h), y)
        assert np.abs(halves - observer.step(x, y, h)).max() < 1e-14
    rows = observer.rows(y[None], cart.start(MODEL), cart.P0)
    assert np.array_equal(observer.step(x, y), rows[1])


def test_wrong_halves():
    observer = UnscentedKalman(cart.process(MODEL), cart.sensors(), redraw=False)
    x = observer.start(cart.start(MODEL), cart.P0)
    assert np.isfinite(observer.step(x, [0.1, 0.1, 0.1])).all()
    with pytest.raises(ValueError, match="without redraw a step is one"):
        observer.update(x, [0.1, 0.1, 0.1])
    with pytest.raises(ValueError, match="time of 0 or more"):
        observer.step(x, [0.1, 0.1, 0.1], -1.0)
    with pytest.raises(ValueError, match="a number for each"):
        observer.step(x, [0.1])


def spring():
    return Process(MODEL, cart.H, "rk4", position=0.01, velocity=0.05, acceleration=0.1)


PLACE = [Reading(lambda m: m.q[0], sigma=0.05, name="place")]


@pytest.mark.parametrize("key", [k for k in PARTICLE_FILTERS if k != "sir"])
def test_swarms_on_the_ticks_are_those_of_fixed_steps(key):
    more = {"biases": {"place": 0.1}} if key == "rao-blackwellised" else {}
    pf = PARTICLE_FILTERS[key](spring(), PLACE, 300, seed=3, **more)
    y = cart.readings(30)[:, :1]
    ticked = pf.run(y, cart.start(MODEL), cart.P0)
    evented = pf.run(y, cart.start(MODEL), cart.P0, times=cart.H * np.arange(1, 31))
    assert np.array_equal(ticked["x"], evented["x"])
    assert np.array_equal(ticked["ess"], evented["ess"])


def test_the_filter_of_the_source_driven_by_events():
    model = bl.mechanisms.four_bar_rod(as_simulated=True).model()
    gyro = Gyro("input_bar", sigma=0.01)
    truth, y = Bench(Simulation(model, "multipliers", "rk4", dt=6e-3), [gyro]).run(
        assemble(model, input=1.0), 1.02
    )
    pf = Sir(model, [gyro], 200, seed=1)
    loop = pf.run(y, Prior())
    sent = [
        Packet(float(t), float(t), gyro.label, (float(v),)) for t, v in zip(truth.t[1:], y[:, 0], strict=True)
    ]
    found = events(sent, pf.instruments)
    driven = pf.run(found.readings, Prior(), times=found.times)
    assert len(y) == 170
    assert np.array_equal(loop["input"], driven["input"])
    assert np.array_equal(loop["resampled"], driven["resampled"])
    shifted = pf.run(y[1::3], Prior(), times=truth.t[2::3])  # every third reading: three times the step
    assert len(shifted) == 58
    assert np.isfinite(shifted["input"]).all()


def test_swarms_between_the_ticks_tend_to_kalman():
    rng = np.random.default_rng(6)
    times = np.cumsum(rng.uniform(0.2, 3.0, 25) * cart.H)  # some longer than a step: made of parts
    y, process = cart.readings(25)[:, :1], spring()
    exact = ExtendedKalman(process, PLACE).run(y, cart.start(MODEL), cart.P0, times=times)
    pf = Bootstrap(process, PLACE, 40_000, seed=2)
    run = pf.run(y, cart.start(MODEL), cart.P0, times=times)
    assert np.abs((run["x"] - exact["x"]) / exact["sd(x)"]).max() < 0.06
    assert np.abs(run["sd(x)"] / exact["sd(x)"] - 1.0).max() < 0.05


def off_ticks():
    return [p._replace(taken=p.taken - 0.00037 * (k % 3)) for k, p in enumerate(packets())]


def test_live_takes_readings_at_their_own_times():
    observer = linkage()
    found = events(off_ticks(), observer.instruments)
    offline = observer.run(found.readings, rig.guess(), rig.SPREAD, times=found.times)
    live = Live(observer, rig.guess(), rig.SPREAD, exact=True)
    rng = np.random.default_rng(1)
    live.run(sorted(off_ticks(), key=lambda p: p.taken + rng.uniform(0.0, 0.1)))
    assert live.report.late == live.report.duplicated == 0
    assert live.report.reruns > 20
    assert abs(live.state["crank"] - offline["crank"][-1]) < 1e-12
    assert np.abs(live.record().t - offline.t).max() < 1e-12
    near = Live(observer, rig.guess(), rig.SPREAD)
    near.run(off_ticks())
    assert near.state["crank"] != live.state["crank"]


def swarm():
    return Bootstrap(spring(), [*PLACE, Encoder("x", sigma=0.1)], 500, seed=4)


def sent():
    rng = np.random.default_rng(7)
    made = [Packet(0.01 * k, 0.01 * k, "place", (rng.normal(0.0, 0.1),)) for k in range(1, 30)]
    return made + [Packet(0.02 * k, 0.02 * k, "encoder.x", (rng.normal(0.0, 0.1),)) for k in range(1, 15)]


def fed(order, **options):
    pf = swarm()
    pf.start(cart.start(MODEL), cart.P0)
    live = LiveParticles(pf, **options)
    record = live.run(order)
    return live, record


def test_a_swarm_fed_live_takes_packets_in_their_order():
    ordered = sorted(sent(), key=lambda p: p.taken)
    live, record = fed(ordered)
    assert live.report.packets == len(ordered)
    assert live.report.late == live.report.refused == live.report.duplicated == 0
    assert len(record) == 30
    assert abs(live.t - 0.29) < 1e-12
    assert live.estimate["x"] == record["x"][-1]
    rng = np.random.default_rng(8)
    shuffled = sorted(ordered, key=lambda p: p.taken + rng.uniform(0.0, 0.04))
    again, other = fed(shuffled, wait=0.05)
    assert again.report.late == 0
    exact = ExtendedKalman(spring(), swarm().instruments.sensors)
    found = events(ordered, exact.instruments)
    kalman = exact.run(found.readings, cart.start(MODEL), cart.P0, times=found.times)
    for run in (record, other):
        assert abs(run["x"][-1] - kalman["x"][-1]) < 0.3 * kalman["sd(x)"][-1]


def test_a_swarm_counts_what_it_cannot_take():
    good = Packet(0.1, 0.1, "place", (0.0,))
    bad = [
        Packet(0.2, 0.2, "wheel", (0.0,)),
        Packet(0.2, 0.2, "place", (np.nan,)),
        Packet(1e9, 0, "place", (0.0,)),
    ]
    live, _ = fed([good, good, *bad, Packet(0.05, 0.2, "place", (0.0,)), Packet(-1.0, 0.2, "place", (0.0,))])
    report = live.report
    assert (report.duplicated, report.refused, report.late) == (1, 3, 2)
    assert len(report.latencies) == 7
    with pytest.raises(ValueError, match="time to wait"):
        LiveParticles(swarm(), wait=-1.0)


def test_wrong_events():
    instruments = linkage().instruments
    good = packets()[0]
    for packet, told in [
        (good._replace(sensor="wheel"), "no sensor 'wheel'"),
        (good._replace(values=(1.0, 2.0)), "has 1 channels; got 2"),
        (good._replace(values=(np.nan,)), "not finite"),
        (good._replace(taken=0.0), "not after the start"),
    ]:
        with pytest.raises(ValueError, match=told):
            events([packet], instruments)
    once, twice = events([good], instruments), events([good, good._replace(values=(9.0,))], instruments)
    assert np.array_equal(once.readings, twice.readings, equal_nan=True)
    assert len(events([], instruments).times) == 0
    observer = linkage()
    for times, told in [([0.1], "a time for each of the 2 rows"), ([0.2, 0.1], "row 1 is at t=0.1")]:
        with pytest.raises(ValueError, match=told):
            observer.run(np.full((2, 2), np.nan), rig.guess(), rig.SPREAD, times=times)
