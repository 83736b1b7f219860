"""Judgement: how far estimates are from the truth, and whether a filter knows how far that is.

The normalised estimation error squared (NEES, by the truth) and the normalised innovation squared (NIS,
without it) are chi-square distributed if the covariances are right (Bar-Shalom, Li and Kirubarajan, 2001,
section 5.4): their means must lie within bounds.
"""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import chi2  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from biela.mechanics.quantity import TURN
from biela.observe.filter.filter import Filter
from biela.simulate.record import Record
from biela.simulate.state import State


def error(truth: Record, estimate: Record, name: str) -> np.ndarray:
    """Estimate less truth at every moment, angles the short way round.

    Raises ValueError where the records have different moments.
    """
    if len(truth) != len(estimate) or np.abs(truth.t - estimate.t).max() > 1e-9 * max(1.0, truth.t[-1]):
        raise ValueError(f"The records have {len(truth)} and {len(estimate)} moments, or other times.")
    a, b = truth[name], estimate[name]
    off = b - (a[:, None] if a.ndim < b.ndim else a)
    return off - TURN * np.round(off / TURN) if truth.units.get(name) == "rad" else off


def rmse(truth: Record, estimate: Record, name: str, begin: float = 0.0, end: float = np.inf) -> Any:
    """The root mean square error between two times, one for each lane."""
    there = (truth.t >= begin - 1e-9) & (truth.t <= end + 1e-9)
    found = np.sqrt(np.mean(error(truth, estimate, name)[there] ** 2, axis=0))
    return float(found) if found.ndim == 0 else found


def convergence(
    truth: Record, estimate: Record, name: str, tolerance: float = np.deg2rad(5.0), hold: float = 0.1
) -> np.ndarray:
    """The time from which each lane stays within a tolerance until the end; inf where it does not.

    ``hold`` is how long it must have stayed at least.
    """
    off = np.abs(error(truth, estimate, name))
    off = off[:, None] if off.ndim == 1 else off
    late = len(off) - np.argmax(~(off < tolerance)[::-1], axis=0)
    late = np.where((off < tolerance).all(axis=0), 0, late)
    stays = (late < len(off)) & (truth.t[np.minimum(late, len(off) - 1)] <= truth.t[-1] - hold + 1e-12)
    return np.where(stays, truth.t[np.minimum(late, len(off) - 1)], np.inf)


class Consistency(NamedTuple):
    """A mean of squares against the bounds it has if the covariances are right."""

    mean: float
    low: float
    high: float

    @property
    def ok(self) -> bool:
        """Whether it is within them; above: the filter is too sure, below: not sure enough."""
        return self.low <= self.mean <= self.high


def _judged(values: np.ndarray, freedom: float, level: float) -> Consistency:
    tail = (1.0 - level) / 2.0
    low, high = (float(chi2.ppf(q, freedom)) / len(values) for q in (tail, 1.0 - tail))  # pyright: ignore
    return Consistency(float(np.mean(values)), low, high)


def nis(estimate: Record, begin: float = 0.0, level: float = 0.95) -> Consistency:
    """The mean innovation squared of a run, and its bounds; raises ValueError without readings."""
    there = (estimate.t >= begin) & np.isfinite(estimate["nis"])
    if not there.any():
        raise ValueError("The run has no reading from that time on: nothing to judge by.")
    return _judged(estimate["nis"][there], float(estimate["readings"][there].sum()), level)


def nees(
    truth: Record, estimates: Record, names: tuple[str, ...], moment: int = -1, level: float = 0.95
) -> Consistency:
    """The mean estimation error squared over the lanes of a batch, at one moment, and its bounds.

    ``names`` are components of the error: ("crank", "crank'"). Lanes are independent runs, moments are not.
    """
    e = np.stack([np.atleast_1d(error(truth, estimates, name)[moment]) for name in names])
    P = np.empty((len(names), len(names), e.shape[1]))
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            key = f"cov({one},{other})" if i < j else f"cov({other},{one})"
            P[i, j] = estimates[f"sd({one})"][moment] ** 2 if i == j else estimates[key][moment]
    values = np.einsum("in,nij,jn->n", e, np.linalg.inv(np.moveaxis(P, 2, 0)), e)
    return _judged(values, float(len(names) * e.shape[1]), level)


class StepTimes(NamedTuple):
    """Seconds a step: of the native loop, and of single calls, one number each."""

    step: float
    calls: np.ndarray

    def __repr__(self) -> str:
        at = np.percentile(self.calls, [50.0, 99.0, 100.0]) * 1e6
        calls = f"a call {at[0]:.1f}, 99% {at[1]:.1f}, worst {at[2]:.1f} us"
        return f"<StepTimes {self.step * 1e6:.2f} us a step; {calls}>"


def step_times(observer: Filter, readings: Any, start: State, P: Any) -> StepTimes:
    """How long steps take: the mean of the native loop, and every call by itself for a histogram."""
    y = np.ascontiguousarray(readings, float)
    observer.rows(y, start, P)
    began = perf_counter_ns()
    observer.rows(y, start, P)
    whole = (perf_counter_ns() - began) / len(y)
    ports = [port.name for port in observer.function.inputs]
    named = {k: v for k, v in {"h": observer.process.dt, "p": start.p, "u": start.u}.items() if k in ports}
    x, kernel, spent = observer.start(start, P), observer.kernel, np.empty(len(y))
    kernel(x=x, y=y[0], **named)  # compiled before it counts
    for k, row in enumerate(y):
        began = perf_counter_ns()
        x = kernel(x=x, y=row, **named)[0]
        spent[k] = perf_counter_ns() - began
    return StepTimes(whole * 1e-9, spent * 1e-9)
