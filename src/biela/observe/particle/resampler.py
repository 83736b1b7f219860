"""Resamplers: which particles live on, and how often.

Each takes weights (any scale), how many to choose and a random generator, and returns the indices of the
chosen ones in ascending order. All but `comb` are unbiased: particle i is expected ``count * w_i`` times.
They differ in how much chance is left: systematic and SSP choose i either floor or ceiling of that many
times (Gerber, Chopin and Whiteley, 2019, section 3; Douc and Cappe, 2005).

Adding one is adding a function and a row of the registry.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from biela.compile.kernel import Kernel
from biela.compile.walk import rake, walk
from biela.expr.expression import where
from biela.expr.function import Function
from biela.expr.graph import Graph

Places = NDArray[np.int64]
Resampler = Callable[[np.ndarray, int, np.random.Generator], Places]


def multinomial(w: np.ndarray, count: int, rng: np.random.Generator) -> Places:
    """Independent draws; their order statistics come from sums of exponential variates."""
    spaces = np.cumsum(rng.exponential(size=count + 1))
    return _walked(w, spaces[:-1] / spaces[-1])


def stratified(w: np.ndarray, count: int, rng: np.random.Generator) -> Places:
    """One draw in each of ``count`` equal strata (Kitagawa, 1996)."""
    teeth = np.arange(count, dtype=float)
    teeth += rng.random(count)
    teeth /= count
    return _walked(w, teeth)


def systematic(w: np.ndarray, count: int, rng: np.random.Generator) -> Places:
    """One draw for all strata (Carpenter, Clifford and Fearnhead, 1999)."""
    return rake(w, count, rng.random())


def residual(w: np.ndarray, count: int, rng: np.random.Generator) -> Places:
    """The whole copies that are due, and independent draws for the rest (Liu and Chen, 1998)."""
    due = w * (count / w.sum())
    whole = np.floor(due)
    rest = count - int(whole.sum())
    copies = whole.astype(np.int64)
    if rest > 0:
        copies += np.bincount(multinomial(due - whole, rest, rng), minlength=len(w))
    return np.repeat(np.arange(len(w)), copies)


def ssp(w: np.ndarray, count: int, rng: np.random.Generator) -> Places:
    """The whole copies that are due, the rest by Srinivasan's process: pairs settle who gets a copy."""
    due = w * (count / w.sum())
    whole = np.floor(due)
    left = due - whole
    copies = whole.astype(np.int64)
    if len(w) > 1:
        series = np.stack([np.arange(1.0, len(w)), left[1:], rng.random(len(w) - 1)], axis=1)
        settled = _settling().iterate([0.0, left[0], 0.0, 0.0], len(w) - 1, series, series=["with"])
        copies[settled[1:, 2].astype(np.int64)] += settled[1:, 3].astype(np.int64)
        copies[int(settled[-1, 0])] += count - int(copies.sum())  # who is left has a whole rest, but rounding
    else:
        copies[0] = count
    return np.repeat(np.arange(len(w)), copies)


def comb(w: np.ndarray, count: int, rng: np.random.Generator) -> Places:
    """The comb of SimTKpf, without chance; of equal particles it drops the first and doubles the last."""
    levels = np.cumsum(w / w.sum())
    levels[-1] = 1.1
    teeth = np.ones(count)
    teeth[:-1] = np.arange(1, count) * (0.99999 / max(count - 1, 1))
    return walk(levels, teeth)


RESAMPLERS: dict[str, Resampler] = {
    row.__name__: row for row in (multinomial, stratified, systematic, residual, ssp, comb)
}


def resampler(name: str) -> Resampler:
    """A row of the registry; raises ValueError with a suggestion for an unknown name."""
    if name not in RESAMPLERS:
        close = get_close_matches(name, RESAMPLERS, 1)
        hint = f" Did you mean '{close[0]}'?" if close else ""
        raise ValueError(f"Unknown resampler {name!r}. Known: {', '.join(RESAMPLERS)}.{hint}")
    return RESAMPLERS[name]


def _walked(w: np.ndarray, teeth: np.ndarray) -> Places:
    """Where teeth in (0, 1) end up; they are scaled in place, since there may be a million."""
    levels = np.cumsum(w)
    teeth *= levels[-1]
    places = walk(levels, teeth)
    last = len(w) - 1 - int(np.argmax(w[::-1] > 0.0))
    return places if last == len(w) - 1 else np.minimum(places, last)  # no particle without weight


@lru_cache(maxsize=1)
def _settling() -> Kernel:
    """One pair: who carries a rest meets the next; one of them is settled with 0 or 1, the other goes on."""
    graph = Graph()
    i, p, j, q, u, index, value = graph.symbols("i p j q u index value")
    both = p + q
    small = both < 1.0
    # the chance of the carrier: to take the other's rest, or to get a whole copy; equal rests of 0 stay
    total = where(small, both, 2.0 - both)
    chance = where(total > 0.0, where(small, p, 1.0 - q) / where(total > 0.0, total, 1.0), 1.0)
    wins = u < chance
    carries_on = where(small, wins, 1.0 - wins)  # below one the winner goes on, else the loser does
    after = [
        where(carries_on, i, j),
        where(small, both, both - 1.0),
        where(carries_on, j, i),
        where(small, 0.0, 1.0),
    ]
    return Kernel(Function("settle", {"x": [i, p, index, value], "with": [j, q, u]}, {"x_next": after}))
