"""`Simulator`: demanded pose in, actual pose out; the source's model of a platform.

    demand -> combination of degrees of freedom -> per degree of freedom: delay, limits, low pass -> output

One sample is one Function, iterated natively over a signal, or called sample by sample by a `Stream`. The
filters have different lags, so an output may be out of reach although every achieved demand was within:
outputs are checked again, and what is found is counted in the notes of the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from biela.compile.block import Block, Signal
from biela.compile.kernel import Kernel
from biela.cueing.channel import PARAMETERS, Channel
from biela.cueing.combination import Combination, Exact
from biela.cueing.platform import Platform, TwoRSSU
from biela.cueing.recording import Recording
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.simulate.record import Record

SAMPLE = 0.02  # s, of source 002


@dataclass(frozen=True, eq=False)
class Simulator:
    """A platform, a channel for each degree of freedom, a sample time and a way to combine demands.

    Raises ValueError where the channels are not those of the platform or do not suit the sample time.
    """

    platform: Platform
    channels: tuple[Channel, ...]
    dt: float = SAMPLE
    combination: Combination = Exact()  # noqa: RUF009 - frozen

    def __post_init__(self) -> None:
        if len(self.channels) != len(self.platform.dofs):
            raise ValueError(
                f"{self.platform.name} has {len(self.platform.dofs)} degrees of freedom "
                f"({', '.join(self.platform.dofs)}); got {len(self.channels)} channels."
            )
        for channel in self.channels:
            channel.samples(self.dt)

    @classmethod
    def source_002(cls, **options: Any) -> Simulator:
        """The source's platform with its fitted channels (table 4)."""
        channels = (Channel(frequency=2.8), Channel(frequency=2.7))
        return cls(TwoRSSU.source_002(), channels, **options)

    def changed(self, **values: Any) -> Simulator:
        """Another simulator with some values replaced."""
        have: dict[str, Any] = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return Simulator(**have | values)

    @cached_property
    def step(self) -> Function:
        """One sample: ``x_next`` of the state ``x``, the ``demand`` and the channels' numbers ``p``.

        The state begins with outputs, achieved demands and the scale.
        """
        graph = Graph()
        dofs = self.platform.dofs
        steps = [channel.step(self.dt) for channel in self.channels]
        sizes = [step.inputs[0].size for step in steps]
        x = [graph.symbol(name) for name in self.names]
        demand = [graph.symbol(f"demand.{name}") for name in dofs]
        p = [graph.symbol(f"{name}.{key}") for name in dofs for key in PARAMETERS]
        achieved, scale = self.combination.achieve(self.platform, demand)
        outputs: list[Any] = []
        rest: list[Any] = []
        place = 2 * len(dofs) + 1
        for k, step in enumerate(steps):
            own = [x[k], *x[place : place + sizes[k] - 1]]
            place += sizes[k] - 1
            after = list(step(own, achieved[k], p[6 * k : 6 * k + 6]))
            outputs.append(after[0])
            rest += after[1:]
        x_next = [*outputs, *achieved, scale, *rest]
        return Function(
            f"{self.platform.name}_sample", {"x": x, "demand": demand, "p": p}, {"x_next": x_next}
        )

    @cached_property
    def names(self) -> list[str]:
        """What the components of the state are."""
        dofs = self.platform.dofs
        more = [
            f"{name}.memory{k}"
            for name, channel in zip(dofs, self.channels, strict=True)
            for k in range(1, len(channel.rest(self.dt)))
        ]
        return [*dofs, *(f"{name}.achieved" for name in dofs), "scale", *more]

    def block(self, name: str = "") -> Block:
        """The simulator with its numbers, to export: see `biela.export_fmu` and `biela.export_package`.

        Inputs are the demands, outputs the pose, the achieved demands and the scale; it moves every ``dt``.
        """
        dofs = self.platform.dofs
        keys = [f"{dof}.{key}" for dof in dofs for key in PARAMETERS]
        pairs = zip(self.names, self.rest, strict=True)
        return Block(
            name or self.step.name, self.step, self.dt,
            tuple(Signal(k, float(v), unit(k)) for k, v in pairs), 2 * len(dofs) + 1,
            {"demand": tuple(Signal(f"{dof}.demand", 0.0, unit(dof)) for dof in dofs)},
            tuple(Signal(k, float(v)) for k, v in zip(keys, self.p, strict=True)),
            description=f"{self.platform.name}, a sample every {self.dt:g} s",
        )  # fmt: skip

    @cached_property
    def kernel(self) -> Kernel:
        """The native sample."""
        return Kernel(self.step)

    @property
    def p(self) -> np.ndarray:
        """The channels' numbers."""
        return np.concatenate([channel.values for channel in self.channels])

    @property
    def rest(self) -> np.ndarray:
        """The state after a reset."""
        return np.zeros(len(self.names))

    def demand(self, demand: Any) -> np.ndarray:
        """A demand as rows with a column for each degree of freedom; those not named stay at rest.

        Raises ValueError for values that are not finite, and for columns that do not match; for a
        `Recording` also for gaps, and rates that do not match.
        """
        dofs = self.platform.dofs
        if isinstance(demand, Recording):
            demand = demand.rows(dofs, self.dt)
        if isinstance(demand, Mapping):
            named = cast("Mapping[str, Any]", demand)
            unknown = sorted(set(named) - set(dofs))
            if unknown:
                raise ValueError(f"{self.platform.name} has no '{unknown[0]}'. It has {', '.join(dofs)}.")
            given = {name: np.asarray(named[name], float) for name in named}
            lengths = {name: len(value) for name, value in given.items()}
            if len(set(lengths.values())) != 1:
                raise ValueError(f"The demands have different lengths: {lengths}. Sample them alike.")
            nothing = np.zeros(next(iter(lengths.values())))
            demand = np.stack([given.get(name, nothing) for name in dofs], axis=1)
        return np.ascontiguousarray(self.platform.checked(demand, len(dofs), "demands"))

    def run(self, demand: Any) -> Record:
        """The motion for a demand, from rest: a mapping from degrees of freedom to signals, or rows.

        Columns: the output by the name of the degree of freedom, with ``.demand`` and ``.achieved``, and
        ``scale``. The notes count clipped samples and outputs out of reach. Raises ValueError for a bad
        demand.
        """
        rows = self.demand(demand)
        found = self.kernel.iterate(self.rest, len(rows), rows, self.p, series=["demand"])[1:]
        return self.record(rows, found)

    def respond(self, demand: Any, seed: int = 1) -> np.ndarray:
        """The poses for demands, a row each, as of a machine that is measured; ``seed`` has no effect."""
        rows = self.demand(demand)
        found = self.kernel.iterate(self.rest, len(rows), rows, self.p, series=["demand"])[1:]
        return found[:, : len(self.platform.dofs)]

    def record(self, demand: np.ndarray, states: np.ndarray) -> Record:
        """The record of a run: demands and the states after them."""
        dofs, n = self.platform.dofs, len(self.platform.dofs)
        columns = {name: np.ascontiguousarray(states[:, k]) for k, name in enumerate(self.names[: 2 * n + 1])}
        columns |= {f"{name}.demand": np.ascontiguousarray(demand[:, k]) for k, name in enumerate(dofs)}
        units = {name: unit(name) for name in columns}
        t = self.dt * np.arange(len(demand))
        notes = {"dt": self.dt, "clipped": int((columns["scale"] < 1.0).sum())}
        notes |= faults(self.platform, states[:, :n], self.dt)
        return Record(t, columns, units, notes=notes)

    def stream(self) -> Stream:
        """The simulator sample by sample, from rest."""
        return Stream(self)


