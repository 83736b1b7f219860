"""The ensemble Kalman filter: a few dozen states that are stepped as they are, and corrected as one.

The filter keeps the mean and each member's deviation from it. The correction is a deterministic square root,
one reading after the other (Whitaker and Hamill, 2002), so the readings are not perturbed; only the noise of
the process is drawn, by a counter-based generator whose seed and step are part of the state. On a linear
problem without process noise it is the Kalman filter exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np

from biela.expr.expression import Expr, constant, normal, sqrt
from biela.expr.linear import cholesky
from biela.expr.matrix import Matrix, matrix, vector
from biela.observe import covariance
from biela.observe.filter.filter import Belief, Filter
from biela.observe.filter.sigma import Point, read, stepped
from biela.observe.gaussian import Update, likelihood, seen
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor
from biela.simulate.state import State


@final
class EnsembleKalman(Filter):
    """The filter for strong curvature or many coordinates; ``inflation`` widens the members before an update.

    Raises ValueError for fewer than two members.
    """

    key: ClassVar[str] = "ensemble"

    def __init__(
        self,
        process: Process,
        sensors: Sequence[Sensor],
        members: int = 20,
        *,
        inflation: float = 1.0,
        seed: int = 1,
    ) -> None:
        super().__init__(process, sensors)
        if members <= process.manifold.size:
            raise ValueError(f"More members than {process.manifold.size} are needed; got {members!r}.")
        self.members, self.inflation, self.seed = int(members), float(inflation), int(seed)

    # what is kept: the deviations, and where the generator is

    @property
    def names(self) -> list[str]:
        """(z, dz): the generator has no error."""
        return self.process.manifold.names

    @property
    def augmented(self) -> list[str]:
        """The seed and the number of the step."""
        return ["seed", "step"]

    @cached_property
    def _symbols(self) -> list[Expr]:
        return [self.model.graph.symbol(f"ensemble.A{k}") for k in range(self.size * self.members)]

    def kept(self, P: np.ndarray) -> np.ndarray:
        """Deviations drawn and made to have the covariance exactly."""
        drawn = np.random.default_rng(self.seed).standard_normal((self.size, self.members))
        drawn -= drawn.mean(axis=1, keepdims=True)
        spread: np.ndarray = np.cov(drawn)
        mix: np.ndarray = np.linalg.cholesky(P) @ np.linalg.inv(np.linalg.cholesky(spread))
        return np.ravel(mix @ drawn)

    def covariances(self, rows: np.ndarray) -> np.ndarray:
        """Those of the members."""
        A = rows[:, self._place :].reshape(len(rows), self.size, self.members, *rows.shape[2:])
        return np.einsum("tik...,tjk...->tij...", A, A) / (self.members - 1)

    def unpacked(self, entries: Sequence[Expr]) -> Matrix:
        """The deviations, a column for each member."""
        m = self.members
        return matrix([list(entries[i * m : (i + 1) * m]) for i in range(self.size)], self.model.graph)

    def variances(self) -> list[Expr]:
        """Those of the members."""
        A = self.unpacked(self._symbols)
        return [(A[k] @ A[k]) / (self.members - 1.0) for k in range(self.size)]

    def packed(self, P: Matrix) -> list[Expr]:
        """Row after row."""
        return list(P.expressions)

    def start(self, state: State, P: Any) -> np.ndarray:
        """The state for a first guess and its covariance, or its standard deviations."""
        cov = covariance.checked(P, self.names, "start")
        time = [] if self.model.time is None else [state.t]
        return np.concatenate([state.q, state.dq, time, [self.seed, 0.0], self.kept(cov)])

    # the step

    def predicted(self, belief: Belief) -> Belief:
        """Every member stepped, and its own noise."""
        manifold, graph = self.process.manifold, self.model.graph
        moved = [stepped(self, point) for point in self._points(belief)]
        values = [manifold.minimal(*point) for point in moved]
        root = self.process.diffusion.root(self.process.h)
        seed, step = belief.more
        for k, value in enumerate(values):
            draws = vector([normal(seed, step, float(k), i) for i in range(root.shape[1])], graph)
            values[k] = value + root @ draws
        middle = _mean(values)
        A = matrix([[value[i] - middle[i] for value in values] for i in range(self.size)], graph)
        q, dq = self.process.closed(*manifold.placed(*moved[0], middle))
        return Belief(q, dq, A * self.inflation, (seed, step + 1.0))

    def _points(self, belief: Belief) -> list[Point]:
        process = self.process
        return [process.closed(*process.manifold.moved(belief.q, belief.dq, column)) for column in belief.P.T]

    def updated(self, belief: Belief, readings: Sequence[Expr]) -> tuple[Belief, Update]:
        """One reading after the other, made independent of each other first."""
        graph, manifold, scale = self.model.graph, self.process.manifold, 1.0 / (self.members - 1)
        present, expected = self.instruments.present(readings), read(self, self._points(belief))
        middle, m = _mean(expected), len(readings)
        gaps = self.instruments.gap(readings, list(middle))
        rows = [[value[i] - middle[i] for value in expected] for i in range(m)]
        there = seen(matrix(rows, graph), gaps, self.noise(), present)
        root = cholesky(there.R, order="natural")
        seen_by, gap = _whitened(root.factor, there.H, there.innovation)
        apart = [belief.P[i] for i in range(self.size)]
        change, nis, pivots = [constant(graph, 0.0)] * self.size, constant(graph, 0.0), list[Expr]()
        for k in range(m):
            s = seen_by[k].dot(seen_by[k]) * scale + 1.0
            share = 1.0 / (1.0 + 1.0 / sqrt(s))
            gains = [row.dot(seen_by[k]) * scale / s for row in apart]
            later = [seen_by[j].dot(seen_by[k]) * scale / s for j in range(m)]
            change = [c + g * gap[k] for c, g in zip(change, gains, strict=True)]
            nis, pivots = nis + gap[k] * gap[k] / s, [*pivots, s]
            here = seen_by[k]
            apart = [row - here * (g * share) for row, g in zip(apart, gains, strict=True)]
            gap = [value - c * gap[k] for value, c in zip(gap, later, strict=True)]
            seen_by = [row - here * (c * share) for row, c in zip(seen_by, later, strict=True)]
        pivots = [s * d * d for s, d in zip(pivots, (root.factor[i, i] for i in range(m)), strict=True)]
        moved, left = vector(change, graph), matrix([list(row) for row in apart], graph)
        q, dq = manifold.placed(belief.q, belief.dq, manifold.minimal(belief.q, belief.dq) + moved)
        found = Update(moved, left, nis, likelihood(nis, pivots, present))
        return Belief(*self.process.closed(q, dq), left, belief.more), found


def _mean(values: Sequence[Matrix]) -> Matrix:
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total * (1.0 / len(values))


def _whitened(L: Matrix, Y: Matrix, gap: Matrix) -> tuple[list[Matrix], list[Expr]]:
    """L^-1 Y, row by row, and L^-1 gap."""
    rows, gaps = list[Matrix](), list[Expr]()
    for i in range(len(gap)):
        row, value = Y[i], gap[i]
        for j in range(i):
            row, value = row - rows[j] * L[i, j], value - gaps[j] * L[i, j]
        rows.append(row * (1.0 / L[i, i]))
        gaps.append(value / L[i, i])
    return rows, gaps
