"""Planar mechanisms against published reference solutions, closed forms and the chain modelled apart."""

import numpy as np
import planar_chain
import pytest
from planar_chain import Chain
from solving import assembled, evaluate, model_of, run, solved, tangent

# pendulums


def test_pendulum_of_the_benchmark_library():
    """Problem A01: place of the bob after ten seconds, to the digits known."""
    angle = run(model_of("pendulum"), 10.0)[0]
    assert [np.sin(angle), -np.cos(angle)] == pytest.approx([-0.2750874625764, -0.9614192050990], abs=1e-8)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_chains_of_rods(n):
    model = model_of("n_pendulum", n)
    rng = np.random.default_rng(n)
    m, length, g = p = rng.uniform(0.5, 2.0, 3)
    ones, zeros = np.ones(n), np.zeros(n)
    chain = Chain(
        lengths=length * ones,
        masses=m * ones,
        centres=np.array([[length / 2, 0.0]] * n),
        inertias=m * length**2 / 3 * ones,
        forces=np.zeros((n, 2)),
        moments=zeros,
        gravity=g,
    )
    q, dq = rng.uniform(-2.0, 2.0, (2, n))
    M, delta = planar_chain.mass_matrix_and_delta(chain, -q, -dq)  # it turns the other way
    got = evaluate(model, "M|delta", q, dq, p=p)
    assert np.allclose(got.M, M, rtol=1e-12, atol=0.0)
    assert got.delta == pytest.approx(-delta, rel=1e-11, abs=1e-12)


def test_double_pendulum():
    """The textbook's equations, for absolute angles a and b from the vertical."""
    model = model_of("double_pendulum")
    rng = np.random.default_rng(2)
    for _ in range(10):
        m1, m2, l1, l2, g = p = rng.uniform(0.5, 2.0, 5)
        (a, r), (da, dr) = q, dq = rng.uniform(-2.0, 2.0, (2, 2))
        db, s, c = da + dr, np.sin(r), np.cos(r)
        M = [[(m1 + m2) * l1, m2 * l2 * c], [l1 * c, l2]]
        forces = [m2 * l2 * db**2 * s - (m1 + m2) * g * np.sin(a), -l1 * da**2 * s - g * np.sin(a + r)]
        dda, ddb = np.linalg.solve(M, forces)
        assert solved(model, q, dq, p=p)[0] == pytest.approx([dda, ddb - dda], rel=1e-11, abs=1e-11)


def test_cart_pole():
    """Barto, Sutton and Anderson (1983), without friction."""
    model = model_of("cart_pole")
    rng = np.random.default_rng(3)
    for _ in range(10):
        (_, theta), (_, w) = q, dq = rng.uniform(-2.0, 2.0, (2, 2))
        force = rng.uniform(-10.0, 10.0)
        mc, m, half, g = 1.0, 0.1, 0.5, 9.8
        s, c = np.sin(theta), np.cos(theta)
        pushed = (force + m * half * w * w * s) / (mc + m)
        turn = (g * s - c * pushed) / (half * (4.0 / 3.0 - m * c * c / (mc + m)))
        expected = [pushed - m * half * turn * c / (mc + m), turn]
        assert solved(model, q, dq, u=[force])[0] == pytest.approx(expected, rel=1e-12)


def test_block_pendulum():
    """Equations 3.9 and listing 3.3 of Plaza (2015), with the positive sign, the angle counted as there."""
    model = model_of("block_pendulum")
    rng = np.random.default_rng(4)
    for _ in range(10):
        m_b, m_p, l_p, I_p, _, g, k, theta_0, c = p = rng.uniform(0.5, 2.0, 9)
        (_, theta), (dx, w) = q, dq = rng.uniform(-2.0, 2.0, (2, 2))
        F, moment = u = rng.uniform(-5.0, 5.0, 2)
        lever = m_p * l_p
        got = evaluate(model, "M|delta", q, dq, u=u, p=p)
        coupling = lever * np.cos(theta)
        assert np.allclose(got.M, np.array([[m_b + m_p, coupling], [coupling, I_p]]), rtol=1e-12, atol=0.0)
        along = F - c * dx + lever * np.sin(theta) * w * w
        about = moment - k * (theta - theta_0) - lever * g * np.sin(theta)
        assert got.delta == pytest.approx([along, about], rel=1e-11, abs=1e-12)


# four bars


