"""What live pages show beside simulations: filters, rides of platforms, matches; driven without a browser."""

import warnings

import numpy as np
import pytest

import biela as bl
from biela.arena import sumo
from biela.cueing import Channel, ClassicalWashout, Hexapod, Ride, Simulator
from biela.observe import Bench, Bootstrap, ExtendedKalman, Gyro, Prior, Process
from biela.simulate import Simulation, assemble
from biela.view.live_page.match import DRIVE
from biela.view.live_page.registry import SOURCES, source_of
from biela.view.live_page.ride import GRAVITY
from biela.view.live_page.source import Grip

FRAME = 1 / 60


def fits(source):
    """Places, turns and numbers are as many as the page was told."""
    for actor, (places, turns) in zip(source.actors, source.parts(), strict=True):
        assert places.shape == (actor.lanes, actor.points, 3)
        assert turns.shape == (actor.lanes, actor.bases, 4)
        assert np.allclose(np.linalg.norm(turns, axis=-1), 1.0, atol=1e-6)
    return len(source.values()) == sum(len(column.actors) for column in source.columns)


def go(source, seconds):
    for _ in range(round(seconds / FRAME)):
        source.advance(FRAME)


def value(source, name, actor=0):
    """A number of a curve."""
    keys = [(c.name, k) for c in source.columns for k in c.actors]
    return source.values()[keys.index((name, actor))]


# filters


@pytest.fixture(scope="module")
def rig():
    model = bl.mechanisms.four_bar().model()
    gyros = [Gyro(body, sigma=bl.deg(0.5), rate=100) for body in ("coupler", "rocker")]
    return model, Bench(Simulation(model, dt=1e-3), gyros), assemble(model, crank=bl.deg(90)), gyros


def kalman(rig, off=20.0):
    model, bench, start, gyros = rig
    process = Process(model, 1e-3, "rk4", independent=["crank"], position=1e-6, velocity=1e-4)
    guess = assemble(model, crank=bl.deg(90 - off))
    return source_of(
        ExtendedKalman(process, gyros), bench=bench, start=start, guess=guess, P=[bl.deg(off), 0.01]
    )


def test_a_filter_finds_the_truth_and_without_readings_it_only_predicts(rig):
    source = kalman(rig)
    assert fits(source)
    assert [actor.name for actor in source.actors] == ["truth", "estimate"]
    off = abs(value(source, "crank", 0) - value(source, "crank", 1))
    assert off == pytest.approx(bl.deg(20), rel=1e-6)
    before = value(source, "sd(crank)", 1)
    source.change("filter", 0.0)
    go(source, 0.5)
    assert value(source, "sd(crank)", 1) > 0.9 * before
    source.change("filter", 1.0)
    go(source, 1.5)
    assert value(source, "sd(crank)", 1) < 0.1 * before
    assert abs(value(source, "crank", 0) - value(source, "crank", 1)) < 0.1 * off


def test_the_readings_are_those_of_the_bench(rig):
    """Without noise a filter that starts at the truth stays there, to the difference of two integrations."""
    source = kalman(rig, off=1e-9)
    source.change("noise", 0.0)
    go(source, 1.0)
    assert abs(value(source, "crank", 0) - value(source, "crank", 1)) < 1e-5
    source.change("noise", 20.0)
    go(source, 1.0)
    assert abs(value(source, "crank", 0) - value(source, "crank", 1)) > 1e-4


def test_sensors_of_a_rate_read_so_often(rig):
    source = kalman(rig)
    y = source._read(source.truth.course(1000, 1))
    assert np.isfinite(y).sum(axis=0).tolist() == [100, 100]
    source.change("gyro.rocker", 0.0)
    assert np.isfinite(source._read(source.truth.course(1000, 1))).sum(axis=0).tolist() == [100, 0]


