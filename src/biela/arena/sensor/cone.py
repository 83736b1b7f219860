"""Directions within a cone: a fixed spiral of them, and others brought to its edge."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

GOLDEN = math.pi * (3.0 - math.sqrt(5.0))


@lru_cache(64)
def spiral(angle: float, count: int) -> np.ndarray:
    """Directions evenly spread over a cone about x, the axis first; ``angle`` is from axis to edge.

    >>> spiral(0.2, 3).round(3)[0].tolist()
    [1.0, 0.0, 0.0]
    """
    share = np.arange(count) / max(1, count - 1)
    along = 1.0 - share * (1.0 - math.cos(angle))
    out, turn = np.sqrt(np.maximum(0.0, 1.0 - along**2)), GOLDEN * np.arange(count)
    return np.stack([along, out * np.cos(turn), out * np.sin(turn)], axis=1)


def within(towards: np.ndarray, angle: float) -> np.ndarray:
    """A direction (axes of the cone) of length one, turned to the edge if it is outside."""
    towards = towards / max(float(np.linalg.norm(towards)), 1e-300)
    if math.atan2(math.hypot(towards[1], towards[2]), towards[0]) <= angle:
        return towards
    out = math.hypot(towards[1], towards[2])
    side = towards[1:] / out if out > 0 else np.array([1.0, 0.0])
    return np.array([math.cos(angle), *(math.sin(angle) * side)])
