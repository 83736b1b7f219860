"""Natural coordinates against joint coordinates, in the plane and in space, and the numbers of source 003.

The four-bar is the testbed of Torres-Moreno and others (Sensors 16, 333, 2016) with a solid disc and slender
bars; its reference numbers come from closed forms and a scalar equation of motion.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from twins import accelerations, assembled, assert_twins, evaluated, moving

import biela as bl

LA1, L12, L13, L32, L2B, AB = 0.120, 0.540, 0.384, 0.212, 0.455, 0.8
CORNER = np.arccos((L12**2 + L13**2 - L32**2) / (2 * L12 * L13))  # at point 1, from 2 to 3
IMU = [L13 * np.cos(CORNER), L13 * np.sin(CORNER)]
W = 1.8190

# crank angle in degrees: coupler and rocker angles, their rates and accelerations at a constant 1.819 rad/s,
# point 3 and its acceleration
TABLE = {
    0: (41.8587922056, 127.6312299587, -0.3210000000, -0.3210000000, -0.5296117524, 0.7667157765,
        0.3120177293, 0.3325435184, -0.2407180633, -0.1359604628),
    60: (29.1892496084, 126.1761403908, -0.3725455895, 0.2475612313, 0.2301860038, 0.9285476195,
         0.3202783126, 0.3862547682, -0.2996385536, -0.3231289855),
    90: (23.7079978252, 132.1897396209, -0.2862333238, 0.4631359987, 0.3564686616, 0.5441631683,
         0.2860565279, 0.3761789664, -0.1147562461, -0.3160697510),
    180: (20.4509556664, 155.5008951490, 0.2372608696, 0.2372608696, 0.8235214344, -1.0063700553,
          0.1801493950, 0.2395127150, 0.1829112394, 0.2336966381),
    210: (26.0913306370, 157.0395142086, 0.4271908747, -0.0432963183, 0.4259579077, -0.8642866811,
          0.1712328270, 0.2078530273, 0.1795486567, 0.2668494347),
    300: (45.1775309784, 142.1644217609, 0.1536401454, -0.4664666755, -0.8736465027, -0.1752848870,
          0.2324445812, 0.2391787825, 0.0971534496, 0.1851019047),
}  # fmt: skip


def four_bar(crank=1.0):
    """Source 003's testbed in its eight coordinates x1 y1 x2 y2 x3 y3 th1 th2."""
    s = bl.System("four_bar")
    n = bl.Natural(s, plane="xy")
    p1 = LA1 * np.exp(1j * crank)
    arm = AB - p1
    along = (L12**2 - L2B**2 + abs(arm) ** 2) / (2 * abs(arm))
    p2 = p1 + arm / abs(arm) * (along + 1j * np.sqrt(L12**2 - along**2))
    p3 = p1 + (p2 - p1) / L12 * complex(*IMU)
    A, B = n.fixed("A", [0, 0]), n.fixed("B", [AB, 0])
    P1, P2, P3 = (n.point(f"P{i}", [p.real, p.imag]) for i, p in enumerate((p1, p2, p3), 1))
    n.body("disc", {A: [0, 0], P1: [LA1, 0]}, mass=11.10, com=[0, 0], inertia=11.10 * 0.14**2 / 2)
    n.body(
        "coupler", {P1: [0, 0], P2: [L12, 0], P3: IMU}, mass=0.4, com=[L12 / 2, 0], inertia=0.4 * L12**2 / 12
    )
    n.bar("rocker", B, P2, length=L2B, mass=1.23)
    n.angle("th1", (A, P1))
    n.angle("th2", (B, P2))
    s.gravity([0, -9.81, 0])
    return s


def at(degrees):
    """The four-bar with its start at a crank angle, assembled to rounding."""
    s = four_bar(np.radians(degrees))
    model = s.model()
    return s, model, assembled(model, model.start[0])


def driven(model, q, rate, acceleration=0.0):
    """Velocities and accelerations when the crank turns as given."""
    k = [p.name for p in model.placements].index("th1")
    row = np.eye(len(q))[k]
    J = evaluated(model.functions["Phi_q"], model, q)
    full = np.vstack([J, row])
    dq = np.linalg.solve(full, np.append(np.zeros(len(J)), rate))
    gamma = evaluated(model.functions["gamma"], model, q, dq)
    return dq, np.linalg.solve(full, np.append(gamma, acceleration))


