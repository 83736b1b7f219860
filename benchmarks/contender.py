"""Our ways to simulate the falling four-bar of `benchmarks.four_bar`: the same mechanism, described for `bl`.

A contender is a choice of coordinates, formulation and integrator; adding one is a row of `CONTENDERS`. Its
step has its parameters and the step size as numbers, as the peer in C has. First-order integrators are as
far off as their coordinates make them, so a contender is compared with a peer only by its error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import pi
from typing import Any

import numpy as np

import biela as bl
from benchmarks import four_bar
from benchmarks.four_bar import COUPLER, COUPLER_MASS, CRANK, DT, GRAVITY, GROUND, ROCKER, ROCKER_MASS
from biela.expr.function import Function
from biela.mechanics.model import Model
from biela.simulate.step import Step, step

DISC = 11.10  # kg


def joint_angles() -> Model:
    """By the angles of crank and rocker, and that of the coupler to the crank; two equations."""
    theta1, _, theta2, theta3 = four_bar.start().tolist()
    s = bl.System("four_bar")
    crank = s.body("crank", mass=DISC, inertia=bl.disc(DISC, CRANK))
    coupler = s.body("coupler", COUPLER_MASS, [COUPLER / 2, 0, 0], bl.rod(COUPLER_MASS, COUPLER))
    rocker = s.body("rocker", ROCKER_MASS, [ROCKER / 2, 0, 0], bl.rod(ROCKER_MASS, ROCKER))
    for body, on, at, angle in (
        (crank, s.ground, 0.0, theta1),
        (coupler, crank, CRANK, theta2 - theta1),
        (rocker, s.ground, GROUND, theta3),
    ):
        turn = s.coordinate(f"{body.name}.angle", angle, unit="rad")
        s.revolute(on, body, at=[at, 0, 0], axis="z", coordinates=turn)
    s.close(coupler.point([COUPLER, 0, 0]), rocker.point([ROCKER, 0, 0]))
    s.gravity([0, -GRAVITY, 0])
    return s.model()


def natural() -> Model:
    """By the places of the two pins that move; three equations keep lengths."""
    theta2 = float(four_bar.start()[2])
    s = bl.System("four_bar_natural")
    n = bl.Natural(s, plane="xy")
    A, B = n.fixed("A", [0, 0]), n.fixed("B", [GROUND, 0])
    P1 = n.point("P1", [0, CRANK])
    P2 = n.point("P2", [COUPLER * np.cos(theta2), CRANK + COUPLER * np.sin(theta2)])
    n.body("disc", {A: [0, 0], P1: [CRANK, 0]}, mass=DISC, com=[0, 0], inertia=four_bar.CRANK_INERTIA)
    n.bar("coupler", P1, P2, length=COUPLER, mass=COUPLER_MASS)
    n.bar("rocker", B, P2, length=ROCKER, mass=ROCKER_MASS)
    s.gravity([0, -GRAVITY, 0])
    return s.model()


COORDINATES: dict[str, Callable[[], Model]] = {"joint angles": joint_angles, "natural coordinates": natural}


@dataclass(frozen=True)
class Contender:
    """One of our ways, compiled when it is first used."""

    coordinates: str
    formulation: str
    integrator: str
    options: dict[str, Any] = field(default_factory=dict[str, Any])

    def __str__(self) -> str:
        closing = f", {self.options['iterations']} closing" if "iterations" in self.options else ""
        return f"{self.coordinates}, {self.formulation}, {self.integrator}{closing}"

    @cached_property
    def step(self) -> Step:
        """The step of `biela.simulate`."""
        model = COORDINATES[self.coordinates]()
        return step(model, self.formulation, self.integrator, **self.options)

    @cached_property
    def kernel(self) -> bl.Kernel:
        """The step with all its numbers in it."""
        return bl.Kernel(with_numbers(self.step), cache=False)

    @cached_property
    def start(self) -> np.ndarray:
        """The state before the first step."""
        return self.step.pack(*self.step.model.start, 0.0)

    def starts(self, lanes: int) -> np.ndarray:
        """The start, many times."""
        return np.ascontiguousarray(np.repeat(self.start[:, None], lanes, axis=1))

    def run(self, x: np.ndarray, steps: int) -> np.ndarray:
        """The state, or many, after that many steps."""
        return self.kernel.iterate(x, steps, every=steps)[-1]

    def crank(self, x: np.ndarray) -> float:
        """The crank's angle in a state, between 0 and a turn."""
        angle = x[0] if self.coordinates == "joint angles" else np.arctan2(x[1], x[0])
        return float(angle % (2 * pi))

    @cached_property
    def error(self) -> float:
        """Of the crank's angle after a second, rad."""
        return abs(self.crank(self.run(self.start, 1000)) - four_bar.THETA_AT_1_S)

    @cached_property
    def gap(self) -> float:
        """The largest residual of the equations of position in ten seconds."""
        return float(self.run(self.start, 10_000)[self.step.names.index("gap")])


def with_numbers(made: Step) -> Function:
    """The Function of a step with numbers for its size and for all parameters and inputs."""
    known = {"h": DT, "p": made.model.p, "u": made.model.u}
    ports = {port.name for port in made.function.inputs}
    return made.function.specialise(**{name: value for name, value in known.items() if name in ports})


CRANK_LEADS = {"independent": ("crank.angle",)}
CONTENDERS = (
    Contender("natural coordinates", "multipliers", "rattle", {"iterations": 1}),
    Contender("natural coordinates", "multipliers", "rattle"),
    Contender("natural coordinates", "multipliers", "semi-implicit-euler", {"iterations": 1}),
    Contender("joint angles", "independent", "semi-implicit-euler", {"iterations": 1, **CRANK_LEADS}),
    Contender("joint angles", "multipliers", "semi-implicit-euler", {"iterations": 1}),
    Contender("natural coordinates", "multipliers", "rk4"),
    Contender("joint angles", "independent", "rk4", CRANK_LEADS),
)
