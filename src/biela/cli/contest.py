"""The contest of `biela demo`: four filters on the four-bar of source 003, with two noisy gyroscopes.

Three Kalman filters begin five degrees off; the particle filter begins knowing nothing, neither the angle nor
the way the mechanism is assembled. The crank itself is not measured. Errors count from two seconds on.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from biela.mechanics.model import Model
from biela.mechanics.quantity import deg
from biela.observe.bench import Bench
from biela.observe.filter import ErrorStateKalman, ExtendedKalman, Filter, UnscentedKalman
from biela.observe.judgement import convergence, error, rmse, step_times
from biela.observe.particle import Bootstrap, Prior
from biela.observe.process import Process
from biela.observe.sensor.gyro import Gyro
from biela.simulate.assembly import assemble
from biela.simulate.record import Record
from biela.simulate.simulation import Simulation

DT, RATE, GYRO = 1e-3, 100.0, deg(0.5)  # s, Hz, rad/s
OFF, SETTLED = deg(5.0), 2.0  # rad of the first guess, s until errors count
PARTICLES = 2000
CLOUD = 250  # particles that are kept for the picture


@dataclass(frozen=True)
class Entry:
    """How a filter did: errors in degrees from ``begin`` on, times in seconds."""

    name: str
    start: str
    estimate: Record
    rmse: float
    worst: float
    settled: float
    begin: float
    step: float
    spent: float
    calls: np.ndarray

    @property
    def factor(self) -> float:
        """How many times faster than real time it is."""
        return self.step / self.spent

    def numbers(self) -> dict[str, Any]:
        """What the comparison tells, as plain numbers."""
        return {
            "start": self.start,
            "rmse_deg": self.rmse,
            "worst_deg": self.worst,
            "settled_s": self.settled,
            "step_us": 1e6 * self.spent,
            "real_time_factor": self.factor,
        }


class Contest:
    """The rig, its truth and its readings; ``kalman`` and ``particles`` run filters on it."""

    def __init__(self, model: Model, duration: float, seed: int) -> None:
        self.model, self.seed = model, seed
        self.gyros = [Gyro(body, sigma=GYRO, rate=RATE) for body in ("coupler", "rocker")]
        bench = Bench(Simulation(model, dt=DT), self.gyros)
        self.truth, self.readings = bench.run(assemble(model, crank=deg(90.0)), duration, seed)
        self.process = Process(model, DT, "rk4", independent=["crank"], position=1e-6, velocity=1e-4)

    def filters(self) -> dict[str, Filter]:
        """The three Kalman filters."""
        return {
            "DEKF": ExtendedKalman(self.process, self.gyros, "euler"),
            "UKF": UnscentedKalman(self.process, self.gyros),
            "error-state EKF": ErrorStateKalman(self.process, self.gyros),
        }

    def kalman(self, name: str, observer: Filter) -> Entry:
        """A filter that begins near the truth."""
        guess, spread = assemble(self.model, crank=deg(90.0) + OFF), [OFF, 0.01]
        found = observer.run(self.readings, guess, spread)
        times = step_times(observer, self.readings, guess, spread)
        return self._entry(name, "5 deg off", found, times.step, times.calls)

    def particles(self, count: int = PARTICLES) -> tuple[Entry, np.ndarray]:
        """Particles from everywhere, and the angles of some of them at every step."""
        every = round(1.0 / (RATE * DT))
        noise: dict[str, Any] = {"position": 2e-4, "velocity": 4e-3}
        process = Process(self.model, every * DT, "rk4", independent=["crank"], **noise)
        pf = Bootstrap(process, self.gyros, count, seed=self.seed)
        readings = self.readings[every - 1 :: every]
        pf.run(readings[:5], Prior())  # everything is compiled before it counts
        found = pf.run(readings, Prior())
        pf.again(self.seed)
        pf.start(Prior())
        few = slice(None, None, max(1, count // CLOUD))
        clouds, calls = [pf.swarm.x[0, few].copy()], np.empty(len(readings))
        for k, y in enumerate(readings):
            began = perf_counter()
            pf.step(y)
            calls[k] = perf_counter() - began
            clouds.append(pf.swarm.x[0, few].copy())
        return self._entry("particle filter", "anywhere", found, float(calls.mean()), calls), np.array(clouds)

    def _entry(self, name: str, start: str, found: Record, spent: float, calls: np.ndarray) -> Entry:
        truth = self.truth.taken(slice(None, None, round((len(self.truth) - 1) / (len(found) - 1))))
        begin = min(SETTLED, truth.t[-1] / 2.0)
        late = np.abs(error(truth, found, "crank")[truth.t >= begin])
        step = float(found.t[1] - found.t[0])
        rms, worst = np.rad2deg([rmse(truth, found, "crank", begin), late.max()])
        return Entry(
            name, start, found, float(rms), float(worst),
            float(convergence(truth, found, "crank", deg(1.0))[0]), begin, step, spent, calls,
        )  # fmt: skip
