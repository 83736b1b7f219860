"""The smoother of Rauch, Tung and Striebel: one pass forwards, one backwards, over all readings."""

from __future__ import annotations

from typing import Any, ClassVar, final

import numpy as np

from biela.observe.smoother.smoother import Forward, Smoother
from biela.simulate.record import Record
from biela.simulate.state import State


@final
class RauchTungStriebel(Smoother):
    """The smoothed motion after the event: for tests on a bench, identification, reference motions."""

    key: ClassVar[str] = "rts"

    def run(self, readings: Any, start: State, P: Any, *, u: Any = None) -> Record:
        """The smoothed motion for readings, from a first guess and its covariance."""
        forward = self.forward(readings, start, P, u)
        change, cov = self.passed_back(forward)
        q, dq = self.corrected(forward.record, forward.q, forward.dq, change)
        return self.recorded(forward, q, dq, cov)

    def passed_back(self, forward: Forward) -> tuple[np.ndarray, np.ndarray]:
        """The corrections of (z, dz) and the covariances, at every moment."""
        n, steps = self.observer.size, len(forward.surprise)
        x = np.concatenate([np.zeros(n), forward.P[-1].ravel()])
        series = {
            "P": forward.P[:-1],
            "F": forward.F[:-1],
            "ahead": forward.ahead[:-1],
            "surprise": forward.surprise,
        }
        turned: dict[str, Any] = {name: np.ascontiguousarray(values[::-1]) for name, values in series.items()}
        rows = self.backward.iterate(x, steps, series=list(turned), **turned)[::-1]
        return np.ascontiguousarray(rows[:, :n]), rows[:, n:].reshape(-1, n, n)
