"""`Bench`: a simulated rig to practise on: a mechanism, its sensors and a clock.

What a sensor does to its ideal readings, in this order: it counts from the start if it is incremental, lags
by its delay, adds its bias and white noise, saturates at its limits, counts in steps of its resolution, reads
at its own rate, and loses some readings.
Each sensor has a generator of its own, so another sensor on the rig does not change what this one reads.

The true mechanism may be another model than the observer's, with friction for instance, or the same one with
other parameters: `three_simulations` compares the truth, the wrong model alone, and the observer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from biela.observe.filter.filter import Filter
from biela.observe.instrument import Instruments
from biela.observe.packet import Packet
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor
from biela.simulate.record import Record
from biela.simulate.simulation import Simulation
from biela.simulate.state import State


class Rehearsal(NamedTuple):
    """The truth, and readings: a row for each step, NaN where none arrived."""

    truth: Record
    readings: np.ndarray


class Bench:
    """The true mechanism with sensors, stepped by ``simulation``.

    Raises ValueError for sensors that do not suit the simulated model.
    """

    def __init__(self, simulation: Simulation, sensors: Sequence[Sensor]) -> None:
        if not isinstance(simulation, Simulation):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"A Bench wants a Simulation of the truth; got a {type(simulation).__name__}.")
        self.simulation, self.model, self.dt = simulation, simulation.model, simulation.dt
        self.instruments = Instruments(Process(simulation.model, simulation.dt), sensors)

    def run(self, start: State, duration: float, seed: int = 1, u: Any = None) -> Rehearsal:
        """The motion from a state, and what the sensors make of it."""
        truth = self.simulation.run(start, duration, u=u)
        return Rehearsal(truth, self.readings(truth, seed))

    def ideal(self, truth: Record) -> np.ndarray:
        """What perfect sensors would read at every moment."""
        return truth.value(self.instruments.function)

    def readings(self, truth: Record, seed: int | Sequence[int] = 1) -> np.ndarray:
        """The readings of a motion, a row for each step; several seeds make lanes."""
        ideal = self.ideal(truth)
        if isinstance(seed, int):
            return self._read(ideal, seed)
        return np.stack([self._read(ideal, one) for one in seed], axis=-1)

    def _read(self, ideal: np.ndarray, seed: int) -> np.ndarray:
        parts: list[np.ndarray] = []
        place = 0
        for k, sensor in enumerate(self.instruments.sensors):
            width = len(sensor.channels(self.model))
            rng = np.random.default_rng([seed, k])
            parts.append(self._sensed(sensor, ideal[:, place : place + width], rng))
            place += width
        return np.concatenate(parts, axis=1)

    def _sensed(self, sensor: Sensor, ideal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        steps, width = len(ideal) - 1, ideal.shape[1]
        ideal = ideal - ideal[0] if sensor.relative else ideal
        lag = round(sensor.delay / self.dt)
        y = ideal[np.clip(np.arange(1, steps + 1) - lag, 0, None)]
        walk = rng.standard_normal((steps, width)).cumsum(axis=0) * sensor.walk * np.sqrt(self.dt)
        noise = sensor.noise(self.model)
        values, vectors = np.linalg.eigh(noise)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        white = rng.standard_normal((steps, width)) @ root.T
        y: np.ndarray = np.clip(y + sensor.bias + walk + white, *sensor.limits)
        if sensor.resolution > 0.0:
            y = sensor.resolution * np.round(y / sensor.resolution)
        y[~due(sensor.rate, self.dt, steps) | (rng.random(steps) < sensor.dropout)] = np.nan
        return y

    def packets(self, truth: Record, seed: int = 1) -> list[Packet]:
        """The readings as packets in the order in which they arrive, with the times they were taken."""
        y, found, place = self.readings(truth, seed), list[Packet](), 0
        for sensor in self.instruments.sensors:
            channels = sensor.channels(self.model)
            part = y[:, place : place + len(channels)]
            lag, place = round(sensor.delay / self.dt) * self.dt, place + len(channels)
            for k in np.flatnonzero(np.isfinite(part).all(axis=1)):
                arrived = float(truth.t[k + 1])
                name = sensor.name or sensor.label
                found.append(Packet(arrived - lag, arrived, name, tuple(map(float, part[k]))))
        return sorted(found, key=lambda packet: packet.arrived)


def due(rate: float, dt: float, steps: int) -> np.ndarray:
    """In which steps a sensor of a rate reads: in all of them for a rate of 0.

    Raises ValueError for a rate above that of the steps.
    """
    if rate == 0.0:
        return np.ones(steps, bool)
    if not 0.0 < rate <= (1.0 + 1e-9) / dt:
        raise ValueError(f"A sensor reads at most once a step, {1.0 / dt:g} Hz; got rate={rate:g}.")
    turns = np.floor(np.arange(steps + 1) * (dt * rate) + 1e-9)
    return np.diff(turns) > 0.0


class ThreeSimulations(NamedTuple):
    """The truth, the observer's model without readings, and the observer."""

    truth: Record
    model: Record
    estimate: Record
    readings: np.ndarray


def three_simulations(
    bench: Bench, observer: Filter, start: State, guess: State, P: Any, duration: float, seed: int = 1
) -> ThreeSimulations:
    """The protocol of three simulations (Cuadrado, Dopico, Barreiro and Delgado, 2009).

    Errors of the model are in ``guess``: its parameters (gravity, lengths, masses) and its position; friction
    is in the system that the bench simulates. The model alone is the observer that gets no readings.

    Raises ValueError where bench and observer step differently or have other channels.
    """
    if abs(bench.dt - observer.process.dt) > 1e-12 * bench.dt:
        raise ValueError(f"The bench steps by {bench.dt:g} s, the observer by {observer.process.dt:g} s.")
    if bench.instruments.channels != observer.instruments.channels:
        raise ValueError(
            f"The bench has channels {bench.instruments.channels}, the observer "
            f"{observer.instruments.channels}."
        )
    truth, y = bench.run(start, duration, seed)
    alone = observer.run(np.full_like(y, np.nan), guess, P)
    return ThreeSimulations(truth, alone, observer.run(y, guess, P), y)
