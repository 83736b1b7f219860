"""The error-state Kalman filter: the mechanism steps freely, and a filter beside it tracks its error.

The error of (z, dz) is small and zero before each reading; a correction is pushed through the position and
velocity problems, ``dq = R dz``, by two steps of Newton's method. ``disturbance`` adds what the model
lacks to the error:

* ``"force"``: an acceleration of each degree of freedom that walks at random, as an unknown force does;
* ``"coloured"``: the same, forgotten with the time constant ``memory`` (first-order Gauss-Markov).

``strength`` is its random walk, rad/s2/sqrt(s). What is estimated drives the mechanism in the next step. They
are errorEKF and errorEKF_FE of Sanjurjo, Naya, Blanco-Claraco, Torres-Moreno and Gimenez-Fernandez (2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, final

import numpy as np

from biela.expr.expression import Expr, constant, exp
from biela.expr.matrix import Matrix, matrix, vector
from biela.observe.filter.filter import Belief, Filter
from biela.observe.gaussian import Update, propagated, update
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor

DISTURBANCES = ("", "force", "coloured")


@final
class ErrorStateKalman(Filter):
    """The cheapest filter: no slope of the dynamics is needed with ``jacobian="euler"``, its default.

    Raises ValueError for an unknown disturbance or Jacobian, or a memory that is not positive.
    """

    key: ClassVar[str] = "error-state"

    def __init__(
        self,
        process: Process,
        sensors: Sequence[Sensor],
        disturbance: str = "",
        jacobian: str = "euler",
        *,
        strength: float = 1.0,
        memory: float = 1.0,
    ) -> None:
        super().__init__(process, sensors)
        if disturbance not in DISTURBANCES:
            told = ", ".join(map(repr, DISTURBANCES))
            raise ValueError(f"Unknown disturbance {disturbance!r}: expected one of {told}.")
        if not (memory > 0.0 and strength >= 0.0):
            raise ValueError(f"Expected memory > 0 and strength >= 0; got {memory!r} and {strength!r}.")
        self.disturbance, self.strength, self.memory = disturbance, float(strength), float(memory)
        self.transition = process.transition(jacobian)

    @property
    def augmented(self) -> list[str]:
        """One unknown acceleration for each independent coordinate."""
        if not self.disturbance:
            return []
        manifold = self.process.manifold
        return [f"disturbance({name})" for name in manifold.names[: len(manifold.free)]]

    def predicted(self, belief: Belief) -> Belief:
        """The free step, driven by what is known of the disturbance; the covariance of the error."""
        process, h = self.process, self.process.h
        moved = process.advance(**process.here)
        q, dq = moved.q_next, moved.dq_next
        if self.disturbance:
            a = list(belief.more)
            push = vector([*(x * (0.5 * h * h) for x in a), *(x * h for x in a)], self.model.graph)
            q, dq = process.closed(*process.manifold.moved(q, dq, push), corrections=1)
        P = propagated(self._whole_transition(), belief.P, self._whole_noise())
        return Belief(q, dq, P, tuple(x * self._kept() for x in belief.more))

    def _kept(self) -> Expr:
        """What is left of a disturbance after a step."""
        h = self.process.h
        return exp(h * (-1.0 / self.memory)) if self.disturbance == "coloured" else h * 0.0 + 1.0

    def _whole_transition(self) -> Matrix:
        """F of (z, dz) and the disturbance."""
        if not self.disturbance:
            return self.transition
        g, h, graph = len(self.process.manifold.free), self.process.h, self.model.graph
        zero = constant(graph, 0.0)
        rows: list[list[Any]] = []
        for i in range(2 * g):
            gain = 0.5 * h * h if i < g else h
            rows.append([*self.transition[i], *(gain if k == i % g else zero for k in range(g))])
        rows += [[*[zero] * (2 * g), *(self._kept() if k == i else zero for k in range(g))] for i in range(g)]
        return matrix(rows, graph)

    def _whole_noise(self) -> Matrix:
        """Q: the noise of the process, and the walk of the disturbance brought to a step (Van Loan)."""
        Q, h = self.process.covariance, self.process.dt
        if not self.disturbance:
            return matrix(Q.tolist(), self.model.graph)
        g = len(self.process.manifold.free)
        whole = np.zeros((3 * g, 3 * g))
        whole[: 2 * g, : 2 * g] = Q
        powers = np.array(
            [[h**5 / 20, h**4 / 8, h**3 / 6], [h**4 / 8, h**3 / 3, h**2 / 2], [h**3 / 6, h**2 / 2, h]]
        )
        whole += self.strength**2 * np.kron(powers, np.eye(g))
        return matrix(whole.tolist(), self.model.graph)

    def updated(self, belief: Belief, readings: Sequence[Expr]) -> tuple[Belief, Update]:
        """The error from the readings, pushed into the mechanism; the error is zero again."""
        instruments, graph = self.instruments, self.model.graph
        n, more = self.process.manifold.size, len(self.augmented)
        zero = constant(graph, 0.0)
        H = matrix([[*row, *[zero] * more] for row in instruments.slopes], graph)
        gaps = instruments.gap(readings, instruments.values)
        found = update(belief.P, H, gaps, self.noise(), instruments.present(readings))
        q, dq = self.process.manifold.moved(belief.q, belief.dq, found.change[:n])
        after = tuple(a + found.change[n + k] for k, a in enumerate(belief.more))
        return Belief(*self.process.closed(q, dq, corrections=2), found.P, after), found
