"""Equations of motion against Pinocchio and against particles, for every formalism and every rule."""

import hand_tree
import numpy as np
import pinocchio as pin
import pinocchio_tree
import pytest
import sympy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_tree import KINDS, Tree, evaluate, random_link, states, trees
from swarm import Edge, Solid, Swarm, Turn, error
from sympy.physics import mechanics

import biela as bl
from biela.mechanics import FORMALISMS
from biela.mechanics.space import RULES

FEW = settings(deadline=None, suppress_health_check=list(HealthCheck))
SEEDS = st.integers(0, 2**32 - 1)


@given(trees(quaternions=True), SEEDS)
@settings(FEW, max_examples=50)
def test_trees_agree_with_pinocchio(tree, seed):
    """1a-46, 1a-50, 1b-2: M, delta and e; every joint, any axis, first moments, quaternions."""
    q, dq, ddq = states(np.random.default_rng(seed), tree.n)
    q, dq = pinocchio_tree.on_the_sphere(tree, q, dq)
    peer = pinocchio_tree.build(tree)
    configuration, v, a, J = pinocchio_tree.state(tree, q, dq, ddq)
    model = tree.system().model()
    got, data = evaluate(model, "M|delta", q, dq), peer.createData()
    assert error(got.M, J.T @ pinocchio_tree.mass_matrix(peer, configuration) @ J) < 1e-12
    assert error(got.delta, -J.T @ pin.rnea(peer, data, configuration, v, np.zeros(peer.nv))) < 1e-12
    e = evaluate(model, "e", q, dq, ddq)
    assert error(e, J.T @ pin.rnea(peer, data, configuration, v, a)) < 1e-12


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"weld"}))
@pytest.mark.parametrize("symbolic", [False, True])
def test_each_joint_agrees_with_pinocchio_and_with_particles(kind, symbolic):
    """1b-2: a chain of three of a kind, at twenty states."""
    rng = np.random.default_rng(len(kind))
    tree = trees_of(rng, [kind] * 3, symbolic)
    model, peer, swarm = tree.system().model(), pinocchio_tree.build(tree), tree.swarm()
    data = peer.createData()
    for _ in range(20):
        q, dq, ddq = states(rng, tree.n)
        got = evaluate(model, "M|delta", q, dq)
        M, delta = swarm.equations(q, dq)
        assert error(got.M, M) < 1e-12
        assert error(got.delta, delta) < 1e-12
        assert error(got.M @ ddq - got.delta, pin.rnea(peer, data, q, dq, ddq)) < 1e-12


def trees_of(rng, kinds, symbolic=False):
    """A chain of joints of the given kinds."""
    links = [random_link(rng, i - 1, kind) for i, kind in enumerate(kinds)]
    return Tree(tuple(links), rng.normal(size=3) * 5.0, symbolic)


@given(trees(most=3), SEEDS)
@settings(FEW, max_examples=8)
def test_all_formalisms_and_rules_agree_on_trees(tree, seed):
    """1a-47, 1b-2, 1b-8, 1b-25: up, down and extended; direct, body by body, classic, stack and Lagrange."""
    q, dq, _ = states(np.random.default_rng(seed), tree.n)
    agree(tree.system(), tree.swarm(), q, dq)


@given(hand_tree.swarms(), SEEDS, st.booleans())
@settings(FEW, max_examples=30)
def test_all_formalisms_and_rules_agree_by_hand(swarm, seed, symbolic):
    """1a-17, 1a-49, 1b-3: absolute angles, places of one body in another's base, moving points, time."""
    q, dq, _ = states(np.random.default_rng(seed), swarm.n)
    agree(hand_tree.system(swarm, symbolic), swarm, q, dq, 0.3)


