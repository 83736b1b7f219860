"""Reactions: balances of free bodies by finite differences, powers along joints, closed forms."""

import numpy as np
import pinocchio as pin
import pinocchio_tree
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_tree import states, trees
from swarm import error

import biela as bl
from biela.mechanics.kinematics import angular_velocity, velocity
from biela.mechanics.reaction import output_names
from biela.mechanics.sample import Sample, samples
from biela.mechanisms import MECHANISMS

H = 1e-3  # of the fourth-order differences


def machine():
    """A tree of many kinds of joints with offsets, loads and a spring."""
    s = bl.System("machine")
    bodies = {}
    for k, name in enumerate(["slide", "arm", "wrist", "tool", "side", "flag", "ball"]):
        inertia = [1.0 + k, 1.2 + k, 1.4 + k, 0.05, 0.02, -0.03]
        bodies[name] = s.body(name, mass=1.0 + 0.5 * k, com=[0.1, -0.2, 0.3 - 0.1 * k], inertia=inertia)
    b = bodies
    s.prismatic(s.ground, b["slide"], axis=[1, 1, 0], at=[0.1, 0, 0.2], to=[0, 0.3, 0])
    s.revolute(b["slide"], b["arm"], axis="y", at=[0.2, 0, 0.1], to=[0.1, 0.1, 0])
    s.universal(b["arm"], b["wrist"], axis="z", second="x", at=[0.5, 0, 0])
    s.cylindrical(b["wrist"], b["tool"], axis=[0, 1, 2], at=[0, 0, 0.3], to=[0, 0.1, 0.1])
    s.weld(b["arm"], b["side"], at=[0, 0.4, 0], to=[0.1, 0, 0])
    s.planar(b["side"], b["flag"], axis="x", at=[0, 0.1, 0])
    s.spherical(b["flag"], b["ball"], at=[0, 0.2, 0.1], to=[0.3, 0, 0])
    s.gravity([0.5, -1.0, -9.81])
    s.force(b["tool"], [3.0, 2.0, -1.0], at=[0.1, 0.2, 0.3], base=b["arm"])
    s.force(b["wrist"], [1.0, 4.0, 2.0], at=[0.3, 0.2, 0.1], by=b["flag"])
    s.moment(b["ball"], [1.0, -2.0, 3.0], by=b["side"])
    s.spring(b["tool"].point([0, 0.1, 0]), b["ball"].point([0.2, 0, 0]), 50.0, 0.3, 2.0)
    return s


def loop(kind, **options):
    """Three moving bodies; a joint of one kind closes the loop from the third to the ground."""
    s = bl.System(f"loop_{kind}")
    a, b, c = (
        s.body(n, mass=m, com=[0.2, 0.05, -0.1], inertia=[0.3, 0.35, 0.4, 0.01, 0.02, -0.02])
        for n, m in (("a", 1.0), ("b", 2.0), ("c", 1.5))
    )
    s.spherical(s.ground, a)
    s.universal(a, b, axis="x", second="y", at=[1.0, 0.2, 0])
    s.cylindrical(b, c, axis="z", at=[0.8, 0, 0.1])
    s.joint(kind, s.ground, c, at=[1.2, 0.5, 0.3], to=[0.1, 0.2, 0.3], name="closing", **options)
    s.gravity([0, -1.0, -9.81])
    s.motor(s.coordinates_by_name["c.angle"].symbols.position, "torque")
    return s


class FreeBodies:
    """The balance of every body of a system, from poses alone, differentiated numerically in time."""

    def __init__(self, system, model):
        self.system, self.model = system, model
        outputs = {}
        for name, body in model.bodies.items():
            outputs[f"{name}_place"] = system.position(body.com).at(model.space.root)
            outputs[f"{name}_turn"] = system.rotation(body)
        for k, joint in enumerate(model.joints):
            outputs[f"joint{k}"] = system.position(joint.to).at(model.space.root)
        for k, load in enumerate(model.loads):
            for i, (point, force) in enumerate(load.forces):
                outputs[f"load{k}_at{i}"] = system.position(point).at(model.space.root)
                outputs[f"load{k}_force{i}"] = force.at(model.space.root)
            for i, (_, moment) in enumerate(load.moments):
                outputs[f"load{k}_moment{i}"] = moment.at(model.space.root)
        self.poses = model.function("poses", outputs, "force")

    def at(self, sample, tau):
        q = sample.q + tau * sample.dq + tau * tau / 2 * sample.ddq
        dq = sample.dq + tau * sample.ddq
        values = {"q": q, "dq": dq, "p": sample.p, "u": sample.u, "t": sample.t}
        names = [port.name for port in self.poses.inputs]
        return self.poses.evaluate(**{name: values[name] for name in names})

    def inertia_wrench(self, sample, body):
        """The rates of linear momentum and of angular momentum about the mass centre, in the ground."""
        taus = H * np.arange(-2, 3)
        poses = [self.at(sample, tau) for tau in taus]
        x = np.array([getattr(pose, f"{body.name}_place") for pose in poses])
        R = np.array([getattr(pose, f"{body.name}_turn") for pose in poses])
        first, second = np.array([1, -8, 0, 8, -1]) / (12 * H), np.array([-1, 16, -30, 16, -1]) / (12 * H * H)
        Rd, Rdd = np.tensordot(first, R, 1), np.tensordot(second, R, 1)
        W, Wd = Rd @ R[2].T, Rdd @ R[2].T + Rd @ Rd.T
        w, wd = (np.array([S[2, 1], S[0, 2], S[1, 0]]) for S in (W, Wd))
        tensor = np.array([[e.number for e in row] for row in body.inertia])
        inertia = R[2] @ tensor @ R[2].T
        return body.mass.number * (second @ x), inertia @ wd + np.cross(w, inertia @ w), x[2], R[2]


