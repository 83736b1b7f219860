"""Kalman filters of the four-bar of source 003: time a step, against filterpy, and error with noisy gyros.

Run by `python -m benchmarks.observers`, or alone. filterpy gets the same model: its functions f and h, and
their slopes, are our compiled Functions, so what is compared is the filter around them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from benchmarks.timing import interleave
from biela.compile import Kernel
from biela.expr import Function, Matrix, matrix_symbols
from biela.mechanics.model import Model
from biela.mechanisms import four_bar
from biela.observe import ErrorStateKalman, ExtendedKalman, Filter, Gyro, Process, UnscentedKalman
from biela.simulate import Record, Simulation, State, assemble

DEG, DT, STEPS, EVERY = np.pi / 180.0, 1e-3, 5000, 10
SPREAD = [5.0 * DEG, 0.01]
BENCH = "observers"
MUST = {"ekf": 2.0, "ukf": 6.0, "error-state": 2.0}  # us a step
NAMES = {"ekf": "DEKF", "ukf": "UKF", "error-state": "error-state EKF"}


@cache
def bench() -> Model:
    """The four-bar."""
    return four_bar().model()


@cache
def start(angle: float) -> State:
    """The crank at an angle in degrees, at rest."""
    return assemble(bench(), crank=angle * DEG)


@cache
def truth() -> Record:
    """Five seconds from rest with the crank upright."""
    return Simulation(bench(), integrator="rk4", dt=DT).run(assemble(bench(), crank=np.pi / 2), STEPS * DT)


def process(integrator: str = "euler", **noise: Any) -> Process:
    """The process of source 003: explicit Euler of 1 ms, or another integrator."""
    return Process(bench(), DT, integrator, independent=["crank"], **noise)


def gyros() -> list[Gyro]:
    """On coupler and rocker, half a degree a second."""
    return [Gyro("coupler", sigma=0.5 * DEG), Gyro("rocker", sigma=0.5 * DEG)]


def readings(observer: Filter, seed: int) -> np.ndarray:
    """Noisy rates every 10 ms; NaN between."""
    y = truth().value(observer.instruments.function)[1:].copy()
    due = np.arange(1, STEPS + 1) % EVERY == 0
    y[~due] = np.nan
    y[due] += 0.5 * DEG * np.random.default_rng(seed).standard_normal((int(due.sum()), 2))
    return y


def filters() -> dict[str, Filter]:
    """The three filters of the table."""
    kinds = (ExtendedKalman, UnscentedKalman, ErrorStateKalman)
    return {kind.key: kind(process(), gyros()) for kind in kinds}


class Peer:
    """The model in (z, dz), as filterpy wants it: f, h and their slopes, compiled."""

    def __init__(self, observer: Filter) -> None:
        process, model = observer.process, observer.model
        manifold, here = process.manifold, process.here
        z = matrix_symbols(model.graph, "peer.z", 2)
        q, dq = process.closed(*manifold.placed(here["q"], here["dq"], z))
        moved = process.advance(**process.here)
        n = len(model.q)
        ahead: list[Any] = [*moved.q_next, *moved.dq_next, *process.jacobian.expressions]
        seen: list[Any] = [*observer.instruments.values, *observer.instruments.slopes.expressions]
        known: dict[Any, Any] = dict(zip([*model.q, *model.dq], [*q, *dq], strict=True))
        inputs = {"z": z, "q": here["q"], "dq": here["dq"], "h": process.h} | process.given("p", "u")
        self.f = Kernel(Function("f", inputs, {"all": _moved(ahead, known, model)}))
        self.h = Kernel(Function("h", inputs, {"all": _moved(seen, known, model)}))
        self.n, self.free, self.state = n, manifold.free, start(95.0)

    def given(self, kernel: Kernel, z: np.ndarray) -> np.ndarray:
        """All outputs of a kernel at z, the last state being the guess of the rest."""
        s = self.state
        have = {"z": z, "q": s.q, "dq": s.dq, "h": DT, "p": s.p, "u": s.u}
        return kernel(*(have[port.name] for port in kernel.function.inputs))

    def ahead(self, z: np.ndarray, dt: float = DT) -> np.ndarray:
        """The next z."""
        found = self.given(self.f, z)
        return found[[self.free[0], self.n + self.free[0]]]

    def readings(self, z: np.ndarray) -> np.ndarray:
        """What the gyros read."""
        return self.given(self.h, z)[:2]

    def slopes(self, z: np.ndarray) -> np.ndarray:
        """Their slopes."""
        return self.given(self.h, z)[2:].reshape(2, 2)

    def keep(self, z: np.ndarray) -> np.ndarray:
        """One step with its slope; the state is kept as the next guess."""
        found, n = self.given(self.f, z), self.n
        self.state = self.state.changed(q=found[:n], dq=found[n : 2 * n])
        self.F = found[2 * n :].reshape(2, 2)
        return found[[self.free[0], n + self.free[0]]]


def _moved(values: list[Any], known: dict[Any, Any], model: Model) -> Matrix:
    refs = tuple(value.ref for value in values)
    return Matrix(model.graph, (len(refs),), refs).substitute(known)


def filterpy_extended(observer: Filter, peer: Peer, y: np.ndarray) -> np.ndarray:
    """The crank by filterpy's extended filter, in a Python loop, as its users write it."""
    from filterpy.kalman import ExtendedKalmanFilter

    ekf, peer.state = ExtendedKalmanFilter(dim_x=2, dim_z=2), start(95.0)
    ekf.x, ekf.P = np.array([95.0 * DEG, 0.0]), np.diag(np.square(SPREAD))
    ekf.Q, ekf.R = observer.process.covariance, observer.instruments.covariance

    def predict_x(u: Any = 0) -> None:
        ekf.x = peer.keep(ekf.x)
        ekf.F = peer.F

    ekf.predict_x, found = predict_x, np.empty(len(y))
    for k, row in enumerate(y):
        ekf.predict()
        if row[0] == row[0]:
            ekf.update(row, peer.slopes, peer.readings)
        found[k] = ekf.x[0]
    return found


