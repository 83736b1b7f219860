"""A cart on a spring with a damper: linear, so the Kalman filter of the textbook is exact."""

import numpy as np
from scipy.linalg import expm

import biela as bl
from biela.observe import Process, Reading
from biela.simulate import assemble

MASS, STIFFNESS, DAMPING, H = 2.0, 8.0, 0.6, 5e-3
START = np.array([0.3, -0.2])
P0 = np.array([[0.04, 0.005], [0.005, 0.09]])


def model():
    s = bl.System("cart")
    x = s.coordinate("x", unit="m")
    cart = s.body("cart", mass=MASS)
    s.prismatic(s.ground, cart, axis="x", coordinates=x)
    s.torsion_spring(x, STIFFNESS, damping=DAMPING)
    return s.model()


def process(m, **noise):
    given = {"position": 1e-3, "velocity": 2e-2} | noise
    return Process(m, H, "rk4", **given)


def sensors():
    """Three channels of two sensors, correlated in one of them."""
    pair = ((4e-4, 1e-4), (1e-4, 9e-4))
    return [
        Reading(lambda m: [m.q[0], m.q[0] + 0.1 * m.dq[0]], covariance=pair, name="pair"),
        Reading(lambda m: m.dq[0], sigma=0.05, name="speed"),
    ]


def start(m):
    return assemble(m, START[:1], velocities=START[1:])


A = np.array([[0.0, 1.0], [-STIFFNESS / MASS, -DAMPING / MASS]])
RUNGE_KUTTA = sum(
    (np.linalg.matrix_power(A * H, k) / f for k, f in enumerate((1, 1, 2, 6, 24))), np.zeros((2, 2))
)
EXACT = expm(A * H)
SLOPES = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
R = np.array([[4e-4, 1e-4, 0.0], [1e-4, 9e-4, 0.0], [0.0, 0.0, 2.5e-3]])


def readings(n=400, seed=3):
    """Noisy readings, some of them missing."""
    rng = np.random.default_rng(seed)
    x = np.array([0.1, 0.1])
    y = np.empty((n, 3))
    for row in y:
        x = RUNGE_KUTTA @ x
        row[:] = SLOPES @ x + rng.multivariate_normal(np.zeros(3), R)
    y[rng.random(y.shape) < 0.4] = np.nan
    return y


def kalman(y, F, Q):
    """The textbook's filter: means, covariances, innovations squared."""
    x, P = START, P0
    means, covariances, nis = [x], [P], [np.nan]
    for row in y:
        x, P = F @ x, F @ P @ F.T + Q
        there = np.isfinite(row)
        H_, R_ = SLOPES[there], R[np.ix_(there, there)]
        S = H_ @ P @ H_.T + R_
        K = P @ H_.T @ np.linalg.inv(S)
        e = row[there] - H_ @ x
        x, P = x + K @ e, (np.eye(2) - K @ H_) @ P
        means.append(x)
        covariances.append(P)
        nis.append(e @ np.linalg.solve(S, e) if there.any() else np.nan)
    return np.array(means), np.array(covariances), np.array(nis)
