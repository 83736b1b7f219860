"""Contacts of surfaces against closed forms: where they touch, what they leave free, what they push."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import biela as bl

G = 9.81


def assembled(model, q, held=()):
    """The nearest position that satisfies the constraints, ``held`` coordinates kept."""
    names = [p.name for p in model.placements]
    free = [i for i, name in enumerate(names) if name not in held]
    phi = model.functions["Phi|Phi_q"]
    arguments = {"p": model.p} if model.parameters else {}
    q = np.array(q, float)
    for _ in range(50):
        value, slopes = phi.evaluate(q=q, **arguments)
        step = np.linalg.pinv(slopes[:, free]) @ value
        q[free] -= step
        if np.abs(step).max() < 1e-14:
            break
    assert np.abs(value).max() < 1e-12
    return q


def place(model, **values):
    """The start of a model with some coordinates changed; ``_`` for dots."""
    q, _ = model.start
    names = [p.name.replace(".", "_") for p in model.placements]
    for name, value in values.items():
        q[names.index(name)] = value
    return q


def at(model, q, name):
    return q[[p.name for p in model.placements].index(name)]


def accelerations(model, q, dq, u=None):
    """ddq and the multipliers, by the pseudo-inverse, tolerant of redundant equations."""
    given = (
        {"q": q, "dq": dq} | ({"p": model.p} if model.parameters else {}) | ({} if u is None else {"u": u})
    )
    values = model.functions["M|delta|Phi_dq|gamma"].evaluate(**given)
    M, delta, J, gamma = values
    n, c = len(q), len(J)
    matrix = np.block([[M, J.T], [J, np.zeros((c, c))]])
    solution = np.linalg.pinv(matrix) @ np.concatenate([delta, gamma])
    return solution[:n], solution[n:]


def free_body(surface_of, mass=2.0, inertia=(0.3, 0.4, 0.5)):
    s = bl.System("one")
    body = s.body("body", mass=mass, inertia=inertia)
    s.free(s.ground, body)
    s.gravity([0, 0, -G])
    contact = s.contact(surface_of(body), bl.Surface.plane(s.ground), "c")
    return s, body, contact


def crowned(radius, crown):
    """A wheel whose tread is rounded with a second radius."""
    return lambda y: radius - crown + bl.sqrt(crown * crown - y * y)


SURFACES = {
    "sphere": lambda body: bl.Surface.sphere(body, 0.2),
    "crowned wheel": lambda body: bl.Surface.revolution(body, crowned(0.5, 0.1)),
    "spline wheel": lambda body: bl.Surface.revolution(
        body, lambda y: bl.spline(y, [-0.05, -0.02, 0.0, 0.03, 0.05], [0.48, 0.496, 0.5, 0.492, 0.47])
    ),
    "paraboloid": lambda body: bl.Surface.of(
        body, lambda u, v: [u, -v, u * u + 2 * v * v - 0.3], at=[0, 0, 0]
    ),
}


@pytest.mark.parametrize("name", SURFACES)
def test_a_surface_on_a_plane_has_four_coordinates_and_five_independent_equations(name):
    s, *_ = free_body(SURFACES[name])
    model = s.model()
    assert model.sizes == {"p": 10, "g": 5, "r": 0, "c": 5, "m": 5, "n": 5}
    q = assembled(model, place(model, body_z=0.4, body_roll=0.02, body_pitch=0.03, body_yaw=0.3))
    J = model.functions["Phi_q"].evaluate(q=q)
    assert np.linalg.matrix_rank(J) == 5
    assert np.linalg.matrix_rank(J[:, 6:]) == 4  # the four coordinates are located by the contact


@pytest.mark.parametrize("name", SURFACES)
def test_the_jacobian_is_the_slope_of_the_equations(name):
    s, *_ = free_body(SURFACES[name])
    model = s.model()
    rng = np.random.default_rng(3)
    q = rng.uniform(-0.03, 0.03, 10)
    phi, J = model.functions["Phi"], model.functions["Phi_q"].evaluate(q=q)
    h = 1e-6
    rows = [(phi.evaluate(q=q + h * e) - phi.evaluate(q=q - h * e)) / (2 * h) for e in np.eye(10)]
    np.testing.assert_allclose(J, np.transpose(rows), atol=1e-8)


@pytest.mark.parametrize("name", SURFACES)
def test_tangents_and_normals_are_those_of_the_places(name):
    *_, contact = free_body(SURFACES[name])
    u = contact.parameters[0]
    values = dict(zip(u, (0.3, 0.011), strict=True))
    r = contact.one.components(u)
    slopes = np.array([[e.diff(x).value(values) for e in r] for x in u])
    tangents = np.array([[e.value(values) for e in t.components] for t in contact.one.tangents(u)])
    normal = np.array([e.value(values) for e in contact.one.normal(u).components])
    for slope, tangent in zip(slopes, tangents, strict=True):
        assert np.linalg.norm(np.cross(slope, tangent)) < 1e-12
        assert slope @ tangent > 0
    outward = np.cross(*slopes)
    assert np.linalg.norm(np.cross(outward, normal)) < 1e-12
    assert outward @ normal > 0


def test_a_sphere_touches_below_its_centre():
    s, *_ = free_body(SURFACES["sphere"])
    model = s.model()
    q = assembled(model, place(model, body_x=0.7, body_y=-0.4, body_z=0.3, body_roll=0.4, body_pitch=-0.3))
    assert at(model, q, "body.z") == pytest.approx(0.2, abs=1e-14)
    assert at(model, q, "c.along2") == pytest.approx(at(model, q, "body.x"))
    assert at(model, q, "c.across2") == pytest.approx(at(model, q, "body.y"))


def test_a_crowned_wheel_stands_where_its_torus_does():
    """The lowest point of a torus: ring radius R - c, tube radius c, leaning by the roll angle."""
    R, c, roll = 0.5, 0.1, 0.25
    s, *_ = free_body(SURFACES["crowned wheel"])
    model = s.model()
    q = assembled(model, place(model, body_z=0.5, body_roll=roll), held=("body.roll", "body.pitch", "body.y"))
    assert at(model, q, "body.z") == pytest.approx((R - c) * math.cos(roll) + c, abs=1e-13)
    assert at(model, q, "c.across2") == pytest.approx((R - c) * math.sin(roll), abs=1e-12)


def test_a_knife_edged_wheel_on_the_ground():
    """Three coordinates and four equations; the height of the centre is R cos(roll)."""
    s, *_ = free_body(lambda body: bl.Surface.circle(body, 0.35))
    model = s.model()
    assert model.sizes == {"p": 9, "g": 4, "r": 0, "c": 4, "m": 5, "n": 5}
    start = place(model, body_z=0.3, body_roll=0.3, body_yaw=0.5, c_along2=0.1)
    q = assembled(model, start, held=("body.roll", "body.pitch", "body.yaw", "body.x", "body.y"))
    assert at(model, q, "body.z") == pytest.approx(0.35 * math.cos(0.3), abs=1e-13)
    lean = 0.35 * math.sin(0.3)  # the wheel leans towards its own -y, so the contact stands at its +y
    assert at(model, q, "c.along2") == pytest.approx(-lean * math.sin(0.5), abs=1e-12)
    assert at(model, q, "c.across2") == pytest.approx(lean * math.cos(0.5), abs=1e-12)


def test_a_cylinder_on_a_plane_touches_along_a_line():
    """The height is the radius and one axis lies level; along the line no point is singled out."""
    s, *_ = free_body(lambda body: bl.Surface.revolution(body, 0.25))
    model = s.model()
    q = assembled(model, place(model, body_z=0.2, body_roll=0.1, body_yaw=0.4, c_width1=0.02))
    assert at(model, q, "body.z") == pytest.approx(0.25, abs=1e-13)
    assert at(model, q, "body.roll") == pytest.approx(0.0, abs=1e-13)
    J = model.functions["Phi_q"].evaluate(q=q)
    assert np.linalg.matrix_rank(J) == 5
    assert np.linalg.matrix_rank(J[:, 6:]) == 3


def test_a_ball_rolls_down_an_incline_with_five_sevenths_of_its_slope():
    slope, radius, mass = 0.3, 0.2, 1.5
    s = bl.System("ball")
    ball = s.body("ball", mass=mass, inertia=bl.ball(mass, radius))
    s.free(s.ground, ball)
    s.gravity([G * math.sin(slope), 0, -G * math.cos(slope)])
    contact = s.contact(bl.Surface.sphere(ball, radius), bl.Surface.plane(s.ground), "c")
    s.roll(contact)
    model = s.model()
    assert model.sizes["n"] == 3
    q = assembled(model, place(model, ball_z=radius))
    ddq, multipliers = accelerations(model, q, np.zeros(len(q)))
    assert ddq[0] == pytest.approx(5 / 7 * G * math.sin(slope))
    assert abs(multipliers[2]) == pytest.approx(mass * G * math.cos(slope))
    np.testing.assert_allclose(multipliers[3:5], 0, atol=1e-12)


def rolling_disc(m, r):
    """A thin disc on a plane: heading, lean and spin; its edge does not turn with the spin."""
    s = bl.System("disc")
    x, y, z, yaw, roll, spin = s.coordinates("x y z yaw roll spin")
    frame = s.base("frame", euler="zx", angles=[yaw, roll])
    centre, wheel = s.point("centre", r=[x, y, z]), s.base("wheel", frame, "y", spin)
    disc = s.body("disc", mass=m, inertia=bl.disc(m, r, axis="y"), origin=centre, base=wheel)
    s.gravity([0, 0, -G])
    s.roll(s.contact(bl.Surface.circle(disc, r, base=frame), bl.Surface.plane(s.ground), "c"))
    return s.model()


def test_a_disc_rolls_as_euler_says():
    """Newton and Euler about the contact, by components along heading, axle and their upward normal."""
    m, r = 2.0, 0.3
    A, C = m * r * r / 4, m * r * r / 2
    model = rolling_disc(m, r)
    assert model.sizes == {"p": 9, "g": 4, "r": 2, "c": 6, "m": 5, "n": 3}
    rng = np.random.default_rng(2)
    for lean in rng.uniform(-0.8, 0.8, 5):
        start = place(model, z=r * math.cos(lean), roll=lean, yaw=0.7, spin=2.0)
        q = assembled(model, start, held=("roll", "yaw", "spin", "x", "y"))
        turn, tilt, spin = rates = rng.uniform(-3, 3, 3)
        J = model.functions["Phi_dq"].evaluate(q=q)
        dq = np.linalg.lstsq(np.vstack([J, np.eye(9)[3:6]]), np.r_[np.zeros(6), rates], rcond=None)[0]
        np.testing.assert_allclose(dq[3:6], rates)
        ddq, _ = accelerations(model, q, dq)
        c, s = math.cos(lean), math.sin(lean)
        p, w, n, frame = tilt, turn * c, turn * s + spin, turn * s
        dp = (m * r * G * s + (C + m * r * r) * w * n - A * w * frame) / (A + m * r * r)
        dn, dw = -m * r * r * w * p / (C + m * r * r), p * (A * frame - C * n) / A
        turning = (dw + turn * s * tilt) / c
        expected = [turning, dp, dn - turning * s - turn * c * tilt]
        np.testing.assert_allclose(ddq[3:6], expected, rtol=1e-9, atol=1e-9)


def test_slip_is_the_same_for_a_surface_that_does_not_spin_with_its_body():
    def slips(still):
        s = bl.System("wheel")
        x, y, z, yaw, roll, spin = s.coordinates("x y z yaw roll spin")
        frame = s.base("frame", euler="zx", angles=[yaw, roll])
        wheel = s.base("wheel", frame, "y", spin)
        body = s.body("body", 1.0, inertia=[1, 1, 1], origin=s.point("o", r=[x, y, z]), base=wheel)
        tread = bl.Surface.revolution(body, lambda w: 0.5 - 0.1 * w, base=frame if still else None)
        contact = s.contact(tread, bl.Surface.extrusion(s.ground, lambda w: -w * w), "c")
        rates = {e: e.dt() for e in (x, y, z, yaw, roll, spin)}
        numbers = dict(zip(rates, (0.1, 0.2, 0.5, 0.3, 0.05, 0.4), strict=True))
        numbers |= dict(zip(rates.values(), (2.0, 0.1, 0.2, 0.3, -0.4, 5.0), strict=True))
        own = (0.02 if still else 0.02 - 0.4, 0.03, 0.1, 0.04)
        numbers |= dict(zip(contact.coordinates, own, strict=True))
        return [e.value(numbers) for e in contact.slip()]

    np.testing.assert_allclose(slips(True), slips(False), rtol=1e-13)


SIDES = {"left": 1, "right": -1}


def conical(conicity, half, radius):
    """A wheelset of two cones on two straight edges, as in Wickens's books."""
    s = bl.System("cones")
    x, y, z, yaw, roll, pitch = s.coordinates("x y z yaw roll pitch")
    frame = s.base("frame", euler="zx", angles=[yaw, roll])
    turned, centre = s.base("turned", frame, "y", pitch), s.point("o", r=[x, y, z])
    axle = s.body("axle", 900.0, inertia=[500.0, 100.0, 500.0], origin=centre, base=turned)
    for name, side in SIDES.items():
        tread = bl.Surface.revolution(
            axle, lambda w, side=side: radius - conicity * (side * w - half), base=frame
        )
        s.contact(tread, bl.Surface.line(s.ground, at=[0, side * half, 0]), name, start=[0, side * half])
    s.gravity([0, 0, -G])
    return s.model()


