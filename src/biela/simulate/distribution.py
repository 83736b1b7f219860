"""Distributions that starts and parameters are drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Uniform:
    """Evenly between two numbers.

    >>> Uniform(2.0, 3.0).draw(np.random.default_rng(1), 2)
    array([2.51182162, 2.9504637 ])
    """

    low: float
    high: float

    def draw(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """So many independent draws."""
        return rng.uniform(self.low, self.high, n)


@dataclass(frozen=True)
class Normal:
    """The normal distribution about a mean."""

    mean: float
    sigma: float

    def draw(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """So many independent draws."""
        return rng.normal(self.mean, self.sigma, n)


@dataclass(frozen=True)
class Choice:
    """One of some numbers, each as likely as the others."""

    values: tuple[float, ...]

    def draw(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """So many independent draws."""
        return rng.choice(np.asarray(self.values, float), n)


def drawn(given: Any, rng: np.random.Generator, n: int, what: str) -> np.ndarray:
    """``n`` draws of a distribution, or a number or array of them as it is.

    Raises ValueError for another shape, or numbers that are not finite.
    """
    values = given.draw(rng, n) if hasattr(given, "draw") else np.asarray(given, float)
    if values.shape not in ((), (n,)):
        raise ValueError(f"{what} has shape {values.shape}; expected a number, a distribution or ({n},).")
    if not np.isfinite(values).all():
        raise ValueError(f"{what} is not finite: {values}.")
    return np.broadcast_to(values, (n,))