class Stream:
    """A simulator that takes one demand at a time."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self._p = simulator.p
        self.reset()

    def reset(self) -> None:
        """Back to rest."""
        self.state = self.simulator.rest

    def push(self, demand: Sequence[float]) -> np.ndarray:
        """The output for the next sample. Raises ValueError for a demand that is not finite."""
        platform = self.simulator.platform
        row = platform.checked(demand, len(platform.dofs), "demands")[0]
        self.state = self.simulator.kernel(self.state, row, self._p)
        return self.state[: len(platform.dofs)]


def faults(platform: Platform, poses: np.ndarray, dt: float) -> dict[str, int]:
    """How many poses are out of reach, and how often actuators would exceed speed and acceleration."""
    actuators, valid = platform.positions(np.ascontiguousarray(poses))
    speed = np.diff(actuators, axis=0) / dt
    fast = np.abs(speed) > platform.limits.speed
    hard = np.abs(np.diff(speed, axis=0)) / dt > platform.limits.acceleration
    counts = {"out_of_reach": ~valid, "too_fast": fast.any(axis=1), "too_hard": hard.any(axis=1)}
    return {name: int(values.sum()) for name, values in counts.items()}


def unit(column: str) -> str:
    """The unit of a column, by its degree of freedom."""
    dof = column.split(".")[0]
    return "" if dof == "scale" else "m" if dof in ("surge", "sway", "heave") else "rad"
