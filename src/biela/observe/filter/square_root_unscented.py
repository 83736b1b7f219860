"""The square-root unscented Kalman filter (van der Merwe and Wan, 2001), with the update in Joseph's form.

The covariance after an update is that of the deviations ``dx - K dy`` and of ``K sqrt(R)``: one triangle. A
centre of negative weight is taken out of it afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import ClassVar, final

from biela.expr.expression import Expr, constant, where
from biela.expr.linear import cholesky, ldl
from biela.expr.matrix import Matrix, matrix, vector
from biela.observe.filter.filter import Belief
from biela.observe.filter.sigma import deviations, mean, points, read, spread, stepped, weights_of
from biela.observe.filter.square_root import SquareRootFilter
from biela.observe.gaussian import Update, downdated, likelihood, seen, triangular
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor


@final
class SquareRootUnscented(SquareRootFilter):
    """The unscented filter on S with P = S S'; no Cholesky factorisation can fail.

    Raises ValueError for an unknown set of points.
    """

    key: ClassVar[str] = "sqrt-ukf"

    def __init__(self, process: Process, sensors: Sequence[Sensor], points: str = "julier") -> None:
        super().__init__(process, sensors)
        self.weights = weights_of(points, process.manifold.size)

    def predicted(self, belief: Belief) -> Belief:
        """Every sigma point stepped; their mean, closed; the triangle of deviations and sqrt(Q)."""
        manifold = self.process.manifold
        states = points(self, belief.q, belief.dq, belief.P * sqrt(self.weights.spread))
        moved = [stepped(self, point) for point in states]
        values = [manifold.minimal(*point) for point in moved]
        S = self._triangle(deviations(values, self.weights), self.root_of_noise())
        return Belief(*self.process.closed(*manifold.placed(*moved[0], mean(values, self.weights))), S)

    def _triangle(self, apart: Sequence[Matrix], root: Matrix) -> Matrix:
        """The triangle of weighted deviations beside a root."""
        centre, others = apart[0], apart[1:]
        columns = [value * sqrt(self.weights.other) for value in others]
        if self.weights.covariance > 0.0:
            columns.append(centre * sqrt(self.weights.covariance))
        rows = [[*(c[i] for c in columns), *root[i]] for i in range(len(centre))]
        lower = triangular(rows, self.model.graph)
        if self.weights.covariance < 0.0:
            return downdated(lower, centre * sqrt(-self.weights.covariance), -1.0)
        return lower

    def updated(self, belief: Belief, readings: Sequence[Expr]) -> tuple[Belief, Update]:
        """The update by sigma points of the belief."""
        graph, manifold, weights = self.model.graph, self.process.manifold, self.weights
        states = points(self, belief.q, belief.dq, belief.P * sqrt(weights.spread))
        expected, present = read(self, states), self.instruments.present(readings)
        gaps = self.instruments.gap(readings, list(mean(expected, weights)))
        nothing = matrix([[constant(graph, 0.0)] * self.size for _ in readings], graph)
        there = seen(nothing, gaps, self.noise(), present)
        apart = [
            vector([where(p, y, 0.0) for p, y in zip(present, each, strict=True)], graph)
            for each in deviations(expected, weights)
        ]
        errors = deviations([manifold.minimal(*point) for point in states], weights)
        factor = ldl(spread(apart, apart, weights) + there.R, order="natural")
        K = factor.solve(spread(errors, apart, weights).T).T
        left = [dx - K @ dy for dx, dy in zip(errors, apart, strict=True)]
        S = self._triangle(left, K @ cholesky(there.R, order="natural").factor)
        change, nis = K @ there.innovation, there.innovation.dot(factor.solve(there.innovation))
        middle = manifold.minimal(belief.q, belief.dq)
        q, dq = self.process.closed(*manifold.placed(belief.q, belief.dq, middle + change))
        return Belief(q, dq, S), Update(change, S, nis, likelihood(nis, list(factor.pivots), present))
