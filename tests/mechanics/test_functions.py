"""The Functions of models: rates both ways, forward dynamics, joint export, hoisting, layouts, names."""

import numpy as np
import pytest

import biela as bl
from biela.mechanics.catalogue import SIMULATED
from biela.mechanics.sample import free_samples, samples
from biela.mechanisms import MECHANISMS

HEAVY = ("locomotive", "wheelset")  # their own tests
LIGHT = [name for name in MECHANISMS if name not in HEAVY]
CLOSED = [name for name in LIGHT if len(MECHANISMS[name]().model().phi)]


def four_bar():
    return MECHANISMS["four_bar"]()


@pytest.mark.parametrize("name", CLOSED)
def test_rates_by_operators_are_those_by_differentiation(name):
    """Also where the constraints do not hold."""
    system = MECHANISMS[name]()
    along, plain = (system.model(constraints=way) for way in ("operators", "differentiation"))
    for sample in free_samples(plain, 3):
        for row in ("Phi_dot", "gamma", "beta"):
            one, other = sample.evaluate(along.functions[row]), sample.evaluate(plain.functions[row])
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11 * np.abs(other).max())


@pytest.mark.parametrize("name", CLOSED)
def test_the_rates_are_the_slopes_of_the_equations(name):
    """Central differences along a curve q(t) with q'' = 0."""
    model = MECHANISMS[name]().model()
    (sample,) = free_samples(model, 1)
    h, g = 1e-5, len(model.phi)

    def at(tau, function):
        values = {"q": sample.q + tau * sample.dq, "dq": sample.dq, "t": sample.t + tau, "p": sample.p}
        return function.evaluate(**{port.name: values[port.name] for port in function.inputs})

    phi, rate, gamma = (model.functions[row] for row in ("Phi", "Phi_dot", "gamma"))
    slope = (at(h, phi) - at(-h, phi)) / (2 * h)
    second = (at(h, rate) - at(-h, rate)) / (2 * h)
    scale = max(1.0, np.abs(second).max())
    np.testing.assert_allclose(at(0, rate)[:g], slope, rtol=1e-6, atol=1e-7 * scale)
    np.testing.assert_allclose(-at(0, gamma), second, rtol=1e-6, atol=1e-7 * scale)


CLOSING = ["revolute", "universal", "spherical", "cylindrical", "prismatic", "planar", "weld", "distance"]


@pytest.mark.parametrize("kind", CLOSING)
def test_rates_where_both_sides_of_a_loop_move(kind):
    """Two arms with crossed axes and a driven base; the joint has oblique axes and its own places."""
    s = bl.System("arms")
    a, b, c, d = (s.body(name, mass=1.0) for name in "abcd")
    reach = s.parameter("reach", 0.7)
    s.screw(s.ground, a, pitch=0.4, axis=[1, 2, 2], at=[0.1, 0, 0])
    s.universal(a, b, axis="x", second="y", at=[reach, 0.2, 0.1])
    s.spherical(s.ground, c, at=[0, 1, 0], quaternion=True)
    s.cylindrical(c, d, axis=[0, 3, 4], at=[0.2, 0, reach])
    if kind == "distance":
        s.distance(b.point([reach, 0, 0.1]), d.point([0, 0.3, 0]), 0.4 * reach)
    else:
        axes = {"axis": [1, 2, 2], "second": [2, -2, 1], "child_axis": [0.6, 0.8, 0]}
        s.joint(kind, b, d, at=[0.3, 0, 0.1], to=[0, reach, 0.2], **axes)
    along, plain = (s.model(constraints=way) for way in ("operators", "differentiation"))
    assert along.gamma != plain.gamma
    for sample in free_samples(plain, 5):
        for row in ("Phi_dot", "gamma"):
            one, other = sample.evaluate(along.functions[row]), sample.evaluate(plain.functions[row])
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11 * np.abs(other).max())


