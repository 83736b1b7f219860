"""Inertia spread on points and vectors: against closed forms, and against clouds of particles."""

import numpy as np
import pytest
from twins import accelerations, assembled, evaluated, moving

import biela as bl
from biela.mechanics import energy
from biela.mechanics.inverse import inertia_values


def cloud(rng, count=7, plane=False):
    """Particles (masses, places) with the mass, mass centre and central inertia they amount to."""
    m, r = rng.uniform(0.2, 1.0, count), rng.normal(size=(count, 3))
    if plane:
        r[:, 2] = 0.0
    mass, com = m.sum(), m @ r / m.sum()
    d = r - com
    tensor = sum(k * (p @ p * np.eye(3) - np.outer(p, p)) for k, p in zip(m, d, strict=True))
    return m, r, mass, com, tensor


def turned(rng, plane=False):
    """A random pose and twist: R, p, w, v."""
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    R = Q * np.sign(np.linalg.det(Q))
    p, w, v = rng.normal(size=(3, 3))
    if plane:
        angle = rng.uniform(-3, 3)
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        p[2] = v[2] = 0.0
        w[:2] = 0.0
    return R, p, w, v


PLANE = {
    "2 points": {"A": [0.2, 0.1], "B": [0.9, -0.4]},
    "2 points along x": {"A": [0.0, 0.0], "B": [0.9, 0.0]},
    "a point and a vector": {"A": [0.2, 0.1], "u": [0.6, 0.8]},
    "3 points and a vector": {"A": [0.2, 0.1], "B": [0.9, -0.4], "C": [0.1, 1.0], "u": [0.6, 0.8]},
}
SPACE = {
    "2 points and a vector": {"A": [0.1, 0.2, -0.3], "B": [0.9, 0.1, 0.2], "u": [0.0, 0.6, 0.8]},
    "4 points": {"A": [0.1, 0.2, -0.3], "B": [0.9, 0.1, 0.2], "C": [0.3, 0.8, 0.1], "D": [0.0, 0.2, 1.0]},
    "a point and 3 vectors": {"A": [0.1, 0.2, 0.3], "u": [1.0, 0, 0], "v": [0, 0.6, 0.8], "w": [0.6, 0, 0.8]},
}
BODIES = {
    **{f"plane, {k}": (True, v) for k, v in PLANE.items()},
    **{f"space, {k}": (False, v) for k, v in SPACE.items()},
}


def body_of(entities, plane, mass, com, tensor, about="com"):
    s = bl.System("body")
    n = bl.Natural(s, plane="xy" if plane else "")
    made = {}
    for name, r in entities.items():
        made[n.direction(name, r) if name.islower() else n.point(name, r)] = r
    count = 2 if plane else 3
    inertia = tensor[2, 2] if plane else tensor.tolist()
    body = n.body("body", made, mass, com[:count].tolist(), inertia, about)
    s.gravity([1.0, -9.0, 0.0 if plane else 2.0])
    return s.model(), body


@pytest.mark.parametrize("name", BODIES)
def test_a_body_is_its_particles(name):
    plane, entities = BODIES[name]
    rng = np.random.default_rng(5)
    for _ in range(3):
        m, r, mass, com, tensor = cloud(rng, plane=plane)
        model, body = body_of(entities, plane, mass, com, tensor)
        R, p, w, v = turned(rng, plane)
        state, rate = [], []
        for placement in model.placements:
            entity, letter = placement.name.split(".")
            local = np.append(entities[entity], [0.0] * plane)
            arm = R @ local
            state.append((arm + (0 if entity.islower() else p))["xyz".index(letter)])
            rate.append((np.cross(w, arm) + (0 if entity.islower() else v))["xyz".index(letter)])
        places, speeds = r @ R.T + p, np.cross(w, r @ R.T) + v
        kinetic = (m * (speeds**2).sum(axis=1)).sum() / 2
        weight = np.array([1.0, -9.0, 0.0 if plane else 2.0])
        T, V = evaluated(model.functions["energy"], model, state, rate)
        assert pytest.approx(kinetic, rel=1e-12) == T
        assert pytest.approx(-(m @ places @ weight), rel=1e-12, abs=1e-12) == V
        dq = np.array(rate)
        assert dq @ evaluated(model.functions["M"], model, state) @ dq / 2 == pytest.approx(
            kinetic, rel=1e-12
        )
        linear, angular = evaluated(model.functions["momentum"], model, state, rate)
        np.testing.assert_allclose(linear, m @ speeds, atol=1e-12)
        np.testing.assert_allclose(angular, (m[:, None] * np.cross(places, speeds)).sum(axis=0), atol=1e-12)
        fixed = rng.normal(size=2 if plane else 3)
        spot = model.function("spot", {"r": model.space.rate(body.point(list(fixed)).r)}, "velocity")
        expected = np.cross(w, R @ np.append(fixed, [0.0] * plane)) + v
        np.testing.assert_allclose(evaluated(spot, model, state, rate), expected, atol=1e-12)


