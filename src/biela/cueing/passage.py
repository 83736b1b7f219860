"""`Passage`: many samples of a ride, in haste where nothing is out of reach.

Most demands are within reach, and then the search for the end of it, most of the work of a sample, finds
that nothing is to be done. So there are two samples with the same state. The quick one leaves every demand as
it is and notes whether it is within reach; the whole one searches. Chunk after chunk all lanes go quickly;
those that noted something go through the chunk again, from where it began, with the whole sample. What comes
out is what the whole sample gives. Where most lanes noted something, the next chunk goes through the whole
sample at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from biela.cueing.recursion import Recursion

CHUNK = 500  # samples
MANY = 0.5  # of the lanes: where more search, all do


class Passage:
    """Two recursions over the same state, whose component ``flag`` counts what is out of reach."""

    def __init__(self, quick: Recursion, whole: Recursion, flag: int) -> None:
        self.quick, self.whole, self.flag = quick, whole, flag

    def run(self, x: Any, rows: np.ndarray, p: Any, *, last: bool = False, threads: int = 1) -> np.ndarray:
        """The states after rows of inputs, the start first, or the ``last``; lanes as in `Recursion.run`."""
        quick, whole = self.quick.prepare(p), self.whole.prepare(p)
        state = np.asarray(x, float)
        if quick.ndim == 2 and state.ndim == 1:
            state = np.repeat(state[:, None], quick.shape[1], axis=1)
        kept = None if last else np.empty((len(rows) + 1, *state.shape))
        if kept is not None:
            kept[0] = state
        hasty = True
        for begin in range(0, len(rows), CHUNK):
            part = rows[begin : begin + CHUNK]
            found, share = self._part(state, part, quick, whole, hasty, len(part) if last else 1, threads)
            hasty, state = share < MANY, found[-1]
            if kept is not None:
                kept[begin + 1 : begin + 1 + len(part)] = found[1:]
        return state if kept is None else kept

    def _part(
        self, x: np.ndarray, rows: np.ndarray, quick: np.ndarray, whole: np.ndarray, hasty: bool, every: int,
        threads: int,
    ) -> tuple[np.ndarray, float]:  # fmt: skip
        """The states of a chunk, and the share of the lanes that had something out of reach."""
        if not hasty:
            found = self.whole.go(x, rows, whole, every=every, threads=threads)
            return found, np.count_nonzero(found[-1, self.flag] > x[self.flag]) / x[self.flag].size
        found = self.quick.go(x, rows, quick, every=every, threads=threads)
        noted = np.flatnonzero(found[-1, self.flag] > x[self.flag])
        if not len(noted):
            return found, 0.0
        if x.ndim == 1 or len(noted) > MANY * x.shape[1]:
            return self.whole.go(x, rows, whole, every=every, threads=threads), 1.0
        again = self.whole.go(x[:, noted], rows, whole[:, noted], every=every, threads=threads)
        found[:, :, noted] = again
        return found, len(noted) / x.shape[1]
