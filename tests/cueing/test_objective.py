"""The ten tests: their grid, what is linear, what a platform cannot show, and borders as a file."""

import numpy as np
import pytest

from biela.cueing import Channel, ClassicalWashout, Hexapod, Ride, Simulator, omct
from biela.cueing.objective import HEAD, OMEGA, TESTS, Borders, Inputs

GRID = [0.1, 0.158, 0.251, 0.398, 0.631, 1.0, 1.585, 2.512, 3.981, 6.31, 10.0, 15.849]
WASHOUT = ClassicalWashout.preset("delft").changed({"tilt.rate": np.inf})


@pytest.fixture(scope="module")
def found():
    simulator = Simulator(Hexapod(), (Channel(),) * 6)
    return omct(Ride.on(simulator, WASHOUT), inputs=Inputs(force=0.05, angle=0.01))


def test_twelve_frequencies_and_ten_tests(found):
    assert np.round(OMEGA, 3).tolist() == GRID
    assert [test.number for test in TESTS] == list(range(1, 11))
    assert found.ratios.shape == (10, 12)


def test_a_small_sweep_is_the_analytic_answer(found):
    assert found.departure < 2e-3
    assert found.distortion.max() < 1e-2


def test_rotation_is_high_pass_and_channel(found):
    """The Delft set's roll is 0.6 s^2 / (s + 1)^2; the channel has its own answer."""
    s = 2 / 0.02 * 1j * np.tan(OMEGA * 0.01)
    wanted = 0.6 * 1j * OMEGA * s / (s + 1.0) ** 2 * Channel().respond(OMEGA / (2 * np.pi), 0.02)
    assert found.ratios[2] == pytest.approx(wanted, abs=2e-4)


def test_what_rolls_shows_gravity_aside(found):
    """Rolling alone, w small: the false sway force is g times the angle, less what the sway takes away."""
    assert found.modulus[3, 0] == pytest.approx(9.80665 * found.modulus[2, 0] / OMEGA[0], rel=0.02)


def test_what_a_platform_cannot_do_is_nothing():
    ride = Ride.on(Simulator.source_002(), WASHOUT)
    found = omct(ride, omega=[0.5, 2.0], settle=20.0)
    for name in ("yaw", "heave"):
        row = [test.name for test in TESTS].index(name)
        assert found.modulus[row] == pytest.approx(0.0, abs=2e-2)
    assert np.isnan(found.phase_deg[4]).all()
    assert found.inside[4].tolist() == [0.0, 0.0]


def test_the_amplitudes_of_rotations_keep_angle_and_acceleration():
    inputs = Inputs(angle=0.1, acceleration=0.2)
    rates = inputs.of("p", OMEGA)
    assert (rates / OMEGA <= 0.1 + 1e-12).all()
    assert (rates * OMEGA <= 0.2 + 1e-12).all()
    assert inputs.of("fx", OMEGA).tolist() == [1.0] * 12


def test_borders_are_a_file_to_edit(found, tmp_path):
    assert "not those of ICAO 9625" in found.borders.standing
    file = tmp_path / "mine.csv"
    file.write_text("# of my standard\n" + ",".join(HEAD) + "\n3,0.1,0,0.1,-180,180\n3,10,0.4,1,-90,90\n")
    mine = Borders.read(file)
    assert mine.standing == "of my standard"
    low, high, *_ = mine.at(3, np.array([0.1, 1.0, 10.0, 12.0])).tolist()
    assert low[:3] == pytest.approx([0.0, 0.2, 0.4])  # evenly over the logarithm of the rate
    assert high[:3] == pytest.approx([0.1, 0.55, 1.0])
    assert np.isnan([low[3], high[3]]).all()
    assert mine.at(4, OMEGA) is None
    judged = omct(Ride.on(Simulator.source_002(), WASHOUT), omega=[0.1, 2.5], settle=20.0, borders=mine)
    assert judged.inside[2, 0] == 1.0
    assert np.isnan(judged.inside[0]).all()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,b\n", "expected the columns test, omega"),
        ("", "expected the columns"),
        (",".join(HEAD) + "\n1,0.1,x,1,0,1\n", "row 2: expected numbers; got 1, 0.1, x"),
        (",".join(HEAD) + "\n11,0.1,0,1,0,1\n", "row 2: expected a test from 1 to 10"),
        (",".join(HEAD) + "\n1,0.1,1,0.5,0,1\n", "each low border no more than the high one"),
        (",".join(HEAD) + "\n1,-0.1,0,1,0,1\n", "a positive rate"),
    ],
)
def test_wrong_borders(tmp_path, text, told):
    file = tmp_path / "borders.csv"
    file.write_text(text)
    with pytest.raises(ValueError, match=told):
        Borders.read(file)


def test_tables_and_plots_name_every_test(found):
    text = str(found)
    assert all(test.name in text for test in TESTS)
    assert len(found.plot().axes) == 20
