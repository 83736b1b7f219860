"""The simulated rig: every fault of a sensor by itself, and the protocol of three simulations."""

import bench_linkage as rig
import numpy as np
import pytest

import biela as bl
from biela.observe import (
    Bench,
    Encoder,
    ErrorStateKalman,
    ExtendedKalman,
    Gyro,
    Process,
    Reading,
    rmse,
    three_simulations,
)
from biela.simulate import Simulation, assemble

DEG = rig.DEG


def bench(*sensors, simulation=None):
    return Bench(simulation or Simulation(rig.model(), dt=rig.DT), sensors)


def faults(**options):
    """What is added to a perfect encoder."""
    b = bench(Encoder("crank", **options))
    return b.readings(rig.truth(), 7)[:, 0] - rig.truth()["crank"][1:]


def test_perfect_sensors_read_the_truth():
    assert np.abs(faults()).max() == 0.0


def test_white_noise_has_its_deviation():
    found = faults(sigma=0.01)
    assert abs(found.std() / 0.01 - 1.0) < 0.05
    assert abs(found.mean()) < 5e-4
    assert abs(np.corrcoef(found[1:], found[:-1])[0, 1]) < 0.05


def test_full_covariance():
    pair = Reading(lambda m: [m.q[0], m.q[1]], covariance=((4e-4, 3e-4), (3e-4, 9e-4)))
    b = bench(pair)
    noise = b.readings(rig.truth()) - b.ideal(rig.truth())[1:]
    assert np.abs(np.cov(noise.T) / [[4e-4, 3e-4], [3e-4, 9e-4]] - 1.0).max() < 0.1


def test_bias_walks():
    assert np.abs(faults(bias=0.2) - 0.2).max() < 1e-15
    found = faults(walk=0.1)
    steps = np.diff(found)
    assert abs(steps.std() / (0.1 * np.sqrt(rig.DT)) - 1.0) < 0.05


def test_quantisation_counts():
    step = 2 * np.pi / 1024
    y = bench(Encoder("crank", resolution=step)).readings(rig.truth())[:, 0]
    assert np.abs(y / step - np.round(y / step)).max() < 1e-9
    assert np.abs(y - rig.truth()["crank"][1:]).max() <= step / 2 + 1e-12


def test_an_incremental_encoder_counts_from_where_it_was_switched_on():
    step = 2 * np.pi / 1024
    sensor = Encoder("crank", incremental=True, resolution=step, sigma=step / 2)
    y = bench(sensor).readings(rig.truth())
    crank = rig.truth()["crank"]
    assert np.abs(y[:, 0] - (crank[1:] - crank[0])).max() < 5 * step
    with pytest.raises(ValueError, match="counts from where it was switched on: estimate its bias"):
        ExtendedKalman(rig.process(), [sensor]).run(y, rig.guess(), rig.SPREAD)
    both = bench(sensor, *rig.gyros(rate=100.0)).readings(rig.truth())
    observer = ErrorStateKalman(
        rig.process("rk4", position=1e-6, velocity=1e-4), [sensor, *rig.gyros(rate=100.0)], jacobian="exact",
        biases=["encoder.crank"],
    )  # fmt: skip
    run = observer.run(both, rig.guess(93.0), [*rig.SPREAD, 2.0])
    assert abs(run["bias(encoder.crank)"][-1] + np.pi / 2) < 0.3 * DEG
    assert rmse(rig.truth(), run, "crank", begin=1.0) < 0.3 * DEG


def test_delay():
    y = bench(Encoder("crank", delay=0.025)).readings(rig.truth())[:, 0]
    crank = rig.truth()["crank"]
    assert np.array_equal(y[25:], crank[1:-25])
    assert (y[:24] == crank[0]).all()


def test_dropout_takes_whole_readings():
    pair = Reading(lambda m: [m.q[0], m.q[1]], dropout=0.3)
    lost = np.isnan(bench(pair).readings(rig.truth()))
    assert np.array_equal(lost[:, 0], lost[:, 1])
    assert abs(lost[:, 0].mean() - 0.3) < 0.03


@pytest.mark.parametrize("rate", [1000.0, 100.0, 40.0, 30.0])
def test_every_sensor_has_its_own_rate(rate):
    there = np.isfinite(bench(Encoder("crank", rate=rate)).readings(rig.truth())[:, 0])
    assert there.sum() == round(5.0 * rate)
    gaps = np.diff(np.flatnonzero(there))
    assert gaps.max() - gaps.min() <= 1
    assert there[-1]


def test_rates_above_the_clock_are_refused():
    with pytest.raises(ValueError, match="at most once a step, 1000 Hz"):
        bench(Encoder("crank", rate=2000.0)).readings(rig.truth())


