"""The extended Kalman filter in independent coordinates: the discrete filter of Torres-Moreno et al. (2016).

``jacobian="euler"`` takes [[I, h I], [0, I]] for the transition, as the paper prints (eq. 18); "exact", the
default, the derivative of the step itself along the manifold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix
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
        self.jacobian, self.transition = jacobian, process.transition(jacobian)

    def predicted(self, belief: Belief) -> Belief:
        """The step, and F P F' + Q."""
        return propagated_by(self, belief, self.transition)

    def updated(self, belief: Belief, readings: Sequence[Expr]) -> tuple[Belief, Update]:
        """The Kalman update at the linearised readings; then the position and velocity problems."""
        instruments = self.instruments
        gaps = instruments.gap(readings, instruments.values)
        found = update(belief.P, instruments.slopes, gaps, self.noise(), instruments.present(readings))
        q, dq = self.process.manifold.moved(belief.q, belief.dq, found.change)
        return Belief(*self.process.closed(q, dq), found.P), found


def propagated_by(observer: Filter, belief: Belief, F: Matrix) -> Belief:
    """The step of the process, and F P F' + Q."""
    moved = observer.process.advance(**observer.process.here)
    return Belief(moved.q_next, moved.dq_next, propagated(F, belief.P, observer.process.added))