def test_rates_of_loops_by_hand_with_time():
    """Angles and places that are no coordinates but expressions of several of them and of time."""
    s = bl.System("hand")
    x, y, z, w = s.coordinates("x y z w")
    one = s.base("one", axis="z", angle=x * y + bl.sin(2 * s.time))
    two = s.base("two", one, axis="z", angle=z * z)
    other = s.base("other", axis=[1, 2, 2], angle=z * x - s.time)
    p = s.point("p", s.point("e", r=[y * y, 0.3, s.time * x], base=one), r=[0.5, x, 0.2], base=two)
    q = s.point("q", r=[1.0, z * s.time, w * w], base=other)
    s.close(p, q)
    s.distance(p, s.origin, 1.0 + 0.1 * s.time)
    along, plain = (s.model(constraints=way) for way in ("operators", "differentiation"))
    assert along.gamma != plain.gamma
    for sample in free_samples(plain, 5):
        for row in ("Phi_dot", "gamma", "beta"):
            one, other = sample.evaluate(along.functions[row]), sample.evaluate(plain.functions[row])
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11 * np.abs(other).max())


def test_rates_of_the_four_bar_take_fewer_operations_by_operators():
    counts = {
        way: [
            four_bar().model(constraints=way).functions[row].operations.total
            for row in ("Phi_dot", "gamma", "all")
        ]
        for way in ("differentiation", "operators", "smaller")
    }
    assert counts["differentiation"][:2] == [24, 30]
    assert counts["operators"][:2] == [21, 24]
    assert counts["operators"][2] < counts["differentiation"][2]
    assert counts["smaller"] == counts["operators"]


@pytest.mark.parametrize("name", CLOSED)
def test_the_default_is_never_larger_than_either_way(name):
    rows = "Phi|Phi_q|Phi_dot|gamma"
    counts = {
        way: MECHANISMS[name]().model(constraints=way).functions[rows].operations.total
        for way in ("differentiation", "operators", "smaller")
    }
    assert counts["smaller"] == min(counts.values())


def test_an_unknown_way_to_rates():
    with pytest.raises(ValueError, match=r"Unknown constraints 'operator'. Known: smaller, operators, diff"):
        four_bar().model(constraints="operator")


# forward dynamics


@pytest.mark.parametrize("name", LIGHT)
def test_forward_dynamics_solve_the_equations(name):
    """Redundant equations included: the accelerations are unique where the multipliers are not."""
    model = MECHANISMS[name]().model()
    found = samples(model, 3, seed=7)
    assert found
    for sample in found:
        M, delta = sample.evaluate(model.functions["M|delta"])
        result = sample.evaluate(model.functions["ddq"])
        if not len(model.phi_dot):
            np.testing.assert_allclose(M @ result, delta, atol=1e-10 * max(1.0, np.abs(delta).max()))
            np.testing.assert_allclose(result, np.linalg.solve(M, delta), rtol=1e-8, atol=1e-9)
            continue
        ddq, multipliers = result
        J, gamma = sample.evaluate(model.functions["Phi_dq|gamma"])
        scale = max(1.0, np.abs(delta).max(), np.abs(J.T @ multipliers).max())
        np.testing.assert_allclose(M @ ddq + J.T @ multipliers, delta, atol=1e-8 * scale)
        np.testing.assert_allclose(J @ ddq, gamma, atol=1e-7 * max(1.0, np.abs(gamma).max()))


@pytest.mark.parametrize("sign", [1, -1])
def test_forward_dynamics_agree_with_numpy(sign):
    model = four_bar().model(sign=sign)
    for sample in samples(model, 5, seed=3):
        M, delta, J, gamma = sample.evaluate(model.functions["M|delta|Phi_dq|gamma"])
        c = len(gamma)
        KKT = np.block([[M, J.T], [J, np.zeros((c, c))]])
        ddq, multipliers = sample.evaluate(model.functions["ddq"])
        expected = np.linalg.solve(KKT, np.r_[delta, gamma])
        np.testing.assert_allclose(np.r_[ddq, multipliers], expected, rtol=1e-9, atol=1e-9)


def test_forward_dynamics_of_a_wheelset_with_coordinates_of_contacts():
    model = MECHANISMS["wheelset"]().model()
    for sample in samples(model, 2, seed=5):
        M, delta, J, gamma = sample.evaluate(model.functions["M|delta|Phi_dq|gamma"])
        n, c = len(delta), len(gamma)
        assert np.linalg.matrix_rank(M) < n
        KKT = np.block([[M, J.T], [J, np.zeros((c, c))]])
        expected = np.linalg.solve(KKT, np.r_[delta, gamma])
        got = np.concatenate(sample.evaluate(model.functions["ddq"]))
        np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-9 * np.abs(expected).max())


