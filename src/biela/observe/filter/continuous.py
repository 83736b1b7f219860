"""The continuous-time extended Kalman filter: Riccati's equation for the covariance, integrated in the step.

Between readings

    dP/dt = A P + P A' + Qc

with A the slope of the accelerations along the manifold, by Runge and Kutta's method of fourth order, A being
taken at both ends of the step. The other part of Kalman and Bucy's equation, -P H' R^-1 H P with R the
covariance of a reading times h, integrates over the step to the update of a reading: that is done with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, final

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix, matrix
from biela.observe.filter.filter import Belief, Filter
from biela.observe.gaussian import Update, mirrored, update


@final
class ContinuousKalman(Filter):
    """The filter whose covariance is integrated; noise a step is taken as a density over that step."""

    key: ClassVar[str] = "continuous"

    @cached_property
    def drift(self) -> Matrix:
        """A: how the rates of (z, dz) change with them."""
        manifold = self.process.manifold
        return manifold.derivative([*(self.model.dq[k] for k in manifold.free), *self.process.rates()])

    def predicted(self, belief: Belief) -> Belief:
        """The step, and Riccati's equation without readings over it."""
        moved = self.process.advance(**self.process.here)
        end = Belief(moved.q_next, moved.dq_next, belief.P)
        A0, n = self.drift, self.size
        later = [] if self.model.time is None else [self.model.time + self.process.h]
        last = list(self.moved_to(A0.expressions, end, later))
        A1 = matrix([last[i * n : (i + 1) * n] for i in range(n)], self.model.graph)
        return end._replace(P=self._integrated(belief.P, (A0, (A0 + A1) * 0.5, A1)))

    def _integrated(self, P: Matrix, drifts: tuple[Matrix, Matrix, Matrix]) -> Matrix:
        h, graph, Q = self.process.h, self.model.graph, self.process.diffusion.density()

        def rate(A: Matrix, at: Matrix) -> Matrix:
            half, n = A @ at, self.size
            rows = [
                [half[i, j] + half[j, i] + Q[i, j] if j >= i else 0.0 for j in range(n)] for i in range(n)
            ]
            return mirrored(graph, rows)

        first, middle, last = drifts
        k1 = rate(first, P)
        k2 = rate(middle, P + k1 * (0.5 * h))
        k3 = rate(middle, P + k2 * (0.5 * h))
        k4 = rate(last, P + k3 * h)
        return P + (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0)

    def updated(self, belief: Belief, readings: Sequence[Expr]) -> tuple[Belief, Update]:
        """The update of a reading, at once or as held over the step."""
        instruments = self.instruments
        gaps, present = instruments.gap(readings, instruments.values), instruments.present(readings)
        found = update(belief.P, instruments.slopes, gaps, self.noise(), present)
        q, dq = self.process.manifold.moved(belief.q, belief.dq, found.change)
        return Belief(*self.process.closed(q, dq), found.P), found