@pytest.mark.parametrize("shift", [0.001, 0.02, -0.07])
def test_two_cones_on_two_edges_roll_and_steer_in_closed_form(shift):
    """Two lines of an axle that slide over two pins: tan(roll) = conicity y / (half - conicity z)."""
    conicity, half, radius = 0.05, 0.75, 0.45
    model = conical(conicity, half, radius)
    q = assembled(model, place(model, y=shift, z=radius), held=("y", "yaw", "pitch", "x"))
    roll, z = at(model, q, "roll"), at(model, q, "z")
    assert math.tan(roll) == pytest.approx(conicity * shift / (half - conicity * z), rel=1e-12)
    radii = [radius - conicity * (side * at(model, q, f"{n}.width1") - half) for n, side in SIDES.items()]
    assert radii[0] - radii[1] == pytest.approx(2 * half * math.sin(roll), rel=1e-10)
    if abs(shift) < 0.01:  # the classical equivalent conicity
        equivalent = (radii[0] - radii[1]) / (2 * shift)
        assert equivalent == pytest.approx(conicity * half / (half - conicity * radius), rel=1e-5)


def test_left_and_right_wheel_take_two_freedoms():
    model = conical(0.05, 0.75, 0.45)
    assert model.sizes == {"p": 12, "g": 8, "r": 0, "c": 8, "m": 4, "n": 4}
    assert model.freedom == 4
    q = assembled(model, place(model, z=0.45, y=0.01, yaw=0.02), held=("y", "yaw", "pitch", "x"))
    assert np.linalg.matrix_rank(model.functions["Phi_q"].evaluate(q=q)) == 8
    assert at(model, q, "left.along2") < -1e-3  # a yawed wheel touches ahead on one rail, behind on the other
    assert at(model, q, "right.along2") > 1e-3


