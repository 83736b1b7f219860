"""Parameters estimated beside the state: the textbook filter, and lengths that move constraints."""

import shutil
import subprocess

import bench_linkage as rig
import numpy as np
import pytest

import biela as bl
from biela.observe import Bench, Encoder, ErrorStateKalman, Process, Reading, rmse
from biela.simulate import Simulation, assemble

H, MASS, STIFFNESS = 0.01, 2.0, 8.0


def spring():
    s = bl.System("spring")
    x = s.coordinate("x", 0.3, unit="m")
    (k,) = s.parameters(k=STIFFNESS)
    block = s.body("block", mass=MASS)
    s.prismatic(s.ground, block, axis="x", coordinates=x)
    s.torsion_spring(x, k)
    return s.model()


def step(x):
    """Runge and Kutta's step of (x, dx, k)."""
    A = np.array([[0.0, 1.0], [-x[2] / MASS, 0.0]]) * H
    moved = sum((np.linalg.matrix_power(A, i) / f for i, f in enumerate((1, 1, 2, 6, 24))), np.zeros((2, 2)))
    return np.append(moved @ x[:2], x[2])


def test_a_stiffness_is_the_third_state_of_the_textbook():
    model = spring()
    process = Process(model, H, "rk4", position=1e-4, velocity=1e-3)
    sensor = [Reading(lambda m: m.q[0], sigma=0.01, name="place")]
    observer = ErrorStateKalman(process, sensor, jacobian="exact", parameters={"k": 0.2})
    rng = np.random.default_rng(1)
    y = 0.3 * np.cos(2.4 * H * np.arange(1, 301)) + 0.01 * rng.standard_normal(300)
    start = assemble(model, p={"k": 7.0})
    rows = observer.rows(y[:, None], start, [0.05, 0.1, 2.0])
    x, P = np.array([0.3, 0.0, 7.0]), np.diag([0.05, 0.1, 2.0]) ** 2
    Q = np.diag([1e-8, 1e-6, 0.2**2 * H])
    for k, value in enumerate(y):
        d = 1e-5
        F = np.stack([(step(x + d * e) - step(x - d * e)) / (2 * d) for e in np.eye(3)], axis=1)
        x, P = step(x), F @ P @ F.T + Q
        K = P[:, 0] / (P[0, 0] + 1e-4)
        x, P = x + K * (value - x[0]), P - np.outer(K, P[0])
        assert np.abs(rows[k + 1, :3] - x).max() < 1e-7
        assert np.abs(observer.covariances(rows[k + 1 : k + 2])[0] - P).max() < 1e-7
    run = observer.run(y[:, None], start, [0.05, 0.1, 2.0])
    assert abs(run["k"][-1] - 2.4**2 * MASS) < 4.0 * run["sd(k)"][-1]
    assert np.array_equal(run.p[:, 0], run["k"])


@pytest.mark.parametrize("jacobian", ["exact", "euler"])
def test_a_length_and_a_mass_of_the_linkage(jacobian):
    model = rig.model()
    sensors = [*rig.gyros(rate=100.0), Encoder("crank", sigma=0.002, rate=100.0)]
    true = assemble(model, crank=np.pi / 2, p={"l2": 0.545, "m2": 0.9})
    truth, y = Bench(Simulation(model, integrator="rk4", dt=rig.DT), sensors).run(true, 3.0)
    process = rig.process("rk4", position=1e-6, velocity=1e-4)
    observer = ErrorStateKalman(process, sensors, jacobian=jacobian, parameters={"l2": 0.0, "m2": 0.0})
    run = observer.run(y, rig.guess(90.0), [0.01, 0.01, 0.01, 0.5])
    assert abs(run["l2"][-1] - 0.545) < 2e-4
    assert abs(run["m2"][-1] - 0.9) < 5e-3
    assert rmse(truth, run, "crank", begin=1.0) < 0.05 * rig.DEG
    assert np.abs(run.residual).max() < 1e-9  # the loop closes with the length of the moment
    assert (run["l2"][0], run["m2"][0]) == (0.54, 0.4)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_estimated_parameters_in_c(tmp_path):
    observer = ErrorStateKalman(rig.process(), rig.gyros(), parameters={"m2": 0.01})
    start, P = rig.guess(), [*rig.SPREAD, 0.1]
    observer.export_c(tmp_path, start, P)
    command = "gcc -std=c99 -O2 four_bar_error_state.c main.c -o observer -lm"
    subprocess.run(command.split(), cwd=tmp_path, check=True)
    y = rig.noisy(1)[:500]
    np.savetxt(tmp_path / "y.csv", y, "%.17g", ",")
    lines = subprocess.check_output([str(tmp_path / "observer"), str(tmp_path / "y.csv")], text=True)
    found = np.genfromtxt(lines.splitlines(), delimiter=",", names=True)
    assert np.abs(found["crank"] - observer.run(y, start, P)["crank"][1:]).max() < 1e-12


def test_wrong_parameters():
    with pytest.raises(ValueError, match="no parameter 'm9'"):
        ErrorStateKalman(rig.process(), rig.gyros(), parameters={"m9": 0.0})
    with pytest.raises(ValueError, match="walk of parameter 'm2'"):
        ErrorStateKalman(rig.process(), rig.gyros(), parameters={"m2": -1.0})