def test_the_testbed_has_the_coordinates_and_equations_of_the_source():
    s = four_bar()
    model = s.model()
    assert repr(model) == "<Model four_bar: 8 coordinates, 7 constraint equations, 1 degree of freedom>"


@pytest.mark.parametrize("degrees", TABLE)
def test_positions_rates_and_accelerations_of_the_testbed(degrees):
    s, model, q = at(degrees)
    phi, psi, *rates, x3, y3, ax, ay = TABLE[degrees]
    value = dict(zip([p.name for p in model.placements], q, strict=True))
    assert [value["P3.x"], value["P3.y"]] == pytest.approx([x3, y3], abs=1e-9)
    assert np.degrees(value["th2"]) == pytest.approx(psi, abs=1e-8)
    angle = np.arctan2(value["P2.y"] - value["P1.y"], value["P2.x"] - value["P1.x"])
    assert np.degrees(angle) == pytest.approx(phi, abs=1e-8)
    dq, ddq = driven(model, q, W)
    names = [p.name for p in model.placements]
    assert ddq[[names.index("P3.x"), names.index("P3.y")]] == pytest.approx([ax, ay], abs=1e-9)
    w = s.angular_velocity("coupler").at(s.space.root)[2]
    gyro = evaluated(model.function("gyro", {"w": [w], "dw": [w.dt()]}, "acceleration"), model, q, dq, ddq)
    th2 = names.index("th2")
    assert [gyro[0][0], dq[th2], gyro[1][0], ddq[th2]] == pytest.approx(rates, abs=1e-9)


def test_the_angular_velocity_of_a_body_is_the_formula_of_the_source():
    s, model, q = at(37)
    dq, _ = driven(model, q, W)
    (x1, y1, x2, y2), (dx1, dy1, dx2, dy2) = q[:4], dq[:4]
    by_hand = ((dx2 - dx1) * (y1 - y2) + (dy2 - dy1) * (x2 - x1)) / L12**2
    w = s.angular_velocity("coupler").at(s.space.root)[2]
    assert evaluated(model.function("w", {"w": [w]}, "velocity"), model, q, dq)[0] == pytest.approx(
        by_hand, 1e-12
    )


def test_angles_are_regular_all_the_way_round():
    """The source's cosines alone are singular at 0 and 180 degrees: condition 1e5 at a hundredth of one."""
    _, model, q = at(0)
    names = [p.name for p in model.placements]
    k = names.index("th1")
    worst = 0.0
    for degrees in np.arange(0.0, 360.5, 0.5):
        q = q.copy()
        q[k] = np.radians(degrees)
        for _ in range(20):
            phi, J = evaluated(model.functions["Phi|Phi_q"], model, q)
            block = np.delete(J, k, axis=1)
            if np.abs(phi).max() < 1e-12:
                break
            q[np.arange(len(q)) != k] -= np.linalg.solve(block, phi)
        assert np.abs(phi).max() < 1e-12
        worst = max(worst, np.linalg.cond(block))
    assert worst < 40.0
    assert q[:4] == pytest.approx(at(360)[2][:4], abs=1e-12)


@pytest.mark.parametrize(
    ("degrees", "acceleration", "inertia", "force"),
    [
        (90, 5.211212773559, 0.119365252514, 0.622037728619),
        (60, 1.541910546448, 0.113183684291, 0.174519116494),
    ],
)
def test_dynamics_of_the_testbed_at_rest(degrees, acceleration, inertia, force):
    _, model, q = at(degrees)
    k = [p.name for p in model.placements].index("th1")
    still = np.zeros(len(q))
    assert accelerations(model, q, still)[k] == pytest.approx(acceleration, abs=1e-10)
    M, delta = evaluated(model.functions["M|delta"], model, q, still)
    R, _ = driven(model, q, 1.0)
    J = evaluated(model.functions["Phi_q"], model, q)
    assert np.abs(J @ R).max() < 1e-13
    assert [R @ M @ R, R @ delta] == pytest.approx([inertia, force], abs=1e-11)


def test_equilibria_of_the_testbed():
    for degrees in (217.3938311492, 48.2345771850):
        _, model, q = at(degrees)
        R, _ = driven(model, q, 1.0)
        assert R @ evaluated(model.functions["delta"], model, q, 0 * q) == pytest.approx(0.0, abs=1e-11)


