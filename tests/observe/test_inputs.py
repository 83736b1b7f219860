"""Filters of models with inputs and with time, and filters side by side."""

import bench_linkage as rig
import numpy as np
import pytest

import biela as bl
from biela.observe import FILTERS, BatchSmoother, Encoder, ExtendedKalman, Process, RauchTungStriebel
from biela.simulate import Simulation, Table, assemble

DEG = rig.DEG


def test_inputs_that_change_with_time():
    torque = 0.5 * np.sin(np.arange(1500) * 0.01)[:, None]
    simulation = Simulation(rig.model(), "independent", "rk4", dt=rig.DT, independent=("crank",))
    times = np.arange(1501) * rig.DT
    held = Table(times, np.append(torque[:, 0], 0.0), "hold")
    truth = simulation.run(rig.guess(90.0), 1.5, u={"torque": held})
    observer = ExtendedKalman(rig.process("rk4"), rig.gyros())
    run = observer.run(np.full((1500, 2), np.nan), rig.guess(90.0), rig.SPREAD, u=torque)
    assert np.abs(run["crank"] - truth["crank"]).max() < 1e-9
    assert (
        np.abs(observer.run(rig.readings()[:1500], rig.guess(90.0), rig.SPREAD)["crank"] - run["crank"]).max()
        > 0.01
    )
    clean = truth.value(observer.instruments.function)[1:]
    for kind in (RauchTungStriebel, BatchSmoother):
        smooth = kind(observer).run(clean[:400], rig.guess(92.0), rig.SPREAD, u=torque[:400])
        assert np.abs(smooth["crank"] - truth["crank"][:401]).max() < 0.02 * DEG
    with pytest.raises(ValueError, match="not finite"):
        observer.run(np.zeros((2, 2)), rig.guess(), rig.SPREAD, u=[np.nan])


def shaken():
    """A pendulum whose pivot is shaken: its model depends on time."""
    s = bl.System("shaken")
    q = s.coordinate("q", 0.3, unit="rad")
    A = s.point("A", parent=s.origin, r=[0.05 * bl.sin(7.0 * s.time), 0, 0])
    rod = s.body("rod", mass=1.0, com=[0, -0.4, 0], inertia=[0, 0, 0.05])
    s.revolute(s.ground, rod, at=A, axis="z", coordinates=q)
    s.gravity([0, -9.81, 0])
    return s.model()


@pytest.mark.parametrize("key", list(FILTERS))
def test_models_that_depend_on_time(key):
    m = shaken()
    start = assemble(m)
    truth = Simulation(m, integrator="rk4", dt=2e-3).run(start, 1.0)
    process = Process(m, 2e-3, "rk4", position=1e-6, velocity=1e-5)
    observer = FILTERS[key](process, [Encoder("q", sigma=1e-3)])
    y = truth["q"][1:, None].copy()
    run = observer.run(y, start.changed(q=start.q + 0.05), [0.05, 0.05])
    assert abs(run["q"][-1] - truth["q"][-1]) < 1e-3
    later = truth.state(250)
    second = observer.run(y[250:], later, [1e-6, 1e-6])
    assert abs(second["q"][-1] - truth["q"][-1]) < 1e-5
    assert second.t[0] == later.t


def test_smoothing_a_model_that_depends_on_time():
    m = shaken()
    truth = Simulation(m, integrator="rk4", dt=2e-3).run(assemble(m), 1.0)
    process = Process(m, 2e-3, "rk4", position=1e-6, velocity=1e-5)
    observer = ExtendedKalman(process, [Encoder("q", sigma=1e-2)])
    y = truth["q"][1:, None] + 1e-2 * np.random.default_rng(2).standard_normal((500, 1))
    start = assemble(m).changed(q=np.array([0.35]))
    before, after = (
        observer.run(y, start, [0.05, 0.05]),
        RauchTungStriebel(observer).run(y, start, [0.05, 0.05]),
    )
    assert np.abs(after["q"] - truth["q"]).max() < 0.2 * np.abs(before["q"] - truth["q"]).max()


@pytest.mark.parametrize("key", list(FILTERS))
def test_a_lane_is_the_filter_alone(key):
    observer = FILTERS[key](rig.process(), rig.gyros())
    y = np.stack([rig.noisy(seed)[:200] for seed in (1, 2, 3)], axis=-1)
    starts = [
        assemble(rig.model(), crank=a * DEG, p={"g": g}) for a, g in ((90, 9.81), (95, 9.5), (100, 10.0))
    ]
    runs = observer.batch(y, starts, rig.SPREAD)
    for lane, start in enumerate(starts):
        alone = observer.run(y[:, :, lane], start, rig.SPREAD)
        assert np.abs(runs["crank"][:, lane] - alone["crank"]).max() < 1e-13
        assert np.abs(runs["sd(crank)"][:, lane] - alone["sd(crank)"]).max() < 1e-13


def test_a_thousand_filters_side_by_side():
    observer = ExtendedKalman(rig.process(), rig.gyros())
    rng = np.random.default_rng(1)
    y = np.stack([rig.readings()[:100]] * 1000, axis=-1)
    y = y + 0.5 * DEG * rng.standard_normal(y.shape)
    runs = observer.batch(y, rig.guess(), rig.SPREAD)
    assert runs["crank"].shape == (101, 1000)
    for lane in (0, 517, 999):
        alone = observer.run(y[:, :, lane], rig.guess(), rig.SPREAD)
        assert np.abs(runs["crank"][:, lane] - alone["crank"]).max() < 1e-13


@pytest.mark.parametrize("kind", [bl.ExtendedKalman, bl.Bootstrap])
def test_a_filter_wants_a_process(kind):
    with pytest.raises(TypeError, match=r"Process\(model, dt\); got a Model"):
        kind(bl.mechanisms.pendulum().model(), [bl.Gyro("bob", sigma=0.1)])


def test_what_is_handed_over_wrongly_is_told():
    model, gyro = rig.model(), rig.gyros()[0]
    start, process = rig.guess(90.0), rig.process("rk4")
    observer, simulation = ExtendedKalman(process, [gyro]), Simulation(model, dt=rig.DT)
    wrong = [
        (lambda: simulation.run({"crank": 1.0}, 1.0), r"A simulation begins at a State, .*; got a dict"),
        (lambda: observer.run(np.zeros((3, 1)), {"crank": 1.0}, [0.1, 0.1]), "A filter begins at a State"),
        (lambda: ExtendedKalman(process, gyro), r"list of sensors; got one Gyro: \[sensor\]"),
        (lambda: bl.Bench(model, [gyro]), "wants a Simulation of the truth; got a Model"),
    ]
    for call, told in wrong:
        with pytest.raises(TypeError, match=told):
            call()
    assert simulation.run(start, rig.DT).ok
    assert Process(model, independent="crank").manifold.names == ["crank", "crank'"]