@given(trees(most=3, kinds=["free", "revolute", "spherical"], quaternions=True), SEEDS)
@settings(FEW, max_examples=8)
def test_all_formalisms_agree_with_quaternions(tree, seed):
    """1b-2: on the motions that keep their lengths; Lagrange's equations hold on these only."""
    q, dq, ddq = states(np.random.default_rng(seed), tree.n)
    q, dq = pinocchio_tree.on_the_sphere(tree, q, dq)
    system = tree.system()
    model = system.model()
    J = evaluate(model, "Phi_dq", q) if len(model.phi) else np.zeros((0, tree.n))
    kept = np.linalg.svd(np.vstack([J, np.zeros(tree.n)]))[2][len(J) :]
    ddq = ddq - np.linalg.pinv(J) @ (J @ ddq - evaluate(model, "gamma", q, dq)) if len(J) else ddq
    expected = evaluate(model, "e", q, dq, ddq)
    for formalism in FORMALISMS:
        for rule in RULES:
            M, delta = evaluate(system.model(formalism=formalism, rule=rule), "M|delta", q, dq)
            motions = kept if formalism == "lagrange" else np.eye(tree.n)
            assert error(motions @ (M @ ddq - delta), motions @ expected) < 1e-12, (formalism, rule)


def test_axes_may_be_parameters():
    """1a-17: a symbolic axis of length one is the numeric one."""
    rng = np.random.default_rng(3)
    axes = [direction / np.linalg.norm(direction) for direction in rng.normal(size=(3, 3))]
    found = []
    for symbolic in (True, False):
        s = bl.System("arm")
        below = s.ground
        for i, axis in enumerate(axes):
            body = s.body(f"b{i}", 1.5, com=[0.1, 0.2, 0.3], inertia=[2, 3, 4, 0.1, 0.2, 0.3])
            given = [s.parameter(f"n{i}{k}", x) for k, x in enumerate(axis)] if symbolic else list(axis)
            s.joint("revolute", below, body, at=[1, 0, 0], axis=given, second=[1, 0, 0] if symbolic else None)
            below = body
        s.gravity([0, 0, -9.81])
        found.append(evaluate(s.model(), "M|delta", [0.3, -0.8, 1.4], [1.0, -2.0, 0.5]))
    assert error(found[0].M, found[1].M) < 1e-12
    assert error(found[0].delta, found[1].delta) < 1e-12


def agree(system, swarm, q, dq, t=0.0):
    M, delta = swarm.equations(q, dq, t)
    for formalism in FORMALISMS:
        for rule in RULES:
            got = evaluate(system.model(formalism=formalism, rule=rule), "M|delta", q, dq, t=t)
            assert error(got.M, M) < 1e-12, (formalism, rule)
            assert error(got.delta, delta) < 1e-12, (formalism, rule)


@given(hand_tree.swarms(bases=5, points=7, bodies=4), SEEDS)
@settings(FEW, max_examples=80)
def test_the_default_is_right_by_hand(swarm, seed):
    """1a-46, 1a-50: M and delta of the direct formalism, and e of the recursion."""
    q, dq, ddq = states(np.random.default_rng(seed), swarm.n)
    M, delta = swarm.equations(q, dq, -0.4)
    model = hand_tree.system(swarm).model()
    got = evaluate(model, "M|delta", q, dq, t=-0.4)
    assert error(got.M, M) < 1e-12
    assert error(got.delta, delta) < 1e-12
    assert error(evaluate(model, "e", q, dq, ddq, -0.4), M @ ddq - delta) < 1e-12


