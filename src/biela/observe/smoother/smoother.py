"""What smoothers share: the forward pass of a filter, its slopes, and the pass backwards.

With the filter's states x and covariances P, the slopes F of the process and the predictions x-, P-, the
backward pass of Rauch, Tung and Striebel (1965) is, for the correction d and the covariance S,

    C = P F' (P-)^-1
    d <- C (d + x_next - x-)
    S <- P + C (S - P-) C'

All of it runs natively; corrections are applied along the constraint manifold and closed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.expr.linear import ldl
from biela.expr.matrix import Matrix
from biela.expr.pattern import matrix_symbols
from biela.observe.filter.filter import Filter
from biela.observe.gaussian import mirrored
from biela.observe.observability import slopes
from biela.simulate.record import FINISHED, Record
from biela.simulate.state import State


class Forward(NamedTuple):
    """The filter's pass: its record, states, covariances, slopes of the process, and surprises.

    Row k of ``F`` and ``ahead`` (the predicted covariance) lead from moment k to the next; ``surprise`` is
    what the readings changed there.
    """

    record: Record
    q: np.ndarray
    dq: np.ndarray
    P: np.ndarray
    F: np.ndarray
    ahead: np.ndarray
    surprise: np.ndarray


class Smoother(ABC):
    """The base of smoothers: a filter, and how its pass is corrected afterwards.

    Raises ValueError for a filter whose error is not (z, dz) alone.
    """

    key: ClassVar[str] = ""

    def __init__(self, observer: Filter) -> None:
        self.observer, self.process, self.model = observer, observer.process, observer.model
        if observer.names != self.process.manifold.names:
            have, want = (", ".join(names) for names in (observer.names, self.process.manifold.names))
            raise ValueError(
                f"{type(self).__name__}: the error of {observer!r} is ({have}); smoothers want "
                f"({want}) alone."
            )

    @abstractmethod
    def run(self, readings: Any, start: State, P: Any, *, u: Any = None) -> Record:
        """The smoothed motion for readings, from a first guess and its covariance; ``u`` are inputs."""

    def forward(self, readings: Any, start: State, P: Any, u: Any = None) -> Forward:
        """The filter's pass over readings."""
        y = np.ascontiguousarray(readings, float)
        rows, record = self.observer.rows(y, start, P, u), self.observer.run(y, start, P, u=u)
        cov, n = self.observer.covariances(rows), len(self.model.q)
        F, _ = slopes(self.observer, record)
        ahead = F @ cov @ F.transpose(0, 2, 1) + self.added(record)
        q, dq = rows[:, :n], rows[:, n : 2 * n]
        return Forward(record, q, dq, cov, F, ahead, self.surprises(record, q, dq))

    def added(self, motion: Record) -> np.ndarray:
        """Q at every moment of a motion, or one for all of them."""
        if not self.process.diffusion.forces:
            return self.process.covariance
        ports = self.model.ports("force") | {"h": self.process.h}
        function = Function(f"{self.model.name}_added", ports, {"Q": self.process.added})
        return motion.value(function, h=np.full(len(motion), self.process.dt))

    def minimal(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """(z, dz) of rows of states."""
        free = self.process.manifold.free
        return np.concatenate([q[:, free], dq[:, free]], axis=1)

    def surprises(self, record: Record, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """How far every state is from the step of the one before it."""
        moved = self._batch(self._advance, record, slice(None, -1), q=q[:-1], dq=dq[:-1], h=self.process.dt)
        return self.minimal(q[1:], dq[1:]) - self.minimal(moved.q_next.T, moved.dq_next.T)

    def corrected(
        self, record: Record, q: np.ndarray, dq: np.ndarray, change: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """States moved along the manifold by changes of (z, dz), and closed."""
        found = self._batch(self._moved, record, slice(None), q=q, dq=dq, change=change)
        return found.q_closed.T, found.dq_closed.T

    def _batch(self, kernel: Kernel, record: Record, there: slice, **rows: Any) -> Any:
        given: dict[str, Any] = {
            k: np.ascontiguousarray(v.T) if np.ndim(v) == 2 else v for k, v in rows.items()
        }
        u = record.u
        if u is not None and u.ndim == 2:  # a row for each moment
            u = np.ascontiguousarray(u[there].T)
        given |= {"t": np.ascontiguousarray(record.t[there]), "p": record.p, "u": u}
        return kernel.batch(**{port.name: given[port.name] for port in kernel.function.inputs})

    @cached_property
    def _advance(self) -> Kernel:
        return Kernel(self.process.advance)

    @cached_property
    def _moved(self) -> Kernel:
        here, manifold = self.process.here, self.process.manifold
        change = matrix_symbols(self.model.graph, "smoother.change", manifold.size)
        q, dq = self.process.closed(*manifold.moved(here["q"], here["dq"], change))
        inputs = {"q": here["q"], "dq": here["dq"], "change": change} | self.process.given("t", "p", "u")
        return Kernel(Function(f"{self.model.name}_corrected", inputs, {"q_closed": q, "dq_closed": dq}))

    @cached_property
    def backward(self) -> Kernel:
        """(d, S) of a moment from those of the next, as the chapter says."""
        n, graph = self.observer.size, Graph()
        d, surprise = (matrix_symbols(graph, name, n) for name in ("d", "surprise"))
        S, P, F, ahead = (matrix_symbols(graph, name, (n, n)) for name in ("S", "P", "F", "ahead"))
        even = mirrored(graph, [[ahead[i, j] for j in range(n)] for i in range(n)])
        C: Matrix = ldl(even, order="natural").solve(F @ P).T
        left = C @ (S - ahead) @ C.T
        rows = [[P[i, j] + left[i, j] for j in range(n)] for i in range(n)]
        after = [*(C @ (d + surprise)), *mirrored(graph, rows).expressions]
        inputs = {"x": [*d, *S.expressions], "P": P, "F": F, "ahead": ahead, "surprise": surprise}
        return Kernel(Function("smooth", inputs, {"x_next": after}))

    def recorded(
        self, forward: Forward, q: np.ndarray, dq: np.ndarray, P: np.ndarray, **notes: Any
    ) -> Record:
        """The record of smoothed states and their covariances."""
        columns: dict[str, np.ndarray] = {}
        for k, place in enumerate(self.model.placements):
            columns[place.name], columns[f"{place.name}'"] = q[:, k].copy(), dq[:, k].copy()
        names = self.observer.names
        for i, name in enumerate(names):
            columns[f"sd({name})"] = np.sqrt(np.maximum(P[:, i, i], 0.0))
            columns |= {f"cov({name},{names[j]})": P[:, i, j].copy() for j in range(i + 1, len(names))}
        good = np.isfinite(q).all() and np.isfinite(P).all()
        status = FINISHED if good else "diverged: a value is not finite"
        told = {**forward.record.notes, "smoother": self.key, **notes}
        return forward.record.replaced(columns=columns, status=status, notes=told)
