"""The simulator: the source's end to end samples, streaming, what it counts, what it refuses."""

import numpy as np
import pytest

from biela.cueing import Bisection, Channel, Hexapod, Simulator, source_002
from biela.cueing.signal import times

DEG = np.pi / 180
SAMPLES = {  # s: achieved pitch and roll, output pitch and roll, in degrees
    1: (9.27050983, 5.62143944, 6.9951105321, 4.1897888183),
    5: (26.50634766, 21.44408571, 27.1393720857, 21.2477423176),
    10: (0, 26.37927998, 2.3272577804, 28.3777959000),
    80: (0, 17.63355757, -2.3417923213, 18.7398390107),
}


def s5(duration=100.0):
    t = times(duration, 0.02)
    return {dof: wave(t) for dof, wave in source_002.JOINT["S5"].items()}


def test_end_to_end_samples_of_the_source():
    run = Simulator.source_002(combination=Bisection()).run(s5())
    assert len(run) == 5001
    assert run.notes["clipped"] == 2712
    for second, numbers in SAMPLES.items():
        names = ("pitch.achieved", "roll.achieved", "pitch", "roll")
        found = [run[name][50 * second] / DEG for name in names]
        assert found == pytest.approx(numbers, abs=1e-8)


def test_outputs_out_of_reach_are_counted():
    simulator = Simulator.source_002()
    run = simulator.run(s5())
    poses = np.stack([run["pitch"], run["roll"]], axis=1)
    assert run.notes["out_of_reach"] == int((~simulator.platform.positions(poses)[1]).sum()) > 100
    reached = np.stack([run["pitch.achieved"], run["roll.achieved"]], axis=1)
    assert simulator.platform.positions(reached)[1].all()


def test_a_demand_that_jumps_is_told_by_the_actuators():
    jump = np.where(np.arange(200) < 100, 0.0, 0.5)
    assert Simulator.source_002().run({"pitch": 0.2 * jump}).notes["too_fast"] == 0
    assert Simulator.source_002().run({"pitch": jump}).notes["too_hard"] > 0


def test_streaming_is_the_whole_signal():
    simulator = Simulator.source_002()
    run = simulator.run(s5(4.0))
    stream = simulator.stream()
    rows = simulator.demand(s5(4.0))
    pushed = np.array([stream.push(row) for row in rows])
    assert np.array_equal(pushed, np.stack([run["pitch"], run["roll"]], axis=1))
    stream.reset()
    assert np.array_equal(stream.push(rows[0]), pushed[0])


def test_the_function_in_python_is_the_native_one():
    simulator = Simulator.source_002()
    x, rows = simulator.rest, simulator.demand(s5(1.0))
    for row in rows:
        x = simulator.step.evaluate(x, row, simulator.p)
    run = simulator.run(rows)
    assert x[:2] == pytest.approx([run["pitch"][-1], run["roll"][-1]], abs=1e-14)


def test_channels_of_any_kind_stand_side_by_side():
    one = Channel(rate=1.0, acceleration=9.0, order=3)
    two = Channel(form="servo", softening=0.3, delay=0.0, rate=2.0)
    run = Simulator.source_002().changed(channels=(one, two)).run({"roll": [0.2] * 50, "pitch": [0.1] * 50})
    assert run["pitch"] == pytest.approx(one.run([0.1] * 50), abs=1e-13)
    assert run["roll"] == pytest.approx(two.run([0.2] * 50), abs=1e-13)


def test_six_degrees_of_freedom():
    simulator = Simulator(Hexapod(), (Channel(),) * 6)
    run = simulator.run({"heave": [0.05] * 200, "yaw": [0.1] * 200})
    assert run["heave"][-1] == pytest.approx(0.05, abs=1e-6)
    assert run["surge"] == pytest.approx(np.zeros(200))
    assert run.units["heave"], run.units["yaw"] == ("m", "rad")


def test_wrong_simulators_and_demands():
    simulator = Simulator.source_002()
    with pytest.raises(ValueError, match=r"degrees of freedom \(pitch, roll\); got 1 channels"):
        simulator.changed(channels=(Channel(),))
    with pytest.raises(ValueError, match="not below half the sample rate"):
        simulator.changed(dt=0.2)
    with pytest.raises(ValueError, match=r"has no 'yaw'\. It has pitch, roll"):
        simulator.run({"yaw": [0.0]})
    with pytest.raises(ValueError, match="different lengths"):
        simulator.run({"pitch": [0.0], "roll": [0.0, 1.0]})
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="demands are finite numbers; row 1"):
            simulator.run([[0.0, 0.0], [0.0, bad]])
        with pytest.raises(ValueError, match="demands are finite numbers"):
            simulator.stream().push([0.0, bad])
