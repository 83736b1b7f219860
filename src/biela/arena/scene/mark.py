"""Marks: lines painted on the bodies of an entity, seen by line sensors and drawn; they touch nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from biela.arena.scene.fault import Faults
from biela.arena.scene.pose import Three


@dataclass(frozen=True)
class Mark:
    """A straight line from ``start`` to ``end``, or a ring of ``radius`` about ``start``, in the world.

    ``width`` is across the line; ``radius`` of a ring is that of its middle.
    """

    id: str
    width: float
    start: Three = (0.0, 0.0, 0.0)
    end: Three = (0.0, 0.0, 0.0)
    radius: float = 0.0

    def check(self, where: str, faults: Faults) -> None:
        """Add everything that is wrong with it."""
        good = math.isfinite(self.width) and self.width > 0
        faults.check(good, where, f"width is {self.width} m; it must be positive.")
        good = math.isfinite(self.radius) and self.radius >= 0
        faults.check(good, where, f"radius is {self.radius} m; it must not be negative.")
        places = np.isfinite([*self.start, *self.end]).all()
        faults.check(bool(places), where, "start and end must be finite numbers.")
        long = self.radius > 0 or self.start != self.end
        faults.check(long, where, "has no length.", "Give start and end, or a radius.")

    def distance(self, x: float, y: float) -> float:
        """From a place to the edge of the paint, m; negative on it.

        >>> round(Mark("border", 0.05, radius=0.36).distance(0.4, 0.0), 6)
        0.015
        """
        ax, ay = x - self.start[0], y - self.start[1]
        if self.radius:
            return abs(math.hypot(ax, ay) - self.radius) - self.width / 2
        bx, by = self.end[0] - self.start[0], self.end[1] - self.start[1]
        share = min(1.0, max(0.0, (ax * bx + ay * by) / (bx * bx + by * by)))
        return math.hypot(ax - share * bx, ay - share * by) - self.width / 2
