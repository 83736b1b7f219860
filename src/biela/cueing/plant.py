"""`Plant`: the multibody 2-RSSU with motors and a tracker, in the place of the real platform.

No recorded data come with source 002, so something has to be identified that is not the simulator itself:

* a demand every 20 ms becomes crank angles by the inverse kinematics, and travels for ``bus`` seconds;
* the motor's position loop asks for a speed in proportion to the distance, with limited speed and
  acceleration, a thousand times a second;
* a servo (proportional and derivative, with a limited torque) drives the cranks of
  `biela.mechanisms.two_rssu`: five bodies, two closed loops, gravity, integrated with closed constraints;
* a tracker sees pitch and roll ``camera`` seconds late, a hundred times a second, with noise.

Its numbers are chosen so that delay and excursions are near those that the source tells: the fitted delay
is 80 ms, the full excursion takes 1 s to within a degree, half of it 0.64 s. Its sweeps are no imitation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.cueing.combination import Combination, Exact
from biela.cueing.platform import TwoRSSU
from biela.cueing.recursion import Recursion
from biela.expr.expression import Expr, maximum, minimum
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.mechanics.quantity import deg
from biela.simulate.assembly import assemble
from biela.simulate.input import Controller
from biela.simulate.record import Record
from biela.simulate.simulation import Simulation
from biela.simulate.state import State


@dataclass(frozen=True, eq=False)
class Plant:
    """The platform as a machine; angles in rad, times in s, torque in N m.

    ``loop`` is the gain of the position loop in 1/s, ``speed`` and ``acceleration`` the limits of the cranks,
    ``stiffness`` and ``damping`` are those of the servo, ``noise`` the tracker's standard deviation.
    """

    platform: TwoRSSU = field(default_factory=TwoRSSU.source_002)
    dt: float = 0.02
    bus: float = 0.05
    camera: float = 0.01
    loop: float = 6.5
    speed: float = deg(235.0)
    acceleration: float = deg(2000.0)
    stiffness: float = 2.0e4
    damping: float = 550.0
    torque: float = 900.0
    noise: float = deg(0.05)
    tracker: float = 0.01
    fine: float = 1e-3
    combination: Combination = Exact()  # noqa: RUF009 - frozen
    way: tuple[str, str] = ("multipliers", "semi-implicit-euler")

    @cached_property
    def _combine(self) -> Kernel:
        return Kernel(self.combination.function(self.platform))

    @cached_property
    def _servo(self) -> tuple[Simulation, State]:
        """The simulation of the machine with the servo in its step, and where it begins."""
        system = self.platform.mechanism()
        model = system.model()
        law = Controller(_servo_law(), stiffness=self.stiffness, damping=self.damping, torque=self.torque)
        closed = law.close(model)
        p = law.parameters(model.p)
        start = assemble(closed, p=p, pitch=0.0, roll=0.0)
        return Simulation(closed, *self.way, dt=self.fine, iterations=1), start

    def wanted(self, demand: Any) -> np.ndarray:
        """The crank angles asked for by demands (pitch, roll), a row each, every ``dt``."""
        rows = self.platform.checked(demand, 2, "demands")
        achieved = self._combine.batch(np.ascontiguousarray(rows.T)).achieved.T
        return self.platform.positions(np.ascontiguousarray(achieved))[0]

    def references(self, demand: Any) -> np.ndarray:
        """What the position loops ask of the servos: angle and speed of both cranks, every ``fine``."""
        angles = self.wanted(demand)
        ratio = round(self.dt / self.fine)
        late = np.repeat(angles, ratio, axis=0)
        shift = round(self.bus / self.fine)
        late = np.concatenate([np.zeros((shift, 2)), late])[: len(late)]
        profile = self._profile.run(np.zeros(4), late, [self.loop, self.speed, self.acceleration])
        return profile[1:]

    @cached_property
    def _profile(self) -> Recursion:
        graph = Graph()
        x = [graph.symbol(f"x{k}") for k in range(4)]
        goals = [graph.symbol("goal1"), graph.symbol("goal2")]
        p = [graph.symbol(name) for name in ("loop", "v", "a")]
        after: list[Expr] = []
        for goal, (place, speed) in zip(goals, (x[:2], x[2:]), strict=True):
            asked = minimum(maximum(p[0] * (goal - place), -p[1]), p[1])
            change = p[2] * self.fine
            faster = minimum(maximum(asked, speed - change), speed + change)
            after += [place + self.fine * faster, faster]
        return Recursion(Function("profile", {"x": x, "goal": goals, "p": p}, {"x_next": after}))

    def simulate(self, demand: Any) -> Record:
        """The machine's own motion, every ``fine`` seconds; raises ValueError if it diverges."""
        references = self.references(demand)
        simulation, start = self._servo
        run = simulation.run(start, self.fine * len(references), u=references)
        if not run.ok:
            raise ValueError(f"The plant diverged: {run.status}.")
        return run

    def measure(self, demand: Any, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """What the tracker says: its times, and rows (pitch, roll) with noise."""
        run = self.simulate(demand)
        times = np.arange(0.0, run.t[-1] + 0.5 * self.tracker, self.tracker)
        seen = np.maximum(times - self.camera, 0.0)
        poses = np.stack([np.interp(seen, run.t, run[name]) for name in self.platform.dofs], axis=1)
        noise = np.random.default_rng(seed).normal(0.0, self.noise, poses.shape)
        return times, poses + noise

    def respond(self, demand: Any, seed: int = 1) -> np.ndarray:
        """The measured poses at the moments of the demand."""
        poses = self.measure(demand, seed)[1]
        ratio = round(self.dt / self.tracker)
        return poses[: len(np.atleast_2d(demand)) * ratio : ratio]


def _servo_law() -> Function:
    """u = stiffness (r - q) + damping (r' - q'), within the torque, for the cranks of `two_rssu`."""
    graph = Graph()
    q = [graph.symbol(f"q{k}") for k in range(8)]
    dq = [graph.symbol(f"dq{k}") for k in range(8)]
    u = [graph.symbol(f"u{k}") for k in range(4)]
    stiffness, damping, torque = graph.symbols("stiffness damping torque")
    cranks = (2, 5)  # their places among the coordinates
    asked = [
        stiffness * (u[2 * k] - q[place]) + damping * (u[2 * k + 1] - dq[place])
        for k, place in enumerate(cranks)
    ]
    limited = [maximum(minimum(value, torque), -torque) for value in asked]
    inputs = {"q": q, "dq": dq, "u": u, "stiffness": stiffness, "damping": damping, "torque": torque}
    return Function("servo", inputs, {"efforts": limited})
