"""Synthetic drives: what a car's motion sensors would say, as rows (fx, fy, fz, p, q, r).

Axes: x ahead, y left, z up; specific forces in m/s2 (g upwards at rest), rates in rad/s. A point mass on
smooth paths; the body rolls and pitches a little under its accelerations.
"""

from __future__ import annotations

from math import pi, radians
from typing import Any

import numpy as np

from biela.cueing.gravity import GRAVITY

ROLLING, PITCHING = radians(0.5), radians(0.3)  # of the body, rad for each m/s2


def of_accelerations(along: Any, across: Any, yaw_rate: Any, dt: float) -> np.ndarray:
    """The rows for accelerations along and across, and the rate of yaw."""
    along, across, yaw = (np.asarray(values, float) for values in (along, across, yaw_rate))
    roll, pitch = ROLLING * across, -PITCHING * along
    rates = [np.gradient(roll, dt), np.gradient(pitch, dt), yaw]
    force = [along, across, np.full_like(along, GRAVITY)]
    return np.stack([*force, *rates], axis=1)


def slalom(
    duration: float = 100.0, dt: float = 0.02, lateral: float = 4.0, period: float = 4.0
) -> np.ndarray:
    """Pylons at constant speed, with a start and a stop: ``lateral`` in m/s2, ``period`` in s."""
    t = dt * np.arange(round(duration / dt))
    gate = _bump(t, 8.0, duration - 8.0, 3.0)
    across = lateral * gate * np.sin(2.0 * pi * t / period)
    along = 2.5 * _bump(t, 1.0, 7.0, 1.0) - 3.0 * _bump(t, duration - 7.0, duration - 2.0, 1.0)
    return of_accelerations(along, across, across / 15.0, dt)


def town(duration: float = 100.0, dt: float = 0.02, seed: int = 1) -> np.ndarray:
    """Starts, turns, bumps and stops at random; the same seed gives the same drive."""
    rng = np.random.default_rng(seed)
    t = dt * np.arange(round(duration / dt))
    along, across = np.zeros_like(t), np.zeros_like(t)
    begin = 0.0
    while begin < duration:
        length = rng.uniform(2.0, 8.0)
        along += rng.normal(0.0, 1.5) * _bump(t, begin, begin + length, 0.8)
        across += rng.normal(0.0, 3.0) * _bump(t, begin + 1.0, begin + length, 1.0)
        begin += length
    rows = of_accelerations(along, across, across / 12.0, dt)
    rows[:, 2] += np.convolve(rng.normal(0.0, 1.0, len(t)), np.hanning(9) / 4.0, mode="same")
    return rows


def _bump(t: np.ndarray, begin: float, end: float, ramp: float) -> np.ndarray:
    """A smooth 1 between two times."""
    rise = np.clip((t - begin) / ramp, 0.0, 1.0)
    fall = np.clip((end - t) / ramp, 0.0, 1.0)
    return (rise * rise * (3.0 - 2.0 * rise)) * (fall * fall * (3.0 - 2.0 * fall))


DRIVES = {"slalom": slalom, "town": town}
