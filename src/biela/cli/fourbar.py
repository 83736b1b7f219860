"""The program of source 000: a four-bar linkage falls, and particles from everywhere follow it, step by step.

Truth and particles begin at rest, each at an angle of its own; a gyroscope on the input bar is all that the
filter gets. An iteration moves the truth, then the particles, weighs them by one reading, and chooses
anew where less than half of them are effective. Every draw follows from the seed, so looking at a run, or
writing it down, does not change it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any, NamedTuple

import numpy as np

from biela.mechanisms import four_bar_rod
from biela.observe.circle import apart, circular_mean, wrapped
from biela.observe.particle.prior import Prior
from biela.observe.particle.sir import LONGEST, Options, Sir
from biela.observe.sensor.gyro import Gyro
from biela.observe.stopwatch import Stopwatch
from biela.observe.study.trial import CLOSE, READING, TRUTH
from biela.simulate.simulation import Simulation
from biela.simulate.state import State

LENGTHS = (2.0, 4.0, 3.0, 4.0)  # m: ground, input, floating bar, rod


@dataclass(frozen=True)
class Settings:
    """What a run depends on; the defaults are those of the source."""

    duration: float = 60.0
    particles: int = 200
    options: Mapping[str, float] = field(default_factory=dict[str, float])
    lengths: tuple[float, float, float, float] = LENGTHS
    branch: int = 1
    seed: int = 1
    threads: int = 0

    @property
    def iterations(self) -> int:
        """How many there are."""
        return round(self.duration / Options(**self.options)["SIMULATION_TIME_STEP"])


class Look(NamedTuple):
    """The truth and all particles at one moment; angles are wrapped."""

    angle: float
    reading: float
    angles: np.ndarray
    omegas: np.ndarray
    logw: np.ndarray
    weights: np.ndarray


class Iteration(NamedTuple):
    """One iteration: the look before and after it, the share of effective particles, times in seconds."""

    number: int
    time: float
    cpu: float
    before: Look
    after: Look
    ess: float
    reference: float
    moving: float
    resampling: float  # nan where it did not resample
    resamplings: int  # so far


class Fourbar:
    """The mechanism, its filter and the clock; iterate over it to run it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        model = four_bar_rod(as_simulated=True).model()
        p = dict(zip(("l1", "l2", "l3", "l4"), settings.lengths, strict=True))
        options = Options(**settings.options)
        self.dt, sigma = options["SIMULATION_TIME_STEP"], options["SENSOR_STDDEV"]
        gyro = Gyro("input_bar", sigma=sigma or 1.0)
        more: dict[str, Any] = {"p": p, "seed": settings.seed, "threads": settings.threads}
        self.filter = Sir(model, [gyro], settings.particles, options, **more)
        self.steps = max(1, round(self.dt / LONGEST))
        self.simulation = Simulation(model, "multipliers", "rk4", dt=self.dt / self.steps)
        draws = np.random.Generator(np.random.Philox(key=[settings.seed, READING]))
        self.noise = sigma * draws.standard_normal(settings.iterations + 1)
        self.threshold, self.filter.threshold = self.filter.threshold, 0.0  # it resamples when told
        self.reading = nan
        self.warm()

    def warm(self) -> None:
        """Run everything once, so that compiling does not count."""
        self.simulation.run(self.start(), self.dt, every=self.steps)
        self.filter.step([self.reading])
        self.filter.resample()

    def start(self) -> State:
        """Draw the particles, and the truth where none of them is."""
        prior, pf = Prior(branch=self.settings.branch), self.filter
        pf.again(self.settings.seed)
        pf.start(prior)
        x, n = prior.draw(pf.transition, 1, self.settings.seed, pf.p, 0.0, TRUTH)[:, 0], len(pf.model.q)
        self.reading = float(x[n] + self.noise[0])
        return State(pf.model, x[:n], x[n : 2 * n], 0.0, pf.p, pf.u)

    def look(self, state: State) -> Look:
        """What there is to see at a moment."""
        swarm, n = self.filter.swarm, len(self.filter.model.q)
        logw = swarm.logw - swarm.logw.max()
        angle = float(wrapped(state.q[0]))
        return Look(angle, self.reading, wrapped(swarm.x[0]), swarm.x[n].copy(), logw, swarm.weights)

    def __len__(self) -> int:
        return self.settings.iterations

    def __iter__(self) -> Iterator[Iteration]:
        state = self.start()
        whole, watch = Stopwatch("cpu"), Stopwatch()
        after = self.look(state)
        for k in range(len(self)):
            before = after
            watch.restart()
            state = self.simulation.run(state, self.dt, every=self.steps).state()
            reference = watch.stop()
            self.reading = float(state.dq[0] + self.noise[k + 1])
            watch.restart()
            ess = self.filter.step([self.reading])
            moving = watch.stop()
            watch.restart()
            due = ess < self.threshold
            if due:
                self.filter.resample()
            resampling = watch.stop() if due else nan
            after = self.look(state)
            time = (k + 1) * self.dt
            worked = (reference, moving, resampling, self.filter.resamplings)
            yield Iteration(k + 1, time, whole.stop(), before, after, ess, *worked)


def estimated(look: Look) -> tuple[float, float, bool]:
    """The circular mean of the particles, its distance from the truth, whether that is within 5 degrees."""
    mean = float(circular_mean(look.angles, look.weights))
    gap = float(apart(look.angle, mean))
    return mean, gap, gap <= CLOSE


def screen(one: Iteration) -> str:
    """What the console shows of an iteration."""
    after = one.after
    lines = [
        "NEXT ITERATION",
        f"Simulated time: {one.time:.3f} s\tCPU time: {one.cpu:.3f} s",
        *(
            f"Particle {k:4d}\tOmega: {w:9.5f}\tLog(w): {logw:10.5f}\tAngle: {angle:7.3f}"
            for k, (w, logw, angle) in enumerate(zip(after.omegas, after.logw, after.angles, strict=True), 1)
        ),
        f"Reference\tGyroscope: {after.reading:9.5f}\tAngle: {after.angle:7.3f}",
        f"Advancing reference: {1e3 * one.reference:.3f} ms\tparticles: {1e3 * one.moving:.3f} ms",
        f"ESS: {100 * one.ess:.2f} %",
    ]
    if one.resampling == one.resampling:
        lines.append(f"Resample done! {1e3 * one.resampling:.3f} ms")
    return "\n".join(lines)