def test_limits_saturate_and_a_filter_leaves_those_readings_out():
    sensor = Gyro("coupler", sigma=1e-3, limits=(-0.5, 0.5))
    y = bench(sensor).readings(rig.truth())
    assert np.nanmax(np.abs(y)) == 0.5
    process = rig.process()
    held = ExtendedKalman(process, [sensor]).run(y, rig.guess(), rig.SPREAD)
    y[np.abs(y) >= 0.5] = np.nan
    free = ExtendedKalman(process, [Gyro("coupler", sigma=1e-3)]).run(y, rig.guess(), rig.SPREAD)
    assert np.array_equal(held["crank"], free["crank"])


def test_same_seed_same_readings_and_sensors_do_not_disturb_each_other():
    one, other = Encoder("crank", sigma=0.01), Gyro("rocker", sigma=0.01)
    a, b = bench(one).readings(rig.truth(), 3), bench(one, other).readings(rig.truth(), 3)
    assert np.array_equal(a[:, 0], b[:, 0])
    assert not np.array_equal(a, bench(one).readings(rig.truth(), 4))
    lanes = bench(one).readings(rig.truth(), range(3, 6))
    assert np.array_equal(lanes[:, :, 0], a)
    assert lanes.shape == (5000, 1, 3)


def test_packets_arrive_in_order_with_the_times_they_were_taken():
    b = bench(Encoder("crank", rate=50.0, delay=0.03), Gyro("rocker", rate=100.0))
    packets = b.packets(rig.truth())
    assert [p.arrived for p in packets] == sorted(p.arrived for p in packets)
    late = [p for p in packets if p.sensor == "encoder.crank"]
    assert max(abs(p.arrived - p.taken - 0.03) for p in late) < 1e-12
    assert len(packets) == 250 + 500
    crank = rig.truth()["crank"]
    assert all(p.values[0] == crank[round(p.taken / rig.DT)] for p in late if p.taken > 0.0)


ERRORS = {
    "gravity": {"g": 10.31},
    "coupler": {"l2": 0.545},
    "mass": {"m2": 0.8},
}


@pytest.mark.parametrize("name", list(ERRORS))
def test_observer_beats_its_own_wrong_model(name):
    m = rig.model()
    b = bench(*rig.gyros(rate=100.0))
    observer = ExtendedKalman(rig.process("rk4", velocity=0.02), rig.gyros(rate=100.0))
    wrong = assemble(m, crank=95 * DEG, p=ERRORS[name])
    three = three_simulations(b, observer, assemble(m, crank=np.pi / 2), wrong, rig.SPREAD, 3.0)
    alone, seen = (rmse(three.truth, run, "crank") for run in (three.model, three.estimate))
    assert seen < alone / 4.0


def test_friction_that_the_observer_does_not_know():
    s = bl.mechanisms.four_bar()
    s.torsion_spring("crank", 0.0, damping=0.05)
    rough = Simulation(s.model(), dt=rig.DT)
    b = bench(*rig.gyros(rate=100.0), simulation=rough)
    observer = ExtendedKalman(rig.process("rk4", velocity=0.02), rig.gyros(rate=100.0))
    three = three_simulations(
        b, observer, assemble(rough.model, crank=np.pi / 2), rig.guess(90), rig.SPREAD, 3.0
    )
    assert rmse(three.truth, three.estimate, "crank") < rmse(three.truth, three.model, "crank") / 10.0


def test_bench_and_observer_must_agree():
    observer = ExtendedKalman(rig.process(), rig.gyros())
    with pytest.raises(ValueError, match=r"steps by 0\.002 s, the observer by 0\.001"):
        three_simulations(bench(*rig.gyros(), simulation=Simulation(rig.model(), dt=2e-3)), observer,
                          rig.guess(), rig.guess(), rig.SPREAD, 1.0)  # fmt: skip
    with pytest.raises(ValueError, match="has channels"):
        three_simulations(bench(rig.gyros()[0]), observer, rig.guess(), rig.guess(), rig.SPREAD, 1.0)


def test_sensors_of_another_model():
    with pytest.raises(ValueError, match="has no body 'wheel'"):
        Bench(Simulation(rig.model()), [Gyro("wheel", sigma=1.0)])
    other = bl.mechanisms.four_bar().model()
    observer = ExtendedKalman(Process(other, rig.DT, independent=["crank"]), rig.gyros())
    with pytest.raises(ValueError, match="state of model 'four_bar', and the filter is of another"):
        observer.run(rig.readings(), rig.guess(), rig.SPREAD)
