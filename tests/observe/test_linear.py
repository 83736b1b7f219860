"""Every filter on a linear problem with Gaussian noise: it must be the filter of Kalman (1960)."""

import numpy as np
import pytest
import spring_cart as cart
from scipy.linalg import expm, solve_continuous_are

from biela.observe import FILTERS, ErrorStateKalman, Process, Reading, UnscentedKalman
from biela.observe.filter import ContinuousKalman, EnsembleKalman, ProjectionKalman, SquareRootUnscented

MODEL = cart.model()
Y = cart.readings()
EXACT = [key for key in FILTERS if key not in ("continuous", "error-state", "ensemble")]


def estimates(run):
    return np.stack([run["x"], run["x'"]], axis=1)


def compare(observer, F, Q, tolerance=1e-10, steps=None):
    means, covariances, nis = cart.kalman(Y[:steps], F, Q)
    run = observer.run(Y[:steps], cart.start(MODEL), cart.P0)
    assert np.abs(estimates(run) - means).max() < tolerance
    rows = observer.rows(Y[:steps], cart.start(MODEL), cart.P0)
    assert np.abs(observer.covariances(rows)[:, :2, :2] - covariances).max() < tolerance
    assert np.array_equal(np.isnan(run["nis"]), np.isnan(nis))
    assert np.nanmax(np.abs(run["nis"] - nis)) < 1e3 * tolerance


@pytest.mark.parametrize("key", EXACT)
def test_the_filter_is_that_of_the_textbook(key):
    process = cart.process(MODEL)
    compare(FILTERS[key](process, cart.sensors()), cart.RUNGE_KUTTA, process.covariance)


@pytest.mark.parametrize("points", ["julier", "scaled"])
@pytest.mark.parametrize("kind", [UnscentedKalman, SquareRootUnscented])
def test_sigma_points_of_both_sets(kind, points):
    process = cart.process(MODEL)
    tolerance = 1e-10 if points == "julier" else 1e-8  # the weights of the scaled set are a million
    compare(kind(process, cart.sensors(), points), cart.RUNGE_KUTTA, process.covariance, tolerance)


def test_points_that_are_not_redrawn_know_nothing_of_the_process_noise():
    process = cart.process(MODEL, position=0.0, velocity=0.0)
    compare(UnscentedKalman(process, cart.sensors(), redraw=False), cart.RUNGE_KUTTA, np.zeros((2, 2)))


def test_error_state_with_the_exact_jacobian_is_the_extended_filter():
    process = cart.process(MODEL)
    compare(ErrorStateKalman(process, cart.sensors(), jacobian="exact"), cart.RUNGE_KUTTA, process.covariance)


def test_error_state_takes_the_euler_transition_for_the_covariance_only():
    process = cart.process(MODEL)
    observer = ErrorStateKalman(process, cart.sensors())
    rows = observer.rows(np.full((1, 3), np.nan), cart.start(MODEL), cart.P0)
    F = np.array([[1.0, cart.H], [0.0, 1.0]])
    assert np.abs(observer.covariances(rows)[1] - F @ cart.P0 @ F.T - process.covariance).max() < 1e-14
    assert np.abs(rows[1, :2] - cart.RUNGE_KUTTA @ cart.START).max() < 1e-14


def van_loan(A, density, h):
    n = len(A)
    E = expm(np.block([[-A, density], [np.zeros((n, n)), A.T]]) * h)
    return E[n:, n:].T @ E[:n, n:]


def test_continuous_covariance_is_that_of_van_loan():
    process = cart.process(MODEL, position=0.0, velocity=0.0, acceleration=0.3)
    Q = van_loan(cart.A, np.diag([0.0, 0.09]), cart.H)
    observer = ContinuousKalman(process, cart.sensors())
    rows = observer.rows(np.full((100, 3), np.nan), cart.start(MODEL), cart.P0)
    F, P = expm(cart.A * cart.H), cart.P0
    for _ in range(100):
        P = F @ P @ F.T + Q
    assert np.abs(observer.covariances(rows)[-1] - P).max() < 1e-9  # of Runge and Kutta's steps
    compare(observer, F, Q, 1e-9, 100)


def test_noise_on_accelerations_is_that_of_a_free_mass():
    process = cart.process(MODEL, position=0.0, velocity=0.0, acceleration=0.3)
    free = van_loan(np.array([[0.0, 1.0], [0.0, 0.0]]), np.diag([0.0, 0.09]), cart.H)
    assert np.abs(process.covariance - free).max() < 1e-18