@pytest.mark.parametrize("name", BODIES)
def test_inertia_may_be_about_the_origin(name):
    plane, entities = BODIES[name]
    m, r, mass, com, tensor = cloud(np.random.default_rng(6), plane=plane)
    about_origin = sum(k * (p @ p * np.eye(3) - np.outer(p, p)) for k, p in zip(m, r, strict=True))
    one, _ = body_of(entities, plane, mass, com, tensor)
    other, _ = body_of(entities, plane, mass, com, about_origin, about="origin")
    q = one.start[0]
    np.testing.assert_allclose(*(evaluated(x.functions["M"], x, q) for x in (one, other)), atol=1e-12)


@pytest.mark.parametrize("plane", ["xy", ""])
def test_a_bar_is_its_particles(plane):
    """Places on a bar are combinations of its ends at any rate, so M is exact beyond rigid motion."""
    rng = np.random.default_rng(7)
    x, m = rng.uniform(-0.2, 1.5, 6), rng.uniform(0.2, 1.0, 6)
    mass, com = m.sum(), m @ x / m.sum()
    s = bl.System("bar")
    n = bl.Natural(s, plane=plane)
    size = 2 if plane else 3
    A, B = n.point("A", [0.0] * size), n.point("B", [1.2] + [0.0] * (size - 1))
    bar = n.bar("bar", A, B, mass=mass, com=com, inertia=m @ (x - com) ** 2)
    M = evaluated(s.model().functions["M"], s.model(), np.zeros(2 * size))
    weights = np.array([1 - x / 1.2, x / 1.2])
    expected = np.kron(weights * m @ weights.T, np.eye(size))
    np.testing.assert_allclose(M, expected, atol=1e-12)
    assert bar.point(0.3).r is not None


def test_a_uniform_bar_has_its_closed_form_symbolically():
    s = bl.System("bar")
    m, length = s.parameters(m=3.0, L=2.0)
    n = bl.Natural(s, plane="xy")
    n.bar("bar", n.point("A", [0, 0]), n.point("B", [0, 2]), length=length, mass=m)
    s.gravity([0, -6, 0])
    model = s.model()
    third, sixth = m / 3, m / 6
    assert model.mass_matrix == bl.matrix(
        [[third, 0, sixth, 0], [0, third, 0, sixth], [sixth, 0, third, 0], [0, sixth, 0, third]]
    )
    assert evaluated(model.functions["delta"], model, *np.zeros((2, 4))) == pytest.approx([0, -9, 0, -9])


def test_a_planar_body_of_two_points_has_its_closed_form():
    """Garcia de Jalon and Bayo (1994): the mass matrix of a planar element with any mass distribution."""
    m, x, y, L, central = 2.0, 0.3, 0.4, 1.5, 0.7
    model, _ = body_of({"A": [0, 0], "B": [L, 0]}, True, m, np.array([x, y, 0]), np.diag([0, 0, central]))
    moment = central + m * (x * x + y * y)
    a, b, c, d = m - 2 * m * x / L + moment / L**2, m * x / L - moment / L**2, m * y / L, moment / L**2
    expected = [[a, 0, b, -c], [0, a, c, b], [b, c, d, 0], [-c, b, 0, d]]
    np.testing.assert_allclose(evaluated(model.functions["M"], model, np.ones(4)), expected, atol=1e-14)