def test_rails_carry_the_weight_of_a_wheelset():
    model = conical(0.05, 0.75, 0.45)
    q = assembled(model, place(model, z=0.45), held=("y", "yaw", "pitch", "x"))
    ddq, multipliers = accelerations(model, q, np.zeros(12))
    np.testing.assert_allclose(ddq, 0, atol=1e-10)
    vertical = [multipliers[2], multipliers[6]]
    np.testing.assert_allclose(np.abs(vertical), 450 * G, rtol=1e-10)
    across = [abs(multipliers[1]), abs(multipliers[5])]
    np.testing.assert_allclose(across, 450 * G * 0.05, rtol=1e-10)  # along the normal of the cone


def test_a_yawed_wheel_touches_where_its_gap_is_least():
    """Against a search for the lowest clearance between tread and rail head, by SciPy."""
    conicity, radius, crown, yaw, roll = 0.1, 0.45, 0.3, 0.15, 0.03
    s = bl.System("one")
    x, y, z, c, a = s.coordinates("x y z yaw roll")
    frame = s.base("frame", euler="zx", angles=[c, a])
    turned = s.base("turned", frame, "y", s.coordinate("pitch"))
    body = s.body("wheel", 1.0, inertia=[1, 1, 1], origin=s.point("o", r=[x, y, z]), base=turned)
    tread = bl.Surface.revolution(body, lambda w: radius - conicity * w, base=frame)
    rail = bl.Surface.extrusion(s.ground, lambda w: bl.sqrt(crown * crown - w * w) - crown)
    s.contact(tread, rail, "c")
    model = s.model()
    held = ("x", "y", "yaw", "roll", "pitch")
    q = assembled(model, place(model, z=radius, yaw=yaw, roll=roll), held=held)

    cy, sy, cr, sr = math.cos(yaw), math.sin(yaw), math.cos(roll), math.sin(roll)
    R = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])

    def clearance(angle, w):
        r = radius - conicity * w
        p = R @ [-r * math.sin(angle), w, -r * math.cos(angle)]
        return p[2] - (math.sqrt(crown * crown - p[1] * p[1]) - crown)

    def lowest(w):
        return minimize_scalar(lambda k: clearance(k, w), bounds=(-0.2, 0.2), options={"xatol": 1e-12}).fun

    least = minimize_scalar(lowest, bounds=(-0.1, 0.1), options={"xatol": 1e-12}).fun
    assert at(model, q, "z") == pytest.approx(-least, abs=1e-10)