def test_a_singular_mass_matrix_is_no_obstacle():
    """The length of a spring as a coordinate without inertia, tied to the body by a constraint."""
    s = bl.System("spring")
    x, length = s.coordinate("x"), s.coordinate("length", value=1.0, inertia=False)
    mass = s.body("mass", mass=2.0)
    s.prismatic(s.ground, mass, axis="x", coordinates=x)
    s.constrain("length", length * length - (1 + x * x))
    s.effort(length, -100.0 * (length - 0.5))
    model = s.model()
    q = np.array([0.75, 1.25])
    dq = np.array([1.0, 0.6])  # length' = x x' / length
    M = model.functions["M"].evaluate(q)
    assert np.linalg.matrix_rank(M) == 1
    ddq, multipliers = model.functions["ddq"].evaluate(q, dq)
    force = -100.0 * 0.75  # of the spring, along its length
    assert ddq[0] == pytest.approx(force * 0.75 / 1.25 / 2.0, rel=1e-12)
    assert ddq[1] == pytest.approx((1.0 + 0.75 * ddq[0] - 0.36) / 1.25, rel=1e-12)
    assert multipliers[0] == pytest.approx(force / (2 * 1.25), rel=1e-12)


def test_accelerations_that_nothing_determines():
    s = bl.System("ghost")
    s.coordinate("x", inertia=False)
    bob = s.body("bob", mass=1.0, com=[1, 0, 0])
    s.revolute(s.ground, bob)
    with pytest.raises(
        ValueError, match=r"Model 'ghost': its accelerations are not determined. Give inertia"
    ):
        s.model().functions["ddq"]


def test_redundant_equations_are_left_out_and_have_no_multiplier():
    model = MECHANISMS["bricard"]().model()
    for sample in samples(model, 2):
        _, multipliers = sample.evaluate(model.functions["ddq"])
        J = sample.evaluate(model.functions["Phi_dq"])
        assert np.sum(multipliers == 0.0) == len(J) - np.linalg.matrix_rank(J, tol=1e-8)


# joint export and hoisting


@pytest.mark.parametrize("name", ["four_bar", "double_pendulum", "crank_rod_disc"])
def test_all_is_what_a_simulation_needs_computed_together(name):
    model = MECHANISMS[name]().model()
    joint = model.functions["all"]
    own = [row for row in SIMULATED if row in set(model.functions)]
    assert [port.name for port in joint.outputs] == own
    assert joint.operations.total == model.functions["|".join(own)].operations.total
    assert joint.operations.total < sum(model.functions[row].operations.total for row in own)
    for sample in free_samples(model, 2):
        found = sample.evaluate(joint)
        for row in own:
            np.testing.assert_array_equal(getattr(found, row), sample.evaluate(model.functions[row]))


