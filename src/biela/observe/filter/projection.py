"""The projection filter in dependent coordinates: an error of all coordinates, a covariance on the tangents.

No coordinates are chosen to be independent, so nothing becomes singular where a choice would. The
error (dq, d(dq)) of a state on the constraints fulfils

    J e = 0,    J v + B e = 0,    J = Phi_dq,  B = d(Phi_dot)/dq

and L = [[T, 0], [-J+ B T, T]] with T = 1 - J+ J takes any error to such a one. The covariance P, of twice as
many rows as there are coordinates, is kept there: P = L P L'. Its rank is twice the degrees of freedom, which
the update does not mind, since only the covariance of the readings is inverted. A correction lies in the
tangent space by itself; Newton's method with the smallest step brings it back to the constraints.

The noise of the process is that of all coordinates, projected.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.derivative import jacobian
from biela.expr.expression import Expr, constant
from biela.expr.function import Function
from biela.expr.linear import ldl
from biela.expr.matrix import Matrix, matrix
from biela.observe import covariance
from biela.observe.filter.filter import Belief, Filter
from biela.observe.gaussian import Update, propagated, update
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor
from biela.simulate.state import State


@final
class ProjectionKalman(Filter):
    """The extended filter without independent coordinates.

    Its process is best one of the formulation "multipliers". Raises ValueError where the noise of
    positions or velocities differs from coordinate to coordinate.
    """

    key: ClassVar[str] = "projection"

    def __init__(self, process: Process, sensors: Sequence[Sensor]) -> None:
        super().__init__(process, sensors)
        if any(np.ptp(values) > 0.0 for values in process.noise):
            raise ValueError(
                "The projection filter has one noise for all coordinates; the process has several."
            )
        if process.diffusion.forces:
            raise ValueError("The projection filter has noise at coordinates alone, not at inputs.")

    @property
    def names(self) -> list[str]:
        """All coordinates and velocities."""
        q = [c.name for c in self.model.placements]
        return [*q, *(f"{name}'" for name in q)]

    @cached_property
    def tangent(self) -> Matrix:
        """L: errors to errors on the constraints."""
        graph, rows, n = self.model.graph, self.process.manifold.split.rows, len(self.model.q)
        one = matrix(np.eye(n).tolist(), graph)
        if not rows:
            return matrix(np.eye(2 * n).tolist(), graph)
        J = matrix([list(self.model.phi_dq[i]) for i in rows], graph)
        factor = ldl(J @ J.T)
        T = one - J.T @ factor.solve(J)
        slopes = jacobian([self.model.phi_dot[i] for i in rows], self.model.q)
        zero = constant(graph, 0.0)
        B = matrix([[slopes.get((i, j), zero) for j in range(n)] for i in range(len(rows))], graph)
        low = -(J.T @ factor.solve(B @ T))
        return matrix([[*T[i], *[zero] * n] for i in range(n)] + [[*low[i], *T[i]] for i in range(n)], graph)

    def start(self, state: State, P: Any) -> np.ndarray:
        """The state for a first guess: deviations of (z, dz), or of all coordinates, which are projected."""
        names = self.process.manifold.names
        given = np.asarray(P, float)
        L = self._tangent_at(state)
        if given.shape[:1] == (len(self.names),) and len(names) != len(self.names):
            cov = L @ covariance.checked(P, self.names, "start") @ L.T
        else:
            T = self._followed(L)
            cov = T @ covariance.checked(P, names, "start") @ T.T
        time = [] if self.model.time is None else [state.t]
        return np.concatenate([state.q, state.dq, time, self.kept((cov + cov.T) / 2.0)])

    def _tangent_at(self, state: State) -> np.ndarray:
        have = {"q": state.q, "dq": state.dq, "t": state.t, "p": state.p}
        function = self._tangent_function
        return Kernel(function)(**{port.name: have[port.name] for port in function.inputs})

    @cached_property
    def _tangent_function(self) -> Function:
        return self.model.function("tangent", {"L": self.tangent}, "velocity")

    def _followed(self, L: np.ndarray) -> np.ndarray:
        """How all errors follow those of (z, dz): the columns of L made one in the rows of (z, dz)."""
        n, free = len(self.model.q), self.process.manifold.free
        places = [*free, *(n + k for k in free)]
        columns = L[:, places]
        return np.linalg.solve(columns[places].T, columns.T).T

    def predicted(self, belief: Belief) -> Belief:
        """The step and its slope by all coordinates, both projected."""
        model, graph, process = self.model, self.model.graph, self.process
        moved = process.advance(**process.here)
        ends = [*moved.q_next, *moved.dq_next]
        slopes, size = jacobian(ends, [*model.q, *model.dq]), self.size
        zero = constant(graph, 0.0)
        F = matrix([[slopes.get((i, j), zero) for j in range(size)] for i in range(size)], graph)
        later = [] if model.time is None else [model.time + process.h]
        after = list(
            self.moved_to(self.tangent.expressions, Belief(moved.q_next, moved.dq_next, belief.P), later)
        )
        L = matrix([after[i * size : (i + 1) * size] for i in range(size)], graph)
        Q = self._noise()
        nothing = matrix(np.zeros((size, size)).tolist(), graph)
        return Belief(moved.q_next, moved.dq_next, propagated(L, propagated(F, belief.P, Q), nothing))

    def _noise(self) -> Matrix:
        """That of the first independent coordinate, at every one."""
        Q, n, g = self.process.added, len(self.model.q), len(self.process.manifold.free)
        zero = constant(self.model.graph, 0.0)
        rows = [
            [Q[g * (i // n), g * (j // n)] if i % n == j % n else zero for j in range(2 * n)]
            for i in range(2 * n)
        ]
        return matrix(rows, self.model.graph)

    def updated(self, belief: Belief, readings: Sequence[Expr]) -> tuple[Belief, Update]:
        """The update by all coordinates, back to the constraints, the covariance to their tangents."""
        model, graph, instruments, n = self.model, self.model.graph, self.instruments, len(self.model.q)
        slopes = jacobian(instruments.values, [*model.q, *model.dq])
        zero, m = constant(graph, 0.0), len(instruments.values)
        H = matrix([[slopes.get((i, j), zero) for j in range(self.size)] for i in range(m)], graph)
        gaps = instruments.gap(readings, instruments.values)
        found = update(belief.P, H, gaps, self.noise(), instruments.present(readings))
        q, dq = self.process.closed(belief.q + found.change[:n], belief.dq + found.change[n:])
        return Belief(q, dq, found.P), found
