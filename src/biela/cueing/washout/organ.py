"""Organs of balance as state spaces: x' = A x + B u, sensed = C x."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg import expm  # pyright: ignore


@dataclass(frozen=True, eq=False)
class Organ:
    """The matrices; an organ without states senses what there is."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray

    @classmethod
    def otolith(cls, gain: float, lead: float, long: float, short: float) -> Organ:
        """gain (lead s + 1) / ((long s + 1)(short s + 1))."""
        return _companion(gain * np.array([1.0, lead]), (long, short))

    @classmethod
    def canal(cls, long: float, short: float, adaptation: float) -> Organ:
        """long adaptation s^2 / ((long s + 1)(short s + 1)(adaptation s + 1))."""
        return _companion(long * adaptation * np.array([0.0, 0.0, 1.0]), (long, short, adaptation))

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.A)

    def held(self, T: float) -> tuple[np.ndarray, np.ndarray]:
        """x_next = A x + B u for an input that is held for a time."""
        n = self.size
        whole = np.zeros((n + 1, n + 1))
        whole[:n, :n], whole[:n, n] = T * self.A, T * self.B
        found = np.asarray(expm(whole), float)
        return found[:n, :n], found[:n, n]


def _companion(zeros: np.ndarray, times: Sequence[float]) -> Organ:
    """zeros(s), lowest power first, over prod (T s + 1)."""
    if 0.0 in times:
        raise ValueError("An organ without a lag makes a cost endless; give it a short one.")
    poles = np.array([1.0])
    for time in times:
        poles = np.polymul(poles, [time, 1.0])
    n = len(times)
    A, B, C = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for k, after in pairwise(range(n)):
        A[k, after] = 1.0
    A[-1], B[-1] = -poles[:0:-1] / poles[0], 1.0
    C[: len(zeros)] = zeros / poles[0]
    return Organ(A, B, C)