def check_balances(system, model, sample, multipliers):
    """Everything that acts on a body, joints and loads and weight, equals its inertia wrench."""
    free = FreeBodies(system, model)
    pose = free.at(sample, 0.0)
    values = evaluated(model, sample, multipliers)
    names = output_names([j.name for j in model.joints])
    weight = np.array([entry.number for entry in model.weight])
    scale = 0.0
    for body in model.bodies.values():
        rate, spin_rate, centre, R = free.inertia_wrench(sample, body)
        force, moment = body.mass.number * weight, np.zeros(3)
        for k, (joint, name) in enumerate(zip(model.joints, names, strict=True)):
            sign = (joint.child is body) - (joint.parent is body)
            if sign:
                f, m = values[name][:3], values[name][3:]
                turn = R if joint.child is body else getattr(pose, f"{joint.child.name}_turn")
                f, m = sign * (turn @ f), sign * (turn @ m)
                force, moment = force + f, moment + m + np.cross(getattr(pose, f"joint{k}") - centre, f)
        for k, load in enumerate(model.loads):
            for i, (point, _) in enumerate(load.forces):
                if point.base is body.base or point is body.origin:
                    f = getattr(pose, f"load{k}_force{i}")
                    force, moment = (
                        force + f,
                        moment + np.cross(getattr(pose, f"load{k}_at{i}") - centre, f),
                    )
            for i, (base, _) in enumerate(load.moments):
                if base is body.base:
                    moment = moment + getattr(pose, f"load{k}_moment{i}")
        scale = max(scale, np.abs(rate).max(), np.abs(spin_rate).max())
        np.testing.assert_allclose(force, rate, atol=1e-6 * max(1.0, scale))
        np.testing.assert_allclose(moment, spin_rate, atol=1e-6 * max(1.0, scale))
    return scale


def evaluated(model, sample, multipliers):
    """All reactions by the names of outputs; with as many multipliers as there are."""
    function = model.functions["reactions"]
    values = {
        "lambda_": None if multipliers is None else multipliers[: len(model.phi_dot)],
        **{k: getattr(sample, k) for k in ("q", "dq", "ddq", "t", "p", "u")},
    }
    found = function.evaluate(**{port.name: values[port.name] for port in function.inputs})
    names = [port.name for port in function.outputs]
    return dict(zip(names, found if len(names) > 1 else [found], strict=True))


def solved(model, sample):
    """The accelerations and multipliers, by NumPy."""
    M, delta = sample.evaluate(model.functions["M|delta"])
    n, c = len(model.q), len(model.phi_dot)
    if not c:
        return np.linalg.solve(M, delta), np.zeros(0)
    J, gamma = sample.evaluate(model.functions["Phi_dq|gamma"])
    KKT = np.block([[M, J.T], [J, np.zeros((c, c))]])
    x = np.linalg.lstsq(KKT, np.r_[delta, gamma], rcond=1e-10)[0]
    return x[:n], x[n:]


def moved(sample, ddq):
    return type(sample)(sample.q, sample.dq, ddq, sample.t, sample.p, sample.u)


def test_every_body_of_a_tree_is_balanced_whatever_its_motion():
    system = machine()
    model = system.model()
    for sample in samples(model, 3):
        assert check_balances(system, model, sample, None) > 10.0


