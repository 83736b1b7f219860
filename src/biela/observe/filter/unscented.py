"""The unscented Kalman filter in independent coordinates: sigma points, each closed onto the constraints.

The sigma points of the readings are drawn anew from the predicted belief, or those that were propagated are
used again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, final

from biela.expr.expression import Expr, constant, where
from biela.expr.function import Function
from biela.expr.linear import cholesky, ldl
from biela.expr.matrix import Matrix, matrix, vector
from biela.observe.filter.filter import Belief, Filter
from biela.observe.filter.sigma import Point, deviations, mean, points, read, spread, stepped, weights_of
from biela.observe.gaussian import Update, likelihood, mirrored
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor


@final
class UnscentedKalman(Filter):
    """A mean and a covariance through sigma points.

    ``points`` is 'julier' or 'scaled'; ``redraw`` whether the readings get sigma points of their own.

    Raises ValueError for an unknown set of points.
    """

    key: ClassVar[str] = "ukf"

    def __init__(
        self, process: Process, sensors: Sequence[Sensor], points: str = "julier", redraw: bool = True
    ) -> None:
        super().__init__(process, sensors)
        self.weights, self.redraw = weights_of(points, process.manifold.size), redraw

    def predicted(self, belief: Belief) -> Belief:
        """Every sigma point stepped; their mean, closed; their covariance and Q."""
        moved = [stepped(self, point) for point in self._sigma(belief)]
        manifold = self.process.manifold
        values = [manifold.minimal(*point) for point in moved]
        apart = deviations(values, self.weights)
        P = spread(apart, apart, self.weights) + self.process.added
        return Belief(*self.process.closed(*manifold.placed(*moved[0], mean(values, self.weights))), P)

    def updated(self, belief: Belief, readings: Sequence[Expr]) -> tuple[Belief, Update]:
        """The update by the sigma points of the belief."""
        return self._corrected(belief, self._sigma(belief), readings)

    @cached_property
    def correction(self) -> Function:
        """The update alone; raises ValueError where it uses the sigma points of the prediction again."""
        if self.redraw:
            return self.halved()
        raise ValueError("UnscentedKalman: without redraw a step is one; call step, or give redraw=True.")

    def _updated_at(self, ahead: Belief, later: list[Expr]) -> tuple[Belief, Update]:
        if self.redraw:
            return super()._updated_at(ahead, later)
        moved = [stepped(self, point) for point in self._sigma(self.belief)]
        return self._corrected(ahead, moved, self.readings)

    def _sigma(self, belief: Belief) -> list[Point]:
        root = cholesky(belief.P * self.weights.spread, order="natural").factor
        return points(self, belief.q, belief.dq, root)

    def _corrected(
        self, belief: Belief, states: Sequence[Point], readings: Sequence[Expr]
    ) -> tuple[Belief, Update]:
        graph, manifold, weights = self.model.graph, self.process.manifold, self.weights
        expected = read(self, states)
        apart = deviations(expected, weights)
        errors = deviations([manifold.minimal(*point) for point in states], weights)
        noise, cross = spread(apart, apart, weights) + self.noise(), spread(errors, apart, weights)
        present = self.instruments.present(readings)
        gap, kept, S = self._masked(readings, list(mean(expected, weights)), cross, noise, present)
        factor = ldl(S, order="natural")
        K, n = factor.solve(kept.T).T, self.size
        rows = [[belief.P[i, j] - K[i].dot(kept[j]) if j >= i else 0.0 for j in range(n)] for i in range(n)]
        change = K @ gap
        middle = manifold.minimal(belief.q, belief.dq)
        q, dq = self.process.closed(*manifold.placed(belief.q, belief.dq, middle + change))
        nis, P = gap.dot(factor.solve(gap)), mirrored(graph, rows)
        return Belief(q, dq, P), Update(change, P, nis, likelihood(nis, list(factor.pivots), present))

    def _masked(
        self,
        readings: Sequence[Expr],
        expected: list[Expr],
        cross: Matrix,
        noise: Matrix,
        present: list[Expr],
    ) -> tuple[Matrix, Matrix, Matrix]:
        """Innovation, cross covariance and covariance of the innovation, without the readings that miss."""
        graph, m = self.model.graph, len(readings)
        one, zero = constant(graph, 1.0), constant(graph, 0.0)
        S: list[list[Any]] = [[zero] * m for _ in range(m)]
        for i in range(m):
            for j in range(i, m):
                both = present[i] if i == j else present[i] * present[j]
                S[i][j] = where(both, noise[i, j], one if i == j else zero)
        gaps = self.instruments.gap(readings, expected)
        gap = vector([where(p, g, zero) for p, g in zip(present, gaps, strict=True)], graph)
        rows = [[where(present[j], cross[i, j], zero) for j in range(m)] for i in range(self.size)]
        return gap, matrix(rows, graph), mirrored(graph, S)