def test_continuous_updates_tend_to_riccatis_steady_state():
    process = cart.process(MODEL, position=0.0, velocity=0.0, acceleration=0.3)
    observer = ContinuousKalman(process, [Reading(lambda m: m.q[0], sigma=1.0)])
    rows = observer.rows(np.zeros((6000, 1)), cart.start(MODEL), cart.P0)
    C = np.array([[1.0, 0.0]])
    steady = solve_continuous_are(cart.A.T, C.T, np.diag([0.0, 0.09]), np.array([[cart.H]]))
    assert np.abs(observer.covariances(rows)[-1] / steady - 1.0).max() < 0.03


def test_ensemble_without_process_noise_is_exact():
    process = cart.process(MODEL, position=0.0, velocity=0.0)
    compare(EnsembleKalman(process, cart.sensors(), 8), cart.RUNGE_KUTTA, np.zeros((2, 2)))


def test_ensemble_with_noise_is_near_and_repeats_itself():
    process = cart.process(MODEL)
    means, covariances, _ = cart.kalman(Y, cart.RUNGE_KUTTA, process.covariance)
    run = EnsembleKalman(process, cart.sensors(), 40).run(Y, cart.start(MODEL), cart.P0)
    again = EnsembleKalman(process, cart.sensors(), 40).run(Y, cart.start(MODEL), cart.P0)
    other = EnsembleKalman(process, cart.sensors(), 40, seed=2).run(Y, cart.start(MODEL), cart.P0)
    assert np.array_equal(estimates(run), estimates(again))
    assert not np.array_equal(estimates(run), estimates(other))
    off = (estimates(run) - means) / np.sqrt(covariances[:, [0, 1], [0, 1]])
    assert 0.0 < np.sqrt((off**2).mean()) < 1.0


def test_projection_without_constraints_takes_deviations_of_all_coordinates():
    process = cart.process(MODEL)
    observer = ProjectionKalman(process, cart.sensors())
    assert observer.names == ["x", "x'"]
    assert np.array_equal(observer.tangent.value({}), np.eye(2))


@pytest.mark.parametrize("disturbance", ["force", "coloured"])
def test_augmented_filter_is_the_textbooks_on_three_states(disturbance):
    process = cart.process(MODEL)
    observer = ErrorStateKalman(process, cart.sensors(), disturbance, "exact", strength=0.7, memory=0.4)
    h, s = cart.H, 0.7
    keep = np.exp(-h / 0.4) if disturbance == "coloured" else 1.0
    F = np.block([[cart.RUNGE_KUTTA, np.array([[h * h / 2], [h]])], [np.zeros((1, 2)), np.array([[keep]])]])
    Q = np.zeros((3, 3))
    Q[:2, :2] = process.covariance
    powers = [[h**5 / 20, h**4 / 8, h**3 / 6], [h**4 / 8, h**3 / 3, h**2 / 2], [h**3 / 6, h**2 / 2, h]]
    Q += s * s * np.array(powers)
    x, P = np.append(cart.START, 0.0), np.diag([0.04, 0.09, 1.0])
    C = np.hstack([cart.SLOPES, np.zeros((3, 1))])
    rows = observer.rows(Y, cart.start(MODEL), np.sqrt(np.diag(P)))
    for k, y in enumerate(Y):
        x, P = F @ x, F @ P @ F.T + Q
        there = np.isfinite(y)
        S = C[there] @ P @ C[there].T + cart.R[np.ix_(there, there)]
        K = P @ C[there].T @ np.linalg.inv(S)
        x, P = x + K @ (y[there] - C[there] @ x), (np.eye(3) - K @ C[there]) @ P
        assert np.abs(rows[k + 1, :3] - x).max() < 1e-10
        assert np.abs(observer.covariances(rows[k + 1 : k + 2])[0] - P).max() < 1e-10


def test_a_constant_force_is_found():
    process = Process(MODEL, cart.H, "rk4", position=1e-6, velocity=1e-5)
    push = 1.5  # N on the cart, which the model knows nothing of
    x, y = cart.START, np.empty((2000, 3))
    shift = np.linalg.solve(cart.A, (cart.RUNGE_KUTTA - np.eye(2)) @ np.array([0.0, push / cart.MASS]))
    for row in y:
        x = cart.RUNGE_KUTTA @ x + shift
        row[:] = cart.SLOPES @ x
    observer = ErrorStateKalman(process, cart.sensors(), "force", "exact", strength=0.1)
    run = observer.run(y, cart.start(MODEL), [0.1, 0.1, 1.0])
    assert abs(run["disturbance(x)"][-1] - push / cart.MASS) < 0.02
    assert run["sd(disturbance(x))"][-1] < 0.2
