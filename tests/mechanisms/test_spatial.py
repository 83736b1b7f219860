"""The spatial loops: sizes, assembly, and accelerations against bodies in absolute coordinates."""

import numpy as np
import pytest
from rigid_bodies import Frame, Mechanism

from biela.mechanics.rank import redundant
from biela.mechanisms import MECHANISMS, bricard, hexaglide, spatial_slider_crank, two_rssu
from biela.mechanisms.hexaglide import CORNERS, SIDES

STATES = 5
MAKERS = {m.__name__: m for m in (hexaglide, spatial_slider_crank, two_rssu)}
SIZES = {"hexaglide": (24, 18, 6, 13), "spatial_slider_crank": (4, 3, 1, 3), "two_rssu": (8, 6, 2, 5)}
FREE = {"hexaglide": range(6), "spatial_slider_crank": [0], "two_rssu": [0, 1]}  # coordinates to choose
UP = np.array([0.0, 0.0, 1.0])


@pytest.fixture(scope="module", params=sorted(MAKERS))
def model(request):
    return MAKERS[request.param]().model()


def values_of(model):
    return {quantity.name: quantity.value for quantity in model.parameters}


def assembled(model, rng, spread=0.25):
    """A random state on the constraints: free coordinates near the start, the others by Newton's method."""
    free = list(FREE[model.name])
    rest = [k for k in range(len(model.q)) if k not in free]
    q, dq = model.start
    q[free] += rng.uniform(-spread, spread, len(free)) * np.where(model.name == "hexaglide", 0.4, 1.0)
    for _ in range(12):
        both = model.functions["Phi|Phi_q"].evaluate(q, model.p)
        q[rest] -= np.linalg.solve(both.Phi_q[:, rest], both.Phi)
    dq[free] = rng.uniform(-2.0, 2.0, len(free))
    dq[rest] = np.linalg.solve(both.Phi_q[:, rest], -both.Phi_q[:, free] @ dq[free])
    return q, dq


def accelerations(model, q, dq, u):
    f = model.functions
    inputs = [u] if len(model.inputs) else []
    M, delta = f["M|delta"].evaluate(q, dq, model.p, *inputs)
    J, gamma = f["Phi_q"].evaluate(q, model.p), f["gamma"].evaluate(q, dq, model.p)
    kkt = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    return np.linalg.lstsq(kkt, np.concatenate([delta, gamma]), rcond=1e-12)[0][: len(q)]


def thin(mass, length, axis):
    """A thin rod's inertia."""
    return mass * length**2 / 12.0 * np.diag([float(a != axis) for a in "xyz"])


# each of these gives frames at mass centres with masses and inertias, and joins the bodies


def slider_crank_frames(p, q, dq, ddq):
    motion = list(zip(q, dq, ddq, strict=True))
    x = np.array([1.0, 0.0, 0.0])
    crank = Frame.ground().move([0.0, p["y"], p["z"]]).turn("x", *motion[0]).move(UP * p["r"] / 2)
    slider = Frame.ground().move(*(value * x for value in motion[1]))
    rod = slider.turn("x", *motion[2]).turn("y", *motion[3]).move(-x * p["l"] / 2)
    return [
        (crank, p["m1"], np.diag([p["I1"], p["I1"], p["J1"]])),
        (slider, p["m3"], 1e-4 * np.eye(3)),
        (rod, p["m2"], np.diag([p["J2"], p["I2"], p["I2"]])),
    ]


def join_slider_crank(m, p, u):
    crank, slider, rod = range(3)
    m.ball(m.point(crank, -UP * p["r"] / 2), m.point(None, [0.0, p["y"], p["z"]]))
    guide(m, crank, "x")
    m.ball(m.point(crank, UP * p["r"] / 2), m.point(rod, [-p["l"] / 2, 0.0, 0.0]))
    m.ball(m.point(slider, np.zeros(3)), m.point(rod, [p["l"] / 2, 0.0, 0.0]))
    m.square(m.direction(slider, [1, 0, 0]), m.direction(rod, [0, 1, 0]))
    slide_along_x(m, slider, np.zeros(3))


