"""Identify a platform and validate its simulator: the source's tables next to our own.

`characterise` records S1 to S4 of a platform, one degree of freedom at a time, and fits a channel to each;
`validate` compares simulator and platform on S1 to S8. The platform is anything with ``respond(demand) ->
poses``: a recording of the real one, or a `biela.cueing.plant.Plant`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from biela.cueing import source_002
from biela.cueing.channel import Channel
from biela.cueing.characterisation import attenuation, excursion, latency
from biela.cueing.drive import slalom
from biela.cueing.fitness import nrmse
from biela.cueing.fitting import Fit, fit
from biela.cueing.plant import Plant
from biela.cueing.platform import Platform
from biela.cueing.ride import Ride
from biela.cueing.signal import chirp, times
from biela.cueing.simulator import Simulator
from biela.cueing.washout.classical import ClassicalWashout

DURATION = 60.0  # s, of every test signal
SWEEP = {"f0": 0.5, "r": 1.035}  # of the chirps of table 2, 70 s long
DOFS = ("pitch", "roll")


class Machine(Protocol):
    """What is identified."""

    @property
    def platform(self) -> Platform:
        """The kinematics."""
        ...

    @property
    def dt(self) -> float:
        """The time between two demands, s."""
        ...

    def respond(self, demand: Any, seed: int = 1) -> np.ndarray:
        """The poses for demands, a row each."""
        ...


@dataclass(frozen=True, eq=False)
class Identified:
    """The fits of both degrees of freedom and the simulator they make."""

    fits: dict[str, Fit]
    simulator: Simulator


@dataclass(frozen=True)
class Row:
    """A line of a table: what it is, the source's number, ours; None where there is none."""

    name: str
    source: float | None
    ours: float | None


def characterise(
    machine: Machine, dt: float = 0.02, *, way: Callable[..., Fit] = fit, **options: Any
) -> Identified:
    """Fit a channel to each degree of freedom by S1 to S4; ``way`` is `fit` or `fit_grid`."""
    fits: dict[str, Fit] = {}
    for dof in DOFS:
        pairs = [_single(machine, name, dof, dt) for name in source_002.SINGLE]
        fits[dof] = way([u for u, _ in pairs], [y for _, y in pairs], dt, **options)
    channels: tuple[Channel, ...] = tuple(fits[dof].channel for dof in DOFS)
    return Identified(fits, Simulator(machine.platform, channels, dt))


