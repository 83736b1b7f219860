"""Equilibria against specification 3 of the four-bar and closed forms."""

import numpy as np
import pytest

import biela as bl
from biela.simulate.assembly import assemble
from biela.simulate.static import equilibria, equilibrium, stability

STABLE, UNSTABLE = 217.3938311492, 48.2345771850  # degrees, of the four-bar's crank


@pytest.fixture(scope="module")
def four_bar():
    return bl.mechanisms.four_bar().model()


def test_finds_the_equilibria_of_the_four_bar(four_bar):
    found = equilibria(four_bar, tries=20)
    open_branch = {
        round(np.degrees(s["crank"]) % 360.0, 9): stability(s) for s in found if np.sin(s["rocker"]) > 0
    }
    assert open_branch == {round(STABLE, 9): "stable", round(UNSTABLE, 9): "unstable"}
    crossed = {np.degrees(-s["crank"]) % 360.0: stability(s) for s in found if np.sin(s["rocker"]) < 0}
    assert sorted(crossed.values()) == ["stable", "unstable"]  # upside down what was stable is not


def test_rests_there(four_bar):
    state = equilibrium(four_bar, {"crank": 3.5})
    assert np.abs(state.value("ddq").ddq).max() < 1e-9
    assert np.abs(state.value("Phi")).max() < 1e-12
    assert not state.dq.any()


def test_pendulums_hang_or_stand():
    model = bl.mechanisms.n_pendulum(3).model()
    found = equilibria(model, tries=60)
    assert len(found) == 8
    stable = [state for state in found if stability(state) == "stable"]
    assert len(stable) == 1
    np.testing.assert_allclose(stable[0].q, [-np.pi / 2, 0.0, 0.0], atol=1e-9)


def test_leaves_a_horizontal_pendulum():
    """There the stiffness is zero, and Newton's step does not exist."""
    s = bl.System("pendulum")
    bob = s.body("bob", mass=1.0, com=[1, 0, 0])
    s.revolute(s.ground, bob, coordinates=s.coordinate("angle", unit="rad"))
    s.gravity([0, -9.81, 0])
    assert abs(np.cos(equilibrium(s.model())["angle"])) < 1e-9


def test_a_torque_holds_the_four_bar_elsewhere(four_bar):
    """In balance with a torque the work of the weight along the motion is that of the torque."""
    state = equilibrium(four_bar, {"crank": 3.8}, u={"torque": 0.3})
    h = 1e-5
    potential = [
        assemble(four_bar, state, crank=state["crank"] + d).value("energy").potential for d in (-h, h)
    ]
    assert (potential[1] - potential[0]) / (2 * h) == pytest.approx(0.3, rel=1e-8)


def test_locked_coordinates_stay(four_bar):
    assert equilibrium(four_bar, crank=1.0)["crank"] == 1.0
    s = bl.mechanisms.double_pendulum()
    names = [c.name for c in s.model().placements]
    state = equilibrium(s.model(), **{names[0]: 0.4})
    assert state[names[0]] == 0.4
    e = state.value("e", ddq=np.zeros(2))
    assert abs(e[0]) > 1e-3 > 1e-9 > abs(e[1])


def test_says_where_there_is_none():
    s = bl.System("falling")
    block = s.body("block", mass=1.0)
    s.prismatic(s.ground, block, axis="y", coordinates=s.coordinate("y", unit="m"))
    s.gravity([0, -9.81, 0])
    model = s.model()
    with pytest.raises(ValueError, match=r"no equilibrium found from there; efforts of up to 9\.81 remain"):
        equilibrium(model)
    with pytest.raises(ValueError, match="no equilibrium"):
        equilibria(model, tries=3)


def test_stability_wants_an_equilibrium(four_bar):
    with pytest.raises(ValueError, match="accelerates by up to"):
        stability(assemble(four_bar))


def test_a_ball_on_a_plane_is_neutral():
    s = bl.System("puck")
    puck = s.body("puck", mass=1.0)
    s.prismatic(s.ground, puck, axis="x", coordinates=s.coordinate("x", unit="m"))
    assert stability(equilibrium(s.model())) == "neutral"
