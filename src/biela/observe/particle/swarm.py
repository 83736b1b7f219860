"""`Swarm`: particles as a structure of arrays: a row a component, a column a particle, and log weights.

Weights are kept as logarithms less ``shift``, so that a filter need not go over all of them to normalise: a
reading that is a hundred standard deviations off everybody leaves them as good as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import total_ordering
from typing import Any

import numpy as np


def _none() -> np.ndarray:
    return np.zeros(0)


@total_ordering
@dataclass(frozen=True, eq=False)
class Particle:
    """One particle; the heavier one is the greater.

    >>> Particle(np.zeros(2)).logw, Particle(np.zeros(2), -1.0) < Particle(np.zeros(2))
    (0.0, True)
    """

    x: np.ndarray
    logw: float = 0.0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Particle) and self.logw == other.logw and np.array_equal(self.x, other.x)

    def __hash__(self) -> int:
        return hash((self.logw, self.x.tobytes()))

    def __lt__(self, other: Particle) -> bool:
        return self.logw < other.logw

    def copy(self) -> Particle:
        """A copy with memory of its own."""
        return Particle(self.x.copy(), self.logw)


@dataclass
class Swarm:
    """Particles ``x`` (component, particle) with log weights, all equal unless given.

    Raises ValueError for arrays that do not fit.

    >>> swarm = Swarm(np.zeros((2, 4)))
    >>> swarm.ess
    1.0
    """

    x: np.ndarray
    logw: np.ndarray = field(default_factory=_none)
    shift: float = 0.0

    def __post_init__(self) -> None:
        self.x = np.array(self.x, float, order="C", ndmin=2)
        given = np.asarray(self.logw, float)
        self.logw = np.zeros(self.x.shape[1]) if not given.size else given.copy()
        if given.size not in (0, self.x.shape[1]) or given.ndim > 1:
            raise ValueError(
                f"A swarm of {self.x.shape[1]} particles has as many log weights; got {given.shape}."
            )

    def __len__(self) -> int:
        return self.x.shape[1]

    def become(self, x: np.ndarray, logw: np.ndarray) -> None:
        """Take over other particles as they are, without copying."""
        self.x, self.logw, self.shift = x, logw, 0.0

    # one by one

    def __getitem__(self, k: int) -> Particle:
        """A copy of one."""
        return Particle(self.x[:, k].copy(), float(self.logw[k] - self.shift))

    def __setitem__(self, k: int, particle: Particle) -> None:
        """Replace one."""
        self.x[:, k], self.logw[k] = particle.x, particle.logw + self.shift

    def joined(self, *particles: Particle) -> Swarm:
        """With more particles at the end."""
        x = np.concatenate([self.x, *(one.x[:, None] for one in particles)], axis=1)
        return Swarm(x, np.concatenate([self.logw - self.shift, [one.logw for one in particles]]))

    def without(self, first: int | None = None, last: int | None = None) -> Swarm:
        """Without the last one, without one, or without those from ``first`` up to before ``last``.

        Raises IndexError for places outside.
        """
        first = len(self) - 1 if first is None else first
        last = first + 1 if last is None else last
        if not 0 <= first <= last <= len(self):
            raise IndexError(f"A swarm of {len(self)} particles has none at {first}..{last}.")
        places = np.r_[0:first, last : len(self)]
        return self.taken(places, self.logw[places] - self.shift)

    def taken(self, places: Sequence[int] | np.ndarray, logw: Any = ()) -> Swarm:
        """The particles at some places, of equal weights unless they are given."""
        return Swarm(self.x[:, np.asarray(places, int)], np.asarray(logw, float))

    # weights

    @property
    def weights(self) -> np.ndarray:
        """The weights, with sum one; all zero where all vanish."""
        top = self._top
        if not np.isfinite(top):
            return np.zeros(len(self))
        w = np.exp(np.nan_to_num(self.logw - top, nan=-np.inf))
        return w / w.sum()

    @property
    def _top(self) -> float:
        return float(np.max(self.logw, initial=-np.inf, where=~np.isnan(self.logw)))

    @property
    def ess(self) -> float:
        """The effective sample size as a share of all: 1 for equal weights, 0 where all vanish."""
        w = self.weights
        square = float(w @ w)
        return float(w.sum()) ** 2 / (len(self) * square) if square else 0.0

    def equalise(self, linear: bool = False) -> None:
        """Make all weights equal: 1, or with ``linear`` such that their sum is."""
        self.logw[:], self.shift = (-np.log(len(self)) if linear else 0.0), 0.0

    def normalise(self, linear: bool = False) -> None:
        """Scale the weights: the largest log weight becomes 0, or with ``linear`` the sum of weights 1."""
        top = self._top
        if np.isfinite(top):
            self.logw -= top + (np.log(np.exp(self.logw - top).sum()) if linear else 0.0)
        self.shift = 0.0
