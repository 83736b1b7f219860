"""Smooth ways: from a pose and its speed to another pose, at which nothing moves.

A polynomial of fifth order in s = t / T meets place and speed at the begin, no acceleration there, and
neither speed nor acceleration at the end (T. Flash and N. Hogan, 1985): with the way d to go and v T = w,

    x = x0 + w s + (10 d - 6 w) s^3 + (-15 d + 8 w) s^4 + (6 d - 3 w) s^5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Course:
    """The way from ``begin``, with ``speed``, to ``end`` in ``duration`` seconds.

    >>> way = Course(np.array([1.0]), np.array([0.0]), np.array([0.0]), 2.0)
    >>> [float(way.at(t)[0]) for t in (0.0, 1.0, 2.0, 5.0)]
    [1.0, 0.5, 0.0, 0.0]
    """

    begin: np.ndarray
    speed: np.ndarray
    end: np.ndarray
    duration: float

    @staticmethod
    def still(place: np.ndarray) -> Course:
        """No way at all."""
        return Course(place, np.zeros_like(place), place, 0.0)

    def at(self, t: float) -> np.ndarray:
        """The place after a time."""
        if t >= self.duration:
            return self.end
        s, d, w = t / self.duration, self.end - self.begin, self.duration * self.speed
        bend = 10.0 * d - 6.0 * w + s * (8.0 * w - 15.0 * d + s * (6.0 * d - 3.0 * w))
        return self.begin + s * (w + s * s * bend)


def smooth(share: float) -> float:
    """0 at 0, 1 at 1, and still at both.

    >>> smooth(-1.0), smooth(0.5), smooth(2.0)
    (0.0, 0.5, 1.0)
    """
    s = min(max(share, 0.0), 1.0)
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))