def test_four_bar_of_the_thesis():
    """M, delta, Phi and Phi_q of the chain modelled apart, for any parameters."""
    model = model_of("four_bar_general")
    names = [quantity.name for quantity in model.parameters]
    loads = [quantity.name for quantity in model.inputs]
    rng = np.random.default_rng(6)
    for _ in range(10):
        chain = Chain.random(rng)
        chain.forces[0], chain.moments[0] = 0.0, 0.0
        q, dq = rng.uniform(-3.0, 3.0, (2, 3))
        values = {"l4": chain.ground, "g": chain.gravity}
        for i, b in enumerate("123"):
            values |= {f"l{b}": chain.lengths[i], f"m{b}": chain.masses[i], f"I{b}": chain.inertias[i]}
            values |= {f"cg{b}x": chain.centres[i, 0], f"cg{b}z": chain.centres[i, 1]}
            values |= {f"Fx{b}": chain.forces[i, 0], f"Fz{b}": chain.forces[i, 1], f"My{b}": chain.moments[i]}
        p, u = [values[name] for name in names], [values[name] for name in loads]
        M, delta = planar_chain.mass_matrix_and_delta(chain, q, dq)
        got = evaluate(model, "M|delta", q, dq, u=u, p=p)
        assert np.allclose(got.M, M, rtol=1e-11, atol=1e-12)
        assert got.delta == pytest.approx(delta, rel=1e-11, abs=1e-11)
        Phi, Phi_q = planar_chain.closure(chain, q)
        assert evaluate(model, "Phi", q, p=p) == pytest.approx(-Phi, abs=1e-12)
        assert evaluate(model, "Phi_q", q, p=p) == pytest.approx(-Phi_q, abs=1e-12)


BENCH = {  # crank angle and, at 1.8190 rad/s, angles, rates and accelerations of coupler and rocker
    0: (41.8587922056, 127.6312299587, -0.3210000000, -0.3210000000, -0.5296117524, 0.7667157765),
    90: (23.7079978252, 132.1897396209, -0.2862333238, 0.4631359987, 0.3564686616, 0.5441631683),
    210: (26.0913306370, 157.0395142086, 0.4271908747, -0.0432963183, 0.4259579077, -0.8642866811),
    300: (45.1775309784, 142.1644217609, 0.1536401454, -0.4664666755, -0.8736465027, -0.1752848870),
}


@pytest.mark.parametrize("angle", BENCH)
def test_kinematics_of_the_four_bar_bench(angle):
    """Closed form of the linkage with the lengths of the bench."""
    model, (phi, psi, *rates) = model_of("four_bar"), BENCH[angle]
    crank, w = np.deg2rad(angle), 1.8190
    q = assembled(model, [crank, np.deg2rad(phi) - crank, np.deg2rad(psi)], 0)
    assert np.rad2deg([q[0] + q[1], q[2]]) == pytest.approx([phi, psi], abs=1e-9)
    dq = w * tangent(model, q, 0)
    J, gamma = evaluate(model, "Phi_dq", q), evaluate(model, "gamma", q, dq)
    ddq = np.concatenate([[0.0], np.linalg.solve(J[:, 1:], gamma)])
    got = [dq[0] + dq[1], dq[2], ddq[1], ddq[2]]
    assert got == pytest.approx(rates, abs=1e-9)


@pytest.mark.parametrize(("radius", "expected"), [(0.14, 5.211212773559), (0.12, 6.872946169882)])
def test_release_of_the_four_bar_bench(radius, expected):
    """First acceleration of the crank, by the equation of one degree of freedom."""
    model = model_of("four_bar")
    p = np.array([radius if quantity.name == "r" else quantity.value for quantity in model.parameters])
    assert solved(model, *model.start, p=p)[0][0] == pytest.approx(expected, abs=1e-10)


def test_swing_of_the_four_bar_bench():
    """Half a second after release: angle and speed of the crank from three formulations that agree."""
    x = run(model_of("four_bar"), 0.5)
    assert [x[0], x[3]] == pytest.approx([2.2988106213, 3.2052143114], abs=1e-8)


def test_the_four_bar_bench_is_the_same_in_natural_coordinates():
    """First acceleration of the crank, and places and accelerations of the sensor at constant speed."""
    model = model_of("four_bar_natural")
    names = [placement.name for placement in model.placements]
    crank, sensor = names.index("th1"), [names.index("P3.x"), names.index("P3.y")]
    q, dq = model.start
    assert solved(model, q, dq)[0][crank] == pytest.approx(5.211212773559, abs=1e-10)
    assert q[sensor] == pytest.approx([0.2860565279, 0.3761789664], abs=1e-10)
    dq = 1.8190 * tangent(model, q, crank)
    J, gamma = evaluate(model, "Phi_dq", q), evaluate(model, "gamma", q, dq)
    others = [i for i in range(8) if i != crank]
    ddq = np.zeros(8)
    ddq[others] = np.linalg.solve(J[:, others], gamma)
    assert ddq[sensor] == pytest.approx([-0.1147562461, -0.3160697510], abs=1e-9)


