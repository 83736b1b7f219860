"""Wheels on rails: profiles, where they touch, the wheelset, and the locomotive of Plaza (2015)."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import biela as bl
from biela.expr.spline import interpolate
from biela.mechanisms import MECHANISMS, track

MILLIMETRE = 1e-3


@cache
def model_of(name, formalism="direct"):
    return MECHANISMS[name]().model(formalism=formalism)


def evaluate(model, name, q, dq=None, **more):
    function = model.functions[name]
    given = {"q": q, "dq": dq, "p": model.p, "u": model.u, **more}
    return function.evaluate(*[given[port.name] for port in function.inputs])


def motion(model, q, dq):
    """Accelerations and multipliers."""
    M, delta, J, gamma = evaluate(model, "M|delta|Phi_dq|gamma", q, dq)
    n, c = len(q), len(J)
    matrix = np.block([[M, J.T], [J, np.zeros((c, c))]])
    solution = np.linalg.solve(matrix, np.concatenate([delta, gamma]))
    return solution[:n], solution[n:]


def index(model, name):
    return [p.name for p in model.placements].index(name)


# profiles


def tread_of_the_standard(x):
    """The polynomials of EN 13715 for S1002, in millimetres, between flange root and field side."""
    if x > 32.15796:
        return 1.364323640 - 0.066666667 * x
    root = [-4.320221063e3, -1.038384026e3, -1.065501873e2, -6.051367875]
    root += [-2.054332446e-1, -4.169739389e-3, -4.687195829e-5, -2.252755540e-7]
    middle = [0.0, -3.358537058e-2, 1.565681624e-3, -2.810427944e-5, 5.844240864e-8]
    middle += [-1.562379023e-8, 5.309217349e-15, -5.957839843e-12, 2.646656573e-13]
    return sum(a * x**k for k, a in enumerate(root if x < -26 else middle))


def test_the_tread_is_that_of_s1002():
    curve = interpolate(*zip(*track.TREAD, strict=True))
    for x in np.linspace(-30, 58, 177):
        wanted = tread_of_the_standard(x) * MILLIMETRE
        assert curve(x * MILLIMETRE) == pytest.approx(wanted, abs=0.01 * MILLIMETRE)


def test_the_head_is_made_of_tangent_arcs():
    """Radii of 300, 80 and 13 mm: every point of the table has the distance of its arc's radius."""
    centre, joints = np.array([0.0, -300.0]), [(10.3, 300.0, 80.0), (26.0, 80.0, 13.0)]
    arcs = [(0.0, 10.3, centre, 300.0)]
    for y, before, after in joints:
        point = np.array([y, centre[1] + math.sqrt(before**2 - (y - centre[0]) ** 2)])
        centre = point + (centre - point) * after / before
        arcs.append((y, 36.0, centre, after))
    for y, z in np.array(track.HEAD) * 1000:
        _, _, c, radius = [arc for arc in arcs if arc[0] <= y][-1]
        assert math.hypot(y - c[0], z - c[1]) == pytest.approx(radius, abs=2e-3)


def test_a_wheelset_at_rest_touches_where_the_clearance_is_least():
    tread = interpolate(*zip(*track.TREAD, strict=True))
    y, z = np.array([(-y, z) for y, z in track.HEAD[:0:-1]] + list(track.HEAD)).T
    c, s = math.cos(track.INCLINATION), math.sin(track.INCLINATION)
    head = interpolate(c * y - s * z, s * y + c * z)

    def minus_height(width):
        return -tread(width) - head(track.TAPE + width - track.RAIL)

    found = minimize_scalar(minus_height, bounds=(-0.02, 0.02), options={"xatol": 1e-12})
    rest = track.rest()
    assert rest.width == pytest.approx(found.x, abs=1e-6)
    assert rest.height == pytest.approx(-found.fun, abs=1e-12)
    assert rest.excess == pytest.approx(tread(rest.width))
    assert rest.across == pytest.approx(track.TAPE + rest.width - track.RAIL)


# both vehicles


VEHICLES = pytest.mark.parametrize("name", ["wheelset", "locomotive"])


