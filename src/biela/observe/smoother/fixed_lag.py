"""The fixed-lag smoother: every moment from readings up to a lag later, as a machine could do it that waits.

It is the pass backwards from each moment over the lag before it, all moments side by side.
"""

from __future__ import annotations

from typing import Any, ClassVar, final

import numpy as np

from biela.observe.filter.filter import Filter
from biela.observe.smoother.rts import RauchTungStriebel
from biela.observe.smoother.smoother import Forward, Smoother
from biela.simulate.record import Record
from biela.simulate.state import State

LANES = 512  # moments at a time: what they need fits into the cache's neighbourhood


@final
class FixedLag(Smoother):
    """The smoothed motion that is known ``lag`` steps later.

    Raises ValueError for a lag below one step.
    """

    key: ClassVar[str] = "fixed-lag"

    def __init__(self, observer: Filter, lag: int = 50) -> None:
        super().__init__(observer)
        if lag < 1:
            raise ValueError(f"The lag is one step or more; got {lag!r}.")
        self.lag = int(lag)

    def run(self, readings: Any, start: State, P: Any, *, u: Any = None) -> Record:
        """The smoothed motion for readings, from a first guess and its covariance."""
        forward = self.forward(readings, start, P, u)
        change, cov = RauchTungStriebel(self.observer).passed_back(forward)  # right for the last moments
        change, cov = change.copy(), cov.copy()
        for first in range(0, len(forward.q) - self.lag, LANES):
            there = np.arange(first, min(first + LANES, len(forward.q) - self.lag))
            change[there], cov[there] = self._lagged(forward, there)
        q, dq = self.corrected(forward.record, forward.q, forward.dq, change)
        return self.recorded(forward, q, dq, cov, lag=self.lag)

    def _lagged(self, forward: Forward, there: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Corrections and covariances of some moments, each from a lag later."""
        n, steps = self.observer.size, there[None, :] + np.arange(self.lag)[::-1, None]
        last = forward.P[there + self.lag].reshape(len(there), n * n).T
        x = np.concatenate([np.zeros((n, len(there))), last])
        parts = {"P": forward.P, "F": forward.F, "ahead": forward.ahead, "surprise": forward.surprise}
        series: dict[str, Any] = {
            name: np.ascontiguousarray(np.moveaxis(v[steps], 1, -1)) for name, v in parts.items()
        }
        end = self.backward.iterate(
            np.ascontiguousarray(x), self.lag, every=self.lag, series=list(series), **series
        )[-1]
        return end[:n].T, end[n:].T.reshape(-1, n, n)