@given(trees(quaternions=True), st.integers(0, 2**32 - 1))
@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=30)
def test_random_trees_agree_with_pinocchio(tree, seed):
    """Its recursion leaves the wrench of every joint; of a link with several, the last is at the child."""
    q, dq, ddq = states(np.random.default_rng(seed), tree.n)
    q, dq = pinocchio_tree.on_the_sphere(tree, q, dq)
    peer = pinocchio_tree.build(tree)
    data = peer.createData()
    configuration, v, a, _ = pinocchio_tree.state(tree, q, dq, ddq)
    pin.rnea(peer, data, configuration, v, a)
    model = tree.system().model()
    found = list(evaluated(model, Sample(q, dq, ddq, 0.0, model.p, model.u), np.zeros(9)).values())
    last = 0
    for link, wrench in zip(tree.links, found, strict=True):
        shifts = sum(motion == "shift" for motion, _ in link.motions)
        last += shifts + 1 if link.quaternion else len(link.motions)
        if link.motions:
            assert error(wrench, data.f[last].vector) < 1e-12


CLOSING = {
    "revolute": {"axis": [1, 2, 2], "child_axis": "z"},
    "universal": {"axis": "x", "child_axis": "y"},
    "spherical": {},
    "cylindrical": {"axis": [1, 2, 2], "child_axis": "x"},
    "prismatic": {"axis": "y", "child_axis": "x", "second": "z"},
    "planar": {"axis": [1, 2, 2], "child_axis": "z"},
    "weld": {"axis": "z", "child_axis": "x"},
}


@pytest.mark.parametrize("kind", CLOSING)
@pytest.mark.parametrize("sign", [1, -1])
def test_every_body_of_a_loop_is_balanced_and_free_motions_are_free(kind, sign):
    system = loop(kind, **CLOSING[kind])
    model = system.model(sign=sign)
    found = samples(model, 2)
    assert len(found) == 2
    for sample in found:
        ddq, multipliers = solved(model, sample)
        sample = moved(sample, ddq)
        check_balances(system, model, sample, multipliers)
        check_powers(model, sample, multipliers)


def check_powers(model, sample, multipliers):
    """Along each coordinate of joints, reactions have the power of the efforts on it, drives included."""
    space = model.space
    wrenches = list(evaluated(model, sample, multipliers).values())
    powers, expected = np.zeros(len(model.q)), np.zeros(len(model.q))
    tree = [joint for joint in model.joints if not joint.closes]
    for joint, wrench in zip(tree, wrenches, strict=False):
        base = joint.child.base
        v = velocity(space, joint.to, joint.parent.base, joint.parent.origin).at(base)
        w = angular_velocity(space, joint.parent.base, base).at(base)
        slopes = bl.jacobian([*v, *w], model.dq)
        partial = np.zeros((6, len(model.q)))
        outputs = {"slopes": list(slopes.values()) or [0.0 * model.q[0]]}
        numbers = sample.evaluate(model.function("slopes", outputs, "velocity"))
        for (i, k), value in zip(slopes, numbers, strict=False):
            partial[i, k] = value
        powers += wrench @ partial
    index = {q.ref: k for k, q in enumerate(model.q)}
    for coordinate, effort, _ in model.efforts:
        value = sample.evaluate(model.function("effort", {"e": effort}, "force"))
        expected[index[coordinate.ref]] += value
    if multipliers is not None and len(model.phi):
        J = sample.evaluate(model.functions["Phi_q"])
        row = 0
        for c in model.constraints:
            for action in c.actions():
                if action is None:
                    expected -= model.sign * multipliers[row] * J[row]
                row += 1
    moving = {index[q.ref] for joint in tree for q in joint.coordinates}
    scale = max(1.0, *(np.abs(wrench).max() for wrench in wrenches))
    chosen = sorted(moving)
    np.testing.assert_allclose(powers[chosen], expected[chosen], atol=1e-9 * scale)


JOINTED = [
    name for name in MECHANISMS
    if name not in ("locomotive", "wheelset") and "reactions" in set(MECHANISMS[name]().model().functions)
]  # fmt: skip


@pytest.mark.parametrize("name", JOINTED)
def test_reactions_of_mechanisms_have_the_power_of_the_efforts(name):
    model = MECHANISMS[name]().model()
    sample = samples(model, 1)[0]
    ddq, multipliers = solved(model, sample)
    check_powers(model, moved(sample, ddq), multipliers if len(multipliers) else None)


def test_a_pendulum_in_its_lowest_place_carries_its_weight_and_the_centripetal_force():
    s = bl.System("pendulum")
    m, r, g = s.parameters(m=2.0, r=0.5, g=9.81)
    bob = s.body("bob", mass=m, com=[0, -r, 0])
    s.revolute(s.ground, bob, axis="z")
    s.gravity([0, -g, 0])
    found = s.model().reaction("ground-bob").evaluate([0.0], [3.0], [0.0], [2.0, 0.5, 9.81])
    np.testing.assert_allclose(found.force, [0.0, 2.0 * (9.81 + 0.5 * 9.0), 0.0], rtol=1e-14)
    np.testing.assert_allclose(found.moment, 0.0, atol=1e-14)


