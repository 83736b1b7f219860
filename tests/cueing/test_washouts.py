"""Laws of all washouts, over their registry: rest, lanes, rides, numbers that are explained, bad input."""

import pickle

import numpy as np
import pytest

from biela.cueing import PLATFORMS, WASHOUTS, Channel, Ride, Simulator, drive, tune

G = 9.80665
PRESETS = [(kind, name) for kind, washout in WASHOUTS.items() for name in washout.presets]


def motion(count, **columns):
    """Rows at rest, but for some columns."""
    names = ("fx", "fy", "fz", "p", "q", "r")
    rows = np.zeros((count, 6))
    rows[:, 2] = G
    for name, values in columns.items():
        rows[:, names.index(name)] = values
    return rows


def first(kind, **options):
    """A washout with its first preset; a predictive one looks less far ahead."""
    washout = WASHOUTS[kind]
    short = {"stages": 3, "length": 0.6, "iterations": 1} if kind == "predictive" else {}
    return washout.preset(next(iter(washout.presets)), **short, **options)


@pytest.mark.parametrize(("kind", "name"), PRESETS)
def test_rest_stays_at_rest(kind, name):
    washout = first(kind).changed(WASHOUTS[kind].presets[name].values)
    assert not washout.run(motion(200)).any()


@pytest.mark.parametrize("kind", WASHOUTS)
def test_a_washout_has_the_name_of_its_registry(kind):
    assert WASHOUTS[kind].kind == kind
    assert WASHOUTS[kind].presets


@pytest.mark.parametrize(("kind", "name"), PRESETS)
def test_every_number_has_a_unit_a_range_and_words(kind, name):
    washout = WASHOUTS[kind].preset(name)
    told = washout.explanations().splitlines()
    assert len(told) == len(washout.tunables) == len(washout.names)
    for line, (key, tunable) in zip(told, washout.tunables.items(), strict=True):
        assert line.startswith(key)
        assert line.endswith(tunable.told)
        assert tunable.told.startswith("Raise it")
        assert tunable.unit in line
        low, high = tunable.usual
        assert low < high
        for value in (low or 1e-3, high):
            tunable.check(key, value, 0.02)


@pytest.mark.parametrize("kind", WASHOUTS)
def test_axes_that_a_platform_lacks_are_left_out(kind):
    for dofs in {platform().dofs for platform in PLATFORMS.values()} | {("surge",), ("yaw", "sway")}:
        washout = first(kind, axes=dofs)
        pose = washout.run(drive.town(4.0))
        assert pose.shape == (200, len(dofs))
        assert np.isfinite(pose).all()
        assert np.ptp(pose, axis=0).min() > 0.0


@pytest.mark.parametrize("kind", WASHOUTS)
def test_lanes_are_runs(kind):
    washout = first(kind, axes=("surge", "roll", "pitch"))
    rows = drive.town(6.0)
    gains = np.array([0.1, 0.5, 1.0])
    many = washout.run(rows, washout.settings({"sway.gain": gains, "pitch.gain": gains[::-1]}))
    for k in range(3):
        alone = washout.changed({"sway.gain": gains[k], "pitch.gain": gains[2 - k]}).run(rows)
        assert many[:, :, k] == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("kind", WASHOUTS)
def test_a_ride_is_its_parts(kind):
    simulator = Simulator.source_002()
    ride = Ride.on(simulator, first(kind))
    rows = drive.slalom(8.0, period=2.0)[: 6 * 50]
    run = ride.run(rows)
    pitch, roll = ride.washout.run(rows).T
    parts = simulator.run({"pitch": -pitch, "roll": roll})
    for name in parts:
        assert run[name] == pytest.approx(parts[name], abs=1e-12)
    settings = ride.settings({"sway.gain": [0.2, 0.7]})
    told = ride.batch(rows, settings)["force"]
    alone = [
        Ride(ride.washout.changed({"sway.gain": gain}), simulator).endure(rows, 1)["force"]
        for gain in (0.2, 0.7)
    ]
    assert told == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("kind", WASHOUTS)