@VEHICLES
def test_the_start_is_assembled_and_in_equilibrium(name):
    model = model_of(name)
    q, dq = model.start
    np.testing.assert_allclose(evaluate(model, "Phi", q), 0, atol=1e-13)
    np.testing.assert_allclose(evaluate(model, "Phi_dot", q, dq), 0, atol=1e-12)
    ddq, _ = motion(model, q, dq)
    np.testing.assert_allclose(ddq, 0, atol=1e-5)


@VEHICLES
def test_the_rails_carry_the_weight(name):
    model = model_of(name)
    q, dq = model.start
    ddq, multipliers = motion(model, q, dq)
    reactions = evaluate(model, "reactions", q, dq, ddq=ddq, lambda_=multipliers)
    upward = sum(wrench[2] for wrench in reactions)
    p = {quantity.name: quantity.value for quantity in model.parameters}
    if name == "wheelset":
        weight = p["m"] * p["g"] + p["F"]
    else:
        counts = {"WAG": 1, "SLD": 2, "BOG": 2, "WHS": 4, "AXB": 8, "MOT": 2, "ROT": 2}
        weight = p["g"] * sum(n * p[f"m_{body}"] for body, n in counts.items())
    assert upward == pytest.approx(weight, rel=1e-9)
    for wrench, load in zip(reactions, [u for u in model.u if u], strict=True):
        assert wrench[2] == pytest.approx(load, rel=1e-7)
        assert np.abs(wrench[3:]).max() < 1e-6 * load  # a force through the point of contact, no moment


@VEHICLES
def test_a_disturbed_vehicle_is_put_back_on_the_rails(name):
    """By the pseudo-inverse, also when every equation is there twice."""
    model = model_of(name)
    rng = np.random.default_rng(4)
    start = model.start[0] + rng.uniform(-2e-4, 2e-4, len(model.q))
    ends = []
    for times in (1, 2):
        q = start.copy()
        for _ in range(20):
            phi, slopes = evaluate(model, "Phi|Phi_q", q)
            q -= np.linalg.pinv(np.tile(slopes, (times, 1)), rcond=1e-10) @ np.tile(phi, times)
        assert np.abs(evaluate(model, "Phi", q)).max() < 1e-12
        ends.append(q)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-11)
    assert np.abs(ends[0] - start).max() < 0.02


# the wheelset


def test_creep_steers_a_shifted_wheelset_back():
    """The yaw moment of Klingel's wheelset: on each wheel, creep slope times half the base times creepage."""
    model = model_of("wheelset")
    p = {quantity.name: quantity.value for quantity in model.parameters}
    q, dq = model.start
    shift, held = 1e-4, [index(model, name) for name in ("x", "y", "yaw", "spin")]
    q[index(model, "y")] = shift
    free = [k for k in range(len(q)) if k not in held]
    for _ in range(20):
        phi, slopes = evaluate(model, "Phi|Phi_q", q)
        q[free] -= np.linalg.solve(slopes[:, free], phi)
    excess = interpolate(*zip(*track.TREAD, strict=True))
    widths = [q[index(model, "left.width1")], -q[index(model, "right.width1")]]
    left, right = (p["r"] + excess(width) for width in widths)
    assert left > right
    creepage = (left - right) / (left + right)
    slope = 2 / math.pi * 1.4 * p["C"]  # of Polach's law on a dry rail
    moment = evaluate(model, "delta", q, dq)[index(model, "yaw")]
    assert moment == pytest.approx(-2 * slope * track.TAPE * creepage, rel=0.05)


