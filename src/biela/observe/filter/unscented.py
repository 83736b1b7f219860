"""The unscented Kalman filter in independent coordinates: sigma points, each closed onto the constraints.

Julier's set (kappa = 3 - L) or the scaled one (alpha, beta, kappa). The sigma points of the readings are
drawn anew from the predicted belief, or those that were propagated are used again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, final

from biela.expr.expression import Expr, constant, equal, where
from biela.expr.linear import cholesky, ldl
from biela.expr.matrix import Matrix, matrix, vector
from biela.observe.filter.filter import Belief, Filter
from biela.observe.gaussian import Update, from_triangle, mirrored
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor


class Weights(NamedTuple):
    """The spread of the points, the weights of the centre for mean and covariance, and that of the others."""

    spread: float
    mean: float
    covariance: float
    other: float


def julier(n: int) -> Weights:
    """Kappa = 3 - n: the fourth moments of a Gaussian are right."""
    return Weights(3.0, (3.0 - n) / 3.0, (3.0 - n) / 3.0, 1.0 / 6.0)


def scaled(n: int, alpha: float = 1e-3, beta: float = 2.0, kappa: float = 0.0) -> Weights:
    """The scaled set of Wan and van der Merwe (2000)."""
    spread = alpha * alpha * (n + kappa)
    centre = (spread - n) / spread
    return Weights(spread, centre, centre + 1.0 - alpha * alpha + beta, 0.5 / spread)


SETS = {"julier": julier, "scaled": scaled}


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
        if points not in SETS:
            raise ValueError(f"Unknown points {points!r}: expected {' or '.join(SETS)}.")
        self.weights, self.redraw = SETS[points](process.manifold.size), redraw

    def predicted(self, belief: Belief) -> Belief:
        """Every sigma point stepped; their mean, closed; their covariance and Q."""
        moved = [self._stepped(q, dq) for q, dq in self._sigma(belief)]
        return self._gathered(moved, self.process.covariance)

    def updated(self, belief: Belief, readings: Sequence[Expr]) -> tuple[Belief, Update]:
        """The update by the sigma points of the belief."""
        return self._corrected(belief, self._sigma(belief), readings)

    def _updated_at(self, ahead: Belief, later: list[Expr]) -> tuple[Belief, Update]:
        if self.redraw:
            return super()._updated_at(ahead, later)
        here, size = self.process.here, self.process.manifold.size
        belief = Belief(here["q"], here["dq"], from_triangle(self.model.graph, self._symbols, size))
        moved = [self._stepped(q, dq) for q, dq in self._sigma(belief)]
        return self._corrected(ahead, moved, self.readings)

    # points

    def _sigma(self, belief: Belief) -> list[tuple[Matrix, Matrix]]:
        """The centre, then pairs along the columns of the Cholesky factor."""
        factor = cholesky(belief.P * self.weights.spread, order="natural").factor
        points = [(belief.q, belief.dq)]
        for sign in (1.0, -1.0):
            for column in factor.T:
                moved = self.process.manifold.moved(belief.q, belief.dq, column * sign)
                points.append(self.process.closed(*moved))
        return points

    def _stepped(self, q: Matrix, dq: Matrix) -> tuple[Matrix, Matrix]:
        moved = self.process.advance(**{**self.process.here, "q": q, "dq": dq})
        return moved.q_next, moved.dq_next

    def _minimal(self, q: Matrix, dq: Matrix) -> Matrix:
        free = self.process.manifold.free
        return vector([*(q[k] for k in free), *(dq[k] for k in free)], self.model.graph)

    def _mean(self, values: Sequence[Matrix]) -> Matrix:
        """About the centre, which keeps large weights harmless."""
        total = values[0] * 0.0
        for value in values[1:]:
            total = total + (value - values[0])
        return values[0] + total * self.weights.other

    def _spread(self, one: Sequence[Matrix], other: Sequence[Matrix]) -> Matrix:
        """The weighted sum of outer products of deviations from the means."""
        graph = self.model.graph
        a, b = ([value - self._mean(values) for value in values] for values in (one, other))
        n, m = len(a[0]), len(b[0])
        rows: list[list[Any]] = [[constant(graph, 0.0)] * m for _ in range(n)]
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            weight = self.weights.covariance if k == 0 else self.weights.other
            for i in range(n):
                for j in range(i if one is other else 0, m):
                    rows[i][j] = rows[i][j] + x[i] * weight * y[j]
        return mirrored(graph, rows) if one is other else matrix(rows, graph)

    def _gathered(self, points: Sequence[tuple[Matrix, Matrix]], noise: Any) -> Belief:
        values = [self._minimal(*point) for point in points]
        mean, graph = self._mean(values), self.model.graph
        P = self._spread(values, values) + matrix(noise.tolist(), graph)
        q, dq = self.process.closed(*self._replaced(points[0], mean))
        return Belief(q, dq, P)

    def _replaced(self, point: tuple[Matrix, Matrix], values: Matrix) -> tuple[Matrix, Matrix]:
        """A state with other independent values."""
        free, half = self.process.manifold.free, len(values) // 2
        parts: list[Matrix] = []
        for part, new in zip(point, (values[:half], values[half:]), strict=True):
            refs = list(part.refs)
            for k, value in zip(free, new, strict=True):
                refs[k] = value.ref
            parts.append(Matrix(part.graph, part.shape, tuple(refs)))
        return parts[0], parts[1]

    def _corrected(
        self, belief: Belief, points: Sequence[tuple[Matrix, Matrix]], readings: Sequence[Expr]
    ) -> tuple[Belief, Update]:
        graph, model, m = self.model.graph, self.model, len(readings)
        values = vector(self.instruments.values, graph)
        read: list[Matrix] = []
        for q, dq in points:
            known: dict[Any, Any] = dict(zip([*model.q, *model.dq], [*q, *dq], strict=True))
            read.append(values.substitute(known))
        states = [self._minimal(*point) for point in points]
        mean, one, zero = self._mean(read), constant(graph, 1.0), constant(graph, 0.0)
        present = [equal(r, r) for r in readings]
        noise, cross = self._spread(read, read), self._spread(states, read)
        R = self.instruments.covariance
        S: list[list[Any]] = [[zero] * m for _ in range(m)]
        for i in range(m):
            for j in range(i, m):
                both = present[i] if i == j else present[i] * present[j]
                S[i][j] = where(both, noise[i, j] + float(R[i, j]), one if i == j else zero)
        gap = vector([where(p, r - z, zero) for p, r, z in zip(present, readings, mean, strict=True)], graph)
        width = self.process.manifold.size
        kept = matrix([[where(present[j], cross[i, j], zero) for j in range(m)] for i in range(width)], graph)
        factor = ldl(mirrored(graph, S), order="natural")
        K = factor.solve(kept.T).T
        n = K.shape[0]
        rows = [[belief.P[i, j] - K[i].dot(kept[j]) if j >= i else 0.0 for j in range(n)] for i in range(n)]
        change = K @ gap
        minimal = self._minimal(belief.q, belief.dq)
        q, dq = self.process.closed(*self._replaced((belief.q, belief.dq), minimal + change))
        nis = gap.dot(factor.solve(gap))
        P = mirrored(graph, rows)
        return Belief(q, dq, P), Update(change, P, nis, -0.5 * nis)
