"""The loop: one native sample is washout, then combination, then channels."""

import numpy as np
import pytest

from biela.cueing import Channel, ClassicalWashout, Hexapod, Ride, Simulator, drive


def ride(preset="lively", **values):
    return Ride.on(Simulator.source_002(), ClassicalWashout.preset(preset).changed(values))


def test_a_ride_is_its_parts_one_after_the_other():
    whole = ride()
    rows = drive.town(20.0)
    run = whole.run(rows)
    pitch, roll = whole.washout.run(rows).T
    parts = whole.simulator.run({"pitch": -pitch, "roll": roll})  # the platform counts nose up as positive
    for name in parts:
        assert run[name] == pytest.approx(parts[name], abs=1e-13)
    assert run.notes == parts.notes


def test_accelerating_ahead_tilts_the_nose_up():
    rows = np.tile([2.0, 0.0, 9.80665, 0, 0, 0], (500, 1))
    run = ride().run(rows)
    assert run["pitch"][-1] == pytest.approx(np.arcsin(2.0 / 9.80665), abs=1e-3)


def test_a_batch_of_settings_is_one_after_the_other():
    whole = ride("delft")
    rows = drive.slalom(20.0)
    rates, gains = np.linspace(0.02, 0.4, 11), np.linspace(0.2, 1.0, 11)
    many = whole.batch(rows, whole.settings({"tilt.rate": rates, "sway.gain": gains}))
    for k in (0, 5, 10):
        alone = ride("delft", **{"tilt.rate": rates[k], "sway.gain": gains[k]}).endure(rows, 1)
        for name, value in alone.items():
            assert many[name][k] == pytest.approx(value, abs=1e-13)


def test_tallies_are_those_of_the_record():
    whole = ride()
    rows = drive.town(30.0)
    run, told = whole.run(rows), whole.endure(rows, 1)
    errors = sum((run[dof] - run[f"{dof}.demand"]) ** 2 for dof in ("pitch", "roll"))
    assert told["pose"] == pytest.approx(np.sqrt(errors.mean()))
    assert told["clipped"] == run.notes["clipped"] / len(rows)
    along, across = 9.80665 * np.sin(run["pitch"]), 9.80665 * np.cos(run["pitch"]) * np.sin(run["roll"])
    force = (rows[:, 0] - along) ** 2 + (rows[:, 1] - across) ** 2
    assert told["force"] == pytest.approx(np.sqrt(force.mean()))


def test_enduring_goes_on_from_the_state():
    whole = ride("delft")
    rows = drive.slalom(10.0)
    assert whole.endure(rows, 3)["force"] == pytest.approx(whole.endure(np.tile(rows, (3, 1)), 1)["force"])


def test_a_hexapod_rides_in_six_degrees_of_freedom():
    whole = Ride.on(Simulator(Hexapod(), (Channel(),) * 6), ClassicalWashout.preset("delft"))
    run = whole.run(drive.town(10.0))
    assert np.ptp(run["heave"]) > 0
    assert run.ok


@pytest.mark.parametrize("name", drive.DRIVES)
def test_drives_rest_at_their_begin(name):
    rows = drive.DRIVES[name](30.0)
    assert rows.shape == (1500, 6)
    assert np.isfinite(rows).all()
    assert rows[0, :2] == pytest.approx([0, 0], abs=1e-9)
    assert np.ptp(rows[:, 1]) > 2.0


def test_wrong_rides():
    simulator = Simulator.source_002()
    with pytest.raises(ValueError, match=r"has pitch, roll\. Use Ride\.on"):
        Ride(ClassicalWashout(), simulator)
    with pytest.raises(ValueError, match=r"sampled every 0\.01 s, the simulator every 0\.02 s"):
        Ride(ClassicalWashout(axes=("pitch", "roll"), dt=0.01), simulator)
    with pytest.raises(ValueError, match="different lengths"):
        ride().settings({"tilt.rate": [0.1], "sway.gain": [0.1, 0.2]})
    with pytest.raises(ValueError, match=r"Did you mean 'sway\.gain'"):
        ride().settings({"sway.gains": [0.1]})
