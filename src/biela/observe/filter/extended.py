"""The extended Kalman filter in independent coordinates: the discrete filter of Torres-Moreno et al. (2016).

``jacobian="euler"`` takes [[I, h I], [0, I]] for the transition, as the paper prints (eq. 18); "exact", the
default, the derivative of the step itself along the manifold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix, matrix
from biela.observe.filter.filter import Belief, Filter
from biela.observe.gaussian import Update, propagated, update
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor


@final
class ExtendedKalman(Filter):
    """A mean and a covariance through the linearised step and the linearised sensors.

    Raises ValueError for an unknown kind of Jacobian.
    """

    key: ClassVar[str] = "ekf"

    def __init__(self, process: Process, sensors: Sequence[Sensor], jacobian: str = "exact") -> None:
        super().__init__(process, sensors)
        if jacobian not in ("exact", "euler"):
            raise ValueError(f"Unknown jacobian {jacobian!r}: expected 'exact' or 'euler'.")
        self.jacobian = jacobian

    def predicted(self, belief: Belief) -> Belief:
        """The step, and F P F' + Q."""
        graph = self.model.graph
        moved = self.process.advance(**self.process.here)
        F = self.process.jacobian if self.jacobian == "exact" else self._euler()
        return Belief(
            moved.q_next,
            moved.dq_next,
            propagated(F, belief.P, matrix(self.process.covariance.tolist(), graph)),
        )

    def _euler(self) -> Matrix:
        g, h, graph = len(self.process.manifold.free), self.process.h, self.model.graph
        rows = [[1.0 if i == j else h if j == i + g else 0.0 for j in range(2 * g)] for i in range(2 * g)]
        return matrix(rows, graph)

    def updated(self, belief: Belief, readings: Sequence[Expr]) -> tuple[Belief, Update]:
        """The Kalman update at the linearised readings; then the position and velocity problems."""
        instruments, graph = self.instruments, self.model.graph
        innovation = [y - value for y, value in zip(readings, instruments.values, strict=True)]
        found = update(
            belief.P, instruments.slopes, innovation, matrix(instruments.covariance.tolist(), graph)
        )
        q, dq = self.process.manifold.moved(belief.q, belief.dq, found.change)
        return Belief(*self.process.closed(q, dq), found.P), found
