"""`ParticleFilter`: what the particle filters have in common: the step, the resampling, the run.

One step of a filter is: move every particle and weigh it by the readings (one native pass), sum up the
weights, and where the effective sample size falls below a threshold choose new particles by their weights.

    move   x <- step(x) + noise, closed;  log w += log p(y | x)
    ess    (sum w)^2 / (N sum w^2)
    choose ancestors by w, all weights equal, noise so that copies differ      if ess < threshold

Draws are counted, not consumed: the same seed gives the same particles whatever the number of threads
(Salmon et al., 2011). When every particle is impossible the swarm starts again from the prior.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import ceil, exp, isinf, log
from typing import Any, ClassVar

import numpy as np

from biela.compile.walk import gather
from biela.observe import covariance
from biela.observe.event import spans
from biela.observe.instrument import Instruments
from biela.observe.particle import picture
from biela.observe.particle.estimate import Estimate, Summary
from biela.observe.particle.noise import factor, whitening
from biela.observe.particle.passing import Passage
from biela.observe.particle.prior import Prior
from biela.observe.particle.resampler import Resampler, resampler
from biela.observe.particle.swarm import Swarm
from biela.observe.particle.transition import Transition
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor
from biela.simulate.record import Record
from biela.simulate.recording import units
from biela.simulate.state import State, inputs, parameters

SQUARED = 150.0  # log of a weight whose square is a number, with room for all that are smaller
LOST = -700.0  # log of what the best particle loses in one step: exp of it is no number any more


class ParticleFilter(ABC):
    """The base of the particle filters.

    ``process`` moves the particles, with its noise; ``forces`` adds noise to inputs of the model by name.
    ``spread`` is what a new swarm is shaken by after resampling, a standard deviation by name of an
    independent coordinate or its velocity. ``threshold`` is the share of effective particles below which
    it resamples. ``p`` and ``u`` are those of the model unless given. The model takes ``substeps`` between
    two readings, and noise at the last of them.

    Raises ValueError for unknown names or a threshold outside [0, 1].
    """

    key: ClassVar[str] = ""

    def __init__(
        self, process: Process, sensors: Sequence[Sensor], particles: int = 1000, *, seed: int = 0,
        resampling: str | Resampler = "systematic", threshold: float = 0.5,
        spread: Mapping[str, float] | None = None, forces: Mapping[str, float] | None = None,
        p: Any = None, u: Any = None, substeps: int = 1, threads: int = 0,
    ) -> None:  # fmt: skip
        if not 0.0 <= threshold <= 1.0:
            raise ValueError(f"The threshold is a share of the particles, 0 to 1; got {threshold!r}.")
        if particles < 1:
            raise ValueError(f"A filter has at least one particle; got {particles!r}.")
        self.instruments = Instruments(process, sensors)
        self.process, self.model = process, process.model
        self.substeps = substeps
        self.count, self.seed, self.threshold, self.threads = particles, seed, threshold, threads
        self.choose = resampler(resampling) if isinstance(resampling, str) else resampling
        self.p, self.u = parameters(self.model, p), inputs(self.model, u)
        self.scale = 1.0  # of the standard deviations of all readings
        self.transition = Transition(
            process, self.instruments, self._pattern(), self._pushed(forces), self._biased()
        )
        self.noise, self.spread = factor(process.covariance), self._spread(spread or {})
        self.swarm = Swarm(np.zeros((len(self.transition.x), 0)))
        self.steps = self.starts = self.restarts = self.resamplings = 0
        self.evidence = self._log_total = 0.0  # of the sum of weights relative to the heaviest
        self._forces = np.array(list(self.transition.forces.values()))  # held over a step
        self._found: dict[str, Any] = {}
        self._origin: tuple[Any, Any] = (None, None)
        self.t, self.h = 0.0, process.dt  # now, and the length of the last step
        self._passage = Passage(self.transition, threads)
        self._spare = self._light = np.zeros(0)
        self._white: tuple[Any, np.ndarray, float] = (None, np.zeros(0), 0.0)

    def __repr__(self) -> str:
        told = f"{self.count} particles, {', '.join(self.channels)}"
        return f"<{type(self).__name__} of {self.model.name}: {told}>"

    # what kinds of filters change

    @abstractmethod
    def advance(self, y: np.ndarray) -> float:
        """Move and weigh all particles by the readings, NaN where missing; returns the largest log weight."""

    def _pattern(self) -> np.ndarray:
        """Where the factor of the noise has entries."""
        return factor(self.process.covariance) != 0.0

    def _pushed(self, forces: Mapping[str, float] | None) -> dict[str, float]:
        """The noise of inputs held over a step: as given, and that of the process by its densities."""
        held = {name: d / self.process.dt**0.5 for name, d in self.process.diffusion.forces.items()}
        return held | dict(forces or {})

    def _biased(self) -> list[int]:
        """The channels whose bias is estimated."""
        return []

    def _due(self, ess: float) -> bool:
        """Whether it is time to resample."""
        return ess < self.threshold

    def _size(self, w: np.ndarray, rng: np.random.Generator) -> int:
        """How many particles to choose by these weights."""
        return self.count

    def _shaking(self) -> np.ndarray:
        """The factor of the noise that a new swarm is shaken by, in (z, dz)."""
        return self.spread

    # start

    def again(self, seed: int) -> None:
        """Count everything from the beginning, with a seed: what follows is what a new filter would do."""
        self.seed, self.evidence = seed, 0.0
        self.steps = self.starts = self.restarts = self.resamplings = 0
        self._passage.near = True

    @cached_property
    def channels(self) -> list[str]:
        """The names of the readings."""
        return self.instruments.channels

    @cached_property
    def summary(self) -> Summary:
        """The sums over the swarm."""
        return Summary(self.transition)

    def start(self, where: Prior | State | np.ndarray | None = None, P: Any = None, t: float = 0.0) -> Swarm:
        """A new swarm: from a prior (anywhere, unless given), about a state, or from particles.

        ``t`` is the time of the start. About a state ``P`` is the covariance of (z, dz), or the standard
        deviations; without it all particles begin there. Raises ValueError for particles that do not fit.
        """
        self.instruments.expect(self.transition.names)
        if isinstance(where, Prior) or where is None:
            x = (where or Prior()).draw(self.transition, self.count, self.seed, self.p, t, self.starts)
        elif isinstance(where, State):
            x = self._about(where, P, t)
        else:
            x = np.array(where, float)
            if x.ndim != 2 or len(x) != len(self.transition.x):
                told = ", ".join(self.transition.names)
                raise ValueError(f"Particles have the rows {told}, and a column each; got shape {x.shape}.")
        self.starts, self._origin, self.t = self.starts + 1, (where, P), t
        self.swarm = Swarm(x)
        self._log_total = float(np.log(len(self.swarm)))
        return self.swarm

    def _about(self, state: State, P: Any, t: float) -> np.ndarray:
        time = [] if self.model.time is None else [t]
        one = np.concatenate([state.q, state.dq, time, np.zeros(len(self.transition.biased))])
        x = np.ascontiguousarray(np.repeat(one[:, None], self.count, axis=1))
        if P is None:
            return x
        return self._shaken(x, self._spread_of(P))

    def _spread_of(self, P: Any) -> np.ndarray:
        """The factor of a covariance of (z, dz), or of standard deviations, of which some may be zero."""
        given, names = np.asarray(P, float), self.process.manifold.names
        if given.shape == (len(names),) and np.isfinite(given).all() and (given >= 0.0).all():
            return np.diag(given)
        return factor(covariance.checked(P, names, "start"))

    def _shaken(self, x: np.ndarray, spread: np.ndarray) -> np.ndarray:
        """Particles moved by noise and closed, in place; those that do not close stay as they were."""
        values = {"x": x, "spread": spread, "p": self.p, "u": self.u, "seed": self.seed, "step": self._moment}
        self._passage.shaken(spread, values, {"x_next": x})
        return x

    @property
    def dt(self) -> float:
        """The time between two steps."""
        return self.process.dt

    @property
    def _moment(self) -> int:
        """The number of this step for draws: starts do not meet steps."""
        return self.steps + self.starts * 2**32

    # the step

    @property
    def _closings(self) -> int:
        """How many steps of Newton's method close the loops after noise."""
        return self.process.corrections

    def step(self, y: Any, h: float | None = None) -> float:
        """One step of the model and the readings at its end, NaN for one that is missing.

        ``h`` is how long it takes, the filter's step unless given: a reading is taken when it comes. Returns
        the effective sample size before resampling. Raises ValueError for wrong readings.
        """
        reading = self._checked(y)
        if not len(self.swarm):
            self.start()
        if h is not None and not 0.0 <= h < np.inf:
            raise ValueError(f"A step takes a time of 0 or more, s; got h={h!r}.")
        self.h = self.dt if h is None else float(h)
        self.t, self.steps = self.t + self.h, self.steps + 1
        top = self.advance(reading)
        before = self._log_total
        if not top > LOST:
            self._restart()
            return 1.0
        self.swarm.shift = top
        total, square = self._totals(top)
        self._log_total = log(total)
        self.evidence += self._log_total + top - before + self._white[2]
        ess = total * total / (square * len(self.swarm))
        if self._due(ess):
            self.resample()
        return ess

    def _moved(self, y: np.ndarray) -> float:
        """Move and weigh all; returns the largest log weight."""
        swarm, values = self.swarm, self._values(y)
        if self._parts > 1:
            values["x"] = swarm.x = self._drifted(swarm.x, self._parts - 1)
        out = {"x_next": swarm.x, "logw_next": swarm.logw}
        self._found = self._passage.moved(self._closings, values, out, len(swarm))
        return self._found["top"]

    def _drifted(self, x: np.ndarray, parts: int) -> np.ndarray:
        """Particles moved without noise by so many parts of a step."""
        given: dict[str, Any] = {"h": self.h / self._parts, "p": self.p, "u": self.u}
        drift = self._passage.drift
        named = {port.name: given[port.name] for port in drift.function.inputs[1:]}
        return drift.iterate(x, parts, every=parts, threads=self.threads, **named)[-1]

    def moved(self, x: np.ndarray, h: float) -> np.ndarray:
        """Particles a time ``h`` later without noise, the columns of an array."""
        self.h = h
        return self._drifted(np.ascontiguousarray(x, float), self._parts)

    @property
    def factor_of_step(self) -> np.ndarray:
        """The factor of the noise that the last step gave to (z, dz)."""
        noise = self.noise if self.h == self.dt else self._noise()
        return np.where(self.transition.pattern, noise, 0.0)

    def _totals(self, top: float) -> tuple[float, float]:
        """The sums of weights and of their squares, the heaviest being 1: of the move, or where its weights
        were too small or too large to be squared, of another pass.
        """
        found = self._found
        if abs(top) < SQUARED:
            return found["total"] * exp(-top), found["square"] * exp(-2.0 * top)
        found = self.summary.totals(len(self.swarm), self._weighing, threads=self.threads)
        return found["total"], found["square"]

    def _values(self, y: np.ndarray) -> dict[str, Any]:
        """What `move` is given."""
        swarm, there = self.swarm, np.isfinite(y)
        return {
            "x": swarm.x, "logw": swarm.logw, "shift": swarm.shift,
            "y": np.where(there, y, 0.0) if False in there.tolist() else y, "white": self._whitening(there),
            "h": self.h / self._parts, "p": self.p, "u": self.u,
            "seed": float(self.seed), "step": float(self._moment), "force": self._pushes,
            "noise": (self.noise if self.h == self.dt else self._noise())[self.transition.pattern],
        }  # fmt: skip

    @property
    def _pushes(self) -> np.ndarray:
        """The deviations of the inputs' noise, held over this step."""
        return self._forces * self._share**-0.5 if len(self._forces) else self._forces

    @property
    def _share(self) -> float:
        """The length of this step, in those of the filter; a bit more than nothing."""
        h, dt = self.h, self.dt
        return 1.0 if h == dt else max(h / dt, 1e-12)

    @property
    def _parts(self) -> int:
        """How many steps of the model make this one."""
        return max(1, ceil(self.substeps * self._share - 1e-6))

    def _noise(self) -> np.ndarray:
        """The factor of the noise of a step that is longer or shorter than usual."""
        return factor(self.process.diffusion.over(self.h))

    def _noise_of_readings(self) -> np.ndarray:
        return self.instruments.covariance * self.scale**2

    def _whitening(self, there: np.ndarray) -> np.ndarray:
        """The matrix that makes the gaps of the readings that are there independent, of variance one."""
        R = self._noise_of_readings()
        key = (there.tobytes(), R.tobytes())
        if key != self._white[0]:
            self._white = (key, *whitening(R, there))
        return self._white[1]

    @property
    def _weighing(self) -> dict[str, Any]:
        return {"logw": self.swarm.logw, "top": self.swarm.shift}

    def _checked(self, y: Any) -> np.ndarray:
        reading = np.array(y, float, ndmin=1)
        if reading.shape != (len(self.channels),):
            raise ValueError(
                f"Readings have a number for each of {self.channels}; got shape {reading.shape}."
            )
        for k, (value, (low, high)) in enumerate(zip(reading.tolist(), self._limits, strict=True)):
            if isinf(value):
                raise ValueError(f"The readings {reading} are not finite: a missing one is NaN.")
            if not low <= value <= high:
                reading[k] = np.nan
        return reading

    @cached_property
    def _limits(self) -> list[list[float]]:
        return self.instruments.limits.tolist()

    def _restart(self) -> None:
        """All particles are impossible: begin again from the prior, and say so."""
        self.restarts += 1
        warnings.warn(
            f"{self!r}: no particle explains step {self.steps}; it starts again.",
            RuntimeWarning,
            stacklevel=3,
        )
        self.start(*self._origin, self.t)

    # resampling

    def _generator(self) -> np.random.Generator:
        """The draws of this step that belong to no particle."""
        return np.random.Generator(np.random.Philox(key=[self.seed, self._moment]))

    def weights(self) -> np.ndarray:
        """The weight of each particle, the heaviest one."""
        return self._weights(np.empty(len(self.swarm)))

    def _weights(self, w: np.ndarray) -> np.ndarray:
        self._passage.over(self.summary.weights, self._weighing, {"w": w})
        return w

    def resample(self) -> np.ndarray:
        """Choose particles by weight, shake them, make the weights equal; returns the ancestors."""
        rng = self._generator()
        shaking = self._shaking()
        if len(self._light) != len(self.swarm):
            self._light = np.empty(len(self.swarm))
        w = self._weights(self._light)
        places = self.choose(w, self._size(w, rng), rng)
        self._gather(places)
        self.swarm.equalise()
        if shaking.any():
            self._shaken(self.swarm.x, shaking)
        self._log_total = float(np.log(len(places)))
        self.resamplings += 1
        return places

    def _gather(self, places: np.ndarray) -> None:
        """The particles at some places in the room of those before the last ones, if they are as many."""
        swarm, shape = self.swarm, (len(self.swarm.x), len(places))
        x = self._spare if self._spare.shape == shape else np.empty(shape)
        self._spare = swarm.x
        logw = swarm.logw if len(swarm) == len(places) else np.empty(len(places))
        swarm.become(gather(swarm.x, places, self.threads, x), logw)

    def _spread(self, given: Mapping[str, float]) -> np.ndarray:
        names = self.process.manifold.names
        unknown = [name for name in given if name not in names]
        if unknown:
            raise ValueError(f"Resampling cannot shake '{unknown[0]}': there are {', '.join(names)}.")
        return np.diag([float(given.get(name, 0.0)) for name in names])

    # what is known

    def estimate(self) -> Estimate:
        """Means (of angles on the circle), covariance, effective sample size and branches."""
        size, values = len(self.swarm), {"x": self.swarm.x, "p": self.p, **self._weighing}
        found = self.summary.moments(size, values, threads=self.threads)
        total = found["total"]
        mean = self.summary.mean(found["first"], total)
        second = self.summary.second(size, values | {"mean": mean}, threads=self.threads)["second"]
        ess = total**2 / (found["square"] * size)
        P = self.summary.covariance(second, total)
        return Estimate(self.transition.names, mean, P, float(ess), float(found["branch"] / total))

    def branches(self) -> np.ndarray:
        """The sign of each particle's assembly, 1 or -1; 1 for all where nothing closes."""
        return self.summary.signs(self.swarm.x, self.p)

    def plot(self, state: State | None = None) -> Any:
        """A Matplotlib figure of the swarm as it is, by branches: clouds in (z, dz), and histograms of z.

        Where the truth is known, ``state`` is marked. Wants the extra ``biela[view]``.
        """
        return picture.plot(self, state)

    def run(
        self, readings: Any, where: Any = None, P: Any = None, *, t: float = 0.0, times: Any = None
    ) -> Record:
        """The estimates for readings, one row a step, NaN where none is due.

        Row k belongs to the end of step k, or to ``times[k]``, as `events` sorts readings. Beside coordinates
        and velocities the record has standard deviations 'sd(...)', 'ess', 'branch' and whether it was
        'resampled'. Raises as `start` and `step` do.
        """
        rows = np.asarray(readings, float)
        if rows.ndim != 2:
            raise ValueError(f"Readings have a row a step and a column a channel; got shape {rows.shape}.")
        self.again(self.seed)
        self.start(where, P, t)
        h = np.full(len(rows), self.dt) if times is None else spans(times, t, len(rows), self.dt)
        found = [self.row(1.0, False)]
        for y, span in zip(rows, h.tolist(), strict=True):
            before = self.resamplings
            ess = self.step(y, span)
            found.append(self.row(ess, self.resamplings > before))
        steps = self.dt * np.arange(len(found)) if times is None else np.concatenate([[0.0], np.cumsum(h)])
        return self.record(np.array(found), t + steps)

    def row(self, ess: float, resampled: bool) -> np.ndarray:
        """What a record keeps of the present estimate."""
        estimate = self.estimate()
        sd = np.sqrt(np.maximum(np.diag(estimate.covariance), 0.0))
        return np.concatenate([estimate.mean, sd, [ess, estimate.branch, resampled]])

    def record(self, rows: np.ndarray, times: np.ndarray) -> Record:
        """The record of such rows and their moments."""
        names = self.transition.names
        sd = [f"sd({names[k]})" for k in self.summary.varying]
        columns = {
            name: np.ascontiguousarray(rows[:, k])
            for k, name in enumerate([*names, *sd, "ess", "branch", "resampled"])
            if name != "t"
        }
        told = units(self.model)
        told |= {f"sd({name})": unit for name, unit in told.items() if f"sd({name})" in sd}
        notes = {"filter": self.key, "channels": self.channels, "particles": self.count, "seed": self.seed}
        notes |= {"restarts": self.restarts, "resamplings": self.resamplings, "evidence": self.evidence}
        return Record(times, columns, told, notes=notes, model=self.model, p=self.p, u=self.u)
