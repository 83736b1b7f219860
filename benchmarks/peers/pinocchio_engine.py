"""Pinocchio: the four-bar closed by a constraint, stepped from Python, and the arm's accelerations natively.

Pinocchio integrates nothing itself: semi-implicit Euler around `constraintDynamics` is a loop in Python, as
its users write it, with its own correction of drift. One proximal iteration is as accurate here as ten.
`abaInParallel` with one thread is a loop in C++ over many states; compiled from its headers by gcc for this
processor, the same loop is no quicker.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pinocchio  # pyright: ignore[reportMissingTypeStubs]

from benchmarks import four_bar
from benchmarks.four_bar import COUPLER, COUPLER_MASS, CRANK, DT, GROUND, ROCKER, ROCKER_MASS
from benchmarks.versus_pinocchio import described
from biela.mechanisms.serial_arm import Link

RESTORING = 100.0  # 1/s: critically damped; gaps and trajectory differ little from 50 to 300
PROXIMAL = 1e-8

pin: Any = pinocchio


class FourBar:
    """Steps the four-bar in Python."""

    def __init__(self) -> None:
        self.model = _four_bar()
        self.data = self.model.createData()
        turns = [pin.SE3(np.eye(3), np.array([length, 0.0, 0.0])) for length in (COUPLER, ROCKER)]
        loop = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, self.model, 2, turns[0], 3, turns[1], pin.ReferenceFrame.LOCAL
        )
        loop.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(RESTORING**2, 2.0 * RESTORING))
        self.loops, self.closing = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        self.loops.append(loop)
        self.closing.append(loop.createData())
        pin.initConstraintDynamics(self.model, self.data, self.loops, self.closing)
        self.settings = pin.ProximalSettings(1e-12, PROXIMAL, 1)

    def run(self, steps: int) -> np.ndarray:
        """Positions that many steps after the start."""
        theta1, _, theta2, theta3 = four_bar.start().tolist()
        q, dq, torque = np.array([theta1, theta2 - theta1, theta3]), np.zeros(3), np.zeros(3)
        for _ in range(steps):
            ddq = pin.constraintDynamics(
                self.model, self.data, q, dq, torque, self.loops, self.closing, self.settings
            )
            dq += DT * ddq
            q += DT * dq
        return q


class Arm:
    """Accelerations of an arm, for many states in a loop of C++."""

    def __init__(self) -> None:
        self.model = described(pin)
        self.data, self.pool = self.model.createData(), pin.ModelPool(self.model, 1)

    def accelerations(self, q: np.ndarray, dq: np.ndarray, torque: np.ndarray, ddq: np.ndarray) -> None:
        """Into ``ddq``; all are (coordinates, states) in Fortran's order."""
        pin.abaInParallel(1, self.pool, q, dq, torque, ddq)

    def call(self, q: np.ndarray, dq: np.ndarray, torque: np.ndarray) -> np.ndarray:
        """Of one state, called from Python."""
        return pin.aba(self.model, self.data, q, dq, torque)

    def empty_call(self, q: np.ndarray, dq: np.ndarray, torque: np.ndarray) -> object:
        """A call from Python of as many arguments that computes next to nothing."""
        return pin.difference(self.model, q, dq)


class Pinocchio:
    """The two mechanisms in Pinocchio."""

    def __init__(self) -> None:
        self.four_bar = FourBar()

    def arm(self, links: Iterable[Link]) -> Arm:
        """The arm of `benchmarks.versus_pinocchio`."""
        return Arm()


def load(quick: bool) -> Pinocchio:
    """The contender; importing this raises ImportError without Pinocchio."""
    return Pinocchio()


def _four_bar() -> Any:
    model, disc = pin.Model(), four_bar.CRANK_INERTIA
    model.gravity.linear = np.array([0.0, -four_bar.GRAVITY, 0.0])
    crank = pin.Inertia(11.10, np.zeros(3), np.diag([disc / 2, disc / 2, disc]))
    bodies = (
        (0, 0.0, crank),
        (1, CRANK, _rod(COUPLER_MASS, COUPLER)),
        (0, GROUND, _rod(ROCKER_MASS, ROCKER)),
    )
    for n, (parent, place, inertia) in enumerate(bodies, 1):
        frame = pin.SE3(np.eye(3), np.array([place, 0.0, 0.0]))
        joint = model.addJoint(parent, pin.JointModelRZ(), frame, f"joint{n}")
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    return model


def _rod(mass: float, length: float) -> Any:
    across = mass * length**2 / 12
    return pin.Inertia(mass, np.array([length / 2, 0.0, 0.0]), np.diag([0.0, across, across]))
