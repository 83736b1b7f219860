"""The bicycle against the published linearised equations, by differences of the nonlinear model.

Matrices and eigenvalues are those of Meijaard, Papadopoulos, Ruina and Schwab (2007), for lean and steer:
M ddq + v C1 dq + (g K0 + v^2 K2) q = f.
"""

import numpy as np
import pytest

from biela.mechanisms import whipple_bicycle

M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
EIGENVALUES = [-14.07838969, -0.32286643, -0.77534188 + 4.46486771j, -0.77534188 - 4.46486771j]  # at 5 m/s
X, Y, YAW, LEAN, PITCH, STEER, REAR, FRONT = range(8)
FREE, BOUND = [LEAN, STEER, REAR], [X, Y, YAW, PITCH, FRONT]


@pytest.fixture(scope="module")
def model():
    return whipple_bicycle().model()


def state(model, lean, steer, lean_rate, steer_rate, v):
    """A rolling state: the pitch puts the front wheel on the road, the other rates follow."""
    q = np.zeros(8)
    q[LEAN], q[STEER] = lean, steer
    for _ in range(6):
        both = model.functions["Phi|Phi_q"].evaluate(q, model.p)
        q[PITCH] -= both.Phi[0] / both.Phi_q[0, PITCH]
    J = model.functions["Phi_dq"].evaluate(q, model.p)
    dq = np.zeros(8)
    dq[FREE] = lean_rate, steer_rate, -v / 0.3
    dq[BOUND] = np.linalg.solve(J[:, BOUND], -J[:, FREE] @ dq[FREE])
    return q, dq, J


def accelerations(model, lean, steer, lean_rate, steer_rate, v, u=(0.0, 0.0)):
    """Of lean and steer."""
    q, dq, J = state(model, lean, steer, lean_rate, steer_rate, v)
    mass, delta = model.functions["M|delta"].evaluate(q, dq, model.p, np.array(u))
    gamma = model.functions["gamma"].evaluate(q, dq, model.p)
    kkt = np.block([[mass, J.T], [J, np.zeros((5, 5))]])
    return np.linalg.solve(kkt, np.concatenate([delta, gamma]))[[LEAN, STEER]]


def slopes(model, v, which):
    """The derivatives of the accelerations by lean and steer (0, 1) or their rates (2, 3), upright."""
    h, columns = 1e-5, []
    for k in which:
        step = h * np.eye(4)[k]
        columns.append((accelerations(model, *step, v) - accelerations(model, *-step, v)) / (2.0 * h))
    return np.array(columns).T


def test_has_three_degrees_of_freedom(model):
    assert model.sizes == {"p": 8, "g": 1, "r": 4, "c": 5, "m": 7, "n": 3}
    assert model.freedom == 3


def test_starts_rolling(model):
    q, dq = model.start
    assert np.abs(model.functions["Phi_dot"].evaluate(q, dq, model.p)).max() < 1e-14
    assert np.abs(model.functions["Phi"].evaluate(q, model.p)).max() < 1e-14
    assert (dq[X], dq[LEAN]) == (4.6, 0.5)


def test_has_the_published_mass_matrix(model):
    rest = accelerations(model, 0.0, 0.0, 0.0, 0.0, 0.0)
    pushed = [accelerations(model, 0.0, 0.0, 0.0, 0.0, 0.0, u) for u in ((1.0, 0.0), (0.0, 1.0))]
    np.testing.assert_allclose(np.linalg.inv(np.array(pushed).T - rest[:, None]), M, rtol=1e-9)


@pytest.mark.parametrize("v", [0.0, 5.0])
def test_has_the_published_stiffness_and_damping(model, v):
    stiffness = -M @ slopes(model, v, (0, 1))
    np.testing.assert_allclose(stiffness, 9.81 * K0 + v * v * K2, rtol=0.0, atol=2e-5)
    np.testing.assert_allclose(-M @ slopes(model, v, (2, 3)), v * C1, rtol=0.0, atol=2e-5)


def test_has_the_published_eigenvalues(model):
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [slopes(model, 5.0, (0, 1)), slopes(model, 5.0, (2, 3))]])
    np.testing.assert_allclose(np.sort_complex(np.linalg.eigvals(A)), np.sort_complex(EIGENVALUES), atol=1e-5)


def test_front_contact_is_the_lowest_point_of_the_wheel(model):
    """Of all points of the rim, none is below the road and one is on it."""
    q, _, _ = state(model, 0.3, 0.5, 0.0, 0.0, 5.0)
    cos, sin = np.cos, np.sin

    def turn(axis, angle):
        i, j = [(1, 2), (2, 0), (0, 1)]["xyz".index(axis)]
        R = np.eye(3)
        R[[i, i, j, j], [i, j, i, j]] = cos(angle), -sin(angle), sin(angle), cos(angle)
        return R

    leaned = turn("z", q[YAW]) @ turn("x", q[LEAN])
    frame = leaned @ turn("y", q[PITCH])
    fork = frame @ turn("y", np.pi / 10) @ turn("z", q[STEER]) @ turn("y", -np.pi / 10)
    centre = leaned @ [0.0, 0.0, -0.3] + frame @ [1.1, 0.0, 0.3] + fork @ [-0.08, 0.0, -0.35]
    around = np.linspace(0.0, 2.0 * np.pi, 100_001)
    depth = centre[2] + 0.35 * (cos(around) * fork[2, 0] + sin(around) * fork[2, 2])
    assert depth.max() == pytest.approx(0.0, abs=1e-9)
