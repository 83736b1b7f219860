"""The batch smoother: the most likely motion, by Gauss and Newton's method on the whole trajectory.

Unknown are the states of all moments, each moved along the constraint manifold; the sum of squares has the
first guess, every step of the process and every reading, each in units of its deviation. Every iteration
solves one sparse system, whose blocks couple neighbours in time only. On a linear problem the first one
ends where Rauch, Tung and Striebel's smoother does; elsewhere it goes on to where theirs, linearised along
the filter, cannot.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, final

import numpy as np
from scipy import sparse as scipy_sparse  # pyright: ignore[reportMissingTypeStubs]
from scipy.sparse import linalg  # pyright: ignore[reportMissingTypeStubs]

from biela.observe.filter.filter import Filter
from biela.observe.observability import slopes
from biela.observe.smoother.rts import RauchTungStriebel
from biela.observe.smoother.smoother import Forward, Smoother
from biela.simulate.record import Record
from biela.simulate.state import State

HALVINGS = 8
SPARSE: Any = scipy_sparse  # without types
LINALG: Any = linalg


class _Motion(NamedTuple):
    """A trajectory, and its residuals in units of their deviations."""

    record: Record
    q: np.ndarray
    dq: np.ndarray
    prior: np.ndarray
    steps: np.ndarray
    readings: np.ndarray

    @property
    def cost(self) -> float:
        """Half the sum of squares."""
        return 0.5 * float(sum((part**2).sum() for part in (self.prior, self.steps, self.readings)))


@final
class BatchSmoother(Smoother):
    """The most likely motion; ``iterations`` at most, until no step exceeds ``tolerance`` deviations.

    Raises ValueError for a process without noise in some direction, or with noise at inputs.
    """

    key: ClassVar[str] = "batch"

    def __init__(self, observer: Filter, iterations: int = 20, tolerance: float = 1e-9) -> None:
        super().__init__(observer)
        self.iterations, self.tolerance = iterations, tolerance
        if self.process.diffusion.forces:
            raise ValueError("The batch smoother wants noise that is the same everywhere, not at inputs.")
        Q = self.process.covariance
        if np.linalg.eigvalsh(Q).min() <= 1e-14 * np.linalg.eigvalsh(Q).max():
            raise ValueError(
                "The batch smoother wants noise of the process in all of (z, dz): Q is singular."
            )
        self._step_root = _root(Q)
        self._reading_root = _root(self.observer.instruments.covariance)

    def run(self, readings: Any, start: State, P: Any, *, u: Any = None) -> Record:
        """The most likely motion for readings, from a first guess and its covariance."""
        y = np.ascontiguousarray(readings, float)
        forward = self.forward(y, start, P, u)
        begin = RauchTungStriebel(self.observer).run(y, start, P, u=u)
        prior_root: np.ndarray = _root(forward.P[0])
        guess = self.minimal(forward.q[:1], forward.dq[:1])[0]
        motion = self._judged(begin, begin.q, begin.dq, y, guess, prior_root)
        costs = [motion.cost]
        for _ in range(self.iterations):
            change = self._change(motion, y, prior_root)
            motion, done = self._moved_along(motion, change, y, guess, prior_root, costs)
            if done:
                break
        cov = self._covariances(forward, motion)
        return self.recorded(forward, motion.q, motion.dq, cov, costs=costs)

    def _judged(
        self,
        record: Record,
        q: np.ndarray,
        dq: np.ndarray,
        y: np.ndarray,
        guess: np.ndarray,
        root: np.ndarray,
    ) -> _Motion:
        shown = self._shown(record, q, dq)
        expected = shown.value(self.observer.instruments.function)[1:]
        gap = np.where(np.isfinite(y), y - expected, 0.0)
        turns = 2 * np.pi * np.round(gap / (2 * np.pi))
        gap = np.where(self.observer.instruments.wraps, gap - turns, gap)
        steps = self.surprises(shown, q, dq) @ self._step_root.T
        prior = root @ (self.minimal(q[:1], dq[:1])[0] - guess)
        return _Motion(shown, q, dq, prior, steps, self._whitened(gap, y))

    def _whitened(self, gap: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Rows in units of their deviations; those of missing readings are zero."""
        there = np.isfinite(y)
        if there.all() or np.count_nonzero(self._reading_root) == len(self._reading_root):
            return gap @ self._reading_root.T if gap.ndim == 2 else self._reading_root @ gap
        found, R = np.zeros_like(gap), self.observer.instruments.covariance
        for pattern in np.unique(there, axis=0):
            rows = (there == pattern).all(axis=1)
            root = _root(R[np.ix_(pattern, pattern)])
            picked = gap[rows][:, pattern]
            block = np.zeros_like(gap[rows])
            block[:, pattern] = picked @ root.T if gap.ndim == 2 else root @ picked
            found[rows] = block
        return found

    def _shown(self, record: Record, q: np.ndarray, dq: np.ndarray) -> Record:
        columns = {c.name: q[:, k] for k, c in enumerate(self.model.placements)}
        columns |= {f"{c.name}'": dq[:, k] for k, c in enumerate(self.model.placements)}
        return record.replaced(columns=columns)

    def _change(self, motion: _Motion, y: np.ndarray, prior_root: np.ndarray) -> np.ndarray:
        """One step of Gauss and Newton: a sparse least squares problem by its normal equations."""
        F, given = slopes(self.observer, motion.record)
        n, count = self.observer.size, len(motion.q)
        H = self._whitened(np.where(np.isfinite(y)[..., None], given[1:], 0.0), y)
        later = SPARSE.block_diag([prior_root, *[self._step_root] * (count - 1)], format="csr")
        before = SPARSE.block_diag([-self._step_root @ f for f in F[:-1]], format="csr")
        empty = SPARSE.csr_array((n, n * (count - 1)))
        shifted: Any = SPARSE.block_array(
            [[empty, SPARSE.csr_array((n, n))], [before, SPARSE.csr_array((n * (count - 1), n))]],
            format="csr",
        )
        seen = SPARSE.block_diag([SPARSE.csr_array((H.shape[1], n)), *H], format="csr")
        J: Any = SPARSE.block_array([[later + shifted], [seen]], format="csc")
        right = np.concatenate(
            [-motion.prior, -motion.steps.ravel(), np.zeros(H.shape[1]), motion.readings.ravel()]
        )
        return np.asarray(LINALG.spsolve((J.T @ J).tocsc(), J.T @ right), float).reshape(count, n)

    def _moved_along(
        self,
        motion: _Motion,
        change: np.ndarray,
        y: np.ndarray,
        guess: np.ndarray,
        root: np.ndarray,
        costs: list[float],
    ) -> tuple[_Motion, bool]:
        """The motion after a step, shortened where the cost would grow, and whether it is the last."""
        factor = 1.0
        for _ in range(HALVINGS):
            q, dq = self.corrected(motion.record, motion.q, motion.dq, factor * change)
            tried = self._judged(motion.record, q, dq, y, guess, root)
            if tried.cost <= motion.cost * (1.0 + 1e-12) + 1e-12:
                costs.append(tried.cost)
                small = float(np.abs(change @ self._step_root.T).max()) < self.tolerance
                return tried, small or abs(costs[-2] - costs[-1]) < 1e-13 * max(costs[-2], 1e-300)
            factor *= 0.5
        return motion, True

    def _covariances(self, forward: Forward, motion: _Motion) -> np.ndarray:
        """Those of the smoother linearised along the motion."""
        F, _ = slopes(self.observer, motion.record)
        ahead = F @ forward.P @ F.transpose(0, 2, 1) + self.process.covariance
        turned = forward._replace(F=F, ahead=ahead, surprise=0.0 * forward.surprise)
        return RauchTungStriebel(self.observer).passed_back(turned)[1]


def _root(P: np.ndarray) -> np.ndarray:
    """What makes an error with a covariance one of unit deviations."""
    lower: np.ndarray = np.linalg.cholesky(P)
    return np.linalg.inv(lower)
