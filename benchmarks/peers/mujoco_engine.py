"""MuJoCo: the four-bar closed by an equality constraint, and the arm, in its own loops of C.

`mj_step` with a number of steps for one state, `rollout` without threads for many. Its constraints are soft:
``connect`` is as stiff as MuJoCo lets it be at this step size, which makes its trajectory that of
semi-implicit Euler. Contacts and islands, which a loop has no use for, are off; of the solvers the quickest
that agrees is the default one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout

from benchmarks import four_bar
from benchmarks.four_bar import COUPLER, COUPLER_MASS, CRANK, DT, GROUND, ROCKER, ROCKER_MASS
from biela.mechanisms.serial_arm import Link

OPTIONS = (
    '<compiler angle="radian"/>'
    f'<option timestep="{DT}" gravity="{{gravity}}" integrator="Euler">'
    '<flag contact="disable" island="disable"/></option>'
)
THIN = 1e-9  # kg m2, about the axis of a rod: not zero, and never seen in a plane


engine: Any = mujoco  # its types are C's, and its stubs leave most of them open


class Engine:
    """Runs a MuJoCo model from a start, alone or in a batch."""

    def __init__(self, xml: str, q: Sequence[float]) -> None:
        self.model: Any = engine.MjModel.from_xml_string(xml)
        self.data: Any = engine.MjData(self.model)
        self.q = np.array(q, float)

    def run(self, steps: int, dq: Any = 0.0) -> np.ndarray:
        """Positions that many steps after the start."""
        engine.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = self.q, dq
        engine.mj_step(self.model, self.data, nstep=steps)
        return np.array(self.data.qpos)

    def run_batch(self, starts: np.ndarray, steps: int) -> np.ndarray:
        """Positions after that many steps, (coordinates, lanes), for starts made by `starts`."""
        states: Any = rollout.rollout(self.model, self.data, starts, nstep=steps)[0]
        return states[:, -1, 1 : 1 + self.model.nq].T

    def starts(self, dq: np.ndarray) -> np.ndarray:
        """The start with many velocities, (coordinates, lanes), as `run_batch` takes it."""
        lanes = dq.shape[1]
        return np.hstack([np.zeros((lanes, 1)), np.tile(self.q, (lanes, 1)), dq.T])


class Mujoco:
    """The two mechanisms in MuJoCo."""

    def __init__(self) -> None:
        theta1, _, theta2, theta3 = four_bar.start().tolist()
        self.four_bar = Engine(_four_bar(), [theta1, theta2 - theta1, theta3])
        loop = self.four_bar.model.eq_data[0]  # the compiler takes the second place from where angles are 0
        loop[:3], loop[3:6] = [COUPLER, 0.0, 0.0], [ROCKER, 0.0, 0.0]

    def arm(self, links: Iterable[Link]) -> Engine:
        """An arm from its table."""
        table = list(links)
        return Engine(_arm(table), [link.start for link in table])


def load(quick: bool) -> Mujoco:
    """The contender; importing this raises ImportError without MuJoCo."""
    return Mujoco()


def _four_bar() -> str:
    disc = four_bar.CRANK_INERTIA
    return (
        f"<mujoco>{OPTIONS.format(gravity=f'0 {-four_bar.GRAVITY} 0')}<worldbody>"
        f'<body><joint axis="0 0 1"/><inertial pos="0 0 0" mass="11.10" '
        f'diaginertia="{disc / 2} {disc / 2} {disc}"/>'
        f'<body name="coupler" pos="{CRANK} 0 0"><joint axis="0 0 1"/>{_rod(COUPLER_MASS, COUPLER)}'
        "</body></body>"
        f'<body name="rocker" pos="{GROUND} 0 0"><joint axis="0 0 1"/>{_rod(ROCKER_MASS, ROCKER)}</body>'
        f'</worldbody><equality><connect body1="coupler" body2="rocker" anchor="{COUPLER} 0 0" '
        f'solref="{2 * DT} 1" solimp="0.9999 0.9999 0.001 0.5 2"/></equality></mujoco>'
    )


def _rod(mass: float, length: float) -> str:
    across = mass * length**2 / 12
    return f'<inertial pos="{length / 2} 0 0" mass="{mass}" diaginertia="{THIN} {across} {across}"/>'


def _arm(links: list[Link]) -> str:
    bodies = ""
    for link in reversed(links):
        twist = np.deg2rad(link.twist)
        place = (link.a, -link.d * np.sin(twist), link.d * np.cos(twist))
        bodies = (
            f'<body pos="{_list(place)}" euler="{twist} 0 0"><joint axis="0 0 1"/>'
            f'<inertial pos="{_list(link.com)}" mass="{link.mass}" fullinertia="{_list(link.inertia)}"/>'
            f"{bodies}</body>"
        )
    return f"<mujoco>{OPTIONS.format(gravity='0 0 -9.81')}<worldbody>{bodies}</worldbody></mujoco>"


def _list(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