@pytest.mark.parametrize(("as_simulated", "least", "most"), [(True, 6.05, 27.40), (False, 13.5, 39.4)])
def test_four_bar_rod_turns_fully_with_the_inertia_of_its_source(as_simulated, least, most):
    """The inertia that the input bar feels over its turn, as computed for the source."""
    model = model_of("four_bar_rod", as_simulated=as_simulated)
    q, felt = model.start[0], []
    for angle in np.linspace(q[0], q[0] + 2.0 * np.pi, 721):
        q = assembled(model, [angle, q[1]], 0)
        dq = tangent(model, q, 0)
        felt.append(dq @ evaluate(model, "M", q) @ dq)
    assert [min(felt), max(felt)] == pytest.approx([least, most], abs=0.05)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_n_four_bar_is_a_bar_that_falls(n):
    """theta'' = -(W / I) cos(theta), for uniform bars of one metre and one kilogram."""
    model = model_of("double_four_bar") if n == 2 else model_of("n_four_bar", n)
    inertia, weight = (n + 1) / 3.0 + n, 9.81 * ((n + 1) / 2.0 + n)
    names = [placement.name for placement in model.placements]
    bars = np.array([name.startswith("bar") for name in names])
    for theta, speed in ((np.pi / 2, -1.0), (0.7, 2.0), (2.5, -3.0), (-1.1, 0.5)):
        q, dq = np.where(bars, theta, -theta), np.where(bars, speed, -speed)
        assert np.abs(evaluate(model, "Phi", q)).max() < 1e-15
        fall = -weight / inertia * np.cos(theta)
        assert solved(model, q, dq)[0] == pytest.approx(np.where(bars, fall, -fall), abs=1e-10)


# others


CAR_AXIS = [  # Test Set for IVP Solvers, at 3 s: positions, velocities, multipliers
    [0.4934557842755629e-1, 0.4969894602303324, 0.1041742524885400e1, 0.3739110272652214],
    [-0.7705836840321485e-1, 0.7446866596327776e-2, 0.1755681574942899e-1, 0.7703410437794031],
    [-0.4736886750784630e-2, -0.1104680411345730e-2],
]


def test_car_axis_at_the_end():
    model, (q, dq, multipliers) = model_of("car_axis"), CAR_AXIS
    assert evaluate(model, "Phi", q, t=3.0) == pytest.approx([0.0, 0.0], abs=1e-11)
    assert evaluate(model, "Phi_dot", q, dq, t=3.0) == pytest.approx([0.0, 0.0], abs=1e-9)
    _, got = solved(model, q, dq, t=3.0)
    assert -1e-4 * got == pytest.approx(multipliers, abs=1e-9)


def test_car_axis_runs_to_the_end():
    x = run(model_of("car_axis"), 3.0)
    assert x == pytest.approx([*CAR_AXIS[0], *CAR_AXIS[1]], abs=1e-7)


def test_flyball_governor_at_the_start():
    """The springs are at rest: rods fly out, the slider falls, the shaft keeps its speed."""
    model = model_of("flyball_governor")
    bar, ball, length, a, r, g = 3000.0 * 1e-4, 5.0, 1.0, 0.01, 0.05, 9.81
    b, w = np.pi / 6, 2.0 * np.pi
    felt = bar * length**2 / 4 + bar * (length**2 + a**2) / 12 + ball * length**2
    weight = (bar / 2 + ball) * length * g * np.cos(b)
    inertia = bar * (r + length / 2 * np.cos(b)) * length / 2 + ball * (r + length * np.cos(b)) * length
    turning = inertia + bar * (length**2 - a**2) / 12 * np.cos(b)
    fly = (weight - turning * np.sin(b) * w * w) / felt
    assert solved(model, *model.start)[0] == pytest.approx([0.0, fly, fly, -g], abs=1e-7)


