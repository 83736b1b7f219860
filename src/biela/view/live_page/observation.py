"""`Observed`: a filter at work: a mechanism, its sensors, and what the filter makes of their readings.

The truth is a `Simulated` mechanism: it has its sliders, and a pointer pulls at it. Its sensors read with
their noise, so many times as strong as a slider says, and may be switched off; the filter's own assumptions
stay as they are. Particles are drawn as translucent lanes, some of them, evenly chosen.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, final

import numpy as np

from biela.compile.kernel import Kernel
from biela.observe.bench import Bench
from biela.observe.filter.filter import Filter
from biela.observe.particle.filter import ParticleFilter
from biela.observe.particle.prior import Prior
from biela.simulate.state import State
from biela.view.live_page.control import Control, slider, switch
from biela.view.live_page.pull import Frames
from biela.view.live_page.simulation import Simulated, actor_of, columns_of
from biela.view.live_page.source import Actor, Column, Grip, Parts, Source, whole
from biela.view.motion import spread
from biela.view.scene import Scene

SHOWN, TURN = 60, 2.0 * np.pi  # particles; angles of estimates are told by the turn nearest to the truth
NOISE, FILTER = "noise", "filter"


@final
class Observed(Source):
    """A filter on the simulated bench that its readings come from.

    It starts at ``guess`` with the covariance or deviations ``P``; particles also from a `Prior`, anywhere
    unless given. Raises ValueError where filter and bench do not go together.
    """

    holds = "pull"

    def __init__(
        self,
        observer: Filter | ParticleFilter,
        *,
        bench: Bench,
        start: State | None = None,
        guess: State | Prior | None = None,
        P: Any = None,
        seed: int = 1,
        sliders: Mapping[str, tuple[float, float]] | None = None,
        title: str = "",
    ) -> None:
        self.truth = Simulated(bench.simulation, start, sliders)
        self.bench, self.seed, self._guess, self._P = bench, seed, guess, P
        self.mind: _Mind = _Swarm(observer) if isinstance(observer, ParticleFilter) else _Mean(observer)
        self.title = title or f"{self.truth.title}: {observer.key or type(observer).__name__}"
        self.dt, self.every = self.mind.dt, round(self.mind.dt / bench.dt)
        if self.every < 1 or abs(self.every * bench.dt - self.dt) > 1e-9 * self.dt:
            raise ValueError(
                f"The filter steps by {self.dt:g} s, no whole number of the bench's {bench.dt:g} s."
            )
        if bench.instruments.channels != observer.instruments.channels:
            raise ValueError(
                f"The bench has channels {bench.instruments.channels}, the filter "
                f"{observer.instruments.channels}."
            )
        self._ideal = Kernel(bench.instruments.function)
        self._roots = [_root(sensor.noise(bench.model)) for sensor in bench.instruments.sensors]
        self._turns = np.where([c.unit == "rad" for c in bench.model.placements], TURN, 0.0)
        self.stage = self.truth.stage
        self.actors = self._drawn(observer)
        self.columns = self._curves()
        self.controls = [*self._own(), *self.truth.controls]
        self._wanted = {control.name: control.value for control in self._own()}
        self.reset()
        self.advance(self.dt)  # compiled before anybody waits
        self.reset()

    def _drawn(self, observer: Filter | ParticleFilter) -> list[Actor]:
        scene = Scene(observer.model)
        self.frames = Frames(scene)
        found = [
            actor_of(Scene(self.bench.model), self.truth.frames, "truth"),
            actor_of(scene, self.frames, "estimate"),
        ]
        if self.mind.lanes:
            found.append(actor_of(scene, self.frames, "particles", self.mind.lanes, self.mind.count))
        return [found[0], *map(_without_ways, found[1:])]

    def _curves(self) -> list[Column]:
        shared = [c._replace(actors=(0, 1)) for c in columns_of(self.bench.model)]
        units = {column.name: column.unit for column in shared}
        deviations = [Column(f"sd({name})", units.get(name, ""), (1,)) for name in self.mind.names]
        return [*shared, *deviations, Column(self.mind.health, "", (1,))]

    def _own(self) -> list[Control]:
        sensors = [sensor.name or sensor.label for sensor in self.bench.instruments.sensors]
        told = "Times the noise that the filter counts with."
        return [
            switch(
                FILTER,
                True,
                group="filter",
                told="Whether readings reach the filter; without them it predicts.",
            ),
            slider(NOISE, 1.0, "times", (0.0, 20.0), group="filter", told=told),
            *(switch(name, True, group="sensors") for name in sensors),
        ]

    # the motion

    @property
    def q(self) -> np.ndarray:
        """The true coordinates."""
        return self.truth.q

    def advance(self, seconds: float) -> None:
        """The truth, its readings, the filter."""
        steps = whole(seconds, self.dt)
        rows = self.truth.course(steps * self.every, self.every)
        self.mind.go(self._read(rows), self.truth)
        self.t = self.truth.t

    def _read(self, rows: np.ndarray) -> np.ndarray:
        """What the sensors say, a row for each step of the filter."""
        instruments, count = self.bench.instruments, len(rows)
        n = len(self.bench.model.q)
        t = self.t + self.dt * np.arange(1, count + 1)
        q, dq = np.ascontiguousarray(rows[:, :n].T), np.ascontiguousarray(rows[:, n : 2 * n].T)
        have = {"q": q, "dq": dq, "t": t, "p": self.truth.p, "u": self.truth.u}
        ideal: Any = self._ideal.batch(*(have[port.name] for port in self._ideal.function.inputs))
        y = np.array(ideal.T, float, order="C")
        for sensor, root in zip(instruments.sensors, self._roots, strict=True):
            name = sensor.name or sensor.label
            place = instruments.places[name]
            white = self._draws.standard_normal((count, len(root))) @ root.T
            y[:, place] += sensor.bias + self._wanted[NOISE] * white
            due = self._due(sensor.rate, count) & (self._wanted[name] > 0.0) & (self._wanted[FILTER] > 0.0)
            y[~due, place] = np.nan
        self.steps += count
        return y

    def _due(self, rate: float, count: int) -> np.ndarray:
        if rate == 0.0 or rate * self.dt >= 1.0:
            return np.ones(count, bool)
        turns = np.floor((self.steps + np.arange(count + 1)) * (self.dt * rate) + 1e-9)
        return np.diff(turns) > 0.0

    def reset(self) -> None:
        """Truth and filter begin again."""
        self.truth.reset()
        self.t, self.steps = self.truth.t, 0
        self._draws = np.random.default_rng(self.seed)
        self.mind.begin(self.truth.start if self._guess is None else self._guess, self._P, self.t, self.seed)

    def change(self, name: str, value: float) -> None:
        """The noise, a sensor, or something of the truth."""
        if name in self._wanted:
            self._wanted[name] = value
        else:
            self.truth.change(name, value)

    # what there is to see

    def parts(self) -> Parts:
        """Truth, estimate, particles."""
        q, lanes = self.mind.q, self.mind.lanes
        found = [*self.truth.parts(), self.frames.parts(q[:, None], self.t, self.mind.p)]
        return [*found, self.frames.parts(self.mind.cloud, self.t, self.mind.p)] if lanes else found

    def values(self) -> Sequence[float]:
        """Truth and estimate of every coordinate and velocity, deviations, and how the filter fares."""
        q = self.mind.q + self._turns * np.round((self.truth.q - self.mind.q) / TURN)
        both = np.stack([np.r_[self.truth.q, self.truth.dq], np.r_[q, self.mind.dq]], axis=1)
        return [*both.ravel().tolist(), *self.mind.deviations, self.mind.fares]

    # the pointer, at the truth

    def grab(self, grip: Grip) -> None:
        """A spring to the truth; estimates cannot be held."""
        if grip.actor == 0:
            self.truth.grab(grip)

    def drag(self, to: np.ndarray) -> None:
        """The pointer is there now."""
        self.truth.drag(to)

    def release(self) -> None:
        """No spring any more."""
        self.truth.release()

    def held(self) -> np.ndarray | None:
        """The ends of the spring."""
        return self.truth.held()


def _root(R: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(R)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def _without_ways(actor: Actor) -> Actor:
    """What is believed jumps when a reading comes, so its ways would tell nothing."""
    return replace(actor, shapes=[shape for shape in actor.shapes if shape["kind"] != "trace"])


class _Mind(ABC):
    """What a filter knows: the mean, deviations by name, and a number that tells how it fares."""

    names: list[str]
    health = "nis"
    dt: float
    lanes, count = 0, 0
    p: np.ndarray
    q: np.ndarray
    dq: np.ndarray
    cloud = np.zeros((0, 0))
    deviations: Sequence[float] = ()
    fares = 0.0

    @abstractmethod
    def begin(self, guess: Any, P: Any, t: float, seed: int) -> None:
        """Know nothing but this."""

    @abstractmethod
    def go(self, y: np.ndarray, truth: Simulated) -> None:
        """Steps, with a row of readings each."""


@final
class _Mean(_Mind):
    """A mean and a covariance."""

    def __init__(self, observer: Filter) -> None:
        self.observer, self.dt, self.names = observer, observer.process.dt, list(observer.names)
        self.n, self.p = len(observer.model.q), observer.model.p

    def begin(self, guess: Any, P: Any, t: float, seed: int) -> None:
        """At a state with deviations; a tenth of a unit unless they are given."""
        self.x = self.observer.start(guess, [0.1] * self.observer.size if P is None else P)
        self.p = guess.p
        self._shown()

    def go(self, y: np.ndarray, truth: Simulated) -> None:
        """All steps natively."""
        have: dict[str, Any] = {"h": self.dt, "p": self.p, "u": truth.u, "y": y}
        ports = [port.name for port in self.observer.function.inputs[1:]]
        given = {name: have[name] for name in ports}
        self.x = self.observer.kernel.iterate(self.x, len(y), every=len(y), series=["y"], **given)[-1]
        if not np.isfinite(self.x).all():
            raise ValueError("The filter has diverged. Reset it.")
        self._shown()

    def _shown(self) -> None:
        self.q, self.dq = self.x[: self.n], self.x[self.n : 2 * self.n]
        P = np.asarray(self.observer.covariances(self.x[None])).reshape(self.observer.size, -1)
        self.deviations = np.sqrt(np.maximum(np.diag(P), 0.0)).tolist()
        self.fares = float(np.sqrt(np.trace(P)))

    health = "spread"


@final
class _Swarm(_Mind):
    """Particles."""

    health = "ess"

    def __init__(self, observer: ParticleFilter) -> None:
        self.observer, self.dt, self.p = observer, observer.dt, observer.p
        self.names, self.n = list(observer.process.manifold.names), len(observer.model.q)
        self.count, self.lanes = observer.count, min(SHOWN, observer.count)

    def begin(self, guess: Any, P: Any, t: float, seed: int) -> None:
        """A new swarm."""
        self.observer.again(seed)
        self.observer.start(guess, P, t)
        self._shown()

    def go(self, y: np.ndarray, truth: Simulated) -> None:
        """Step by step; each is a native pass over all particles."""
        for row in y:
            self.fares = self.observer.step(row)
        self._shown()

    def _shown(self) -> None:
        found, n = self.observer.estimate(), self.n
        self.q, self.dq = found.mean[:n], found.mean[n : 2 * n]
        self.deviations = np.sqrt(np.maximum(np.diag(found.covariance)[: len(self.names)], 0.0)).tolist()
        x = self.observer.swarm.x
        keep = spread(x.shape[1], self.lanes)
        self.cloud = x[:n, np.resize(keep, self.lanes)]