X, Y, Z = np.eye(3)
BY_HAND = {
    # what hangs on what turns, by a point that does not, turns again: B1, the ground, B1
    "turns twice": ([Turn(0, Z, X[:2])], [(0, 1, X, None), (1, 0, Y, None), (2, 1, X, None)], [(3, 1)]),
    # the same with a shift between the two: the momentum beyond it is not that of the last arm alone
    "slides between": ([Turn(0, Z, X[:2])], [(0, 1, X, None), (1, 0, Y, (X, 1)), (2, 1, X, None)], [(3, 1)]),
    # a point that stands where its parent is, by components in another base, hides nothing
    "same place": (
        [Turn(0, Z, X[:2]), Turn(1, Y, X[:2])],
        [(0, 2, X, (X, 1)), (1, 0, 0 * X, None), (2, 2, Y, None)],
        [(3, 1)],
    ),
    # absolute angles: the second bar is given in the ground
    "absolute": (
        [Turn(0, Z, X[:2]), Turn(0, Z, Y[:2])],
        [(0, 1, X, None), (1, 2, X, None)],
        [(1, 1), (2, 2)],
    ),
    # a place on one body, an orientation of another
    "elsewhere": (
        [Turn(0, Z, X[:2]), Turn(1, X, Y[:2])],
        [(0, 1, X, None), (0, 2, Y, None)],
        [(1, 2), (2, 1)],
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand_in_small(name):
    """1a-17: where what one coordinate moves does not move as one."""
    turns, points, bodies = BY_HAND[name]
    edges = []
    for parent, base, r, shift in points:
        slope = np.zeros((3, 2)) if shift is None else np.outer(shift[0], np.eye(2)[shift[1]])
        edges.append(Edge(parent, base, r, slope))
    inertia, com = np.diag([0.2, 0.3, 0.4]), np.array([0.1, 0.5, -0.2])
    solids = [Solid(point, base, 1.5, com, inertia) for point, base in bodies]
    swarm = Swarm(2, tuple(turns), tuple(edges), tuple(solids), np.array([1.0, -9.0, 2.0]))
    agree(hand_tree.system(swarm), swarm, np.array([0.3, -0.7]), np.array([1.1, 0.6]))


def sympy_arm(me, sp):
    """Two bodies with general inertia on a universal joint and a skew hinge, by Kane's method."""
    q, u = me.dynamicsymbols("q:3"), me.dynamicsymbols("u:3")
    N = me.ReferenceFrame("N")
    cross, A = me.ReferenceFrame("C"), me.ReferenceFrame("A")
    cross.orient_axis(N, N.z, q[0])
    A.orient_axis(cross, cross.x, q[1])
    B = me.ReferenceFrame("B")
    B.orient_axis(A, A.y + A.z, q[2])
    O = me.Point("O")  # noqa: E741
    O.set_vel(N, 0)
    bodies, loads = [], []
    elbow = O.locatenew("elbow", 0.7 * A.x)
    for frame, pivot, com, inertia in (
        (A, O, 0.3 * A.x + 0.1 * A.y, (2.0, 3.0, 4.0, 0.1, 0.2, 0.3)),
        (B, elbow, 0.2 * B.y - 0.4 * B.z, (1.0, 1.5, 2.0, -0.2, 0.1, 0.05)),
    ):
        centre = pivot.locatenew(f"centre{frame}", com)
        for point in (pivot, centre):
            point.set_vel(N, point.pos_from(O).dt(N).subs({a.diff(): b for a, b in zip(q, u, strict=True)}))
        tensor = me.inertia(frame, *inertia[:3], inertia[3], inertia[5], inertia[4])
        bodies.append(me.RigidBody(f"body{frame}", centre, frame, 1.5, (tensor, centre)))
        loads.append((centre, -1.5 * 9.81 * N.z))
    kinematic = [a.diff() - b for a, b in zip(q, u, strict=True)]
    kane = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=kinematic)
    kane.kanes_equations(bodies, loads)
    return sp.lambdify([*q, *u], [kane.mass_matrix, kane.forcing])


def test_an_arm_agrees_with_kane_s_method_of_sympy():
    """1a-46, 1b-2: a universal joint and a skew hinge, general inertias about the mass centres."""
    kane = sympy_arm(mechanics, sympy)
    s = bl.System("arm")
    one = s.body("one", 1.5, com=[0.3, 0.1, 0], inertia=[2.0, 3.0, 4.0, 0.1, 0.2, 0.3])
    other = s.body("other", 1.5, com=[0, 0.2, -0.4], inertia=[1.0, 1.5, 2.0, -0.2, 0.1, 0.05])
    s.universal(s.ground, one, axis="z", second="x")
    s.revolute(one, other, at=[0.7, 0, 0], axis=[0, 1, 1])
    s.gravity([0, 0, -9.81])
    rng = np.random.default_rng(1)
    for formalism in FORMALISMS:
        model = s.model(formalism=formalism)
        for _ in range(5):
            q, dq, _ = states(rng, 3)
            M, delta = kane(*q, *dq)
            got = evaluate(model, "M|delta", q, dq)
            assert error(got.M, M) < 1e-12
            assert error(got.delta, np.ravel(delta)) < 1e-12
