"""Fitting channels to recorded motion: the source's grid, and a search that knows the limits too.

The score of a channel is the mean fit (`biela.cueing.fitness.nrmse`) over some signals. All candidates are
lanes of a batch: one native pass over a signal gives the squared errors of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biela.cueing.channel import PARAMETERS, Channel
from biela.cueing.fitness import nrmse
from biela.cueing.recursion import Recursion
from biela.cueing.search import SEARCHES, Found, Objective, Space, lattice, minimise
from biela.expr.function import Function
from biela.expr.graph import Graph

FREQUENCIES = np.linspace(1.0, 3.0, 41)  # Hz, of the source's grid
DAMPINGS = np.linspace(1.0, 1.6, 13)
DESCENT = 1000  # candidates of the last search
BOUNDS = {  # of the search
    "gain": (0.9, 1.1),
    "damping": (0.3, 4.0),
    "frequency": (0.8, 15.0),
    "rate": (0.3, 4.0),
    "acceleration": (1.0, 40.0),
    "softening": (0.0, 5.0),
}


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted channel, its mean fit, the fit of each signal, and how many candidates were tried."""

    channel: Channel
    score: float
    scores: np.ndarray
    evaluations: int


class Scorer:
    """Scores of channels of one structure against recorded responses, many at a time."""

    def __init__(self, inputs: Sequence[Any], responses: Sequence[Any], dt: float, channel: Channel) -> None:
        if len(inputs) != len(responses) or not inputs:
            raise ValueError(f"Each input has its response; got {len(inputs)} and {len(responses)}.")
        self.dt, self.channel = dt, channel
        self.rows = [np.stack([np.asarray(u, float), np.asarray(y, float)], axis=1)
                     for u, y in zip(inputs, responses, strict=True)]  # fmt: skip
        for rows in self.rows:
            nrmse(rows[:, 1], rows[:, 0])  # finite, not constant
        self.spreads = [float(np.linalg.norm(rows[:, 1] - rows[:, 1].mean())) for rows in self.rows]
        self.recursion = Recursion(_scored(channel, dt))
        self.rest = np.zeros(self.recursion.function.inputs[0].size)

    def scores(self, p: np.ndarray) -> np.ndarray:
        """The fit of each signal, a row each, for numbers of `PARAMETERS` with a column a candidate."""
        found = [
            1.0 - np.sqrt(self.recursion.run(self.rest, rows, p, every=len(rows), threads=0)[-1, -1]) / spread
            for rows, spread in zip(self.rows, self.spreads, strict=True)
        ]
        return np.array(found)

    def columns(self, names: Sequence[str], values: np.ndarray) -> np.ndarray:
        """Numbers of `PARAMETERS`: the channel's, some of them replaced, a column a candidate."""
        p = np.repeat(self.channel.values[:, None], values.shape[1], axis=1)
        for name, row in zip(names, values, strict=True):
            p[PARAMETERS.index(name)] = row
        return p

    def cost(self, names: Sequence[str]) -> Objective:
        """The objective of a search over some of the numbers: 1 - mean fit."""

        def cost(values: np.ndarray) -> np.ndarray:
            return 1.0 - self.scores(self.columns(names, values)).mean(axis=0)

        return cost

    def fit(self, names: Sequence[str], found: Found, evaluations: int) -> Fit:
        """The channel that a search found."""
        chosen = self.channel.changed(**dict(zip(names, map(float, found.values), strict=True)))
        scores = self.scores(self.columns(names, found.values[:, None]))[:, 0]
        return Fit(chosen, float(scores.mean()), scores, evaluations)


def _scored(channel: Channel, dt: float) -> Function:
    """The channel's sample, with the squared error against a reference summed up behind its state."""
    step = channel.step(dt)
    graph = Graph()
    size = step.inputs[0].size
    x = [graph.symbol(f"x{k}") for k in range(size + 1)]
    pair = [graph.symbol("u"), graph.symbol("reference")]
    p = [graph.symbol(name) for name in PARAMETERS]
    after = list(step(x[:-1], pair[0], p))
    error = after[0] - pair[1]
    return Function("scored", {"x": x, "pair": pair, "p": p}, {"x_next": [*after, x[-1] + error * error]})


def fit_grid(
    inputs: Sequence[Any], responses: Sequence[Any], dt: float = 0.02, *, delay: float = 0.08,
    gain: float = 1.0, frequencies: Any = FREQUENCIES, dampings: Any = DAMPINGS,
) -> Fit:  # fmt: skip
    """The source's way: delay and gain are given, damping and natural frequency are searched on a grid.

    ``inputs`` are achieved demands, ``responses`` what the platform did, one pair a signal, sampled alike.
    Raises ValueError for responses that are constant or not finite.
    """
    channel = Channel(delay=delay, gain=gain, frequency=float(np.max(frequencies)))
    scorer = Scorer(inputs, responses, dt, channel)
    names = ("damping", "frequency")
    count = np.size(dampings) * np.size(frequencies)
    found = minimise(lattice([dampings, frequencies], count), scorer.cost(names), count)
    return scorer.fit(names, found, found.evaluations)


def fit(
    inputs: Sequence[Any], responses: Sequence[Any], dt: float = 0.02, *,
    names: Sequence[str] = ("damping", "frequency", "rate", "acceleration"),
    delays: Sequence[float] | None = None,
    size: int = 48, rounds: int = 50, seed: int = 1, form: str = "servo",
) -> Fit:  # fmt: skip
    """The better way: evolution, then a simplex, over any of `PARAMETERS`, for each of some whole delays.

    Raises ValueError for unknown names, and as `fit_grid` does.
    """
    unknown = [name for name in names if name not in BOUNDS]
    if unknown:
        raise ValueError(f"Unknown parameter {unknown[0]!r}. Known: {', '.join(BOUNDS)}.")
    low, high = (np.array([BOUNDS[name][k] for name in names]) for k in (0, 1))
    high = np.where([name == "frequency" for name in names], np.minimum(high, 0.45 / dt), high)
    limits = {name: BOUNDS[name][1] for name in ("rate", "acceleration", "softening") if name in names}
    best: Fit | None = None
    count = 0
    for delay in delays or [dt * k for k in range(1, 7)]:
        channel = Channel(delay=delay, form=form).changed(**limits)
        scorer = Scorer(inputs, responses, dt, channel)
        objective = scorer.cost(names)
        space = Space(low, high, None, size, size * (rounds + 1), seed)
        rough = minimise(SEARCHES["differential-evolution"](space), objective, space.budget)
        space = Space(low, high, rough.values, budget=DESCENT)
        fine = minimise(SEARCHES["nelder-mead"](space), objective, DESCENT)
        count += rough.evaluations + fine.evaluations
        made = scorer.fit(names, fine, count)
        best = made if best is None or made.score > best.score else best
    assert best is not None
    return Fit(best.channel, best.score, best.scores, count)
