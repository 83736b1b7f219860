"""`Trial`: a ride with what is felt and used, summed up natively, a setting of the washout a lane.

The sample is that of the ride; behind it come the head's motion, the rider's organs and the platform's
actuators, and sums of what they tell. A generation of a search is one native call, and no trajectory is
kept. What the vehicle is felt to do is the same for all lanes and is sensed once, beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from math import inf
from typing import Any

import numpy as np

from biela.cueing.head import CENTER, LAG, Place, told
from biela.cueing.passage import Passage
from biela.cueing.perception import CHANNELS, REST, Senses
from biela.cueing.recursion import Recursion, States
from biela.cueing.ride import Ride
from biela.cueing.usage import ranges
from biela.expr.expression import Expr, constant, maximum, where
from biela.expr.function import Function
from biela.expr.graph import Graph

Told = dict[str, np.ndarray]
SUMS = ("error", "first", "second", "noticed", "false")  # of each channel
PEAKS = ("room", "speed", "acceleration")
TOLD = {
    "felt": "root mean square error of what is sensed, all channels, in thresholds",
    **{f"felt.{name}": f"the same for {name} alone" for name in CHANNELS},
    "likeness": "mean correlation of what is sensed, over the channels in which the vehicle moves",
    "false": "mean share of the ride with a false cue, over all channels",
    "noticed": "mean share of the ride in which the platform is felt to move, over all channels",
    "room": "largest share of the room of a degree of freedom or an actuator",
    "speed": "largest share of the speed of an actuator",
    "acceleration": "largest share of the acceleration of an actuator",
    "clipped": "share of samples whose demand was out of reach",
    "pose": "root mean square error of the pose against the washout's demand, in rad or m",
    "force": "root mean square error of the force that tilt shows, in m/s2",
}


@dataclass(frozen=True, eq=False)
class Trial:
    """A ride that is judged: by whose senses, and where on the platform the head is."""

    ride: Ride
    senses: Senses = field(default_factory=Senses)
    head: Place = CENTER

    @cached_property
    def step(self) -> Function:
        """One sample: ``x_next`` of the state ``x``, the ``row`` and the numbers ``p`` of the ride.

        A row has what the washout takes, then what is sensed in the vehicle. The state is that of the ride,
        then the sums and peaks, then what filters remember.
        """
        graph = Graph()
        ride, platform = self.ride.step, self.ride.simulator.platform
        states = States(graph)
        x = [graph.symbol(f"ride.s{k}") for k in range(ride.inputs[0].size)]
        names = [f"{name}.{what}" for name in CHANNELS for what in SUMS] + list(PEAKS)
        for name in names:
            states.state(name)
        motion = [graph.symbol(f"motion.s{k}") for k in range(ride.inputs[1].size)]
        vehicle = [graph.symbol(f"vehicle.{name}") for name in CHANNELS]
        p = [graph.symbol(f"p.s{k}") for k in range(ride.inputs[2].size)]
        after = list(ride(x, motion, p))
        pose = after[: len(platform.dofs)]
        self._feel(states, pose, vehicle)
        self._use(states, pose)
        inputs = {"x": [*x, *states.now.values()], "row": [*motion, *vehicle], "p": p}
        x_next = [*after, *(states.after[name] for name in states.now)]
        return Function(f"{platform.name}_trial", inputs, {"x_next": x_next})

    def _feel(self, states: States, pose: Sequence[Expr], vehicle: Sequence[Expr]) -> None:
        """Sums of what is sensed on the platform, and of how it differs from the vehicle."""
        platform, dt = self.ride.simulator.platform, self.ride.simulator.dt
        turned = {name: platform.senses.get(name, 1.0) * pose[k] for k, name in enumerate(platform.dofs)}
        motion = told(states, turned, dt, self.head)
        for k, (name, moved, v) in enumerate(zip(CHANNELS, motion, vehicle, strict=True)):
            s = self.senses.organ(name).filter(states, f"sense.{name}", moved - float(REST[k]), dt)
            limit = self.senses.thresholds[name]
            here = where(abs(s) > limit, 1.0, 0.0) + 0.0 * s
            meant = where(abs(v) > limit, where(v * s > 0.0, 1.0, 0.0), 0.0) + 0.0 * s
            sums = ((s - v) * (s - v), s, s * s, here, here * (1.0 - meant))
            for what, value in zip(SUMS, sums, strict=True):
                states.becomes(f"{name}.{what}", states[f"{name}.{what}"] + value)

    def _use(self, states: States, pose: Sequence[Expr]) -> None:
        """The largest shares of room, speed and acceleration."""
        platform, dt, graph = self.ride.simulator.platform, self.ride.simulator.dt, states.graph
        rest, _ = platform.positions(np.zeros(len(pose)))
        limits = platform.limits
        positions = platform.reach(graph, pose).positions
        moved = [a - float(r) for a, r in zip(positions, rest, strict=True)]
        room = [
            *_shares(pose, *ranges(platform)),
            *_shares(moved, np.asarray(limits.low) - rest, np.asarray(limits.high) - rest),
        ]
        speed: list[Expr] = []
        bend: list[Expr] = []
        for k, (now, name) in enumerate(zip(moved, platform.actuators, strict=True)):
            before, earlier = (states.state(f"past.{name}.{word}") for word in ("one", "two"))
            states.becomes(f"past.{name}.one", now)
            states.becomes(f"past.{name}.two", before)
            speed += _share(abs(now - before) * (1.0 / dt), limits.speed[k])
            bend += _share(abs(now - 2.0 * before + earlier) * (1.0 / dt**2), limits.acceleration[k])
        for name, shares in zip(PEAKS, (room, speed, bend), strict=True):
            largest = reduce(maximum, shares, constant(graph, 0.0))
            states.becomes(name, maximum(states[name], largest))

    @cached_property
    def passage(self) -> Passage:
        """Many samples, in haste where nothing is out of reach."""
        quick = Trial(self.ride.hasty, self.senses, self.head).step
        return Passage(Recursion(quick), Recursion(self.step), self.ride.flag)

    def rows(self, motion: Any) -> np.ndarray:
        """What the sample takes for a motion; raises ValueError as `Washout.motion` does."""
        given = self.ride.washout.motion(motion)
        if len(given) <= LAG + 1:
            raise ValueError(f"A drive has more than {LAG + 1} rows; got {len(given)}.")
        sensed = self.senses.run(given, self.ride.simulator.dt)
        late = np.concatenate([np.zeros((LAG, len(CHANNELS))), sensed[:-LAG]])
        return np.concatenate([self.ride.rows(given), late], axis=1)

    def batch(self, motion: Any, settings: np.ndarray, threads: int = 0) -> Told:
        """What became of each setting, by the names of `TOLD`."""
        return self.judge(self.rows(motion), settings, threads)

    def judge(self, rows: np.ndarray, settings: np.ndarray, threads: int = 0) -> Told:
        """The same for what `rows` has made of a motion."""
        x = np.zeros(self.step.inputs[0].size)
        found = self.passage.run(x, rows, settings, last=True, threads=threads)
        size = self.ride.step.inputs[0].size
        count = len(CHANNELS) * len(SUMS)
        sums = found[size : size + count].reshape(len(CHANNELS), len(SUMS), -1)
        peaks = dict(zip(PEAKS, found[size + count : size + count + len(PEAKS)], strict=True))
        vehicle = rows[LAG:, -len(CHANNELS) :]
        return self._told(vehicle, sums) | peaks | self.ride.told(found[:size], len(rows))

    def _told(self, vehicle: np.ndarray, sums: np.ndarray) -> Told:
        """Errors, likeness and shares from the sums of all lanes."""
        n = len(vehicle)
        error, first, second, noticed, false = (sums[:, k] / n for k in range(len(SUMS)))
        errors = np.sqrt(error) / self.senses.limits[:, None]
        mean, power = vehicle.mean(axis=0)[:, None], (vehicle**2).mean(axis=0)[:, None]
        spread = np.sqrt(np.maximum((power - mean**2) * (second - first**2), 0.0))
        shared = 0.5 * (second + power - error) - first * mean
        moves = (vehicle.std(axis=0) > 1e-9)[:, None]
        like = np.where(moves & (spread > 1e-15), shared / np.where(spread > 1e-15, spread, 1.0), 0.0)
        told = {"felt": np.sqrt((errors**2).mean(axis=0))}
        told |= {f"felt.{name}": errors[k] for k, name in enumerate(CHANNELS)}
        told |= {"likeness": like.sum(axis=0) / max(int(moves.sum()), 1)}
        return told | {"false": false.mean(axis=0), "noticed": noticed.mean(axis=0)}


def _shares(values: Sequence[Expr], low: np.ndarray, high: np.ndarray) -> list[Expr]:
    """Ways by what there is in each direction."""
    found: list[Expr] = []
    for x, a, b in zip(values, low, high, strict=True):
        found += [] if b == inf else [x * (1.0 / float(b))]
        found += [] if a == -inf else [x * (1.0 / float(a))]
    return found


def _share(value: Expr, limit: float) -> list[Expr]:
    return [] if limit == inf else [value * (1.0 / limit)]
