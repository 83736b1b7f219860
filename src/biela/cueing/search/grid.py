"""The grid: all combinations of evenly spaced values, a generation at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from biela.cueing.search.plan import Plan, Space


def grid(space: Space) -> Plan:
    """As fine a grid as the budget allows, the same number of values for each number."""
    count = int(space.budget ** (1.0 / space.count) * (1.0 + 1e-12))
    ends = zip(space.low, space.high, strict=True)
    return lattice([_spaced(float(a), float(b), count) for a, b in ends], space.size)


def lattice(axes: Sequence[Any], size: int) -> Plan:
    """All combinations of the axes' values."""
    mesh = np.meshgrid(*[np.asarray(axis, float) for axis in axes], indexing="ij")
    points = np.stack([part.ravel() for part in mesh])
    for k in range(0, points.shape[1], size):
        yield points[:, k : k + size]


def _spaced(low: float, high: float, count: int) -> np.ndarray:
    """So many values with the ends among them; the middle where there is one."""
    return np.linspace(low, high, count) if count > 1 else np.array([0.5 * (low + high)])