def test_a_disc_on_a_fixed_axis_is_a_mass_at_its_pin():
    s = bl.System("disc")
    n = bl.Natural(s, plane="zx")
    n.body("disc", {n.fixed("A", [0, 0]): [0, 0], n.point("P", [0.3, 0]): [0.3, 0]}, 5.0, [0, 0], 0.4)
    M = evaluated(s.model().functions["M"], s.model(), np.array([0.0, 0.3]))
    np.testing.assert_allclose(M, np.eye(2) * 0.4 / 0.3**2, atol=1e-13)


def mixed():
    """A crank on a joint, a coupler and a rocker in natural coordinates, a spring, a motor on an angle."""
    s = bl.System("mixed")
    n = bl.Natural(s, plane="xy")
    crank = s.body("crank", mass=1.0, com=[0.2, 0.1, 0], inertia=[0, 0, 0.2])
    s.revolute(s.ground, crank)
    pin, ground = crank.point([0.5, 0, 0], "pin"), n.fixed("B", [2.0, 0])
    Q = n.point("Q", [1.6, 0.9])
    coupler = n.body("coupler", [pin, Q], mass=2.0, com=[1.0, 0.3], inertia=0.3)
    n.bar("rocker", ground, Q, mass=0.7)
    th = n.angle("th", (ground, Q))
    s.spring(coupler.point([1.0, 0.8]), s.origin, stiffness=30.0, length=0.4)
    s.gravity([0, -9.81, 0])
    return s, th


def twin():
    """The same, all bodies on joints."""
    s = bl.System("twin")
    crank = s.body("crank", mass=1.0, com=[0.2, 0.1, 0], inertia=[0, 0, 0.2])
    coupler = s.body("coupler", mass=2.0, com=[0.5, 0.3, 0], inertia=[0, 0, 0.3])
    length = np.hypot(0.4, 0.9)
    rocker = s.body("rocker", mass=0.7, com=[length / 2, 0, 0], inertia=bl.rod(0.7, length))
    s.revolute(s.ground, crank)
    s.revolute(crank, coupler, at=[0.5, 0, 0])
    s.revolute(s.ground, rocker, at=[2, 0, 0])
    s.close(coupler.point([1.1, 0.9, 0]), rocker.point([length, 0, 0]))
    s.spring(coupler.point([0.5, 0.8, 0]), s.origin, stiffness=30.0, length=0.4)
    s.gravity([0, -9.81, 0])
    return s.model()


def test_natural_bodies_stand_beside_bodies_on_joints():
    s, th = mixed()
    s.motor(th, "torque")
    model, reference = s.model(), twin()
    assert (model.freedom, reference.freedom) == (1, 1)
    rng = np.random.default_rng(8)
    q = assembled(model, model.start[0])
    dq = moving(model, q, rng)
    other = assembled(reference, [0.0, 0.0, q[3]])
    assert other[[0, 2]] == pytest.approx(q[[0, 3]], abs=1e-9)
    J = evaluated(reference.functions["Phi_q"], reference, other)
    rates = np.linalg.solve(np.vstack([J, [1, 0, 0]]), [0, 0, dq[0]])
    found, expected = accelerations(model, q, dq), accelerations(reference, other, rates)
    assert found[[0, 3]] == pytest.approx(expected[[0, 2]], abs=1e-9)


@pytest.mark.parametrize("formalism", bl.FORMALISMS)
def test_every_formalism_takes_natural_bodies(formalism):
    s, _ = mixed()
    model, direct = s.model(formalism), s.model()
    q = assembled(direct, direct.start[0])
    dq = moving(direct, q, np.random.default_rng(9))
    for f in ("M", "delta"):
        state = (q,) if f == "M" else (q, dq)
        got, expected = (evaluated(x.functions[f], x, *state) for x in (model, direct))
        np.testing.assert_allclose(got, expected, atol=1e-12)
    symmetric = all(model.mass_matrix[i, j] == model.mass_matrix[j, i] for i in range(4) for j in range(i))
    assert symmetric or formalism == "classic"
    assert s.model(sign=-1).mass_matrix == -direct.mass_matrix