def test_slider_crank_follows_its_closed_form():
    model = model_of("slider_crank")
    r, length, w = 0.05, 0.2, 7.0
    place = lambda a: r * np.cos(a) + np.sqrt(length**2 - (r * np.sin(a)) ** 2)  # noqa: E731
    for theta in np.linspace(0.1, 6.1, 7):
        q = assembled(model, [theta, -np.arcsin(r / length * np.sin(theta)) - theta, place(theta)], 0)
        dq, h = w * tangent(model, q, 0), 1e-4
        assert q[2] == pytest.approx(place(theta), abs=1e-14)
        assert dq[2] == pytest.approx(w * (place(theta + h) - place(theta - h)) / (2 * h), abs=1e-8)
        J, gamma = evaluate(model, "Phi_dq", q), evaluate(model, "gamma", q, dq)
        bend = w * w * (place(theta + h) - 2 * place(theta) + place(theta - h)) / h**2
        assert np.linalg.solve(J[:, 1:], gamma)[1] == pytest.approx(bend, abs=1e-5)


def test_disc_of_the_crank_rolls_without_slip():
    """The centre moves along the plane, the disc turns by its way over the radius, and feels both."""
    model = model_of("crank_rod_disc")
    l1, l2, r, slope, h, _, m2, m3, I1, I2, I3 = model.p[:11]
    for theta in (0.4, 1.0, 2.0):
        q = assembled(model, [theta, model.start[0][1] + 1.0 - theta, 0.0, *model.start[0][3:]], 0)
        dq = tangent(model, q, 0)
        at, w = q[0] + q[1], dq[0] + dq[1]
        pin = l1 * dq[0] * np.array([-np.sin(q[0]), np.cos(q[0])])
        rod = np.array([np.cos(at), np.sin(at)])
        across = np.array([-rod[1], rod[0]])
        centre = l1 * np.array([np.cos(q[0]), np.sin(q[0])]) + l2 * rod
        way, normal = np.array([np.cos(slope), np.sin(slope)]), np.array([-np.sin(slope), np.cos(slope)])
        assert centre @ normal == pytest.approx(r - h, abs=1e-12)
        assert q[3:] == pytest.approx(centre - r * normal, abs=1e-12)
        v = pin + l2 * w * across
        assert v @ normal == pytest.approx(0.0, abs=1e-12)
        assert dq[2] == pytest.approx(-(v @ way) / r, abs=1e-12)
        middle = pin + l2 / 2 * w * across
        felt = I1 + m2 * middle @ middle + (I2 - m2 * l2**2 / 4) * w**2 + (m3 + I3 / r**2) * (v @ way) ** 2
        assert dq @ evaluate(model, "M", q) @ dq == pytest.approx(felt, rel=1e-12)


@pytest.mark.parametrize(("lean", "turning"), [(0.3, 2.0), (-0.5, 1.0), (1.0, -4.0)])
def test_rolling_disc_goes_round(lean, turning):
    """Steady circles of a thin disc: the angular momentum theorem about its centre, with the rim at rest."""
    model = model_of("rolling_disc")
    _, r, g = model.p
    s, c = np.sin(lean), np.cos(lean)
    roll = (r * r / 4 * turning**2 * s * c - g * r * s) / (1.5 * r * r * turning * c) - turning * s
    q, dq = np.array([0.0, 0.0, 0.6, lean, 0.2]), np.array([0.0, 0.0, turning, 0.0, roll])
    dq[:2] = r * roll * np.cos(0.6), r * roll * np.sin(0.6)
    assert evaluate(model, "Phi_dot", q, dq) == pytest.approx([0.0, 0.0], abs=1e-12)
    assert solved(model, q, dq)[0][2:] == pytest.approx(np.zeros(3), abs=1e-10)


def test_five_bar_has_the_lengths_of_its_points():
    model = model_of("five_bar")
    (a, b, c, d), _ = model.start
    l1, l2, l3, l4 = (q.value for q in model.parameters if q.name.startswith("l"))
    meet = l1 * np.exp(1j * a) + l2 * np.exp(1j * (a + b))
    assert meet == pytest.approx(2j, abs=1e-14)
    assert 3.0 + l3 * np.exp(1j * c) + l4 * np.exp(1j * (c + d)) == pytest.approx(2j, abs=1e-14)
    assert l1 * np.exp(1j * a) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("n_pendulum", "A chain has at least one rod; got n=0."),
        ("n_four_bar", "A row has at least one loop; got n=0."),
    ],
)
def test_a_chain_of_nothing_is_refused(name, told):
    with pytest.raises(ValueError, match=f"^{told}$"):
        model_of(name, 0)
