"""Inverse dynamics, the observation matrix and joint unknowns."""

from dataclasses import replace

import hand_tree
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_tree import evaluate, random_inertia, states, trees
from swarm import error

import biela as bl
from biela.mechanics.inverse import inertia_values

FEW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=30)
SEEDS = st.integers(0, 2**32 - 1)


@given(hand_tree.swarms(), SEEDS)
@settings(FEW)
def test_the_observation_matrix_times_the_parameters_is_the_effort(swarm, seed):
    """1b-46: e = K phi, by hand and with explicit time."""
    q, dq, ddq = states(np.random.default_rng(seed), swarm.n)
    M, delta = swarm.equations(q, dq, 0.3)
    model = hand_tree.system(swarm, symbolic=True).model()
    K = evaluate(model, "K", q, dq, ddq, 0.3)
    assert error(K @ parameters(model), M @ ddq - delta) < 1e-11


@given(trees(most=3), SEEDS)
@settings(FEW)
def test_the_observation_matrix_holds_for_other_inertias(tree, seed):
    """1b-46: K depends on the geometry alone."""
    rng = np.random.default_rng(seed)
    q, dq, ddq = states(rng, tree.n)
    tree = replace(tree, links=tuple(replace(link, given="origin") for link in tree.links))
    K = evaluate(tree.system().model(), "K", q, dq, ddq)
    heavier = []
    for link in tree.links:
        mass = rng.uniform(1.0, 2.0)
        heavier.append(replace(link, mass=mass, com=rng.normal(size=3), inertia=random_inertia(rng, mass)))
    other = replace(tree, links=tuple(heavier))
    M, delta = other.swarm().equations(q, dq)
    assert error(K @ parameters(other.system().model()), M @ ddq - delta) < 1e-11


def parameters(model):
    """The numbers of the inertia parameters."""
    return inertia_values(model).value(dict(zip([p.symbol for p in model.parameters], model.p, strict=True)))


@given(trees(most=3), SEEDS)
@settings(FEW)
def test_the_effort_is_what_the_equations_say(tree, seed):
    """1a-40: e = M ddq - delta, with loads, linear in the accelerations."""
    q, dq, ddq = states(np.random.default_rng(seed), tree.n)
    s = tree.system()
    s.force("b0", [1.0, 2.0, 3.0], at=[0.3, 0.1, 0.2])
    s.torsion_spring(next(iter(s.coordinates_by_name.values())).symbols.position, 2.0, 0.3, 0.1)
    model = s.model()
    M, delta = evaluate(model, "M|delta", q, dq)
    assert error(evaluate(model, "e", q, dq, ddq), M @ ddq - delta) < 1e-12


def test_joint_unknowns_do_what_multipliers_do():
    """1a-42: V^T eps = Phi_dq^T lambda, for a bob held by the force of a rod."""
    s = bl.System("pendulum")
    x, y = s.coordinates("x y")
    tip = s.point("tip", r=[x, y, 0])
    bob = s.body("bob", mass=2.0, origin=tip, base=s.base("bob", axis="z", angle=0.0))
    tension = s.unknown("tension")
    s.force(bob, [tension * x, tension * y, 0.0], kind="constraint")
    s.constrain("rod", (x * x + y * y - 1.0) / 2.0)
    s.gravity([0.0, -9.81, 0.0])
    model = s.model()
    q = np.array([0.6, -0.8])
    V, J = evaluate(model, "V", q), evaluate(model, "Phi_dq", q)
    assert np.shape(V) == (1, 2)
    assert error(V, -J) < 1e-15


def test_efforts_on_coordinates_without_inertia_count():
    s = bl.System("geared")
    theta = s.coordinate("theta", 0.3, unit="rad")
    x = s.coordinate("x", 0.6, unit="rad", inertia=False)
    arm = s.body("arm", mass=1.0, com=[1, 0, 0], inertia=bl.rod(1.0, 2.0))
    s.revolute(s.ground, arm, coordinates=theta)
    s.constrain("gear", x - 2 * theta)
    s.motor(x, "torque")
    functions = s.model().functions
    state = {"q": [0.3, 0.6], "dq": [1.0, 2.0], "u": [3.0]}
    M, delta = functions["M|delta"].evaluate(**state)
    e = functions["e"].evaluate(**state, ddq=[0.5, 1.0])
    np.testing.assert_allclose(e, M @ [0.5, 1.0] - delta, atol=1e-14)
    assert e[1] == -3.0
