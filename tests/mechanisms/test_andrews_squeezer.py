"""Andrews' squeezer against the equations and the reference solutions in print."""

from types import SimpleNamespace

import numpy as np
import pytest
from solving import evaluate, model_of, solved


def test_start():
    """Hairer and Wanner (1996), section VII.7: consistent accelerations and multipliers."""
    model = model_of("andrews_squeezer")
    a, multipliers = solved(model, *model.start)
    assert a[:2] == pytest.approx(
        [14222.4439199541138705911625887, -10666.8329399655854029433719415], rel=1e-10
    )
    assert a[2:] == pytest.approx(np.zeros(5), abs=1e-7)
    assert multipliers[:2] == pytest.approx([98.5668703962410896, -6.12268834425566265], rel=1e-10)
    assert multipliers[2:] == pytest.approx(np.zeros(4), abs=1e-9)


def test_end():
    """Accelerations and multipliers at 0.03 s from the Test Set for IVP Solvers.

    The state is computed anew, in one coordinate with 28 digits; the printed one is right to 3e-10 in
    positions and the printed accelerations to 1.4e-6 of themselves.
    """
    q = [15.8107711951537, -15.7563710584118, 0.0408222401196458, -0.534730116342080]
    q += [0.524409965879954, 0.534730116342080, 1.04808074104194]
    dq = [1139.92030225911, -1424.37929517754, 11.0329119106186, 19.2933741050320]
    dq += [0.573569914829502, -19.2933741050320, 0.323179149249131]
    a = [-0.2463176316945196e5, 0.5185037701610329e5, 0.3241025686413781e6, 0.5667493645176213e6]
    a += [0.1674362929479361e5, -0.5667493645176222e6, 0.9826520791458422e4]
    forces = [0.1991753333731910e3, -0.2975531228015052e2, 0.2306654119098399e2]
    forces += [0.3145271365475927e2, 0.2264249232082739e2, 0.1161740700019673e2]
    model = model_of("andrews_squeezer")
    assert np.abs(evaluate(model, "Phi", q)).max() < 1e-13
    assert np.abs(evaluate(model, "Phi_dot", q, dq)).max() < 1e-10
    got, multipliers = solved(model, q, dq)
    assert got == pytest.approx(a, rel=1.4e-6)
    assert multipliers == pytest.approx(forces, rel=1.4e-6)


def test_equations_of_the_book():
    """Hairer and Wanner (1996), section VII.7: M, the forces and the constraints, at any state."""
    model = model_of("andrews_squeezer")
    p = SimpleNamespace(**{quantity.name: quantity.value for quantity in model.parameters})
    rng = np.random.default_rng(7)
    for _ in range(10):
        q, dq = rng.uniform(-3.0, 3.0, (2, 7))
        got = evaluate(model, "M|delta", q, dq)
        assert np.allclose(got.M, mass_matrix(p, q), rtol=1e-11, atol=1e-18)
        assert got.delta == pytest.approx(forces(p, q, dq), rel=1e-10, abs=1e-15)
        assert evaluate(model, "Phi", q) == pytest.approx(loops(p, q), abs=1e-15)


def mass_matrix(p, q):
    _, theta, _, phi, _, omega, _ = q
    M, e, z = np.zeros((7, 7)), p.e - p.ea, p.zf - p.fa
    arm = p.da * p.rr * np.cos(theta)
    M[0, 0] = p.m1 * p.ra**2 + p.m2 * (p.rr**2 - 2 * arm + p.da**2) + p.I1 + p.I2
    M[1, 0] = M[0, 1] = p.m2 * (p.da**2 - arm) + p.I2
    M[1, 1] = p.m2 * p.da**2 + p.I2
    M[2, 2] = p.m3 * (p.sa**2 + p.sb**2) + p.I3
    M[3, 3] = p.m4 * e**2 + p.I4
    M[4, 3] = M[3, 4] = p.m4 * (e**2 + p.zt * e * np.sin(phi)) + p.I4
    M[4, 4] = p.m4 * (p.zt**2 + 2 * p.zt * e * np.sin(phi) + e**2)
    M[4, 4] += p.m5 * (p.ta**2 + p.tb**2) + p.I4 + p.I5
    M[5, 5] = p.m6 * z**2 + p.I6
    M[6, 5] = M[5, 6] = p.m6 * (z**2 - p.u * z * np.sin(omega)) + p.I6
    M[6, 6] = p.m6 * (z**2 - 2 * p.u * z * np.sin(omega) + p.u**2)
    M[6, 6] += p.m7 * (p.ua**2 + p.ub**2) + p.I6 + p.I7
    return M


def forces(p, q, dq):
    _, theta, gamma, phi, _, omega, _ = q
    dbeta, dtheta, _, dphi, ddelta, domega, depsilon = dq
    s, c = np.sin(gamma), np.cos(gamma)
    x, y = p.sd * c + p.sc * s + p.xb - p.xc, p.sd * s - p.sc * c + p.yb - p.yc
    length = np.hypot(x, y)
    pull = -p.c0 * (length - p.l0) / length
    spin = p.m2 * p.da * p.rr * np.sin(theta)
    fourth = p.m4 * p.zt * (p.e - p.ea) * np.cos(phi)
    sixth = p.m6 * p.u * (p.zf - p.fa) * np.cos(omega)
    return [
        0.033 - spin * dtheta * (dtheta + 2 * dbeta),
        spin * dbeta**2,
        pull * (x * (p.sc * c - p.sd * s) + y * (p.sd * c + p.sc * s)),
        fourth * ddelta**2,
        -fourth * dphi * (dphi + 2 * ddelta),
        -sixth * depsilon**2,
        sixth * domega * (domega + 2 * depsilon),
    ]


def loops(p, q):
    beta, theta, gamma, phi, delta, omega, epsilon = q
    turned = lambda angle: np.array([np.cos(angle), np.sin(angle)])  # noqa: E731
    E = p.rr * turned(beta) - p.d * turned(beta + theta)
    across = lambda angle: np.array([np.sin(angle), -np.cos(angle)])  # noqa: E731
    on_3 = p.ss * across(gamma) + [p.xb, p.yb]
    on_4 = p.zt * turned(delta) + p.e * across(phi + delta) + [p.xa, p.ya]
    on_6 = p.zf * turned(omega + epsilon) + p.u * across(epsilon) + [p.xa, p.ya]
    return np.concatenate([E - on_3, E - on_4, E - on_6])