def rssu_frames(p, q, dq, ddq):
    motion = list(zip(q, dq, ddq, strict=True))
    base = Frame.ground().turn("x", *motion[0]).turn("y", *motion[1]).move(UP * p["h"])
    bodies = [(base, p["m"], np.diag([p["Ixx"], p["Iyy"], p["Izz"]]))]
    for k, side in enumerate((1, -1)):
        pivot = Frame.ground().move([side * p["a"], -(p["l"] + p["b"]), -p["p"]])
        crank = pivot.turn("x", *motion[2 + 3 * k])
        end = crank.move([0.0, p["b"], 0.0])
        along = Frame(np.eye(3), end.p, np.zeros(3), end.v, np.zeros(3), end.a)
        rod = along.turn("x", *motion[3 + 3 * k]).turn("y", *motion[4 + 3 * k]).move(UP * p["p"] / 2)
        bodies.append((crank.move([0.0, p["b"] / 2, 0.0]), p["m_c"], thin(p["m_c"], p["b"], "y")))
        bodies.append((rod, p["m_r"], thin(p["m_r"], p["p"], "z") + 1e-12 * np.eye(3)))
    return bodies


def join_rssu(m, p, u):
    m.ball(m.point(0, -UP * p["h"]), m.point(None, np.zeros(3)))
    m.square(m.direction(None, [1, 0, 0]), m.direction(0, [0, 1, 0]))
    for k, side in enumerate((1, -1)):
        crank, rod, half = 1 + 2 * k, 2 + 2 * k, np.array([0.0, p["b"] / 2, 0.0])
        m.ball(m.point(crank, -half), m.point(None, [side * p["a"], -(p["l"] + p["b"]), -p["p"]]))
        guide(m, crank, "x")
        m.push(crank, np.zeros(3), [u[k], 0.0, 0.0])
        m.ball(m.point(crank, half), m.point(rod, -UP * p["p"] / 2))
        m.ball(m.point(rod, UP * p["p"] / 2), m.point(0, [side * p["a"], -p["l"], -p["h"]]))
        m.square(m.direction(None, [1, 0, 0]), m.direction(rod, [0, 1, 0]))


def hexaglide_frames(p, q, dq, ddq):
    motion = list(zip(q, dq, ddq, strict=True))
    platform = Frame.ground().move(q[:3], dq[:3], ddq[:3])
    for axis, turned in zip("zyx", motion[3:6], strict=True):
        platform = platform.turn(axis, *turned)
    bodies = [(platform, p["m_p"], np.diag([p["I_p"], p["I_p"], p["J_p"]]))]
    for k in range(6):
        travel, first, second = motion[6 + 3 * k : 9 + 3 * k]
        x = np.array([1.0, 0.0, 0.0])
        slide = Frame.ground().move([0.0, p[f"y{k + 1}"], 0.0]).move(*(value * x for value in travel))
        leg = slide.turn("x", *first).turn("y", *second).move(UP * p["l"] / 2)
        bodies.append((slide, p["m_s"], 1e-3 * np.eye(3)))
        bodies.append((leg, p["m_l"], thin(p["m_l"], p["l"], "z") + 1e-12 * np.eye(3)))
    return bodies


def join_hexaglide(m, p, u):
    for k in range(6):
        slide, leg, corner = 1 + 2 * k, 2 + 2 * k, np.deg2rad(CORNERS[k])
        slide_along_x(m, slide, np.array([0.0, p[f"y{k + 1}"], 0.0]))
        m.push(slide, [u[k], 0.0, 0.0])
        m.ball(m.point(slide, np.zeros(3)), m.point(leg, -UP * p["l"] / 2))
        m.square(m.direction(None, [1, 0, 0]), m.direction(leg, [0, 1, 0]))
        head = p["r"] * np.array([np.cos(corner), np.sin(corner), 0.0])
        m.ball(m.point(leg, UP * p["l"] / 2), m.point(0, head))


