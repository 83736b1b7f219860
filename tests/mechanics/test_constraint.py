"""Constraints and their rates against differences along random motions; drives, rolling, what is refused."""

import hand_tree
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_tree import evaluate, states, trees
from swarm import error

import biela as bl

FEW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=30)
SEEDS = st.integers(0, 2**32 - 1)
RATES = ("operators", "differentiation", "smaller")
STEP = 1e-3


def constrained(tree, rng):
    """A flying tree with a loop, a rod, a drive, a condition that moves in time, and one on velocities."""
    s = tree.system()
    last = s.bodies[f"b{len(tree.links) - 1}"]
    s.close(last.point([0.3, 0.5, -0.2]), s.ground.point([1.0, 2.0, 0.5]), name="loop")
    s.distance(last.point([0.1, 0.2, 0.9]), s.ground.point(rng.normal(size=3).tolist()), 2.0, name="rod")
    symbols = [placement.symbols for placement in s.coordinates_by_name.values()]
    s.drive(symbols[0].position, bl.sin(2.0 * s.time) + 0.3)
    s.constrain("cam", symbols[-1].position * bl.cos(s.time) - s.time * symbols[0].position)
    v = s.velocity(last.point([0.4, 0.1, 0.2])).at(s.space.root)
    s.constrain_velocity("blade", v.dot(bl.vector([0.6, 0.0, 0.8], s.graph)) - bl.sin(s.time))
    return s


def model_of(s, rates="smaller"):
    """A model without asking whether so many constraints can hold together."""
    return bl.Model(s, "direct", "up", 1, rates)


def differences(f):
    """First and second derivative at zero of a smooth function of time, to about 1e-9 and 1e-7."""
    h = STEP
    values = np.array([f(k * h) for k in range(-3, 4)])
    first = np.array([-1, 9, -45, 0, 45, -9, 1]) @ values / (60 * h)
    second = np.array([2, -27, 270, -490, 270, -27, 2]) @ values / (180 * h * h)
    return first, second


@given(trees(most=2, grounded=False), SEEDS, st.sampled_from(RATES))
@settings(FEW)
def test_rates_of_constraints_along_random_motions(tree, seed, rates):
    """1a-33, 1a-34, 1b-45: Phi_dot = dPhi/dt = Phi_dq dq - beta, and d2Phi/dt2 = Phi_dq ddq - gamma."""
    rng = np.random.default_rng(seed)
    q, dq, ddq = states(rng, tree.n)
    model = model_of(constrained(tree, rng), rates)

    def along(name):
        return lambda h: evaluate(model, name, q + h * dq + h * h / 2 * ddq, dq + h * ddq, ddq, 0.4 + h)

    g = len(model.phi)
    Phi_dot, J = evaluate(model, "Phi_dot", q, dq, t=0.4), evaluate(model, "Phi_dq", q, t=0.4)
    beta, gamma = evaluate(model, "beta", q, dq, t=0.4), evaluate(model, "gamma", q, dq, t=0.4)
    size = 1.0 + np.max(np.abs(gamma))
    assert np.max(np.abs(differences(along("Phi"))[0] - Phi_dot[:g])) < 1e-8 * size
    assert np.max(np.abs(differences(along("Phi_dot"))[0] - J @ ddq + gamma)) < 1e-8 * size
    assert error(J @ dq - beta, Phi_dot) < 1e-12 * size
    assert error(J[:g], evaluate(model, "Phi_q", q, t=0.4)) == 0.0
    assert J.shape == (g + 1, tree.n)


@given(trees(most=2, grounded=False), SEEDS)
@settings(FEW, max_examples=15)
def test_both_ways_to_the_rates_agree(tree, seed):
    """1b-45: by velocity operators and by differentiation."""
    rng = np.random.default_rng(seed)
    q, dq, _ = states(rng, tree.n)
    s = constrained(tree, rng)
    one, other = (model_of(s, rates) for rates in ("operators", "differentiation"))
    for name in ("Phi_dot", "beta", "gamma"):
        expected = evaluate(other, name, q, dq, t=0.4)
        assert error(evaluate(one, name, q, dq, t=0.4), expected) < 1e-11


