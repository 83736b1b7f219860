"""The iterated extended Kalman filter: the update is linearised again where it leads (Gauss and Newton)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix, matrix, vector
from biela.observe.filter.extended import propagated_by
from biela.observe.filter.filter import Belief, Filter
from biela.observe.gaussian import Update, update
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor


@final
class IteratedKalman(Filter):
    """The extended filter with ``iterations`` linearisations of each update (Bell and Cathey, 1993).

    For readings that bend much within the uncertainty. Raises ValueError for less than one iteration.
    """

    key: ClassVar[str] = "iterated"

    def __init__(
        self, process: Process, sensors: Sequence[Sensor], iterations: int = 3, jacobian: str = "exact"
    ) -> None:
        super().__init__(process, sensors)
        if iterations < 1:
            raise ValueError(f"The update is linearised once or more; got iterations={iterations!r}.")
        self.iterations, self.transition = iterations, process.transition(jacobian)

    def predicted(self, belief: Belief) -> Belief:
        """The step, and F P F' + Q."""
        return propagated_by(self, belief, self.transition)

    def updated(self, belief: Belief, readings: Sequence[Expr]) -> tuple[Belief, Update]:
        """Updates from the prediction, each with readings and slopes where the last one led."""
        manifold, instruments = self.process.manifold, self.instruments
        here = manifold.minimal(belief.q, belief.dq)
        present, at = instruments.present(readings), belief
        first: Update | None = None
        found: Update | None = None
        for k in range(self.iterations):
            values, slopes = self._seen_at(at, first_time=k == 0)
            back = slopes @ (here - manifold.minimal(at.q, at.dq))
            gaps = instruments.gap(readings, values)
            innovation = [g - b for g, b in zip(gaps, back, strict=True)] if k else gaps
            found = update(belief.P, slopes, innovation, self.noise(), present)
            first = first or found
            q, dq = manifold.placed(belief.q, belief.dq, here + found.change)
            if k == 0:
                q, dq = manifold.moved(belief.q, belief.dq, found.change)
            at = Belief(*self.process.closed(q, dq), found.P)
        assert found is not None
        assert first is not None
        return at, Update(found.change, found.P, first.nis, first.likelihood)

    def _seen_at(self, at: Belief, first_time: bool) -> tuple[list[Expr], Matrix]:
        """The readings and their slopes at a state."""
        values, slopes = self.instruments.values, self.instruments.slopes
        if first_time:
            return values, slopes
        moved = list(self.moved_to([*values, *slopes.expressions], at._replace(P=self.belief.P)))
        m, n = slopes.shape
        rows = [moved[m + i * n : m + (i + 1) * n] for i in range(m)]
        return moved[:m], matrix(rows, vector(values, self.model.graph).graph)