def test_particles_from_anywhere_gather_and_a_push_of_the_truth_does_not_lose_them(rig):
    model, bench, start, gyros = rig
    process = Process(model, 1e-2, "rk4", independent=["crank"], position=2e-4, velocity=4e-3)
    source = source_of(Bootstrap(process, gyros, 1000, seed=1), bench=bench, start=start, guess=Prior())
    assert fits(source)
    assert source.actors[2].lanes == 60
    assert ["trace" in [s["kind"] for s in actor.shapes] for actor in source.actors] == [True, False, False]
    places = source.parts()[2][0]
    scattered = np.ptp(places, axis=0).max()
    go(source, 2.0)
    assert np.ptp(source.parts()[2][0], axis=0).max() < 0.3 * scattered
    bar = next(s for s in source.actors[0].shapes if s["kind"] == "bar")
    a, b = bar["places"][:2]
    source.grab(Grip(0, 0, a, b, -1, source.parts()[0][0][0, b]))
    source.drag(source.held()[:3] + np.array([0.05, 0.05, 0.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a push is what no particle expects
        go(source, 0.5)
    assert source.held() is not None
    source.release()
    source.reset()
    assert source.t == 0.0
    assert np.allclose(source.parts()[2][0], places)  # the seed decides


def test_a_filter_whose_steps_do_not_fit_is_refused(rig):
    model, bench, start, gyros = rig
    process = Process(model, 1.5e-3, independent=["crank"])
    with pytest.raises(ValueError, match="no whole number of the bench's"):
        source_of(ExtendedKalman(process, gyros), bench=bench, start=start)
    process = Process(model, 1e-3, independent=["crank"])
    with pytest.raises(ValueError, match="The bench has channels"):
        source_of(ExtendedKalman(process, gyros[:1]), bench=bench, start=start)


# platforms


@pytest.fixture
def ride():
    platform = Hexapod()
    rig = Simulator(platform, tuple(Channel() for _ in platform.dofs))
    return Ride.on(rig, ClassicalWashout.preset("delft"))


def test_a_recorded_drive_is_that_of_the_ride(ride):
    source = source_of(ride, vehicle="slalom")
    assert fits(source)
    for _ in range(300):
        source.advance(source.dt)
    run = ride.run(source._rows["slalom"][:300])
    assert source.pose == pytest.approx([run[name][-1] for name in ride.simulator.platform.dofs], abs=1e-12)
    assert source.t == pytest.approx(6.0)


def test_the_platform_is_drawn_where_it_is(ride):
    source = source_of(ride, vehicle="slalom")
    go(source, 5.0)
    pose, figure = source.pose, source.figure
    source.parts()
    state = figure.start.changed(q=figure.q)
    assert np.abs(state.value("Phi")).max() < 1e-8
    rest = figure.start
    moved = [state[name] - rest[name] for name in ("x", "y", "z", "roll", "pitch", "yaw")]
    assert moved == pytest.approx(pose, abs=1e-12)
    assert np.abs(pose).max() > 0.01


def test_keys_drive_and_settings_change_on_the_way(ride):
    source = source_of(ride)
    source.drive(1.0, 0.0)
    go(source, 3.0)
    assert source.speed > 3.0
    assert value(source, "ahead") > 1.0
    first = value(source, "ahead felt")
    assert 0.0 < first < value(source, "ahead")
    source.change("surge.gain", 0.0)
    go(source, 3.0)
    assert abs(value(source, "ahead felt")) < 0.3 * first
    with pytest.raises(ValueError, match=r"surge\.omega"):
        source.change("surge.omega", 1e6)
    go(source, 0.1)
    assert source.row[2] == GRAVITY
    source.reset()
    assert (source.t, source.speed) == (0.0, 0.0)


def test_every_finite_number_of_the_washout_is_a_slider(ride):
    source = source_of(ride)
    values = ride.washout.values
    shown = {c.name for c in source.controls if c.group.startswith("washout")}
    assert shown == {n for n, v in values.items() if np.isfinite(v)} - ride.washout.idle()


# matches


@pytest.fixture
def bout():
    return source_of(sumo(seed=1), again=lambda: sumo(seed=1))


def test_a_match_goes_on_as_it_would_without_a_page(bout):
    assert fits(bout)
    go(bout, 1.0)
    other = sumo(seed=1)
    while other.kernel.iteration < bout.kernel.iteration:
        other.kernel.iterate()
    assert other.kernel.digest() == bout.kernel.digest()
    assert bout.told.startswith("0 : 0, ")


def test_robots_are_placed(bout):
    place = 1 + bout.pitch.moving.index(("left", "shell"))
    at = bout.parts()[0][0][0, place]
    bout.grab(Grip(0, 0, place, -1, place, at))
    there = at + np.array([0.05, 0.1, 0.0])
    bout.drag(there)
    assert bout.parts()[0][0][0, place] == pytest.approx(there, abs=1e-9)
    bout.release()
    bout.drag(at)
    assert bout.parts()[0][0][0, place] == pytest.approx(there, abs=1e-9)
    bout.grab(Grip(0, 0, 0, -1, 0, np.zeros(3)))  # the ring
    assert bout.held() is None


def test_keys_drive_one_robot(bout):
    names = next(c for c in bout.controls if c.name == DRIVE).choices
    bout.change(DRIVE, float(names.index("left")))
    bout.drive(0.0, 1.0)
    go(bout, 6.0)
    spin = bout.kernel.broadcast().entities["left"].spin[2]
    assert spin > 1.0  # it turns to the left, whatever its strategy wants


def test_a_match_begins_again_where_it_can(bout):
    go(bout, 0.5)
    bout.reset()
    assert bout.t == 0.0
    with pytest.raises(ValueError, match="again="):
        source_of(sumo(seed=1)).reset()


def test_every_row_of_the_registry_is_there():
    from importlib import import_module

    for kind, source in SOURCES.items():
        for home in (kind, source):
            module, _, name = home.rpartition(".")
            assert hasattr(import_module(module), name)