def _single(machine: Machine, name: str, dof: str, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """What is achieved of a signal for one degree of freedom, and the response."""
    k, demand = DOFS.index(dof), single(name, dof, dt)
    reached = Simulator(machine.platform, (Channel(), Channel()), dt).run(demand)[f"{dof}.achieved"]
    return reached, machine.respond(demand)[:, k]


def single(name: str, dof: str, dt: float) -> np.ndarray:
    """The demand of S1 to S4 for one degree of freedom, the other at rest."""
    t = times(DURATION, dt)
    demand = np.zeros((len(t), 2))
    demand[:, DOFS.index(dof)] = source_002.SINGLE[name][dof](t)
    return demand


def validate(machine: Machine, simulator: Simulator) -> list[Row]:
    """Table 5: the fit of the simulator on S1 to S8, for pitch, roll, and both (the mean of the two)."""
    rows: list[Row] = []
    t = times(DURATION, simulator.dt)
    for name in source_002.SINGLE:
        for k, dof in enumerate(DOFS):
            score = _scores(machine, simulator, single(name, dof, simulator.dt), [k])[0]
            rows.append(Row(f"{name} {dof}", source_002.FITS[name][dof], score))
    for name, signals in source_002.JOINT.items():
        demand = np.stack([signals[dof](t) for dof in DOFS], axis=1)
        score = float(np.mean(_scores(machine, simulator, demand, [0, 1])))
        rows.append(Row(f"{name} both", source_002.FITS[name]["both"], score))
    return rows


def _scores(machine: Machine, simulator: Simulator, demand: np.ndarray, which: list[int]) -> list[float]:
    real, run = machine.respond(demand), simulator.run(demand)
    return [nrmse(real[:, k], run[DOFS[k]]) for k in which]


def mean(rows: list[Row]) -> Row:
    """The means of a table, over what both have."""
    both = [(row.source, row.ours) for row in rows if row.source is not None and row.ours is not None]
    return Row("mean", float(np.mean([a for a, _ in both])), float(np.mean([b for _, b in both])))


def excursions(machine: Machine, dt: float = 0.02) -> list[Row]:
    """Section 3: delay, and the times of a full and of half an excursion in pitch."""
    amplitude = np.radians(30.0)
    steps = {"half": (0.0, amplitude), "full": (-amplitude, amplitude)}
    found: dict[str, float] = {}
    for name, (before, after) in steps.items():
        demand = np.zeros((round(6.0 / dt), 2))
        demand[: round(3.0 / dt), 0], demand[round(3.0 / dt) :, 0] = before, after
        response = machine.respond(demand)[:, 0]
        k = round(3.0 / dt)
        u, y = demand[k:, 0] - before, response[k:] - response[k]
        found[name] = excursion(u, y, dt, np.radians(1.0))
        found.setdefault("delay", latency(u, y, dt))
    return [Row(name, source_002.EXCURSION_S[name], found[name]) for name in ("delay", "half", "full")]


def attenuations(machine: Machine, dt: float = 0.02, *, delay: float = 0.08) -> list[Row]:
    """Table 2: where chirps of several amplitudes have fallen by 3 and 6 dB, in Hz."""
    rows: list[Row] = []
    t = times(70.0, dt)
    for k, dof in enumerate(DOFS):
        for degrees, printed in source_002.ATTENUATION_HZ[dof].items():
            demand = np.zeros((len(t), 2))
            demand[:, k] = chirp(t, np.radians(degrees), **SWEEP)
            response = machine.respond(demand)[:, k]
            found = attenuation(response, dt, np.radians(degrees), SWEEP["f0"], SWEEP["r"], delay=delay)
            pairs = zip(("3 dB", "6 dB"), printed, strict=True)
            rows += [Row(f"{dof} {degrees:g} deg {level}", hz, found[level]) for level, hz in pairs]
    return rows


def fitted(identified: Identified) -> list[Row]:
    """Table 4: delay, gain, damping and natural frequency."""
    rows: list[Row] = []
    for dof in DOFS:
        channel = identified.simulator.channels[DOFS.index(dof)]
        ours = (channel.delay, channel.gain, channel.damping, channel.frequency)
        names = ("delay (s)", "gain", "damping", "frequency (Hz)")
        triples = zip(names, source_002.FITTED[dof], ours, strict=True)
        rows += [Row(f"{dof} {name}", printed, own) for name, printed, own in triples]
    return rows


def speeds(
    machine: Plant, simulator: Simulator, washout: ClassicalWashout, seconds: float = 100.0
) -> list[Row]:
    """Table 7: how long a drive takes with a washout ahead of the filters, and of the multibody machine."""
    ride, rows = Ride.on(simulator, washout), slalom(seconds, simulator.dt)
    senses = np.array([machine.platform.senses.get(name, 1.0) for name in machine.platform.dofs])
    ways = {
        "digital filters": lambda: ride.passage.run(ride.rest, rows, ride.p),
        "Newton-Lagrange": lambda: machine.simulate(ride.washout.run(rows) * senses),
    }
    found: dict[str, float] = {}
    for name, way in ways.items():
        way()
        found[name] = min(_timed(way) for _ in range(3))
    printed = {name: value * seconds / 100.0 for name, value in source_002.SPEED_S.items()}
    lines = [Row(f"{seconds:g} s, {name} (s)", printed[name], found[name]) for name in ways]
    ratios = [took["Newton-Lagrange"] / took["digital filters"] for took in (printed, found)]
    return [*lines, Row("filters, times as fast", ratios[0], ratios[1])]


def _timed(way: Callable[[], object]) -> float:
    begin = perf_counter()
    way()
    return perf_counter() - begin


def table(rows: list[Row]) -> str:
    """Rows as text, the source's numbers and ours side by side."""

    def shown(value: float | None) -> str:
        return "-" if value is None else f"{value:.4f}"

    width = max(len(row.name) for row in rows)
    head = f"{'':<{width}} {'source':>8} {'ours':>8}"
    return "\n".join([head, *(f"{r.name:<{width}} {shown(r.source):>8} {shown(r.ours):>8}" for r in rows)])
