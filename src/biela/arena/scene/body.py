"""Bodies: a shape, a mass, a material, and where it stands when its entity is created.

`SHAPES` is the registry: shape name -> the numbers it needs. A mass of -1 means a body that never moves
(the source's fields are made of those).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from biela.arena.scene.fault import Faults, known
from biela.arena.scene.material import DEFAULT
from biela.arena.scene.pose import Three

IMMOVABLE = -1.0
SHAPES: dict[str, tuple[str, ...]] = {
    "sphere": ("radius",),
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "wheel": ("radius", "length"),
    "mesh": ("points",),
}


@dataclass(frozen=True)
class Body:
    """A rigid body; cylinders, capsules and wheels have their axis along their own z.

    ``size`` of a box is its full length, width and height; ``points`` span a convex mesh. A sphere that rolls
    slows down at ``rolling`` m/s^2.
    """

    id: str
    shape: str
    mass: float = IMMOVABLE
    position: Three = (0.0, 0.0, 0.0)
    rotation: Three = (0.0, 0.0, 0.0)
    material: str = DEFAULT
    radius: float = 0.0
    length: float = 0.0
    size: Three = (0.0, 0.0, 0.0)
    points: tuple[Three, ...] = ()
    rolling: float = 0.0
    colour: str = ""

    @property
    def immovable(self) -> bool:
        """Whether it never moves."""
        return self.mass == IMMOVABLE

    def check(self, where: str, faults: Faults) -> None:
        """Add everything that is wrong with it."""
        if not faults.check(self.shape in SHAPES, where, f"shape '{self.shape}'.", known(self.shape, SHAPES)):
            return
        for name in SHAPES[self.shape]:
            self._check_size(name, where, faults)
        good = self.immovable or (math.isfinite(self.mass) and self.mass > 0)
        faults.check(good, where, f"mass is {self.mass} kg; it must be positive, or -1 for immovable.")
        good = math.isfinite(self.rolling) and self.rolling >= 0
        faults.check(good, where, f"rolling is {self.rolling} m/s^2; it must not be negative.")
        places = np.isfinite([*self.position, *self.rotation]).all()
        faults.check(bool(places), where, "position and rotation must be finite numbers.")

    def _check_size(self, name: str, where: str, faults: Faults) -> None:
        if name == "points":
            points = np.asarray(self.points, float).reshape(-1, 3)
            flat = len(points) < 4 or np.linalg.matrix_rank(points - points[0]) < 3
            faults.check(not flat, where, "points span no volume.", "Give at least four, not in one plane.")
            return
        values = np.atleast_1d(getattr(self, name))
        good = bool(np.isfinite(values).all() and (values > 0).all())
        faults.check(good, where, f"{name} is {getattr(self, name)}; it must be positive.")

    def half_extent(self) -> np.ndarray:
        """Half the sides of a box around it, in its own axes."""
        if self.shape == "box":
            return np.asarray(self.size) / 2
        if self.shape == "mesh":
            return np.abs(np.asarray(self.points)).max(axis=0)
        r, half = self.radius, self.length / 2
        along = {"sphere": r, "capsule": half + r}.get(self.shape, half)
        return np.array([r, r, along])
