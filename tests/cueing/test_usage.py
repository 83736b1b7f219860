"""What a ride takes of its platform, against motions that are known."""

import numpy as np
import pytest

from biela.cueing import Channel, ClassicalWashout, Hexapod, Ride, Simulator, drive, used


def test_shares_are_of_the_room_that_there_is():
    """A lasting force of half g tilts the nose up by 30 degrees, which is all the 2-RSSU has."""
    ride = Ride.on(Simulator.source_002(), ClassicalWashout.preset("lively"))
    rows = np.tile([9.80665 / 2, 0, 9.80665, 0, 0, 0], (2000, 1))
    found = used(ride, rows)
    pitch = found.dofs[0]
    assert pitch.name == "pitch"
    assert pitch.high == pytest.approx(np.radians(30.0), abs=1e-4)
    assert pitch.room == pytest.approx(30.0 / 30.27350887, abs=1e-4)
    assert found.room == pytest.approx(pitch.room)
    assert [use.room for use in found.actuators] == [0.0, 0.0]  # the cranks have no ends


def test_speeds_are_of_the_actuators():
    ride = Ride.on(Simulator(Hexapod(), (Channel(),) * 6), ClassicalWashout.preset("delft"))
    rows = drive.town(20.0)
    found, run = used(ride, rows), ride.run(rows)
    poses = np.stack([run[name] for name in Hexapod.dofs], axis=1)
    legs, _ = Hexapod().positions(poses)
    speed = np.abs(np.diff(legs, axis=0)).max() / 0.02
    assert max(use.speed for use in found.actuators) == pytest.approx(speed)
    assert found.speed == pytest.approx(speed / 0.5)
    assert found.acceleration == pytest.approx(max(use.acceleration for use in found.actuators) / 5.0)
    assert [line.split()[0] for line in str(found).splitlines()[1:7]] == list(Hexapod.dofs)


def test_who_rests_uses_nothing():
    ride = Ride.on(Simulator(Hexapod(), (Channel(),) * 6), ClassicalWashout.preset("delft"))
    found = used(ride, np.tile([0, 0, 9.80665, 0, 0, 0], (50, 1)))
    assert (found.room, found.speed, found.acceleration) == pytest.approx((0.0, 0.0, 0.0))
