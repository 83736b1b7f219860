"""On a linear mechanism with Gaussian noise every particle filter tends to the exact Kalman filter.

The mechanism is a damped mass on a spring, stepped by explicit Euler, so that a step is a matrix; the
Kalman filter is written out here in four lines of NumPy.
"""

import numpy as np
import pytest

import biela as bl
from biela.observe.particle import Adaptive, Auxiliary, Bootstrap, RaoBlackwellised, Regularised
from biela.observe.process import Process
from biela.observe.sensor import Encoder
from biela.simulate.assembly import assemble

H, STIFFNESS, DAMPING, SIGMA = 0.05, 4.0, 0.3, 0.2
F = np.array([[1.0, H], [-STIFFNESS * H, 1.0 - DAMPING * H]])
START, STEPS, COUNT = np.diag([0.5, 1.0]) ** 2, 25, 40_000
BIAS = 0.4


def mass():
    s = bl.System("mass_on_spring")
    x = s.coordinate("x", 0.0, unit="m")
    block = s.body("block", mass=1.0)
    s.prismatic(s.ground, block, axis="x", coordinates=x)
    s.force(block, [-STIFFNESS * x - DAMPING * x.dt(), 0, 0])
    return s.model()


MODEL = mass()
PROCESS = Process(MODEL, H, "euler", position=0.05, velocity=0.2, acceleration=0.3)
SENSOR = [Encoder("x", sigma=SIGMA)]
STATE = assemble(MODEL)


def readings(bias=0.0):
    rng = np.random.default_rng(4)
    x, rows = np.linalg.cholesky(START) @ rng.standard_normal(2), []
    root = np.linalg.cholesky(PROCESS.covariance)
    for _ in range(STEPS):
        x = F @ x + root @ rng.standard_normal(2)
        rows.append([x[0] + bias + SIGMA * rng.standard_normal()])
    rows[7] = [np.nan]
    return np.array(rows)


def kalman(y, deviation=0.0):
    """Means, covariances and the log likelihood; with a constant bias of that deviation as third state."""
    n = 3 if deviation else 2
    A, Q, P = np.eye(n), np.zeros((n, n)), np.zeros((n, n))
    A[:2, :2], Q[:2, :2], P[:2, :2] = F, PROCESS.covariance, START
    C = np.ones((1, n)) * [1.0, 0.0, 1.0][:n]
    if deviation:
        P[2, 2] = deviation**2
    m, means, covariances, likelihood = np.zeros(n), [], [], 0.0
    for row in y:
        m, P = A @ m, A @ P @ A.T + Q
        if np.isfinite(row).all():
            S = C @ P @ C.T + SIGMA**2
            K, r = P @ C.T / S, row - C @ m
            m, P = m + K @ r, P - K @ C @ P
            likelihood += float(-0.5 * (r[0] ** 2 / S[0, 0] + np.log(2 * np.pi * S[0, 0])))
        means.append(m)
        covariances.append(P)
    return np.array(means), np.array(covariances), likelihood


def test_the_step_of_the_model_is_the_matrix():
    moved = PROCESS.advance.evaluate(q=[0.3], dq=[-0.7], h=H)
    np.testing.assert_allclose(np.concatenate(moved), F @ [0.3, -0.7], atol=1e-14)


@pytest.mark.parametrize("kind", [Bootstrap, Auxiliary, Regularised, Adaptive])
@pytest.mark.parametrize("resampling", ["systematic", "multinomial"])
def test_means_covariances_and_evidence_are_those_of_kalman(kind, resampling):
    y = readings()
    means, covariances, likelihood = kalman(y)
    more = {"error": 0.002} if kind is Adaptive else {}
    pf = kind(PROCESS, SENSOR, COUNT, seed=2, resampling=resampling, **more)
    record = pf.run(y, STATE, START)
    sd = np.sqrt(covariances[:, [0, 1], [0, 1]])
    error = np.abs(np.stack([record["x"], record["x'"]], axis=1)[1:] - means) / sd
    assert error.max() < 0.06  # a mean of 40 000 particles, of which thousands are effective
    widths = np.stack([record["sd(x)"], record["sd(x')"]], axis=1)[1:] / sd
    assert np.abs(widths - 1.0).max() < 0.05
    assert record.notes["evidence"] == pytest.approx(likelihood, abs=0.1)


def test_a_bias_beside_particles_is_that_of_the_larger_kalman_filter():
    y = readings(BIAS)
    means, covariances, likelihood = kalman(y, deviation=0.5)
    pf = RaoBlackwellised(PROCESS, SENSOR, COUNT, seed=2, biases={"encoder.x": 0.5})
    record = pf.run(y, STATE, START)
    names = ["x", "x'", "bias(encoder.x)"]
    sd = np.sqrt(covariances[:, [0, 1, 2], [0, 1, 2]])
    error = np.abs(np.stack([record[name] for name in names], axis=1)[1:] - means) / sd
    assert error.max() < 0.06
    widths = np.stack([record[f"sd({name})"] for name in names], axis=1)[1:] / sd
    assert np.abs(widths - 1.0).max() < 0.05
    assert record.notes["evidence"] == pytest.approx(likelihood, abs=0.1)


def test_the_package_of_the_field_finds_the_same():
    particles = pytest.importorskip("particles")
    from particles import distributions as law

    y = readings()
    y = y[~np.isnan(y).any(axis=1)]
    root, rng = np.linalg.cholesky(PROCESS.covariance), np.random.default_rng(3)

    class Filter(particles.FeynmanKac):
        def M0(self, N):  # noqa: N802
            return self.M(0, rng.standard_normal((N, 2)) @ np.linalg.cholesky(START).T)

        def M(self, t, xp):  # noqa: N802
            return xp @ F.T + rng.standard_normal(xp.shape) @ root.T

        def logG(self, t, xp, x):  # noqa: N802
            return law.Normal(loc=x[:, 0], scale=SIGMA).logpdf(y[t, 0])

    theirs = particles.SMC(fk=Filter(len(y)), N=COUNT, resampling="systematic", ESSrmin=0.5)
    theirs.run()
    pf = Bootstrap(PROCESS, SENSOR, COUNT, seed=2)
    record = pf.run(y, STATE, START)
    mean = theirs.W @ theirs.X
    assert np.abs(record["x"][-1] - mean[0]) < 0.02 * record["sd(x)"][-1] * 3
    assert record.notes["evidence"] == pytest.approx(theirs.logLt, abs=0.1)


def test_noise_at_an_input_is_a_force():
    s = bl.System("pushed")
    x, push = s.coordinate("x", 0.0, unit="m"), s.input("push", unit="N")
    block = s.body("block", mass=2.0)
    s.prismatic(s.ground, block, axis="x", coordinates=x)
    s.force(block, [push, 0, 0])
    process = Process(s.model(), H, "euler", position=0.0, velocity=0.0)
    pf = Bootstrap(process, [Encoder("x", sigma=1.0)], COUNT, forces={"push": 3.0}, seed=1)
    pf.start(assemble(process.model))
    pf.step([np.nan])
    assert np.std(pf.swarm.x[1]) == pytest.approx(3.0 * H / 2.0, rel=0.02)
    assert np.std(pf.swarm.x[0]) == 0.0