def filterpy_unscented(observer: Filter, peer: Peer, y: np.ndarray) -> np.ndarray:
    """The crank by filterpy's unscented filter."""
    from filterpy.kalman import JulierSigmaPoints, UnscentedKalmanFilter

    points, peer.state = JulierSigmaPoints(2, kappa=1.0), start(95.0)
    ukf = UnscentedKalmanFilter(2, 2, DT, peer.readings, peer.ahead, points)
    ukf.x, ukf.P = np.array([95.0 * DEG, 0.0]), np.diag(np.square(SPREAD))
    ukf.Q, ukf.R, found = observer.process.covariance, observer.instruments.covariance, np.empty(len(y))
    for k, row in enumerate(y):
        peer.keep(ukf.x)
        ukf.predict()
        if row[0] == row[0]:
            ukf.sigmas_f = points.sigma_points(ukf.x, ukf.P)
            ukf.update(row)
        found[k] = ukf.x[0]
    return found


def row(case: str, ours: float, reference: float, unit: str) -> dict[str, Any]:
    """One figure."""
    return {"bench": BENCH, "case": case, "ours": ours, "reference": reference, "unit": unit}


def times(rounds: int) -> Iterator[dict[str, Any]]:
    """The step of each filter, and how many times faster than filterpy's."""
    ours, y = filters(), readings(filters()["ekf"], 1)
    jobs = {key: (lambda f=f: f.rows(y, start(95.0), SPREAD)) for key, f in ours.items()}
    best = interleave(jobs, rounds)
    for key, seconds in best.items():
        yield row(f"{NAMES[key]} step", 1e6 * seconds / STEPS, MUST[key], "us")
    peers = {"ekf": filterpy_extended, "ukf": filterpy_unscented}
    for key, peer in peers.items():
        same = Peer(ours[key])
        pair = interleave(
            {
                "ours": lambda f=ours[key]: f.rows(y, start(95.0), SPREAD),
                "peer": lambda f=ours[key], run=peer, model=same: run(f, model, y),
            },
            max(2, rounds // 3),
        )
        yield row(f"{NAMES[key]} against filterpy", pair["peer"] / pair["ours"], 30.0, "times")
    many = np.repeat(y[:, :, None], 1000, axis=2)
    ekf = ours["ekf"]
    batch = interleave({"batch": lambda: ekf.rows(many, start(95.0), SPREAD, threads=0)}, 2)["batch"]
    yield row("DEKF, a thousand side by side, step", 1e6 * batch / STEPS / 1000, MUST["ekf"], "us")


def errors() -> Iterator[dict[str, Any]]:
    """The crank's error with half a degree a second, begun at the true angle as source 003 does."""
    for key, observer in filters().items():
        off = observer.run(readings(observer, 1), start(90.0), SPREAD)["crank"] - truth()["crank"]
        yield row(f"{NAMES[key]} crank RMSE", float(np.sqrt(np.mean(off**2)) / DEG), 0.30, "deg")
    yield row(
        "DEKF crank RMSE, median of 100", float(np.median(_many(filters()["ekf"], SPREAD))), 1.15, "deg"
    )
    exact = ExtendedKalman(process("rk4", position=1e-6, velocity=1e-4), gyros())
    rmse = _many(exact, [DEG, 1e-3])
    yield row("DEKF crank RMSE, exact integrator", float(rmse[0]), 0.10, "deg")
    yield row("DEKF crank RMSE, exact integrator, median of 100", float(np.median(rmse)), 0.30, "deg")


def _many(observer: Filter, P: list[float]) -> np.ndarray:
    """The error of a hundred runs side by side."""
    y = np.stack([readings(observer, seed) for seed in range(1, 101)], axis=-1)
    off = observer.batch(y, start(90.0), P)["crank"] - truth()["crank"][:, None]
    return np.sqrt(np.mean(off**2, axis=0)) / DEG


def results(rounds: int = 10) -> Iterator[dict[str, Any]]:
    """All figures of the Kalman filters."""
    yield from times(rounds)
    yield from errors()


if __name__ == "__main__":
    for result in results():
        print(json.dumps(result))
