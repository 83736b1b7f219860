"""The optimal filters of one channel: a platform's driver is to feel what one in the vehicle does.

Sivan, Ish-Shalom and Huang (IEEE Transactions on Systems, Man, and Cybernetics 12, 1982) put models of the
organs of balance into the car and onto the platform and let a linear regulator keep the difference of what
they sense small. With f, q what the vehicle does, a, w what the platform does, and s g theta what its tilt
shows, the states are those of

    otolith of (f - a - s g theta),  canal of (q - w),  theta' = w,  v' = a,  x' = v,  xi' = x,
    f' = -gamma f + noise,  q' = -gamma q + noise,

and the regulator keeps the expectation of

    sensed^T Q sensed + w_lean theta^2 + w_speed v^2 + w_place x^2 + w_bias xi^2 + w_a a^2 + w_w w^2

smallest: u = -F z with F = R^-1 B^T P and the algebraic Riccati equation

    A^T P + P A - P B R^-1 B^T P + Q = 0.

Since f and q are measured, this is a linear filter from them to the pose, W(s) in the literature. It is the
fixed filter of Telban and Cardullo's formulation (NASA/CR-2005-213747, recalled); weights are not theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.linalg import solve_continuous_are  # pyright: ignore

from biela.cueing.gravity import GRAVITY
from biela.cueing.washout.organ import Organ

WEIGHTS = ("force", "turning", "lean", "turn", "bias", "place", "speed", "effort", "bandwidth")


@dataclass(frozen=True)
class Regulator:
    """One channel: which degrees of freedom it has, the organs that sense it, and its weights.

    ``otolith`` is (gain, lead, long, short), ``canal`` (long, short, adaptation); an empty one senses
    nothing. ``weights`` are those of `WEIGHTS`.
    """

    moves: bool
    turns: bool
    sign: float
    otolith: tuple[float, ...]
    canal: tuple[float, ...]
    weights: tuple[float, ...]

    @property
    def solution(self) -> Solution:
        """The regulator, solved."""
        return _solved(self)


@dataclass(frozen=True, eq=False)
class Solution:
    """The matrices of a regulator, the solution P of its Riccati equation, and F.

    ``states`` names the rows; the first of them, all but ``f`` and ``q``, are those of the filter.
    """

    states: tuple[str, ...]
    A: np.ndarray
    B: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    P: np.ndarray
    F: np.ndarray

    @property
    def residual(self) -> float:
        """How far P is from solving the equation, relative to its largest term."""
        terms = [self.A.T @ self.P, self.P @ self.A, -self.P @ self.B @ self.F, self.Q]
        return float(np.abs(np.sum(terms, axis=0)).max() / max(np.abs(term).max() for term in terms))

    @property
    def filter(self) -> tuple[np.ndarray, np.ndarray]:
        """z' = A z + B (f, q) of the states without f and q, the regulator at work."""
        closed = self.A - self.B @ self.F
        inputs = [self.states.index(name) for name in ("f", "q") if name in self.states]
        inner = [k for k in range(len(closed)) if k not in inputs]
        return closed[np.ix_(inner, inner)], closed[np.ix_(inner, inputs)]

    def sampled(self, T: float) -> tuple[np.ndarray, np.ndarray]:
        """z_next = A z + B (u + u_before), by Tustin's rule."""
        A, B = self.filter
        half, eye = 0.5 * T * A, np.eye(len(A))
        return np.linalg.solve(eye - half, eye + half), np.linalg.solve(eye - half, 0.5 * T * B)


@lru_cache(maxsize=4096)
def _solved(regulator: Regulator) -> Solution:
    plan = _Plan(regulator)
    A, B, Q, R = plan.A, plan.B, plan.Q, plan.R
    P = np.asarray(solve_continuous_are(A, B, Q, R), float)
    return Solution(plan.states, A, B, Q, R, P, np.linalg.solve(R, B.T @ P))


class _Plan:
    """The matrices of a regulator in the making."""

    def __init__(self, regulator: Regulator) -> None:
        self.weight: dict[str, float] = dict(zip(WEIGHTS, regulator.weights, strict=True))
        otolith, canal = regulator.otolith, regulator.canal
        platform = (*(["theta"] if regulator.turns else []), *(["xi", "x", "v"] if regulator.moves else []))
        driven = tuple(name for name, organ in (("f", otolith), ("q", canal)) if organ)
        sensing = [f"otolith{k}" for k in range(len(otolith) and 2)]
        sensing += [f"canal{k}" for k in range(len(canal))]
        self.states = (*sensing, *platform, *driven)
        self.inputs = (*(["a"] if regulator.moves else []), *(["w"] if regulator.turns else []))
        n = len(self.states)
        self.A, self.B, self.Q = np.zeros((n, n)), np.zeros((n, len(self.inputs))), np.zeros((n, n))
        self.R = np.diag([self.weight[{"a": "effort", "w": "turn"}[name]] for name in self.inputs])
        self._move(driven)
        if otolith:
            tilt = {"theta": -regulator.sign * GRAVITY}
            self._sense("otolith", "force", Organ.otolith(*otolith), {"f": 1.0} | tilt, "a")
        if canal:
            self._sense("canal", "turning", Organ.canal(*canal), {"q": 1.0}, "w")

    def _move(self, driven: Sequence[str]) -> None:
        """The platform, what drives it, and what it costs to be away from rest."""
        for to, what in (("theta", "w"), ("v", "a")):
            if to in self.states:
                self.B[self.states.index(to), self.inputs.index(what)] = 1.0
        for to, what in (("x", "v"), ("xi", "x")):
            self._couple(to, what, 1.0)
        for name in driven:
            self._couple(name, name, -self.weight["bandwidth"])
        for name, key in (("theta", "lean"), ("xi", "bias"), ("x", "place"), ("v", "speed")):
            if name in self.states:
                k = self.states.index(name)
                self.Q[k, k] = self.weight[key]

    def _couple(self, to: str, what: str, factor: float) -> None:
        if to in self.states and what in self.states:
            self.A[self.states.index(to), self.states.index(what)] += factor

    def _sense(self, name: str, weight: str, organ: Organ, seen: dict[str, float], moved: str) -> None:
        """An organ, what it senses, and what it costs."""
        rows = [self.states.index(f"{name}{k}") for k in range(organ.size)]
        self.A[np.ix_(rows, rows)] = organ.A
        for state, factor in seen.items():
            if state in self.states:
                self.A[rows, self.states.index(state)] += factor * organ.B
        if moved in self.inputs:
            self.B[rows, self.inputs.index(moved)] = -organ.B
        self.Q[np.ix_(rows, rows)] += self.weight[weight] * np.outer(organ.C, organ.C)