def guide(m, body, axis):
    """The axis of a body stays along that of the ground."""
    for across in {"x": ([0, 1, 0], [0, 0, 1])}[axis]:
        m.square(m.direction(body, [1, 0, 0]), m.direction(None, across))


def slide_along_x(m, body, place):
    """A body moves along x without turning."""
    guide(m, body, "x")
    m.square(m.direction(body, [0, 1, 0]), m.direction(None, [0, 0, 1]))
    for across in ([0, 1, 0], [0, 0, 1]):
        m.straight(m.point(None, place), m.point(body, np.zeros(3)), m.direction(None, across))


PEERS = {
    "hexaglide": (hexaglide_frames, join_hexaglide),
    "spatial_slider_crank": (slider_crank_frames, join_slider_crank),
    "two_rssu": (rssu_frames, join_rssu),
}


def test_has_its_sizes(model):
    coordinates, equations, freedom, bodies = SIZES[model.name]
    sizes = model.sizes
    assert (sizes["p"], sizes["c"], model.freedom, len(model.bodies)) == (
        coordinates,
        equations,
        freedom,
        bodies,
    )


def test_starts_assembled(model):
    q, dq = model.start
    assert np.abs(model.functions["Phi"].evaluate(q, model.p)).max() < 1e-14
    assert np.abs(model.functions["Phi_dot"].evaluate(q, dq, model.p)).max() < 1e-14


def test_accelerates_like_bodies_in_absolute_coordinates(model):
    rng = np.random.default_rng(5)
    frames, join = PEERS[model.name]
    p = values_of(model)
    for _ in range(STATES):
        q, dq = assembled(model, rng)
        u = rng.uniform(-20.0, 20.0, len(model.inputs))
        mechanism = Mechanism([0.0, 0.0, -p["g"]])
        for body in frames(p, q, dq, np.zeros(len(q))):
            mechanism.body(*body)
        join(mechanism, p, u)
        expected = mechanism.accelerations()
        ddq = accelerations(model, q, dq, u)
        got = [np.concatenate([frame.a, frame.dw]) for frame, *_ in frames(p, q, dq, ddq)]
        np.testing.assert_allclose(got, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())


def test_spatial_slider_crank_starts_as_published():
    q, dq = spatial_slider_crank().model().start
    assert (q[0], dq[0]) == (0.0, 6.0)
    assert (q[1], dq[1]) == pytest.approx((0.2, 0.24), rel=1e-14)


RSSU = [  # pitch and roll, and the turns of the cranks by inverse kinematics, in degrees
    (10, 0, -16.9191223665, -16.9191223665),
    (-30, 0, 69.4275250976, 69.4275250976),
    (0, 10, -20.3980660774, 20.4728790507),
    (0, 26, -58.0396846812, 70.4660540631),
    (15, 10, -47.9935426517, -5.5764743548),
    (20, -5, -24.0561027390, -45.4420828155),
    (-12, 8, 4.3315904188, 39.4937562812),
]


@pytest.mark.parametrize(("pitch", "roll", "first", "second"), RSSU)
def test_two_rssu_has_the_cranks_of_inverse_kinematics(pitch, roll, first, second):
    """Pitch and roll are reached step by step, so that the cranks stay on the branch of rest."""
    model = two_rssu().model()
    q, _ = model.start
    for share in np.linspace(0.1, 1.0, 10):
        q[:2] = np.deg2rad([pitch * share, roll * share])
        for _ in range(8):
            both = model.functions["Phi|Phi_q"].evaluate(q, model.p)
            q[2:] -= np.linalg.solve(both.Phi_q[:, 2:], both.Phi)
    np.testing.assert_allclose(np.rad2deg(q[[2, 5]]), [first, second], atol=1e-9)