def test_a_cantilever_at_rest():
    s = bl.System("cantilever")
    beam = s.body("beam", mass=3.0, com=[0.5, 0, 0], inertia=bl.rod(3.0, 1.0))
    cart = s.body("cart", mass=1.0)
    s.prismatic(s.ground, cart, axis="x")
    s.weld(cart, beam, at=[0.2, 0, 0])
    s.force(beam, [0, -7.0, 0], at=[1.0, 0, 0])
    s.gravity([0, -10.0, 0])
    reactions = s.model().functions["reactions"].evaluate([0.0], [0.0], [0.0])
    np.testing.assert_allclose(reactions.cart_beam, [0, 37.0, 0, 0, 0, 30 * 0.5 + 7.0], atol=1e-12)
    np.testing.assert_allclose(reactions.ground_cart, [0, 47.0, 0, 0, 0, 30 * 0.7 + 7 * 1.2], atol=1e-12)


def test_a_massless_rod_carries_what_it_must():
    """A mass on a rod of constant length swings; the rod pulls with m (v^2 / l + g cos)."""
    s = bl.System("swing")
    x, y = s.coordinates("x y")
    bob = s.body("bob", mass=2.0)
    s.planar(s.ground, bob, axis="z", coordinates=[x, y, "turn"])
    s.distance(s.origin, bob.origin, 0.5, name="rod")
    s.gravity([0, -9.81, 0])
    model = s.model()
    a, w = 0.7, 1.3
    q = 0.5 * np.array([np.sin(a), -np.cos(a)])
    dq = 0.5 * w * np.array([np.cos(a), np.sin(a)])
    tension = 2.0 * (0.5 * w * w + 9.81 * np.cos(a))
    multiplier = tension / (2 * 0.5)  # Phi_q is twice the vector along the rod
    found = model.reaction("rod").evaluate([*q, 0.0], [*dq, 0.0], [0.0] * 3, [multiplier])
    np.testing.assert_allclose(found.force, -tension * np.array([np.sin(a), -np.cos(a), 0.0]), rtol=1e-12)


def test_the_ground_under_a_ball_that_rolls_down_an_incline():
    slope, radius, mass, g = 0.3, 0.2, 1.5, 9.81
    s = bl.System("ball")
    ball = s.body("ball", mass=mass, inertia=bl.ball(mass, radius))
    s.free(s.ground, ball)
    s.gravity([g * np.sin(slope), 0, -g * np.cos(slope)])
    contact = s.contact(bl.Surface.sphere(ball, radius), bl.Surface.plane(s.ground), "touch")
    s.roll(contact)
    model = s.model()
    for sample in samples(model, 3):
        sample = type(sample)(sample.q, 0 * sample.dq, sample.ddq, sample.t, sample.p, sample.u)
        ddq, multipliers = solved(model, sample)
        found = evaluated(model, moved(sample, ddq), multipliers)
        turn = sample.evaluate(model.function("turn", {"R": s.rotation(ball)}, "position"))
        normal = [0.0, 0.0, mass * g * np.cos(slope)]
        friction = [-2 / 7 * mass * g * np.sin(slope), 0.0, 0.0]
        for name, expected in (("touch", normal), ("rolling_of_touch", friction)):
            np.testing.assert_allclose(turn @ found[name][:3], expected, atol=1e-9)
            np.testing.assert_allclose(found[name][3:], 0.0, atol=1e-9)
        np.testing.assert_allclose(found["ground_ball"], 0.0, atol=1e-9)  # a free joint carries nothing


def test_reactions_of_one_joint_by_either_name():
    model = MECHANISMS["four_bar"]().model()
    label = model.joints[0].name
    one, other = model.reaction(label), model.reaction(output_names([label])[0])
    assert one.output("force").refs == other.output("force").refs
    assert repr(one).endswith("-> force[3], moment[3]")


def test_names_of_outputs_are_distinct():
    assert output_names(["a-b", "a_b", "a.b[0]", "3"]) == ["a_b", "a_b_2", "a_b_0", "joint_3"]


def test_an_unknown_joint():
    with pytest.raises(
        ValueError, match=r"has no joint 'ground-rokker'\. Known: .* Did you mean 'ground-rocker'"
    ):
        MECHANISMS["four_bar"]().model().reaction("ground-rokker")


def test_constraints_given_as_expressions_have_no_reactions():
    s = bl.System("gears")
    a, b = s.body("a", mass=1.0, com=[1, 0, 0]), s.body("b", mass=1.0, com=[1, 0, 0])
    q = [s.revolute(s.ground, body, axis="z").coordinates[0] for body in (a, b)]
    s.constrain("mesh", q[0] + 2 * q[1])
    model = s.model()
    assert "reactions" not in set(model.functions)
    with pytest.raises(ValueError, match="Constraint 'mesh' is given as expressions, which do not tell"):
        model.reaction("ground-a")
