"""Efforts and reactions against energy balances, Newton's laws by hand and forward dynamics."""

import numpy as np
import pytest

import biela as bl
from biela.simulate.assembly import assemble
from biela.simulate.inverse import inverse_dynamics, reactions
from biela.simulate.kinematic import kinematics
from biela.simulate.simulation import Simulation

SWINGING = (
    lambda t: 0.4 + 0.9 * np.sin(2 * t),
    lambda t: 1.8 * np.cos(2 * t),
    lambda t: -3.6 * np.sin(2 * t),
)


@pytest.fixture(scope="module")
def four_bar():
    return bl.mechanisms.four_bar().model()


@pytest.fixture(scope="module")
def driven(four_bar):
    return kinematics(four_bar, 3.0, 1e-3, drives={"crank": SWINGING})


def test_the_motors_power_is_the_change_of_energy(driven):
    found = inverse_dynamics(driven)
    power = found["torque"] * found["crank'"]
    change = np.gradient(found.energy, found.t, edge_order=2)
    np.testing.assert_allclose(change, power, atol=2e-5 * np.abs(power).max())
    assert found.units["torque"] == "N m"
    np.testing.assert_array_equal(found.u[:, 0], found["torque"])


def test_forward_dynamics_with_the_efforts_makes_the_motion(driven):
    found = inverse_dynamics(driven)
    ddq, multipliers = found.value("ddq")
    np.testing.assert_allclose(ddq[:, 0], found["crank''"], atol=1e-11)
    np.testing.assert_allclose(multipliers[:, 1], found["multiplier of loop[1]"], atol=1e-10)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_drive_tells_its_effort(driven, sign):
    s = bl.mechanisms.four_bar()
    s.drive(s.coordinates_by_name["crank"].symbols.position, 0.4 + 0.9 * bl.sin(2 * s.time))
    found = inverse_dynamics(kinematics(s.model(sign=sign), 3.0, 1e-3))
    expected = inverse_dynamics(driven)["torque"]
    np.testing.assert_allclose(found["effort of drive of crank"], expected, atol=1e-10)


def test_an_effort_on_another_coordinate_does_the_same_work(driven):
    crank = inverse_dynamics(driven)
    rocker = inverse_dynamics(driven, ["rocker"])
    np.testing.assert_allclose(
        rocker["effort of rocker"] * rocker["rocker'"], crank["torque"] * crank["crank'"], atol=1e-11
    )


def test_the_least_efforts_where_there_are_more_than_needed(driven):
    both = inverse_dynamics(driven, ["crank", "rocker"])
    one = inverse_dynamics(driven, ["crank"])["effort of crank"]
    pair = np.array([both["effort of crank"], both["effort of rocker"]])
    power = pair[0] * both["crank'"] + pair[1] * both["rocker'"]
    np.testing.assert_allclose(power, one * both["crank'"], atol=1e-11)
    assert (np.linalg.norm(pair, axis=0) <= np.abs(one) + 1e-12).all()
    speeds = np.array([both["crank'"], both["rocker'"]])
    np.testing.assert_allclose(pair[0] * speeds[1], pair[1] * speeds[0], atol=1e-11)  # along the motion


def test_trees_need_an_effort_for_each_coordinate():
    model = bl.mechanisms.double_pendulum().model()
    names = [c.name for c in model.placements]
    drives = {names[0]: SWINGING, names[1]: SWINGING}
    record = kinematics(model, 1.0, 0.01, drives=drives)
    found = inverse_dynamics(record, names)
    k = 40
    e = record.state(k).value("e", ddq=np.array([record[f"{name}''"][k] for name in names]))
    np.testing.assert_allclose([found[f"effort of {name}"][k] for name in names], e, atol=1e-12)
    with pytest.raises(ValueError, match="actuated the motion cannot be made: at t="):
        inverse_dynamics(record, names[:1])


def test_what_forward_dynamics_did_comes_back(four_bar):
    run = Simulation(four_bar, dt=1e-3).run(assemble(four_bar), 1.0, u=[0.25])
    found = inverse_dynamics(run)
    np.testing.assert_allclose(found["torque"], 0.25, atol=1e-10)


def test_reactions_are_newtons_law_for_the_piston():
    """The pin carries the piston's inertia along the slide and its weight; nothing else touches it there."""
    s = bl.mechanisms.slider_crank()
    model = s.model()
    drives = {"crank": (lambda t: 1.0 + 10 * t, lambda t: 10.0, lambda t: 0.0)}
    record = kinematics(model, 0.6, 1e-3, drives=drives)
    found = reactions(inverse_dynamics(record, ["torque"]))
    mass = dict(zip([p.name for p in model.parameters], model.p, strict=True))
    gas = found.u[:, [q.name for q in model.inputs].index("force")]
    along = found["ground_piston.fx"] + found["pin.fx"]
    np.testing.assert_allclose(along, mass["m_p"] * found["piston''"] - gas * 0, atol=1e-9)
    upward = found["ground_piston.fy"] + found["pin.fy"]
    np.testing.assert_allclose(upward, mass["m_p"] * mass["g"], atol=1e-9)
    assert found.units["pin.fx"] == "N"
    assert found.units["pin.mz"] == "N m"


def test_reactions_of_a_run_are_those_of_forward_dynamics(four_bar):
    run = Simulation(four_bar, dt=1e-3).run(assemble(four_bar), 0.5, every=50)
    found = reactions(run)
    expected = run.value("reactions")
    np.testing.assert_allclose(found["ground_crank.fy"], expected.ground_crank[:, 1], atol=1e-10)


def test_wrong_calls(driven):
    with pytest.raises(KeyError, match="no coordinate 'torqe'"):
        inverse_dynamics(driven, ["torqe"])
    with pytest.raises(ValueError, match="With nothing actuated"):
        inverse_dynamics(driven, [])
    with pytest.raises(ValueError, match="belongs to no model"):
        inverse_dynamics(driven.replaced(model=None))


def test_inputs_that_do_not_act_linearly_are_refused():
    s = bl.System("squared")
    x = s.coordinate("x", unit="m")
    s.prismatic(s.ground, s.body("block", mass=1.0), axis="x", coordinates=x)
    u = s.input("valve")
    s.effort(x, u * u)
    record = kinematics(s.model(), 1.0, 0.1, drives={"x": SWINGING})
    with pytest.raises(ValueError, match="not linear in valve"):
        inverse_dynamics(record)