@given(hand_tree.swarms(), SEEDS, st.sampled_from(RATES))
@settings(FEW)
def test_gaps_between_points_by_hand(swarm, seed, rates):
    """1a-25, 1a-33: the equations of a loop are the gap of its points, with its rates, in some fixed base."""
    rng = np.random.default_rng(seed)
    q, dq, ddq = states(rng, swarm.n)
    s = hand_tree.system(swarm)
    names = list(s.points)
    one, other = str(rng.choice(names)), str(rng.choice(names))
    s.distance(one, other, 2.0, name="rod")
    try:
        model = model_of(s, rates)
    except ValueError:  # the two points are one, or keep their distance anyway
        assume(False)
    points = dict(zip(s.points, swarm.motion(q, dq, ddq, 0.3)[1], strict=True))
    d = points[other] - points[one]
    rate, bend = 2 * d[0] @ d[1], 2 * (d[1] @ d[1] + d[0] @ d[2])
    got = evaluate(model, "Phi|Phi_dot|Phi_dq|gamma", q, dq, t=0.3)
    assert error(got.Phi, [d[0] @ d[0] - 4.0]) < 1e-12
    assert error(got.Phi_dot, [rate]) < 1e-12
    assert error(got.Phi_dq @ ddq - got.gamma, [bend]) < 1e-11


def test_a_drive_prescribes_a_coordinate_in_time():
    """1a-43: Phi = q - f(t), beta = f', gamma = f''; the multiplier is minus the effort of the motor."""
    s = bl.System("driven")
    arm = s.body("arm", 2.0, com=[0.5, 0, 0], inertia=[0.1, 0.2, 0.3])
    (q,) = s.revolute(s.ground, arm).coordinates
    s.drive(q, bl.sin(3.0 * s.time))
    s.gravity([0, -9.81, 0])
    model = s.model()
    t = 0.7
    at = ([np.sin(3 * t)], [3 * np.cos(3 * t)], [-9 * np.sin(3 * t)])
    assert evaluate(model, "Phi", *at, t=t) == pytest.approx(0.0, abs=1e-15)
    assert evaluate(model, "beta", *at, t=t) == pytest.approx(at[1], abs=1e-15)
    assert evaluate(model, "gamma", *at, t=t) == pytest.approx(at[2], abs=1e-14)
    matrix, right = model.kkt()
    known = {**dict(zip([*model.q, *model.dq], np.ravel(at[:2]), strict=True)), s.time: t}
    ddq, multiplier = np.linalg.solve(matrix.value(known), right.value(known))
    assert ddq == pytest.approx(at[2][0], rel=1e-12)
    torque = (0.3 + 2.0 * 0.25) * at[2][0] + 2.0 * 9.81 * 0.5 * np.cos(at[0][0])
    assert -multiplier == pytest.approx(torque, rel=1e-12)


def test_a_rolling_disc_has_velocity_equations_of_its_own():
    """1a-34, 1a-35: two equations that have no Phi; Phi_q and Phi_dq differ, and sizes say so."""
    s = bl.System("disc")
    x, y, heading, spin = s.coordinates("x y heading spin")
    carrier = s.base("carrier", axis="z", angle=heading)
    centre = s.point("centre", r=[x, y, 0.5])
    disc = s.body(
        "disc", 1.0, inertia=[0.1, 0.2, 0.1], origin=centre, base=s.base("disc", carrier, "y", spin)
    )
    contact = s.point("contact", centre, [0, 0, -0.5])
    v = s.velocity(contact, body=disc).at(s.space.root)
    s.constrain_velocity("rolling", v[0], v[1])
    model = s.model()
    assert model.sizes == {"p": 4, "g": 0, "r": 2, "c": 2, "m": 4, "n": 2}
    assert model.freedom == 2
    assert "Phi_q" not in set(model.functions)
    q, dq = [0.3, 0.1, 0.7, 0.2], [0.5 * 2.0 * np.cos(0.7), 0.5 * 2.0 * np.sin(0.7), 1.3, 2.0]
    assert evaluate(model, "Phi_dot", q, dq) == pytest.approx([0.0, 0.0], abs=1e-15)
    gamma = evaluate(model, "gamma", q, dq)
    assert gamma == pytest.approx([-0.5 * 2.0 * 1.3 * np.sin(0.7), 0.5 * 2.0 * 1.3 * np.cos(0.7)], abs=1e-15)