def test_the_testbed_in_relative_coordinates():
    s = bl.System("relative")
    disc = s.body("disc", mass=11.10, inertia=[0, 0, 11.10 * 0.14**2 / 2])
    coupler = s.body("coupler", mass=0.4, com=[L12 / 2, 0, 0], inertia=[0, 0, 0.4 * L12**2 / 12])
    rocker = s.body("rocker", mass=1.23, com=[L2B / 2, 0, 0], inertia=[0, 0, 1.23 * L2B**2 / 12])
    s.revolute(s.ground, disc)
    s.revolute(disc, coupler, at=[LA1, 0, 0])
    s.revolute(s.ground, rocker, at=[AB, 0, 0])
    s.close(coupler.point([L12, 0, 0]), rocker.point([L2B, 0, 0]))
    s.gravity([0, -9.81, 0])
    model, natural = s.model(), four_bar().model()
    places = {
        "P1": s.position(coupler.origin),
        "P2": s.position(coupler.point([L12, 0, 0])),
        "P3": s.position(coupler.point([*IMU, 0])),
        "th1": model.q[0],
        "th2": model.q[2],
    }
    rng = np.random.default_rng(3)
    for th in rng.uniform(-3, 3, 10):
        q = assembled(model, [th, 0.4 - th, 2.2])
        assert_twins(model, natural, places, q, moving(model, q, rng))


# random loops in a plane


def loop(seed, count, plane):
    """A closed loop of links with any mass distribution, in joint and in natural coordinates."""
    rng = np.random.default_rng(seed)
    steps = rng.uniform(0.5, 1.5, count) * np.exp(1j * rng.uniform(-3.0, 3.0, count))
    corners = np.concatenate([[0.0], np.cumsum(steps)]) + complex(*rng.normal(size=2))
    masses, inertias = rng.uniform(0.5, 3.0, (2, count))
    centres = rng.normal(size=(count, 2))
    joint, natural = bl.System("joint"), bl.System("natural")
    n = bl.Natural(natural, plane=plane)

    def place(p):
        row = np.zeros(3)
        row[["xyz".index(letter) for letter in plane]] = p
        return row

    normal = np.cross(place([1, 0]), place([0, 1]))
    points = [n.fixed("P0", [corners[0].real, corners[0].imag])]
    points += [n.point(f"P{i}", [p.real, p.imag]) for i, p in enumerate(corners[1:-1], 1)]
    points.append(n.fixed(f"P{count}", [corners[-1].real, corners[-1].imag]))
    before, here, angles, places, turned = (
        joint.ground,
        place([corners[0].real, corners[0].imag]),
        [],
        {},
        0.0,
    )
    for i, step in enumerate(steps):
        end = place([abs(step), 0])
        body = joint.body(f"b{i}", masses[i], place(centres[i]), np.diag(normal**2 * inertias[i]).tolist())
        joint.revolute(before, body, at=list(here), axis=list(normal))
        angles.append(np.angle(step * np.exp(-1j * turned)))
        turned += angles[-1]
        places[f"P{i + 1}"] = joint.position(body.point(list(end)))
        n.body(
            f"b{i}", {points[i]: [0, 0], points[i + 1]: [abs(step), 0]}, masses[i], centres[i], inertias[i]
        )
        before, here = body, end
    joint.close(
        before.point(list(here)), joint.point("end", r=list(place([corners[-1].real, corners[-1].imag])))
    )
    n.angle("absolute", (points[1], points[2]))
    n.angle("relative", (points[1], points[2]), start=(points[0], points[1]))
    n.distance("d", points[0], points[2])
    q = joint.model().q
    places |= {"absolute": q[0] + q[1], "relative": q[1]}
    places["d"] = joint.position("b2", "b0").norm()
    for s in (joint, natural):
        s.gravity(list(place([3.0, -9.0])))
    return joint.model(), natural.model(), places, np.array(angles), rng


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(3, 6), plane=st.sampled_from(["xy", "zx", "yz", "xz"]))
def test_random_closed_loops_agree(seed, count, plane):
    joint, natural, places, q, rng = loop(seed, count, plane)
    dq = moving(joint, q, rng)
    J = evaluated(joint.functions["Phi_q"], joint, q)
    assume(np.linalg.cond(J) < 1e3)  # not almost stretched
    assert_twins(joint, natural, places, q, dq, 1e-9)
