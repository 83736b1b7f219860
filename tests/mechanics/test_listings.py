"""The published listings: their operation counts, and their values against a model apart from the package.

The mechanisms are A.1 (block-pendulum) and A.2 (four-bar) of A. Plaza, PhD thesis, Universidad Publica de
Navarra, 2015. Code of lib_3D_MEC prints M and delta with the negative sign, but for B.6.
"""

from dataclasses import replace
from types import SimpleNamespace

import listing
import numpy as np
import planar_chain
import pytest
from planar_chain import Chain

STATES = 20
PENDULUM = ("theta", "dtheta", "dx", "m_b", "m_p", "l_p", "Iyy_p")
PENDULUM += ("F_b", "M_p", "g", "k", "theta_0", "c_vis")


def states(seed, mass_centres=True, first_loaded=False):
    """Random chains of three bodies, with angles and rates; in B.5 and B.6 the first carries no load."""
    rng = np.random.default_rng(seed)
    loaded = np.array([first_loaded, True, True])
    for _ in range(STATES):
        chain = Chain.random(rng)
        chain = replace(chain, forces=chain.forces * loaded[:, None], moments=chain.moments * loaded)
        if not mass_centres:
            chain = replace(chain, centres=np.zeros((3, 2)))
        yield chain, rng.uniform(-3.0, 3.0, 3), rng.uniform(-3.0, 3.0, 3)


def symbols(chain, q, dq):
    """The symbols of lib_3D_MEC's listings; bodies count from one."""
    values = {"g": chain.gravity, "l4": chain.ground}
    for i in range(3):
        b = i + 1
        values |= {f"theta{b}": q[i], f"dtheta{b}": dq[i]}
        values |= {f"l{b}": chain.lengths[i], f"m{b}": chain.masses[i], f"I{b}yy": chain.inertias[i]}
        values |= {f"cg{b}x": chain.centres[i, 0], f"cg{b}z": chain.centres[i, 1]}
        values |= {f"Fx{b}": chain.forces[i, 0], f"Fz{b}": chain.forces[i, 1], f"My{b}": chain.moments[i]}
    return values


def robotran(chain, q, dq):
    """The inputs of Robotran's B.7: forces act at the mass centres and inertias are about them."""
    s = SimpleNamespace(g=np.zeros(4), m=np.zeros(4), In=np.zeros((6, 4)))
    s.dpt, s.l, s.frc, s.trq = np.zeros((4, 4, 4))
    s.g[3] = -chain.gravity
    s.dpt[1, 1:] = chain.lengths
    s.m[1:], s.In[5, 1:] = chain.masses, chain.central_inertias
    s.l[1, 1:], s.l[3, 1:] = chain.centres.T
    s.frc[1, 1:], s.frc[3, 1:] = chain.forces.T
    s.trq[2, 1:] = chain.moments - s.l[3, 1:] * s.frc[1, 1:] + s.l[1, 1:] * s.frc[3, 1:]
    return {"q": [None, *q], "qd": [None, *dq], "s": s}


def error(got, expected):
    """The largest difference, relative to the largest value expected if that is above one."""
    return np.max(np.abs(np.subtract(got, expected))) / max(1.0, np.max(np.abs(expected)))


def augmented(chain, q, dq):
    """[M | delta] by columns."""
    M, delta = planar_chain.mass_matrix_and_delta(chain, q, dq)
    return np.concatenate([M.ravel(order="F"), delta])


@pytest.mark.parametrize(
    ("name", "operations", "atoms"),
    [
        ("3_1", 18, 13),
        ("3_2", 16, 1),
        ("3_3", 8, 1),
        ("3_4", 22, 3),
        ("b1", 54, 0),
        ("b2", 65, 0),  # table 6.9 says 64
        ("b3", 21, 0),
        ("b4", 21, 0),
        ("b5", 264, 60),
        ("b6", 135, 25),
        ("b7", 185, 35),  # table 6.15 says 182
        ("b8", 43, 18),
        ("b9", 47, 22),
    ],
)
def test_counts(name, operations, atoms):
    count = listing.count(listing.read(name))
    assert (count.total, count.atoms) == (operations, atoms)


@pytest.mark.parametrize("n", [1, 3, 5])
def test_the_chain_keeps_its_energy_but_for_the_power_of_the_loads(n):
    rng = np.random.default_rng(n)
    for _ in range(STATES):
        chain, q, dq = Chain.random(rng, n), rng.uniform(-3.0, 3.0, n), rng.uniform(-1.0, 1.0, n)
        ddq = np.linalg.solve(*planar_chain.mass_matrix_and_delta(chain, q, dq))
        h = 1e-5
        rise = energy(chain, q + h * dq, dq + h * ddq) - energy(chain, q - h * dq, dq - h * ddq)
        assert rise / (2 * h) == pytest.approx(power(chain, q, dq), rel=1e-6, abs=1e-6)


def energy(chain, q, dq):
    """Kinetic and potential energy, body by body outward, with v + w x r."""
    point, velocity, total = np.zeros(2), np.zeros(2), 0.0
    for i in range(len(q)):
        R, w = turn(np.sum(q[: i + 1])), np.sum(dq[: i + 1])
        arm = R @ chain.centres[i]
        v = velocity + w * np.array([arm[1], -arm[0]])
        total += chain.masses[i] * (v @ v / 2 + chain.gravity * (point + arm)[1])
        total += chain.central_inertias[i] * w * w / 2
        link = R @ [chain.lengths[i], 0.0]
        point, velocity = point + link, velocity + w * np.array([link[1], -link[0]])
    return total