def test_coordinates_without_inertia_are_found_by_constraints():
    """1a-41, 1a-53, 1b-38: M is singular, the whole matrix is not."""
    s = bl.System("cam")
    arm = s.body("arm", 2.0, com=[0.5, 0, 0], inertia=[0.1, 0.2, 0.3])
    (q,) = s.revolute(s.ground, arm).coordinates
    contact = s.coordinate("contact", inertia=False)
    s.constrain("surface", contact - bl.sin(q) * q)
    s.gravity([0, -9.81, 0])
    model = s.model()
    known = dict(zip([*model.q, *model.dq], [0.4, 0.4 * np.sin(0.4), 0.5, 0.3], strict=True))
    matrix, right = (value.value(known) for value in model.kkt())
    assert np.linalg.matrix_rank(matrix[:2, :2]) == 1
    assert np.linalg.matrix_rank(matrix) == 3
    ddq = np.linalg.solve(matrix, right)
    assert ddq[0] == pytest.approx(-2.0 * 9.81 * 0.5 * np.cos(0.4) / 0.8, rel=1e-12)
    assert ddq[2] == pytest.approx(0.0, abs=1e-12)


def test_the_start_adds_equations_of_its_own():
    """1a-36: Phi_init stacks them under Phi, Phi_init_dq and beta_init under Phi_dot."""
    s = bl.System("four_bar")
    bodies = [s.body(name, 1.0, inertia=[0, 0, 0.1]) for name in ("crank", "coupler", "rocker")]
    s.revolute(s.ground, bodies[0])
    s.revolute(bodies[0], bodies[1], at=[0.3, 0, 0])
    s.revolute(s.ground, bodies[2], at=[1, 0, 0])
    s.close(bodies[1].point([0.8, 0, 0]), bodies[2].point([0.5, 0, 0]))
    q = [placement.symbols for placement in s.coordinates_by_name.values()]
    s.start(q[0].position - 0.7)
    s.start_velocity(q[0].velocity - 2.0)
    model = s.model()
    at = [0.1, 0.2, 0.3]
    position, velocity = evaluate(model, "Phi_init", at), evaluate(model, "Phi_init_dq", at, [0.0] * 3)
    assert position.Phi_init == pytest.approx([*evaluate(model, "Phi", at), 0.1 - 0.7])
    assert position.Phi_init_q[-1].tolist() == [1, 0, 0]
    assert error(velocity.Phi_init_dq[:2], evaluate(model, "Phi_dq", at)) < 1e-15
    assert velocity.Phi_init_dq[-1].tolist() == [1, 0, 0]
    assert velocity.beta_init == pytest.approx([0, 0, 2.0])


def test_what_always_holds_and_what_never_can_is_refused():
    s = bl.System("stuck")
    body = s.body("body", 1.0, inertia=[1, 1, 1])
    s.revolute(s.ground, body)
    s.close(body, s.ground.point([0, 0, 0]), name="pivot")
    assert "Constraint 'pivot' is fulfilled by every state" in s.validate()[0]
    s = bl.System("apart")
    body = s.body("body", 1.0, inertia=[1, 1, 1])
    s.revolute(s.ground, body)
    s.close(body.point([1, 0, 0.5]), s.ground.point([1, 0, 0]), name="pivot")
    assert "Constraint 'pivot': the equation" in s.validate()[0]
    assert "can never be fulfilled" in s.validate()[0]
