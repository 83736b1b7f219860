"""One try of the studies of SimTKpf: a mechanism falls, and particles from everywhere follow it.

All of a try follows from its seed, so one that failed can be run again and looked at. Truth and particles
start at rest at angles of their own; a gyroscope on the first bar is all that the filter gets.

SimTKpf puts so much noise on the angle that in a second a particle walks a quarter of a radian: two motions
that begin a little apart are one to it, and a gyroscope cannot tell them apart any more. `Trial` has a second
filter for the same truth and the same readings: the bootstrap filter with a tenth of that noise, some at
the speed too, half the deviation, and copies chosen by Srinivasan's process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import ceil
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np

from biela.mechanics.model import Model
from biela.mechanics.system import System
from biela.observe.circle import apart, circular_mean, linear_mean, wrapped
from biela.observe.particle.bootstrap import Bootstrap
from biela.observe.particle.filter import ParticleFilter
from biela.observe.particle.prior import Prior
from biela.observe.particle.sir import LONGEST, Options, Sir
from biela.observe.process import Process
from biela.observe.sensor.gyro import Gyro
from biela.observe.stopwatch import Stopwatch
from biela.simulate.record import Record
from biela.simulate.simulation import Simulation
from biela.simulate.state import State

CLOSE = np.deg2rad(5.0)  # an estimate that is nearer has converged
FILTERS = ("sir", "bootstrap")
SPEED, DEVIATION = (
    0.005,
    0.05,
)  # rad/s: noise at the speed each step, and of readings, of the bootstrap filter
READING, TRUTH = 1, 2  # streams of draws beside the filter's own


class Mechanism(NamedTuple):
    """A function that describes a system, its options, and the bar that carries the gyroscope.

    The function is one of a module, so that other processes find it; the first coordinate is that of the bar.
    """

    make: Callable[..., System]
    bar: str
    options: tuple[tuple[str, Any], ...] = ()

    def model(self) -> Model:
        """The model, made anew."""
        return self.make(**dict(self.options)).model()


@dataclass(frozen=True)
class Trial:
    """What a try depends on; ``branch`` is +1 for truth and particles that close the same way, 0 for any.

    ``filter`` is "sir", that of SimTKpf, or "bootstrap"; ``motion`` is the noise at the angle of either, for
    the latter 0.002 rad does. Raises ValueError for another filter.
    """

    seed: int
    particles: int = 200
    motion: float = 0.02
    dt: float = 0.006
    steps: int = 170
    branch: int = 1
    filter: str = "sir"

    def __post_init__(self) -> None:
        if self.filter not in FILTERS:
            raise ValueError(f"A try has one of the filters {', '.join(FILTERS)}; got {self.filter!r}.")


@dataclass(frozen=True)
class Outcome:
    """How a try went; angles in radians, time in seconds."""

    trial: Trial
    reference: float
    circular: float
    linear: float
    resamplings: int
    time: float

    @property
    def converged(self) -> bool:
        """Whether the circular mean is within 5 degrees of the truth."""
        return apart(self.reference, self.circular) <= CLOSE

    @property
    def converged_linear(self) -> bool:
        """The same for the linear mean of wrapped angles, the original's score."""
        return apart(self.reference, self.linear) <= CLOSE

    def numbers(self) -> dict[str, Any]:
        """Everything as plain numbers."""
        return asdict(self)

    @classmethod
    def of(cls, numbers: dict[str, Any]) -> Outcome:
        """What `numbers` gave."""
        values: dict[str, Any] = {**numbers, "trial": Trial(**numbers["trial"])}
        return cls(**values)


@dataclass(frozen=True)
class Trajectories:
    """Everything that happened: a row a step, the start first; angles are wrapped."""

    reference: np.ndarray
    readings: np.ndarray
    angles: np.ndarray
    omegas: np.ndarray
    weights: np.ndarray
    ess: np.ndarray


def tried(mechanism: Mechanism, trial: Trial) -> Outcome:
    """Run a try."""
    pf, truth, readings = _begun(mechanism, trial)
    watch = Stopwatch("cpu")
    for y in readings:
        pf.step(y)
    return _scored(trial, pf, truth, watch.stop())