def test_a_wheelset_rolls_on_between_its_rails():
    """Half a second from a shift of 2 mm, without projections, by Runge and Kutta."""
    model = model_of("wheelset")
    kernel = bl.Kernel(model.functions["M|delta|Phi_dq|gamma"])
    q, dq = model.start
    n = len(q)
    q[index(model, "y")] = 2e-3
    held = [index(model, name) for name in ("x", "y", "yaw", "spin")]
    free = [k for k in range(n) if k not in held]
    for _ in range(20):
        phi, slopes = evaluate(model, "Phi|Phi_q", q)
        q[free] -= np.linalg.solve(slopes[:, free], phi)
    dq -= np.linalg.pinv(evaluate(model, "Phi_dq", q)) @ evaluate(model, "Phi_dot", q, dq)

    def rate(state):
        given = {"q": state[:n], "dq": state[n:], "p": model.p, "u": model.u}
        M, delta, J, gamma = kernel(*[given[port.name] for port in kernel.function.inputs])
        c = len(J)
        matrix = np.block([[M, J.T], [J, np.zeros((c, c))]])
        return np.concatenate([state[n:], np.linalg.solve(matrix, np.concatenate([delta, gamma]))[:n]])

    state, h, sideways = np.concatenate([q, dq]), 1e-3, []
    for _ in range(500):
        k1 = rate(state)
        k2 = rate(state + h / 2 * k1)
        k3 = rate(state + h / 2 * k2)
        k4 = rate(state + h * k3)
        state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        sideways.append(state[index(model, "y")])
    gaps = np.abs(evaluate(model, "Phi", state[:n])).reshape(2, 5)
    assert gaps[:, :3].max() < 1e-8  # metres; nothing draws them back
    assert gaps[:, 3:].max() < 1e-5  # slopes, across the knots of the splines
    assert state[index(model, "x")] == pytest.approx(7.5, rel=1e-2)
    assert max(map(abs, sideways)) <= 2.001e-3
    assert max(map(abs, sideways[400:])) < 1e-3  # well below the critical speed it settles


# the locomotive


def test_the_locomotive_has_the_published_sizes():
    model = model_of("locomotive")
    assert model.sizes == {"p": 76, "g": 40, "r": 0, "c": 40, "m": 36, "n": 36}
    assert model.freedom == 36
    assert len(model.bodies) == 21
    assert [p.inertia for p in model.placements] == [True] * 44 + [False] * 32


def test_the_mass_matrix_of_the_locomotive_is_sparse():
    """The source has 83.57 % zeros with its own division; what is not zero is in the first 44 rows."""
    M = model_of("locomotive").mass_matrix
    filled = np.array([abs(ref) != 1 for ref in M.refs]).reshape(76, 76)
    assert 1 - filled.mean() >= 0.8357
    assert not filled[44:].any()
    assert not filled[:, 44:].any()


def test_the_equations_of_the_locomotive_are_small():
    """The source needs 36,695 operations for both; counts are deterministic, so they may be held."""
    assert model_of("locomotive").functions["M|delta"].operations.total <= 7000


@pytest.mark.parametrize("formalism", ["bodies", "newton-euler", "lagrange"])
def test_formalisms_agree_on_the_locomotive(formalism):
    rng = np.random.default_rng(9)
    q, dq = model_of("locomotive").start
    for _ in range(3):
        state = q + rng.uniform(-0.02, 0.02, 76), dq + rng.uniform(-0.5, 0.5, 76)
        got, wanted = (
            evaluate(model_of("locomotive", name), "M|delta", *state) for name in (formalism, "direct")
        )
        for one, other in zip(got, wanted, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-10 * np.abs(other).max())


def test_a_motor_pulls_the_train():
    """Small torques: all wheels roll, so the train gains what they give, rotating masses included."""
    model = model_of("locomotive")
    q, dq = model.start
    u = model.u.copy()
    torque = 1.0
    names = [quantity.name for quantity in model.inputs]
    p = {quantity.name: quantity.value for quantity in model.parameters}
    for end in "FR":
        u[names.index(f"rear.MOT{end}.torque")] = -torque
    delta = evaluate(model, "delta", q, dq, u=u) - evaluate(model, "delta", q, dq)
    pushed = {model.placements[k].name: value for k, value in enumerate(delta) if value}
    wanted = {f"rear.WHS{end}.spin": -p["gear"] * torque for end in "FR"}
    assert pushed == pytest.approx(wanted)


@pytest.mark.parametrize("film", ["dry", "wet", "contaminated"])
def test_a_film_limits_the_pull_of_a_spinning_wheel(film):
    model = MECHANISMS["wheelset"](film=film).model()
    q, dq = model.start
    spin = index(model, "spin")
    dq[spin] += 10.0  # the treads slip at more than 4 m/s
    pull = evaluate(model, "delta", q, dq)[index(model, "x")]
    slip = 10.0 * (0.42 + track.rest().excess)
    limit = 2 * 45000.0 * bl.falling_friction(bl.constant(model.graph, slip), film).number
    assert 0.8 * limit < pull < limit
