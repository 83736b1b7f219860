"""The Stewart platform: sizes, inverse kinematics, accelerations against bodies in absolute coordinates."""

import numpy as np
import pytest
from rigid_bodies import Frame, Mechanism

from biela.mechanisms.stewart import LEGS, stewart

STATES = 5


@pytest.fixture(scope="module", params=[False, True], ids=["symmetric", "general"])
def model(request):
    return stewart(general=request.param).model()


def parameters(model, rng):
    """Any values of the parameters near their own, and by name."""
    p = model.p * rng.uniform(0.9, 1.1, len(model.p))
    names = [quantity.name for quantity in model.parameters]
    p += [rng.uniform(-0.01, 0.01) * name.endswith((".x", ".y", ".z")) for name in names]
    p += [rng.uniform(-1e-4, 1e-4) * name.endswith((".Ixy", ".Ixz", ".Iyz")) for name in names]
    return p, dict(zip(names, p, strict=True))


def platform_frame(q, dq, ddq):
    """The frame of the platform from displacements, yaw, pitch and roll."""
    frame = Frame.ground().move(q[:3], dq[:3], ddq[:3])
    for axis, *motion in zip("zyx", q[3:6], dq[3:6], ddq[3:6], strict=True):
        frame = frame.turn(axis, *motion)
    return frame


def places(values, letter):
    return [np.array([values[f"{letter}{k}x"], values[f"{letter}{k}y"], 0.0]) for k in (1, 2, 3)]


def assembled(model, values, rng):
    """A state with the platform anywhere near home: closed inverse kinematics, and rates by `Phi_q`."""
    q = np.zeros(24)
    q[:6] = rng.uniform(-0.12, 0.12, 3).tolist() + rng.uniform(-0.3, 0.3, 3).tolist()
    q[2] += 0.8
    frame = platform_frame(q, np.zeros(6), np.zeros(6))
    for leg, (foot, head) in enumerate(LEGS):
        d = frame.move(places(values, "p")[head - 1]).p - places(values, "a")[foot - 1]
        length = np.linalg.norm(d)
        q[6 + 3 * leg : 9 + 3 * leg] = np.arctan2(-d[1], d[2]), np.arcsin(d[0] / length), length
    p = np.array(list(values.values()))
    J = model.functions["Phi_q"].evaluate(q, p)
    dq = np.zeros(24)
    dq[:6] = rng.uniform(-1.0, 1.0, 6)
    dq[6:] = np.linalg.solve(J[:, 6:], -J[:, :6] @ dq[:6])
    return q, dq


def accelerations(model, q, dq, p, u):
    """ddq of the whole system of equations."""
    f = model.functions
    (M, delta), J, gamma = (
        f["M|delta"].evaluate(q, dq, p, u),
        f["Phi_q"].evaluate(q, p),
        f["gamma"].evaluate(q, dq, p),
    )
    kkt = np.block([[M, J.T], [J, np.zeros((18, 18))]])
    return np.linalg.solve(kkt, np.concatenate([delta, gamma]))[:24]


def body_data(model, values, name):
    """Mass, mass centre from the body's origin and central inertia, in the body's axes."""
    if model.name == "stewart_general":
        m, c = values[f"{name}.m"], np.array([values[f"{name}.{axis}"] for axis in "xyz"])
        xx, yy, zz, xy, xz, yz = (
            values[f"{name}.I{place}"] for place in ("xx", "yy", "zz", "xy", "xz", "yz")
        )
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return m, c, inertia - m * (c @ c * np.eye(3) - np.outer(c, c))
    kind = name[0]
    m, across, along = (values[f"{letter}_{kind}"] for letter in "mIJ")
    c = {"p": 0.0, "c": values["c_c"], "r": -values["c_r"]}[kind]
    across -= m * c * c * (kind == "c")  # that of a cylinder is about the base point
    return m, np.array([0.0, 0.0, c]), np.diag([across, across, along])


def leg_frames(values, leg, q, dq, ddq):
    """The frames of cylinder and rod at the base point and at the end of the rod."""
    i = 6 + 3 * leg
    frame = Frame.ground().move(places(values, "a")[LEGS[leg][0] - 1])
    frame = frame.turn("x", q[i], dq[i], ddq[i]).turn("y", q[i + 1], dq[i + 1], ddq[i + 1])
    up = np.array([0.0, 0.0, 1.0])
    return frame, frame.move(q[i + 2] * up, dq[i + 2] * up, ddq[i + 2] * up)


