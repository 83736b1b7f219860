"""Joints between two bodies of an entity, and the motors that turn them.

`JOINTS` is the registry: kind -> how many axes it needs. A ``wheel`` has two axes as in the source (it is a
hinge-2 there): its first is for steering and is locked here, its second is the one the wheel spins about.
Its ``hardness`` and ``bounciness`` are read, kept and written; joints are exact in our backends, so that they
have nothing to soften.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from biela.arena.scene.fault import Faults, known
from biela.arena.scene.pose import Three

JOINTS = {"fixed": 0, "wheel": 2, "hinge": 1, "slider": 1, "universal": 2, "ball": 0}
DRIVEN = ("wheel", "hinge", "slider")
NONE: Three = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Joint:
    """What ties ``body2`` to ``body1``; axes are in the world when the entity is created.

    It is at ``body2`` unless ``at`` says where. ``maximum_torque`` (N m; N of a slider) bounds its motor.
    """

    id: str
    kind: str
    body1: str
    body2: str
    axis1: Three = NONE
    axis2: Three = NONE
    at: Three | None = None
    hardness: float = 0.0
    bounciness: float = 0.8
    maximum_torque: float = 0.0

    @property
    def axis(self) -> np.ndarray:
        """The axis that a motor drives, of length one."""
        axis = np.asarray(self.axis2 if self.kind == "wheel" else self.axis1, float)
        return axis / np.linalg.norm(axis)

    def check(self, where: str, bodies: dict[str, bool], faults: Faults) -> None:
        """Add everything that is wrong; ``bodies`` tells by id which are immovable."""
        for body in (self.body1, self.body2):
            faults.check(body in bodies, where, f"there is no body '{body}'.", known(body, bodies))
        faults.check(self.body1 != self.body2, where, f"ties body '{self.body1}' to itself.")
        if not faults.check(self.kind in JOINTS, where, f"kind '{self.kind}'.", known(self.kind, JOINTS)):
            return
        for name in ("axis1", "axis2")[: JOINTS[self.kind]]:
            length = float(np.linalg.norm(getattr(self, name)))
            good = math.isfinite(length) and length > 0
            faults.check(good, where, f"{name} is {getattr(self, name)}; it needs a direction.")
        good = math.isfinite(self.maximum_torque) and self.maximum_torque >= 0
        faults.check(good, where, f"maximum_torque is {self.maximum_torque}; it must not be negative.")


@dataclass(frozen=True)
class Motor:
    """Drives a joint at a speed (rad/s, m/s of a slider) with no more than the joint's ``maximum_torque``.

    ``top_speed`` bounds commands.
    """

    id: str
    joint: str
    top_speed: float = math.inf

    def check(self, where: str, kinds: dict[str, str], faults: Faults) -> None:
        """Add everything that is wrong; ``kinds`` has the joints of the entity."""
        if faults.check(self.joint in kinds, where, f"no joint '{self.joint}'.", known(self.joint, kinds)):
            kind = kinds[self.joint]
            faults.check(kind in DRIVEN, where, f"drives a {kind} joint.", f"Use {', '.join(DRIVEN)}.")
        faults.check(self.top_speed > 0, where, f"top_speed is {self.top_speed}; it must be positive.")