def replayed(mechanism: Mechanism, trial: Trial) -> tuple[Outcome, Trajectories]:
    """Run a try again, and keep what every particle did."""
    pf, truth, readings = _begun(mechanism, trial)
    k, n = 0, len(pf.model.q)
    rows = [_seen(pf, k, n, 1.0)]
    for y in readings:
        rows.append(_seen(pf, k, n, pf.step(y)))
    angles, omegas, weights, ess = (np.array(part) for part in zip(*rows, strict=True))
    whole = np.concatenate([[np.nan], readings[:, 0]])
    found = Trajectories(wrapped(truth), whole, angles, omegas, weights, ess)
    return _scored(trial, pf, truth, 0.0), found


def _seen(pf: ParticleFilter, k: int, n: int, ess: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    swarm = pf.swarm
    return wrapped(swarm.x[k]), swarm.x[n + k].copy(), swarm.weights, ess


def _scored(trial: Trial, pf: ParticleFilter, truth: np.ndarray, time: float) -> Outcome:
    angles, w = pf.swarm.x[0], pf.swarm.weights
    means = circular_mean(angles, w), linear_mean(angles, w)
    return Outcome(trial, float(wrapped(truth[-1])), *means, pf.resamplings, time)


@dataclass(frozen=True)
class Scene:
    """What a try plays in: the filter not yet started, the true start, and the noise of the readings."""

    pf: Sir
    simulation: Simulation
    start: State
    noise: np.ndarray
    every: int

    def run(self, steps: int) -> Record:
        """The truth, a row a reading."""
        return self.simulation.run(self.start, steps * self.every * self.simulation.dt, every=self.every)


def scene(mechanism: Mechanism, trial: Trial) -> Scene:
    """The scene of a try."""
    pf, simulation = _tools(mechanism, trial.particles, trial.dt, get_ident())
    pf.again(trial.seed)
    pf.options["MOTION_STDDEV"] = trial.motion
    x = Prior(branch=trial.branch).draw(pf.transition, 1, trial.seed, pf.p, 0.0, TRUTH)[:, 0]
    n = len(pf.model.q)
    start = State(pf.model, x[:n], x[n:], 0.0, pf.p, pf.u)
    rng = np.random.Generator(np.random.Philox(key=[trial.seed, READING]))
    noise = rng.standard_normal(trial.steps) * pf.options["SENSOR_STDDEV"]
    return Scene(pf, simulation, start, noise, round(trial.dt / simulation.dt))


def _begun(mechanism: Mechanism, trial: Trial) -> tuple[ParticleFilter, np.ndarray, np.ndarray]:
    """The filter at its start, the true angles and the readings."""
    here = scene(mechanism, trial)
    run, pf = here.run(trial.steps), here.pf
    if trial.filter == "bootstrap":
        pf = _bootstrap(mechanism, trial.particles, trial.dt, trial.motion, get_ident())
        pf.again(trial.seed)
    pf.start(Prior(branch=trial.branch))
    return pf, run.q[:, 0], (run.dq[1:, 0] + here.noise)[:, None]


@lru_cache(maxsize=8)
def _tools(mechanism: Mechanism, particles: int, dt: float, thread: int) -> tuple[Sir, Simulation]:
    """A filter and a simulation, kept for the next try of this thread."""
    model = _model(mechanism, thread)
    options = Options(SIMULATION_TIME_STEP=dt)
    pf = Sir(model, [Gyro(mechanism.bar, sigma=options["SENSOR_STDDEV"])], particles, options, threads=1)
    return pf, Simulation(model, "multipliers", "rk4", dt=dt / max(1, round(dt / LONGEST)))


@lru_cache(maxsize=8)
def _bootstrap(mechanism: Mechanism, particles: int, dt: float, motion: float, thread: int) -> ParticleFilter:
    """The other filter, kept in the same way."""
    model = _model(mechanism, thread)
    independent = [model.placements[0].name]
    process = Process(
        model, dt, "rk4", independent=independent, position=motion, velocity=SPEED, iterations=1
    )
    gyro = Gyro(mechanism.bar, sigma=DEVIATION)
    return Bootstrap(process, [gyro], particles, resampling="ssp", substeps=ceil(dt / LONGEST), threads=1)


@lru_cache(maxsize=4)
def _model(mechanism: Mechanism, thread: int) -> Model:
    return mechanism.model()