def frames(model, values, q, dq, ddq):
    """Frames at mass centres, masses and central inertias: platform, then cylinder and rod of each leg."""
    named = [("platform", platform_frame(q, dq, ddq))]
    for leg in range(6):
        cylinder, rod = leg_frames(values, leg, q, dq, ddq)
        named += [(f"cylinder{leg + 1}", cylinder), (f"rod{leg + 1}", rod)]
    data = [body_data(model, values, name) for name, _ in named]
    return [(frame.move(c), m, inertia, c) for (_, frame), (m, c, inertia) in zip(named, data, strict=True)]


def absolute(model, values, q, dq, u):
    """The same platform as bodies in absolute coordinates."""
    bodies = frames(model, values, q, dq, np.zeros(24))
    mechanism = Mechanism([0.0, 0.0, -values["g"]])
    index = [mechanism.body(frame, m, inertia) for frame, m, inertia, _ in bodies]
    for leg, (foot, head) in enumerate(LEGS):
        cylinder, rod = index[1 + 2 * leg], index[2 + 2 * leg]
        c_platform, c_cylinder, c_rod = bodies[0][3], bodies[cylinder][3], bodies[rod][3]
        pivot, end = mechanism.point(cylinder, -c_cylinder), mechanism.point(rod, -c_rod)
        mechanism.ball(pivot, mechanism.point(None, places(values, "a")[foot - 1]))
        mechanism.square(mechanism.direction(None, [1, 0, 0]), mechanism.direction(cylinder, [0, 1, 0]))
        for u_cylinder, u_rod in (([1, 0, 0], [0, 0, 1]), ([0, 1, 0], [0, 0, 1]), ([1, 0, 0], [0, 1, 0])):
            mechanism.square(mechanism.direction(cylinder, u_cylinder), mechanism.direction(rod, u_rod))
        for u_cylinder in ([1, 0, 0], [0, 1, 0]):
            mechanism.straight(pivot, end, mechanism.direction(cylinder, u_cylinder))
        mechanism.ball(end, mechanism.point(0, places(values, "p")[head - 1] - c_platform))
        push_apart(mechanism, bodies, cylinder, rod, u[leg])
    return mechanism


def push_apart(mechanism, bodies, cylinder, rod, force):
    """The actuator's force on the rod at its end, along the axis, and back on the cylinder at its pivot."""
    axis = bodies[rod][0].R[:, 2] * force
    for body, sign in ((rod, 1.0), (cylinder, -1.0)):
        arm = -bodies[body][0].R @ bodies[body][3]
        mechanism.push(body, sign * axis, sign * np.cross(arm, axis))


def test_has_the_sizes_of_the_source(model):
    assert model.sizes == {"p": 24, "g": 18, "r": 0, "c": 18, "m": 6, "n": 6}
    assert model.freedom == 6
    assert len(model.bodies) == 13


def test_takes_less_than_half_the_operations_of_the_source(model):
    source, aim = 3106, 1500
    assert model.functions["M|delta"].operations.total <= aim < source / 2


def test_starts_assembled(model):
    assert np.abs(model.functions["Phi"].evaluate(model.start[0], model.p)).max() < 1e-14


def test_lengths_are_those_of_inverse_kinematics(model):
    """Newton's method on the constraints finds the closed form, from rough legs."""
    rng = np.random.default_rng(1)
    _, values = parameters(model, rng)
    p = np.array(list(values.values()))
    for _ in range(STATES):
        expected, _ = assembled(model, values, rng)
        q = expected.copy()
        q[6:] += rng.uniform(-0.05, 0.05, 18)
        for _ in range(8):
            both = model.functions["Phi|Phi_q"].evaluate(q, p)
            q[6:] -= np.linalg.solve(both.Phi_q[:, 6:], both.Phi)
        np.testing.assert_allclose(q, expected, atol=1e-12)


def test_accelerates_like_bodies_in_absolute_coordinates(model):
    rng = np.random.default_rng(2)
    for _ in range(STATES):
        p, values = parameters(model, rng)
        q, dq = assembled(model, values, rng)
        u = rng.uniform(-50.0, 50.0, 6)
        expected = absolute(model, values, q, dq, u).accelerations()
        ddq = accelerations(model, q, dq, p, u)
        got = [np.concatenate([f.a, f.dw]) for f, *_ in frames(model, values, q, dq, ddq)]
        np.testing.assert_allclose(got, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())