def test_energy_is_conserved_and_inverse_dynamics_returns_the_forces():
    s, _ = mixed()
    model = s.model()
    q = assembled(model, model.start[0])
    dq = moving(model, q, np.random.default_rng(10))
    ddq = accelerations(model, q, dq)
    outputs = model.functions["energy"].outputs
    assert {port.name for port in outputs} == {"kinetic", "potential"}
    power = (energy.kinetic(model) + energy.potential(model)).dt()
    assert evaluated(
        model.function("power", {"power": power}, "acceleration"), model, q, dq, ddq
    ) == pytest.approx(0.0, abs=1e-11)
    M, delta = evaluated(model.functions["M|delta"], model, q, dq)
    e = evaluated(model.functions["e"], model, q, dq, ddq)
    np.testing.assert_allclose(e, M @ ddq - delta, atol=1e-11)


def test_lagrange_from_the_energies():
    s, _ = mixed()
    model = s.model()
    T, V = energy.kinetic(model), energy.potential(model)
    rows = [T.diff(v).dt() - T.diff(x) + V.diff(x) for x, v in zip(model.q, model.dq, strict=True)]
    f = model.function("lagrange", {"e": rows}, "acceleration")
    state = np.random.default_rng(11).uniform(0.2, 1.0, (3, 4))
    np.testing.assert_allclose(
        evaluated(f, model, *state), evaluated(model.functions["e"], model, *state), atol=1e-11
    )


@pytest.mark.parametrize("name", BODIES)
def test_inertia_is_linear_in_its_parameters(name):
    """K phi is what inertia asks for: here with the parameters of a cloud of particles."""
    plane, entities = BODIES[name]
    rng = np.random.default_rng(12)
    _, _, mass, com, tensor = cloud(rng, plane=plane)
    model, _ = body_of(entities, plane, mass, com, tensor)
    state = rng.normal(size=(3, len(model.q)))
    phi = evaluated(model.function("phi", {"phi": inertia_values(model)}, "constant"), model, state[0])
    K = evaluated(model.functions["K"], model, *state)
    np.testing.assert_allclose(K @ phi, evaluated(model.functions["e"], model, *state), atol=1e-11)
    assert phi[0] == pytest.approx(mass)


def test_every_function_of_a_natural_model_can_be_made():
    s, _ = mixed()
    s.draw(bl.Bar(s.points["B"], s.points["Q"]))
    model = s.model()
    assert all(model.functions[name].operations.total >= 0 for name in model.functions)


def test_what_is_not_said_of_a_bar_is_that_of_a_uniform_one():
    matrices = []
    for given in (
        {},
        {"com": 0.6},
        {"inertia": 3.0 * 1.2**2 / 12},
        {"com": 0.6, "inertia": 3.0 * 1.2**2 / 12},
    ):
        s = bl.System("bar")
        n = bl.Natural(s)
        n.bar("bar", n.point("A", [0, 0, 0]), n.point("B", [0, 0, 1.2]), mass=3.0, **given)
        matrices.append(evaluated(s.model().functions["M"], s.model(), np.zeros(6)))
    for M in matrices:
        np.testing.assert_allclose(M, np.kron([[1.0, 0.5], [0.5, 1.0]], np.eye(3)), atol=1e-14)


def test_a_point_in_the_plane_of_two_axes_is_carried_linearly():
    s = bl.System("plate")
    p, q = s.parameters(p=1.5, q=0.4)
    n = bl.Natural(s)
    A, B, C, D = (n.point(name, [0, 0, 0]) for name in "ABCD")
    n.body("plate", {A: [0, 0, 0], B: [p, 0, q], C: [0, p, q], D: [2 * p, p, 3 * q]})
    model = s.model()
    carried = [e for e in model.phi if "D" in str(e)]
    assert len(carried) == 3
    assert all(e.diff(a, b) == 0.0 for e in carried for a in model.q for b in model.q)
