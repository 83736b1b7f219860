"""Biases estimated beside the state, and the filter without independent coordinates at a dead centre."""

import bench_linkage as rig
import numpy as np
import pytest
import spring_cart as cart

import biela as bl
from biela.observe import (
    Bench,
    Encoder,
    ErrorStateKalman,
    ExtendedKalman,
    Gyro,
    Process,
    ProjectionKalman,
    rmse,
)
from biela.simulate import Simulation, assemble

DEG = rig.DEG


def test_bias_is_the_textbooks_third_state():
    m = cart.model()
    process, sensors = cart.process(m), cart.sensors()
    observer = ErrorStateKalman(process, sensors, jacobian="exact", biases=["speed"])
    F = np.block([[cart.RUNGE_KUTTA, np.zeros((2, 1))], [np.zeros((1, 2)), np.ones((1, 1))]])
    Q = np.zeros((3, 3))
    Q[:2, :2] = process.covariance
    C = np.hstack([cart.SLOPES, [[0.0], [0.0], [1.0]]])
    x, P, y = np.append(cart.START, 0.0), np.diag([0.04, 0.09, 0.25]), cart.readings()
    rows = observer.rows(y, cart.start(m), np.sqrt(np.diag(P)))
    for k, values in enumerate(y):
        x, P = F @ x, F @ P @ F.T + Q
        there = np.isfinite(values)
        S = C[there] @ P @ C[there].T + cart.R[np.ix_(there, there)]
        K = P @ C[there].T @ np.linalg.inv(S)
        x, P = x + K @ (values[there] - C[there] @ x), (np.eye(3) - K @ C[there]) @ P
        assert np.abs(rows[k + 1, :3] - x).max() < 1e-10


def test_biased_gyros_beside_an_encoder():
    gyros = [Gyro(b, sigma=0.5 * DEG, bias=2.0 * DEG, walk=1e-4, rate=100.0) for b in ("coupler", "rocker")]
    sensors = [*gyros, Encoder("crank", sigma=1.0 * DEG, rate=20.0)]
    truth, y = Bench(Simulation(rig.model(), dt=rig.DT), sensors).run(rig.guess(90.0), 5.0)
    process = rig.process("rk4", position=1e-6, velocity=1e-4)
    channels = ["gyro.coupler", "gyro.rocker"]
    knowing = ErrorStateKalman(process, sensors, jacobian="exact", biases=channels)
    spread = [5 * DEG, 0.01, 5 * DEG, 5 * DEG]
    run = knowing.run(y, rig.guess(), spread)
    for name in channels:
        assert abs(run[f"bias({name})"][-1] / DEG - 2.0) < 0.2
        assert run[f"sd(bias({name}))"][-1] < 0.1 * DEG
    blind = ExtendedKalman(process, sensors).run(y, rig.guess(), spread[:2])
    assert rmse(truth, run, "crank", 1.0) < 0.3 * rmse(truth, blind, "crank", 1.0)


def test_force_and_bias_together():
    m = cart.model()
    observer = ErrorStateKalman(cart.process(m), cart.sensors(), "coloured", biases=["speed", "pair.0"])
    assert observer.names == ["x", "x'", "disturbance(x)", "bias(speed)", "bias(pair.0)"]
    assert observer.run(cart.readings(50), cart.start(m), [0.2, 0.3, 1.0, 0.1, 0.1]).ok
    with pytest.raises(ValueError, match="no channel 'spede'"):
        ErrorStateKalman(cart.process(m), cart.sensors(), biases=["spede"])


def test_projection_passes_the_dead_centres_of_a_piston():
    """The piston's place is no coordinate where the piston turns back; the projection filter needs none."""
    m = bl.mechanisms.slider_crank().model()
    sensor = [Encoder("rod", sigma=0.2 * DEG, rate=100.0)]
    simulation = Simulation(m, "multipliers", dt=1e-3)
    start = assemble(m, crank=1.0)
    J = start.value("Phi_dq")
    start = start.changed(dq=np.array([20.0, *np.linalg.solve(J[:, 1:], -20.0 * J[:, 0])]))
    truth, y = Bench(simulation, sensor).run(start, 2.0)
    assert np.ptp(truth["crank"]) > 4 * np.pi
    process = Process(m, 1e-3, "rk4", formulation="multipliers", position=1e-5, velocity=1e-3)
    off = assemble(m, crank=1.05)
    J = off.value("Phi_dq")
    off = off.changed(dq=np.array([20.5, *np.linalg.solve(J[:, 1:], -20.5 * J[:, 0])]))
    run = ProjectionKalman(process, sensor).run(y, off, [0.1, 0.1, 0.1, 1.0, 1.0, 1.0])
    assert run.ok
    assert rmse(truth, run, "crank", 1.0) < 0.2 * DEG
    assert np.abs(run.residual).max() < 1e-9
    chosen = Process(m, 1e-3, "rk4", independent=["piston"], position=1e-5, velocity=1e-3)
    lost = ExtendedKalman(chosen, sensor).run(y, off, [0.01, 0.1])
    assert not lost.ok or rmse(truth, lost, "crank", 1.0) > 10.0 * DEG