def test_a_hexapod_can_be_ridden(kind):
    ride = Ride.on(Simulator(PLATFORMS["hexapod"](), (Channel(),) * 6), first(kind))
    run = ride.run(drive.town(5.0))
    assert run.ok
    assert all(np.ptp(run[axis]) > 0.0 for axis in ("surge", "sway", "heave", "roll", "pitch", "yaw"))


@pytest.mark.parametrize("kind", WASHOUTS)
def test_what_is_washed_out_need_not_swing_through_the_middle(kind):
    """The vehicle yaws to the left and stays there; the platform comes back and stops at the middle."""
    rows = motion(1500, r=np.where(np.arange(1500) < 100, 0.2, 0.0))
    free = first(kind, axes=("yaw",))
    held = free.changed({"yaw.centre": 0.01}).run(rows)[:, 0]
    assert held.min() >= 0.0
    assert held.max() > 0.5 * free.run(rows).max() > 0.0
    pushed = np.diff(held[150:], 2) / 0.02**2
    assert np.abs(pushed).max() < 0.1  # rad/s2: it arrives without a jolt
    mirrored = free.changed({"yaw.centre": 0.01}).run(motion(1500, r=-rows[:, 5]))[:, 0]
    assert mirrored == pytest.approx(-held, abs=1e-12)


@pytest.mark.parametrize("kind", WASHOUTS)
def test_the_tuner_takes_it(kind):
    ride = Ride.on(Simulator.source_002(), first(kind))
    rows = drive.town(10.0)
    found = tune(ride, rows, ["sway.gain", "surge.gain"], size=8, budget=24)
    assert found.cost < found.before
    assert isinstance(found.ride.washout, WASHOUTS[kind])
    again = pickle.loads(pickle.dumps(found.ride))
    assert np.array_equal(again.washout.run(rows), found.ride.washout.run(rows))


@pytest.mark.parametrize("kind", WASHOUTS)
def test_jumps_of_any_size_leave_a_finite_pose(kind):
    washout = first(kind)
    rows = motion(300)
    rows[50:60] = 1e9
    rows[70] = -1e9
    assert np.isfinite(washout.run(rows)).all()


@pytest.mark.parametrize("kind", WASHOUTS)
@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda w: w.run(np.full((3, 6), np.nan)), "not finite in row 0"),
        (lambda w: w.run(np.full((3, 6), np.inf)), "not finite in row 0"),
        (lambda w: w.run(np.zeros((3, 5))), r"got shape \(3, 5\)"),
        (lambda w: w.changed({"surge.gian": 1.0}), r"Did you mean 'surge\.gain'"),
        (lambda w: w.changed({"surge.gain": np.nan}), r"surge\.gain is nan; it must be a finite"),
        (lambda w: w.changed({"surge.limit": -1.0}), r"surge\.limit is -1\.0; it must be positive"),
        (lambda w: w.changed({"surge.begin": 4.0}), r"surge\.begin is 4\.0; it must be at most 3"),
        (lambda w: w.changed(axes=("warp",)), "Unknown axis 'warp'"),
        (lambda w: w.changed(dt=-0.1), "dt is a positive number"),
        (lambda w: type(w).preset("no such"), "Unknown preset 'no such'"),
        (lambda w: w.settings({"surge.gain": [0.1, np.nan]}), "must be a finite number"),
        (lambda w: w.settings({"surge.gain": [0.1, 0.2], "sway.gain": [1.0]}), "different lengths"),
        (lambda w: w.settings({"surge.gain": []}), "different lengths, or none"),
        (lambda w: w.settings({"surge.centre": [0.1]}), "left out of the sample"),
    ],
)
def test_wrong_washouts(kind, ask, told):
    with pytest.raises(ValueError, match=told):
        ask(first(kind))
