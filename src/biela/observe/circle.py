"""Angles and densities: what the scores of estimates are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from biela.mechanics.quantity import TURN


def wrapped(angle: Any) -> Any:
    """An angle, or many, within [0, 2 pi).

    >>> float(wrapped(-TURN)), float(wrapped(-1e-17)), float(wrapped(7.0)) == 7.0 - TURN
    (0.0, 0.0, True)
    """
    found = np.mod(angle, TURN)
    return np.where(found >= TURN, 0.0, found)  # a tiny negative angle is a whole turn after rounding


def circular_mean(angles: Any, weights: Any) -> float:
    """The direction of the weighted sum of the points on the circle, in [0, 2 pi).

    >>> round(circular_mean([0.1, TURN - 0.1], [1.0, 1.0]), 12) in (0.0, round(TURN, 12))
    True
    """
    return float(wrapped(np.arctan2(np.dot(weights, np.sin(angles)), np.dot(weights, np.cos(angles)))))


def linear_mean(angles: Any, weights: Any) -> float:
    """The weighted mean of wrapped angles as plain numbers, which is wrong where they straddle zero.

    >>> round(linear_mean([0.1, TURN - 0.1], [1.0, 1.0]), 4)
    3.1416
    """
    w = np.asarray(weights, float)
    return float(np.dot(w, wrapped(angles)) / w.sum())


def apart(one: float, other: float) -> float:
    """How far two angles are from each other, at most half a turn.

    >>> round(apart(0.1, TURN - 0.1), 12)
    0.2
    """
    gap = abs(one - other) % TURN
    return min(gap, TURN - gap)


def log_normal(x: Any, mean: Any, deviation: Any) -> Any:
    """The exponent of a normal density, without its constant.

    >>> log_normal(1.0, 3.0, 2.0)
    -0.5
    """
    return -0.5 * ((mean - x) / deviation) ** 2
