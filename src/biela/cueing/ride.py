"""`Ride`: a vehicle's motion through washout, combination and channels, as one native sample.

This is the loop in which washouts are tuned. The whole of it is one Function of the state, the motion and
the numbers of washout and channels; it is iterated natively over a drive, for one setting or for a batch of
settings, each a lane. A batch keeps no trajectories: what is to be known of a lane is summed up in its
state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from biela.cueing.combination import Unsearched
from biela.cueing.gravity import GRAVITY
from biela.cueing.passage import Passage
from biela.cueing.recursion import Recursion
from biela.cueing.simulator import Simulator
from biela.cueing.washout.washout import Washout
from biela.expr.expression import Expr, constant, cos, sin, where
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.simulate.record import Record


@dataclass(frozen=True, eq=False)
class Ride:
    """A washout ahead of a simulated platform.

    The washout's axes must be the degrees of freedom of the platform, and the sample times the same;
    `Ride.on` makes them so. Raises ValueError otherwise.
    """

    washout: Washout
    simulator: Simulator

    def __post_init__(self) -> None:
        dofs = self.simulator.platform.dofs
        if self.washout.axes != dofs:
            raise ValueError(
                f"The washout drives {', '.join(self.washout.axes)}; {self.simulator.platform.name} has "
                f"{', '.join(dofs)}. Use Ride.on(simulator, washout)."
            )
        if self.washout.dt != self.simulator.dt:
            raise ValueError(
                f"The washout is sampled every {self.washout.dt:g} s, the simulator every "
                f"{self.simulator.dt:g} s. Use Ride.on(simulator, washout)."
            )

    @classmethod
    def on(cls, simulator: Simulator, washout: Washout) -> Ride:
        """The washout fitted to a platform: its axes, its sample time."""
        return cls(washout.changed(axes=simulator.platform.dofs, dt=simulator.dt), simulator)

    @cached_property
    def step(self) -> Function:
        """One sample: ``x_next`` of the state ``x``, the ``motion`` and the numbers ``p``.

        The state is that of the simulator, of the washout, and the sums of `tallies`.
        """
        graph = Graph()
        platform = self.simulator.platform
        wash, sample = self.washout.step, self.simulator.step
        groups = [sample.inputs[0].size, wash.inputs[0].size, len(self.tallies)]
        x = [[graph.symbol(f"x{g}.s{k}") for k in range(size)] for g, size in enumerate(groups)]
        motion = [graph.symbol(f"motion.s{k}") for k in range(wash.inputs[1].size)]
        numbers = [wash.inputs[2].size, sample.inputs[2].size]
        p = [[graph.symbol(f"p{g}.s{k}") for k in range(size)] for g, size in enumerate(numbers)]
        washed = list(wash(x[1], motion, p[0]))
        demand = [platform.senses.get(name, 1.0) * washed[k] for k, name in enumerate(platform.dofs)]
        after = list(sample(x[0], demand, p[1]))
        sums = [a + b for a, b in zip(x[2], self._tallied(demand, after, motion), strict=True)]
        inputs = {"x": [*x[0], *x[1], *x[2]], "motion": motion, "p": [*p[0], *p[1]]}
        return Function(f"{platform.name}_ride", inputs, {"x_next": [*after, *washed, *sums]})

    @property
    def tallies(self) -> tuple[str, ...]:
        """What is summed up: clipped samples, squared errors of the pose and of the specific force."""
        return "clipped", "pose", "force"

    def _tallied(self, demand: list[Any], after: list[Expr], motion: list[Expr]) -> list[Expr]:
        platform, n = self.simulator.platform, len(demand)
        zero = constant(motion[0].graph, 0.0)
        clipped = where(after[2 * n] < 1.0, 1.0, 0.0) + zero
        pose = sum(((a - d) * (a - d) for a, d in zip(after, demand, strict=False)), start=zero)
        angle = {
            name: platform.senses.get(name, 1.0) * after[k]
            for k, name in enumerate(platform.dofs)
            if name in ("roll", "pitch")
        }
        pitch, roll = angle.get("pitch", zero), angle.get("roll", zero)
        along, across = -GRAVITY * sin(pitch), GRAVITY * cos(pitch) * sin(roll)
        force = (motion[0] - along) * (motion[0] - along) + (motion[1] - across) * (motion[1] - across)
        return [clipped, pose, force]

    @cached_property
    def recursion(self) -> Recursion:
        """The native sample."""
        return Recursion(self.step)

    @cached_property
    def passage(self) -> Passage:
        """The native sample, and one without the search for the end of reach."""
        return Passage(Recursion(self.hasty.step), self.recursion, self.flag)

    @property
    def hasty(self) -> Ride:
        """The ride without the search for the end of reach, which only notes what is beyond."""
        combination = Unsearched(self.simulator.combination)
        return Ride(self.washout, self.simulator.changed(combination=combination))

    @property
    def flag(self) -> int:
        """Where the state counts what is out of reach."""
        return self.step.inputs[0].size - len(self.tallies)

    @property
    def p(self) -> np.ndarray:
        """The numbers of washout and channels."""
        return np.concatenate([self.washout.p, self.simulator.p])

    @property
    def rest(self) -> np.ndarray:
        """The state at rest."""
        return np.zeros(self.step.inputs[0].size)

    def run(self, motion: Any) -> Record:
        """The ride for rows (fx, fy, fz, p, q, r), from rest, as `Simulator.run` records it."""
        rows = self.rows(motion)
        found = self.passage.run(self.rest, rows, self.p)[1:]
        platform, n = self.simulator.platform, len(self.simulator.platform.dofs)
        place = len(self.simulator.names)
        senses = np.array([platform.senses.get(name, 1.0) for name in platform.dofs])
        return self.simulator.record(found[:, place : place + n] * senses, found)

    def settings(self, washouts: Mapping[str, Any]) -> np.ndarray:
        """Numbers with a column a lane: some of the washout's by name, the others as they are.

        Raises ValueError as `Washout.settings` does.
        """
        washout = self.washout.settings(washouts)
        channels = np.repeat(self.simulator.p[:, None], washout.shape[1], axis=1)
        return np.concatenate([washout, channels])

    def batch(self, motion: Any, settings: np.ndarray, threads: int = 0) -> dict[str, np.ndarray]:
        """What became of each setting: the share of clipped samples, and root mean square errors.

        ``pose`` is the output against what the washout asks, in rad or m; ``force`` the specific force that
        the tilt shows against that of the vehicle, in m/s2.
        """
        rows = self.rows(motion)
        found = self.passage.run(self.rest, rows, settings, last=True, threads=threads)
        return self.told(found, len(rows))

    def rows(self, motion: Any) -> np.ndarray:
        """What the sample takes for a motion."""
        return self.washout.foreseen(self.washout.motion(motion))

    def told(self, states: np.ndarray, count: int) -> dict[str, np.ndarray]:
        """What the sums at the end of a state say after so many samples."""
        clipped, pose, force = states[-3:] / count
        return {"clipped": clipped, "pose": np.sqrt(pose), "force": np.sqrt(force)}

    def endure(self, motion: Any, times: int) -> dict[str, float]:
        """The same for one setting and a motion that is driven ``times`` over, without trajectories."""
        rows = self.rows(motion)
        x = self.rest
        for _ in range(times):
            x = self.passage.run(x, rows, self.p, last=True)
        clipped, pose, force = x[-3:] / (len(rows) * times)
        return {"clipped": float(clipped), "pose": float(pose) ** 0.5, "force": float(force) ** 0.5}