def power(chain, q, dq):
    """What the external forces and moments do."""
    velocity, total = np.zeros(2), 0.0
    for i in range(len(q)):
        R, w = turn(np.sum(q[: i + 1])), np.sum(dq[: i + 1])
        total += R @ chain.forces[i] @ velocity + chain.moments[i] * w
        link = R @ [chain.lengths[i], 0.0]
        velocity = velocity + w * np.array([link[1], -link[0]])
    return total


def turn(angle):
    """A turn about +Y, on (x, z)."""
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


@pytest.mark.parametrize("name", ["b1", "b2", "b3", "b4"])
def test_position_of_the_tip(name):
    for chain, q, dq in states(1):
        expected = planar_chain.tip(chain, q)
        if name in ("b3", "b4"):  # in the base of the last bar
            expected = turn(np.sum(q)).T @ expected
        got = listing.evaluate(listing.read(name), **symbols(chain, q, dq))["r"]
        assert got[1] == 0.0
        assert error([got[0], got[2]], expected) < 1e-12


def test_b5_is_right_with_the_negative_sign():
    for chain, q, dq in states(5):
        got = listing.evaluate(listing.read("b5"), **symbols(chain, q, dq))["_MDelta"]
        assert error(got, -augmented(chain, q, dq)) < 1e-12


def b6_error(chain, q, dq):
    got = listing.evaluate(listing.read("b6"), **symbols(chain, q, dq))["_MDelta"]
    return error(got[:9], augmented(chain, q, dq)[:9]), error(got, augmented(chain, q, dq))


def test_b6_is_right_if_all_mass_centres_are_at_the_body_points():
    assert max(b6_error(*state)[1] for state in states(6, mass_centres=False)) < 1e-12


def test_b6_is_wrong_with_general_mass_centres():
    assert all(min(b6_error(*state)) > 1e-3 for state in states(6))
    assert max(b6_error(*state)[0] for state in states(6)) > 0.5


@pytest.mark.parametrize("offset", [(i, k) for i in range(3) for k in range(2)])
def test_b6_is_wrong_with_any_one_offset(offset):
    errors = []
    for chain, q, dq in states(6, mass_centres=False):
        chain.centres[offset] = 0.5
        errors.append(b6_error(chain, q, dq))
    in_M, anywhere = np.max(errors, axis=0)
    assert anywhere > 0.1
    if offset[0] == 0:  # the offset of the first bar enters M by I1yy alone
        assert in_M < 1e-12
    else:
        assert in_M > 0.1


def test_b7_is_right_after_moving_one_parenthesis():
    as_printed = []
    for chain, q, dq in states(7, first_loaded=True):
        M, delta = planar_chain.mass_matrix_and_delta(chain, q, dq)
        got = listing.evaluate(listing.corrected("b7"), **robotran(chain, q, dq))
        assert error(got["M"], M) < 1e-12
        assert error(got["c"], -delta) < 1e-12
        printed = listing.evaluate(listing.read("b7"), **robotran(chain, q, dq))
        assert printed["M"] == got["M"]
        as_printed.append(error(printed["c"], -delta))
    assert max(as_printed) > 0.1


def test_b8_stores_the_closure_before_its_jacobian():
    for chain, q, dq in states(8):
        Phi, Phi_q = planar_chain.closure(chain, q)
        got = listing.evaluate(listing.read("b8"), **symbols(chain, q, dq))["_PhiPhiq"]
        assert error(got, [*Phi, *Phi_q.ravel(order="F")]) < 1e-12


def test_b9_has_the_opposite_sign():
    for chain, q, _ in states(9):
        Phi, Phi_q = planar_chain.closure(chain, q)
        s = SimpleNamespace(dpt=np.zeros((4, 5)))
        s.dpt[1, 1:] = [chain.ground, *chain.lengths]
        got = listing.evaluate(listing.read("b9"), q=[None, *q], s=s)
        assert error(got["h"], -Phi) < 1e-12
        assert error(got["Jac"], -Phi_q) < 1e-12


def test_the_jacobian_of_the_closure():
    for chain, q, _ in states(10):
        h = 1e-6
        shifts = h * np.eye(3)
        columns = [planar_chain.tip(chain, q + s) - planar_chain.tip(chain, q - s) for s in shifts]
        assert error(np.transpose(columns) / (2 * h), planar_chain.closure(chain, q)[1]) < 1e-8


def test_block_pendulum():
    """M and delta of equations 3.9 and of listing 3.3, written anew in terms of sin(theta)."""
    rng = np.random.default_rng(3)
    for _ in range(STATES):
        values = dict(zip(PENDULUM, rng.uniform(-2.0, 2.0, len(PENDULUM)), strict=True))
        v = SimpleNamespace(**values)
        lever = v.l_p * v.m_p
        coupling = -lever * np.cos(v.theta)
        M = [-v.m_b - v.m_p, coupling, coupling, -v.Iyy_p]
        delta = [
            v.c_vis * v.dx - v.F_b - lever * np.sin(v.theta) * v.dtheta**2,
            v.M_p + v.k * (v.theta - v.theta_0) + lever * v.g * np.sin(v.theta),
        ]
        got = {name: listing.evaluate(listing.read(name), **values) for name in ("3_1", "3_2", "3_3", "3_4")}
        assert error(got["3_1"]["delta"], delta) < 1e-12
        assert error(got["3_2"]["_delta"], delta) < 1e-12
        assert error(got["3_3"]["_M"], M) < 1e-12
        assert error(got["3_4"]["_MQ"], M + delta) < 1e-12


def test_a_listing_with_a_missing_element_is_refused():
    with pytest.raises(AssertionError, match="elements missing"):
        listing.evaluate("y[0] = 1; y[2] = 1;")