def test_two_crossed_edges_meet_in_one_point():
    s = bl.System("knives")
    body = s.body("knife", 1.0, inertia=[1, 1, 1])
    s.free(s.ground, body)
    over = s.contact(bl.Surface.line(body, "y"), bl.Surface.line(s.ground, "x", at=[0, 0, 0.1]), "c")
    s.gravity([0, 0, -G])
    model = s.model()
    assert model.sizes == {"p": 8, "g": 3, "r": 0, "c": 3, "m": 5, "n": 5}
    q = assembled(model, place(model, knife_yaw=0.2, knife_y=0.3), held=("knife.yaw", "knife.y"))
    _, multipliers = accelerations(model, q, np.zeros(8))
    push = multipliers / np.linalg.norm(multipliers)
    normal = over.frame[2].at(s.ground.base)
    values = dict(zip(model.q, q, strict=True))
    assert abs(push @ [e.value(values) for e in normal]) == pytest.approx(1.0)


def test_one_body_does_not_touch_itself():
    s = bl.System("one")
    body = s.body("ball", 1.0, inertia=bl.ball(1.0, 0.1))
    with pytest.raises(ValueError, match="both surfaces belong to body 'ball'"):
        s.contact(bl.Surface.sphere(body, 0.1), bl.Surface.plane(body))


def test_a_surface_has_two_parameters_and_three_components():
    s = bl.System("one")
    with pytest.raises(ValueError, match="two parameters, an edge one; got 3"):
        bl.Surface.of(s.ground, lambda u, v, w: [u, v, w], ("u", "v", "w"))
    body = s.body("ball", 1.0)
    with pytest.raises(ValueError, match="3 components; got shape"):
        s.contact(bl.Surface.of(body, lambda u, v: [u, v]), bl.Surface.plane(s.ground))