def test_hexaglide_has_the_slides_of_inverse_kinematics():
    model = hexaglide().model()
    p, rng = values_of(model), np.random.default_rng(6)
    for _ in range(STATES):
        q, dq = assembled(model, rng)
        platform = hexaglide_frames(p, q, dq, dq)[0][0]
        for k, side in enumerate(SIDES):
            corner = np.deg2rad(CORNERS[k])
            x, y, z = platform.move(p["r"] * np.array([np.cos(corner), np.sin(corner), 0.0])).p
            reach = np.sqrt(p["l"] ** 2 - (y - p[f"y{k + 1}"]) ** 2 - z**2)
            assert q[6 + 3 * k] == pytest.approx(x + side * reach, abs=1e-12)


# Bricard


def test_bricard_has_one_redundant_equation_once_assembled():
    model = bricard().model()
    q, _ = model.start
    assert np.abs(model.functions["Phi"].evaluate(q, model.p)).max() < 1e-14
    assert model.sizes["p"] == model.sizes["c"] == 5
    assert redundant(model, q) == ["last hinge[4]"]
    assert redundant(model) == redundant(model, q + np.array([0.3, -0.2, 0.5, 0.1, 0.4])) == []


def test_bricard_moves_on_its_constraints_and_keeps_its_energy():
    """Half a second by Runge and Kutta on the singular equations, without any correction."""
    model = bricard().model()
    q, dq = model.start
    state, h = np.concatenate([q, dq]), 2e-3

    def rate(y):
        return np.concatenate([y[5:], accelerations(model, y[:5], y[5:], [])])

    before = sum(model.functions["energy"].evaluate(q, dq, model.p))
    for _ in range(250):
        k1 = rate(state)
        k2 = rate(state + h / 2 * k1)
        k3 = rate(state + h / 2 * k2)
        state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(state + h * k3))
    q, dq = state[:5], state[5:]
    assert np.abs(q).max() > 0.2
    assert np.abs(model.functions["Phi"].evaluate(q, model.p)).max() < 1e-8
    assert sum(model.functions["energy"].evaluate(q, dq, model.p)) == pytest.approx(before, abs=1e-7)
    assert np.linalg.matrix_rank(model.functions["Phi_q"].evaluate(q, model.p), tol=1e-6) == 4


# power


@pytest.mark.parametrize("name", ["bricard", "stewart", "two_rssu", "hexaglide", "whipple_bicycle", "arm6"])
def test_energy_grows_by_the_power_of_the_motors(name):
    model, rng = MECHANISMS[name]().model(), np.random.default_rng(7)
    f, (q, dq), u = model.functions, model.start, rng.uniform(-20.0, 20.0, len(model.inputs))
    inputs = [u] if len(u) else []
    J = f["Phi_dq"].evaluate(q, model.p) if "Phi_dq" in f else np.zeros((0, len(q)))
    dq = dq + np.linalg.svd(J)[2][np.linalg.matrix_rank(J, tol=1e-9) :].T.sum(axis=1)
    M, delta = f["M|delta"].evaluate(q, dq, model.p, *inputs)
    gamma = f["gamma"].evaluate(q, dq, model.p) if len(J) else []
    kkt = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    ddq = np.linalg.lstsq(kkt, np.concatenate([delta, gamma]), rcond=1e-12)[0][: len(q)]
    free = f["delta"].evaluate(q, dq, model.p, *(0.0 * given for given in inputs))

    def energy(t):
        return sum(f["energy"].evaluate(q + t * dq + t * t / 2.0 * ddq, dq + t * ddq, model.p))

    h = 2e-5
    growth = (8.0 * (energy(h) - energy(-h)) - energy(2.0 * h) + energy(-2.0 * h)) / (12.0 * h)
    assert growth == pytest.approx((delta - free) @ dq, abs=1e-7 * (1.0 + abs(dq @ M @ dq)))
