"""The horizon of a predictive washout, condensed: a quadratic programme in the accelerations ahead.

*Movers* are double integrators (surge, heave, a tilt, a turn) whose accelerations u are held for a stage.
What they show together, the vehicle does too, and the difference is what an organ senses. Over N stages,

    min  1/2 sum_k Q sensed_k^2 + sum_movers (w_x x_k^2 + w_v v_k^2 + w_u u_k^2 + w_d (u_k - u_k-1)^2)
    with |u_k| <= u_most,  |v_k| <= v_most,  |x_k| <= x_most.

All quantities are linear in the accelerations U (as shares of their limits), in what is known, z, and in
the vehicle's motion ahead, r; each is kept as a row of coefficients. So the programme is

    min  1/2 U^T H U + (G (z, r))^T U   with   |A U + B z| <= 1.

z is (x, v, the acceleration before) for each mover, the states of the organ, and what else is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from biela.cueing.washout.organ import Organ


@dataclass(frozen=True)
class Mover:
    """A double integrator: what is shown of its acceleration, speed and place; its limits; its weights.

    ``most`` is (place, speed, acceleration), ``weights`` are those of place, speed, effort, and smoothness.
    """

    shows: tuple[float, float, float]
    most: tuple[float, float, float]
    weights: tuple[float, float, float, float]


@dataclass(frozen=True)
class Horizon:
    """The stages ahead. ``organ`` has the numbers of an otolith (four) or a canal (three), or none."""

    movers: tuple[Mover, ...]
    organ: tuple[float, ...]
    weight: float
    stages: int
    length: float

    @property
    def sense(self) -> Organ:
        """The organ as a state space."""
        return sense(self.organ)

    @property
    def known(self) -> int:
        """The size of z."""
        return 3 * len(self.movers) + self.sense.size + 1

    @property
    def programme(self) -> Programme:
        """The matrices."""
        return _condensed(self)


@dataclass(frozen=True, eq=False)
class Programme:
    """H, G, A and B; rows of A go by mover, then acceleration, speed and place, then stage."""

    H: np.ndarray
    G: np.ndarray
    A: np.ndarray
    B: np.ndarray


def sense(numbers: tuple[float, ...]) -> Organ:
    """An otolith for four numbers, a canal for three, nothing for none."""
    if not numbers:
        return Organ(np.zeros((0, 0)), np.zeros(0), np.zeros(0))
    return Organ.otolith(*numbers) if len(numbers) == 4 else Organ.canal(*numbers)


@lru_cache(maxsize=4096)
def _condensed(horizon: Horizon) -> Programme:
    n, N, h = len(horizon.movers) * horizon.stages, horizon.stages, horizon.length
    rows = np.eye(n + horizon.known + N)
    known, ahead = rows[n:], rows[n + horizon.known :]
    organ = horizon.sense
    A, B = organ.held(h)
    place, speed, before = ([known[3 * j + k] for j in range(len(horizon.movers))] for k in range(3))
    sensed = known[3 * len(horizon.movers) : 3 * len(horizon.movers) + organ.size]
    other = known[horizon.known - 1]
    cost: list[np.ndarray] = []
    bounded: list[list[list[np.ndarray]]] = [[[], [], []] for _ in horizon.movers]
    for k in range(N):
        shown = other
        for j, mover in enumerate(horizon.movers):
            u = mover.most[2] * rows[j * N + k]
            was, v = speed[j], speed[j] + h * u
            place[j] = place[j] + h * was + 0.5 * h * h * u
            parts = (u, 0.5 * (was + v), place[j])
            shown = shown + sum(c * part for c, part in zip(mover.shows, parts, strict=True))
            quantities = (place[j], v, u, u - before[j])
            cost += [np.sqrt(w) * row for w, row in zip(mover.weights, quantities, strict=True)]
            for kept, row, most in zip(bounded[j], (u, v, place[j]), mover.most[::-1], strict=True):
                kept.append(row / most)
            speed[j], before[j] = v, u
        error = ahead[k] - shown
        sensed = A @ sensed + np.outer(B, error)
        cost.append(np.sqrt(horizon.weight) * (organ.C @ sensed if horizon.organ else error))
    L = np.array(cost)
    limits = np.array([row for mover in bounded for kind in mover for row in kind])
    inner = slice(n, n + horizon.known)
    return Programme(L[:, :n].T @ L[:, :n], L[:, :n].T @ L[:, n:], limits[:, :n], limits[:, inner])