@pytest.mark.parametrize("row", list(four_bar().model().functions))
def test_hoisting_the_parameters_of_every_function(row):
    model = four_bar().model()
    whole = model.functions[row]
    prepare, run = bl.hoist(whole, "p")
    assert run.operations.total <= whole.operations.total
    for sample in samples(model, 2):
        values = {port.name: getattr(sample, port.name, [0.3] * port.size) for port in whole.inputs}
        moving = [values[port.name] for port in run.inputs[:-1]]
        got, expected = run.evaluate(*moving, prepare.evaluate(sample.p)), whole.evaluate(**values)
        for one, other in zip(got, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_native_code_of_all_agrees():
    model = four_bar().model()
    function = model.functions["all|ddq"]
    (sample,) = samples(model, 1)
    values = [getattr(sample, port.name) for port in function.inputs]
    for one, other in zip(bl.Kernel(function)(*values), function.evaluate(*values), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


# layouts and names


def test_inputs_always_come_in_one_order():
    s = bl.System("everything")
    m, t = s.parameter("m", 1.0), s.time
    bob = s.body("bob", mass=m, com=[1, 0, 0])
    hinge = s.revolute(s.ground, bob)
    s.motor(hinge.coordinates[0], "torque")
    s.drive(hinge.coordinates[0], bl.sin(t))
    model = s.model()
    assert repr(model.functions["e|reactions"]).split(" ->")[0] == (
        "everything_e_reactions(q[1], dq[1], ddq[1], lambda_[1], t, p[1], u[1])"
    )
    assert [port.name for port in model.functions["ddq"].inputs] == ["q", "dq", "t", "p", "u"]
    assert [port.name for port in model.functions["ddq"].outputs] == ["ddq", "lambda_"]


def test_joint_unknowns_stay_out_of_every_function_but_their_own():
    """The bob on a rod by a joint unknown: M ddq + V^T eps = delta, delta being weight alone."""
    s = bl.System("bob")
    x, y = s.coordinates("x y")
    tip = s.point("tip", r=[x, y, 0])
    bob = s.body("bob", mass=2.0, origin=tip, base=s.base("bob", axis="z", angle=0.0))
    tension = s.unknown("tension")
    s.force(bob, [tension * x, tension * y, 0.0], kind="constraint")
    s.gravity([0.0, -10.0, 0.0])
    model = s.model()
    q, still = [0.6, -0.8], [0.0, 0.0]
    inputs = {"q": q, "dq": still, "ddq": still}

    def value(name):
        function = model.functions[name]
        return function.evaluate(**{port.name: inputs[port.name] for port in function.inputs})

    np.testing.assert_array_equal(value("delta"), [0.0, -20.0])
    np.testing.assert_array_equal(value("e"), [0.0, 20.0])
    np.testing.assert_array_equal(value("V"), [[-0.6, 0.8]])
    assert all(model.functions[name] for name in model.functions)
    with pytest.raises(ValueError, match="has joint unknowns: these are its reactions"):
        model.reaction("any")


def test_an_unknown_function_names_the_known_ones():
    model = four_bar().model()
    with pytest.raises(KeyError, match=r"has no function 'gama'. It has M, delta, .*Did you mean 'gamma'"):
        model.functions["M|gama"]
    with pytest.raises(KeyError, match="has no function 'Phi'"):
        MECHANISMS["pendulum"]().model().functions["Phi"]


# friction on joints


def test_a_block_that_slides_with_dry_friction_stops_where_energy_says():
    s = bl.System("block")
    m, mu, g = s.parameters(m=2.0, mu=0.3, g=9.81)
    block = s.body("block", mass=m)
    x = s.prismatic(s.ground, block, axis="x").coordinates[0]
    s.effort(x, bl.coulomb(x.dt(), mu * m * g, width=1e-3))
    accelerate = bl.Kernel(s.model().functions["ddq"])
    state, p, h = np.array([0.0, 2.0]), np.array([2.0, 0.3, 9.81]), 1e-4
    while state[1] > 0.01:
        middle = state + h / 2 * np.array([state[1], accelerate(state[:1], state[1:], p)[0]])
        state = state + h * np.array([middle[1], accelerate(middle[:1], middle[1:], p)[0]])
    assert state[0] == pytest.approx(2.0**2 / (2 * 0.3 * 9.81), rel=1e-3)


def test_friction_of_a_hinge_is_carried_by_its_reaction():
    s = bl.System("wheel")
    wheel = s.body("wheel", mass=1.0, inertia=[0.1, 0.1, 0.2])
    q = s.revolute(s.ground, wheel, axis="z").coordinates[0]
    s.effort(q, bl.stribeck(q.dt(), level=0.5, static=0.8, fall=0.1, viscous=0.02, width=1e-4))
    model = s.model()
    for speed in (-3.0, 0.1, 2.0):
        falling = 0.5 + 0.3 * np.exp(-((speed / 0.1) ** 2))
        torque = -np.sign(speed) * falling - 0.02 * speed
        ddq = model.functions["ddq"].evaluate([0.0], [speed])
        assert ddq[0] == pytest.approx(torque / 0.2, rel=1e-12)
        moment = model.reaction("ground-wheel").evaluate([0.0], [speed], ddq).moment
        assert moment[2] == pytest.approx(torque, rel=1e-12)
