"""States: what follows from one is computed once and never stale; joints described from either side."""

import numpy as np
import pytest

import biela as bl
from biela.mechanics.kinematics import position
from biela.simulate import Simulation, assemble


@pytest.fixture(scope="module")
def start():
    model = bl.mechanisms.four_bar().model()
    return assemble(model, crank=1.0, velocities={"crank": 2.0})


def test_what_follows_from_a_state_is_computed_once(start):
    assert start.value("Phi_q") is start.value("Phi_q")
    assert start.value("reactions") is start.value("reactions")


def test_another_position_changes_all_that_follows(start):
    names = ("Phi_q", "gamma", "energy", "ddq")
    before = {name: np.hstack(start.value(name)).copy() for name in names}
    moved = assemble(start.model, start, velocities=start, crank=1.3)
    for name, values in before.items():
        assert not np.allclose(np.hstack(moved.value(name)), values), name
        assert np.array_equal(np.hstack(start.value(name)), values), name


def test_another_velocity_changes_nothing_of_positions(start):
    start.value("all")
    faster = start.changed(dq=2.0 * start.dq)
    for name in ("Phi", "Phi_q", "M"):
        assert np.array_equal(faster.value(name), start.value(name))
    assert faster.value("gamma") == pytest.approx(4.0 * start.value("gamma"))
    assert faster.value("energy")[0] == pytest.approx(4.0 * start.value("energy")[0])


def test_a_state_cannot_be_written_to(start):
    """So that nothing is stale; what it was made of may be."""
    mine = start.q.copy()
    state = start.changed(q=mine)
    for name in ("q", "dq", "p", "u"):
        values = getattr(state, name)
        if len(values):
            with pytest.raises(ValueError, match="read-only"):
                values[0] = 1.0
    mine[0] = 7.0
    assert state["crank"] == start["crank"]


AT, TO = np.array([0.3, 0.0, 0.1]), np.array([-0.2, 0.1, 0.0])


def pair(kind, reverse):
    """Two bodies in space and a joint between them, with a spring, described from the one or the other."""
    s = bl.System("pair")
    one = s.body("one", mass=1.0, com=[0.1, 0, 0], inertia=[0.1, 0.2, 0.25])
    other = s.body("other", mass=2.0, com=[0, 0.2, 0.1], inertia=[0.4, 0.3, 0.2])
    s.free(s.ground, other if reverse else one)
    if reverse:
        s.joint(kind, other, one, at=TO, to=AT, coordinates="q")
    else:
        s.joint(kind, one, other, at=AT, to=TO, coordinates="q")
    s.torsion_spring("q", 30.0, 0.1 if not reverse else -0.1)
    s.gravity([0, 0, -9.81])
    model = s.model()
    tips = [body.point(r) for body in (one, other) for r in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]
    places = [position(model.space, model.space.origin, tip).at(model.space.root) for tip in tips]
    return model, model.function("places", {"places": [e for place in places for e in place]}, "position")


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_joint_the_other_way_round_moves_the_same(kind):
    """The first body at rest in the origin; the second turned or shifted by 0.4, at a speed of 2."""
    q, speed, z = 0.4, 2.0, np.array([0.0, 0.0, 1.0])
    if kind == "revolute":
        R = np.array([[np.cos(q), -np.sin(q), 0], [np.sin(q), np.cos(q), 0], [0, 0, 1]])
        place, velocity, yaw = AT - R @ TO, -speed * np.cross(z, R @ TO), (q, speed)
    else:
        place, velocity, yaw = AT + q * z - TO, speed * z, (0.0, 0.0)
    ends = []
    for reverse in (False, True):
        model, places = pair(kind, reverse)
        values, speeds = ({"q": -q}, {"q": -speed}) if reverse else ({"q": q}, {"q": speed})
        if reverse:
            values |= {f"other.{axis}": v for axis, v in zip("xyz", place, strict=True)} | {
                "other.yaw": yaw[0]
            }
            speeds |= {f"other.{axis}": v for axis, v in zip("xyz", velocity, strict=True)}
            speeds["other.yaw"] = yaw[1]
        begin = assemble(model, values, velocities=speeds)
        run = Simulation(model, dt=1e-3).run(begin, 0.3)
        ends.append([places.evaluate(run.q[k]) for k in (0, -1)])
    assert ends[1][0] == pytest.approx(ends[0][0], abs=1e-14)
    assert ends[1][1] == pytest.approx(ends[0][1], abs=1e-9)
    assert np.abs(np.subtract(ends[0][1], ends[0][0])).max() > 0.1
