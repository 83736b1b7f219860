"""The two experiments of source 003 (Torres-Moreno et al., 2016, figures 5 to 7), on a simulated bench.

*Kinematic*: the crank turns at a constant speed; angles, rates and accelerations of coupler and rocker are
predicted from it and compared with inertial sensors, and the places of the joints are reckoned from the
sensors' angles alone (equation 11). *Dynamic*: the crank is released under gravity; an extended and an
unscented filter estimate its angle from two gyroscopes until friction has stopped it.

The model is the four-bar of `biela.mechanisms`, with coordinates crank, coupler and rocker and the point P3.
The figures want the extra ``biela[view]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from biela.mechanics.model import Model
from biela.observe.bench import Bench
from biela.observe.filter import ExtendedKalman, Filter, UnscentedKalman
from biela.observe.judgement import StepTimes, rmse, step_times
from biela.observe.process import Process
from biela.observe.sensor import Accelerometer, Gyro
from biela.simulate.assembly import assemble
from biela.simulate.kinematic import kinematics
from biela.simulate.record import Record
from biela.simulate.simulation import Simulation

DEG = np.pi / 180.0
SPEED = 1.8190  # rad/s of the crank, as measured
GYRO = 0.5 * DEG  # rad/s, standard deviation
ATTITUDE = 0.3 * DEG  # rad, of an inertial unit's own angle: our choice
ACCELERATION = 0.05  # m/s2: our choice
RATE = 100.0  # Hz


@dataclass(frozen=True)
class Kinematic:
    """Time, what the model predicts and what the sensors say: angles, rates, accelerations, places."""

    t: np.ndarray
    predicted: dict[str, np.ndarray]
    measured: dict[str, np.ndarray]

    def rmse(self, name: str) -> float:
        """Of one of them, in its unit."""
        return float(np.sqrt(np.mean((self.measured[name] - self.predicted[name]) ** 2)))


def kinematic_experiment(
    model: Model, turns: float = 2.0, *, mounting: float = 0.0, misprint: bool = False, seed: int = 1
) -> Kinematic:
    """The crank at constant speed. ``mounting`` is an angle by which the sensors are glued on wrongly, rad.

    ``misprint`` reckons P3 with the angle 123 that equation (11) prints where it must be 213: 0.108 m off.
    """
    duration = turns * 2.0 * np.pi / SPEED
    motion = kinematics(model, duration, 1.0 / RATE, drives={"crank": lambda t: SPEED * t})  # pyright: ignore
    phi, psi = motion["crank"] + motion["coupler"], motion["rocker"]
    sensors = [Gyro("coupler"), Gyro("rocker")]
    rates = Bench(Simulation(model, dt=1.0 / RATE), sensors).ideal(motion)
    values = Accelerometer("coupler", at=model.points["P3"]).value(model)
    force = motion.value(model.function("specific_force", {"f": values}), ddq=_accelerations(model, motion))
    rng = np.random.default_rng(seed)

    def noisy(ideal: np.ndarray, sigma: float) -> np.ndarray:
        return ideal + sigma * rng.standard_normal(ideal.shape)

    measured_phi, measured_psi = noisy(phi, ATTITUDE) + mounting, noisy(psi, ATTITUDE) + mounting
    predicted = {"coupler": phi, "rocker": psi, "coupler'": rates[:, 0], "rocker'": rates[:, 1]}
    measured = {"coupler": measured_phi, "rocker": measured_psi}
    measured |= {"coupler'": noisy(rates[:, 0], GYRO), "rocker'": noisy(rates[:, 1], GYRO)}
    predicted["P3''"] = turned(phi, force) + _gravity(model)
    measured["P3''"] = turned(measured_phi, noisy(force, ACCELERATION)) + _gravity(model)
    predicted |= reckoned(model, phi, psi)
    measured |= reckoned(model, measured_phi, measured_psi, misprint)
    return Kinematic(motion.t, predicted, measured)


def _accelerations(model: Model, motion: Record) -> np.ndarray:
    return np.stack([motion[f"{c.name}''"] for c in model.placements], axis=1)


def _gravity(model: Model) -> np.ndarray:
    values = dict(zip((q.symbol for q in model.parameters), model.p, strict=True))
    return np.asarray(model.weight.value(values), float)[:2]


def turned(angle: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Components in a body's axes as components in the plane."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * vectors[:, 0] - s * vectors[:, 1], s * vectors[:, 0] + c * vectors[:, 1]], axis=1)


def reckoned(model: Model, phi: np.ndarray, psi: np.ndarray, misprint: bool = False) -> dict[str, np.ndarray]:
    """P1, P2 and P3 from the angles of coupler and rocker alone (equation 11)."""
    length = {q.name: q.value for q in model.parameters}

    def along(angle: np.ndarray, size: float) -> np.ndarray:
        return size * np.stack([np.cos(angle), np.sin(angle)], axis=1)

    P2 = np.array([length["l4"], 0.0]) + along(psi, length["l3"])
    P1 = P2 - along(phi, length["l2"])
    size, corner = np.hypot(length["x3"], length["y3"]), np.arctan2(length["y3"], length["x3"])
    if misprint:  # the angle at point 2 of the triangle, where that at point 1 is meant
        corner = np.arctan2(length["y3"], length["l2"] - length["x3"])
    return {"P1": P1, "P2": P2, "P3": P1 + along(phi + corner, float(size))}


@dataclass(frozen=True)
class Dynamic:
    """The truth, the estimates of each filter by its name, and how long its steps took."""

    truth: Record
    estimates: dict[str, Record]
    times: dict[str, StepTimes]

    def rmse(self, name: str, begin: float = 0.0, end: float = np.inf) -> float:
        """Of the crank between two times, degrees."""
        return rmse(self.truth, self.estimates[name], "crank", begin, end) / DEG


def dynamic_experiment(
    model: Model, rough: Model | None = None, duration: float = 10.0, seed: int = 1, angle: float = 90.0
) -> Dynamic:
    """The crank released at an angle (degrees) from rest; ``rough`` is the true mechanism, with friction say.

    The filters are those of the source: steps of 1 ms by Euler, two gyroscopes at 100 Hz, the crank's angle
    not measured.
    """
    true = model if rough is None else rough
    sensors = [Gyro("coupler", sigma=GYRO, rate=RATE), Gyro("rocker", sigma=GYRO, rate=RATE)]
    bench = Bench(Simulation(true, integrator="rk4", dt=1e-3), sensors)
    truth, y = bench.run(assemble(true, crank=angle * DEG), duration, seed)
    process = Process(model, 1e-3, "euler", independent=["crank"], position=1e-4, velocity=1e-2)
    guess, spread = assemble(model, crank=angle * DEG), [5.0 * DEG, 0.01]
    filters: dict[str, Filter] = {
        "DEKF": ExtendedKalman(process, sensors, "euler"),
        "UKF": UnscentedKalman(process, sensors),
    }
    estimates = {name: observer.run(y, guess, spread) for name, observer in filters.items()}
    times = {name: step_times(observer, y, guess, spread) for name, observer in filters.items()}
    return Dynamic(truth, estimates, times)


# figures


def plot_angles(result: Kinematic) -> Any:
    """Figure 5: angles and rates of coupler and rocker, and their errors."""
    figure, axes = _figure(4, 2)
    for k, name in enumerate(("coupler", "coupler'", "rocker", "rocker'")):
        column, place = k % 2, 2 * (k // 2)
        one, two = result.predicted[name] / DEG, result.measured[name] / DEG
        axes[place, column].plot(result.t, two, "r", lw=0.8, label="sensor")
        axes[place, column].plot(result.t, one, "b", lw=0.8, label="model")
        axes[place + 1, column].plot(result.t, two - one, "k", lw=0.5)
        axes[place, column].set(title=name, ylabel="deg/s" if column else "deg")
        axes[place + 1, column].set(ylabel="error", xlabel="time [s]")
    axes[0, 0].legend()
    return figure


def plot_places(result: Kinematic) -> Any:
    """Figure 6: the acceleration of P3, and the paths of P1, P2 and P3."""
    figure, axes = _figure(1, 3)
    for k, axis in enumerate("xy"):
        axes[0, k].plot(result.t, result.measured["P3''"][:, k], "r", lw=0.6, label="sensor")
        axes[0, k].plot(result.t, result.predicted["P3''"][:, k], "b", lw=1.0, label="model")
        axes[0, k].set(title=f"acceleration of P3 along {axis}", xlabel="time [s]", ylabel="m/s2")
    for name in ("P1", "P2", "P3"):
        axes[0, 2].plot(*result.measured[name].T, "r.", ms=1)
        axes[0, 2].plot(*result.predicted[name].T, "b", lw=1.0)
        axes[0, 2].annotate(name, result.predicted[name][0])
    axes[0, 2].set(title="paths", xlabel="x [m]", ylabel="y [m]", aspect="equal")
    axes[0, 0].legend()
    return figure


def plot_dynamic(result: Dynamic) -> Any:
    """Figure 7: the crank's angle, the errors of the filters, and the histograms of their step times."""
    figure, axes = _figure(2, 2)
    t, crank = result.truth.t, result.truth["crank"] / DEG
    axes[0, 0].plot(t, crank, "k", label="encoder")
    for name, estimate in result.estimates.items():
        axes[0, 0].plot(t, estimate["crank"] / DEG, lw=0.8, label=name)
        axes[0, 1].plot(t, estimate["crank"] / DEG - crank, lw=0.8, label=name)
    for axis, (name, times) in zip(axes[1], result.times.items(), strict=True):
        calls = times.calls * 1e6
        axis.hist(calls, bins=np.linspace(0.0, float(np.percentile(calls, 99.5)), 60))
        axis.set(
            title=f"{name}: {times.step * 1e6:.2f} us in a native loop", xlabel="us a call", ylabel="calls"
        )
    axes[0, 0].set(title="crank", xlabel="time [s]", ylabel="deg")
    axes[0, 1].set(title="error", xlabel="time [s]", ylabel="deg")
    axes[0, 0].legend()
    return figure


def _figure(rows: int, columns: int) -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("Figures need Matplotlib: pip install 'biela[view]'.") from None
    made: Any = Figure(figsize=(5.0 * columns, 2.2 * rows + 1.5), layout="constrained")
    return made, made.subplots(rows, columns, squeeze=False)
