"""The square-root extended Kalman filter: the covariance stays positive definite whatever rounding does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from biela.expr.expression import Expr
from biela.observe.filter.filter import Belief
from biela.observe.filter.square_root import SquareRootFilter, corrected
from biela.observe.gaussian import Update, seen, triangular
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor


@final
class SquareRootExtended(SquareRootFilter):
    """The extended filter on S with P = S S'; for single precision, or noise of very different sizes.

    Raises ValueError for an unknown kind of Jacobian.
    """

    key: ClassVar[str] = "sqrt-ekf"

    def __init__(self, process: Process, sensors: Sequence[Sensor], jacobian: str = "exact") -> None:
        super().__init__(process, sensors)
        self.transition = process.transition(jacobian)

    def predicted(self, belief: Belief) -> Belief:
        """The step; the triangle of [F S, sqrt(Q)]."""
        moved = self.process.advance(**self.process.here)
        FS, root = self.transition @ belief.P, self.root_of_noise()
        rows = [[*FS[i], *root[i]] for i in range(self.size)]
        return Belief(moved.q_next, moved.dq_next, triangular(rows, self.model.graph))

    def updated(self, belief: Belief, readings: Sequence[Expr]) -> tuple[Belief, Update]:
        """The update on the square root; then the position and velocity problems."""
        instruments = self.instruments
        gaps = instruments.gap(readings, instruments.values)
        there = seen(instruments.slopes, gaps, self.noise(), instruments.present(readings))
        found = corrected(belief.P, there)
        q, dq = self.process.manifold.moved(belief.q, belief.dq, found.change)
        return Belief(*self.process.closed(q, dq), found.P), found
