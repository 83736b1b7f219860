"""Characterisation: what the response of a platform to test signals tells.

* Steps and squares: `latency`, `step_times`, `excursion`.
* Chirps: `attenuation`, the frequencies at which the amplitude has fallen by 3 and 6 dB. At every moment a
  sine of the chirp's own phase is fitted to about a period of the response, in a Hann window; the amplitude
  needs no envelope and no delay, and where it crosses the level is interpolated. The frequency is that of
  the demand which the response answers, a delay ago.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biela.cueing.signal import chirp_phase

LEVELS = {"3 dB": 0.7071067811865476, "6 dB": 0.5}
SMALLEST = 0.01  # of the step: below is noise
JUMP = 0.05  # of the step: a smaller change of the demand does not end its answer
QUIET = 10  # samples before a step that tell what is noise
TURNS = 1.5  # periods in a window
POINTS = 400  # moments at which the amplitude is found


@dataclass(frozen=True)
class StepTimes:
    """Times in s from the step of the demand: first motion, shares of the way, and settling within a band."""

    latency: float
    t50: float
    t90: float
    t98: float
    settled: float
    overshoot: float


def latency(demand: Any, response: Any, dt: float, share: float = SMALLEST) -> float:
    """The time from the first change of the demand until the response has gone a share of the way.

    Noise that is seen before the step does not count as motion. Raises ValueError where there is no step or
    no response.
    """
    u, y = _pair(demand, response)
    k, size = _step(u)
    rest, noise = (float(np.mean(y[:k])), float(np.std(y[:k]))) if k >= QUIET else (float(y[k]), 0.0)
    moved = np.flatnonzero(np.abs(y[k:] - rest) >= max(share * abs(size), 5.0 * noise))
    if not len(moved):
        raise ValueError("The response does not move: it is constant, or not that of this demand.")
    return dt * float(moved[0])


def step_times(demand: Any, response: Any, dt: float, band: float = 0.02) -> StepTimes:
    """Times of the answer to the first step of a demand; nan where the recording ends too early."""
    u, y = _pair(demand, response)
    k, size = _step(u)
    changes = np.flatnonzero(np.abs(np.diff(u[k:])) > JUMP * abs(size))
    end = k + int(changes[0]) + 1 if len(changes) else len(y)
    way = (y[k:end] - y[k]) / size
    shares = {share: _crossing(way, share) * dt for share in (0.5, 0.9, 0.98)}
    outside = np.flatnonzero(np.abs(way - 1.0) > band)
    last = int(outside[-1]) + 1 if len(outside) else 0
    settled = dt * last if last < len(way) else float("nan")
    first = latency(u, y, dt)
    return StepTimes(first, shares[0.5], shares[0.9], shares[0.98], settled, max(0.0, float(way.max()) - 1.0))


def excursion(demand: Any, response: Any, dt: float, within: float) -> float:
    """The time from a step until the response stays within a distance of its goal (rad or m)."""
    _, size = _step(np.asarray(demand, float))
    return step_times(demand, response, dt, abs(within / size)).settled


def amplitudes(
    response: Any, dt: float, f0: float, r: float, turns: float = TURNS
) -> tuple[np.ndarray, np.ndarray]:
    """Times and local amplitudes of the response to a chirp."""
    y = np.asarray(response, float)
    t = dt * np.arange(len(y))
    f = f0 * r**t
    span = turns / f
    middles = t[(t > 0.5 * span) & (t + 0.5 * span < t[-1]) & (f < 0.35 / dt)]
    middles = middles[:: max(1, len(middles) // POINTS)]
    found = np.array([_local(y, t, f0, r, m, turns / (f0 * r**m)) for m in middles])
    return middles, found


def _local(y: np.ndarray, t: np.ndarray, f0: float, r: float, middle: float, span: float) -> float:
    """The amplitude of the chirp's own phase in a window."""
    near = np.abs(t - middle) <= 0.5 * span
    phase = chirp_phase(t[near], f0, r)
    weight = np.cos(np.pi * (t[near] - middle) / span)  # its square is Hann's window
    table = np.stack([np.sin(phase), np.cos(phase), np.ones(near.sum())], axis=1)
    if len(table) < 4:
        return float("nan")
    solved = np.linalg.lstsq(table * weight[:, None], y[near] * weight, rcond=None)[0]
    return float(np.hypot(solved[0], solved[1]))


def attenuation(
    response: Any, dt: float, amplitude: float, f0: float, r: float, *, delay: float = 0.0,
    levels: Mapping[str, float] = LEVELS,
) -> dict[str, float]:  # fmt: skip
    """Frequencies in Hz at which the response to a chirp has fallen to the levels; nan where it has not.

    Raises ValueError for a response that is constant or not finite.
    """
    y = np.asarray(response, float)
    _check(y, "response")
    times, found = amplitudes(y, dt, f0, r)
    ratio = found / amplitude
    answers: dict[str, float] = {}
    for name, level in levels.items():
        below = np.flatnonzero(ratio < level)
        if not len(below) or below[0] == 0:
            answers[name] = float("nan")
            continue
        k = int(below[0])
        share = (ratio[k - 1] - level) / (ratio[k - 1] - ratio[k])
        t = times[k - 1] + share * (times[k] - times[k - 1])
        answers[name] = float(f0 * r ** (t - delay))
    return answers


def delay_by_correlation(demand: Any, response: Any, dt: float, longest: float = 1.0) -> float:
    """The shift in s by which a response matches its demand best: delay and lag together."""
    u, y = _pair(demand, response)
    u, y = u - u.mean(), y - y.mean()
    shifts = range(min(len(u) - 1, round(longest / dt)) + 1)
    scores = [float(u[: len(u) - k] @ y[k:]) / (len(u) - k) for k in shifts]
    return dt * int(np.argmax(scores))


def _pair(demand: Any, response: Any) -> tuple[np.ndarray, np.ndarray]:
    u, y = np.asarray(demand, float), np.asarray(response, float)
    if u.shape != y.shape or u.ndim != 1:
        raise ValueError(f"Demand and response are sampled alike; got shapes {u.shape} and {y.shape}.")
    if not np.isfinite(u).all() or not u.any():
        raise ValueError("The demand must be finite, and not zero all along.")
    _check(y, "response")
    return u, y


def _check(values: np.ndarray, what: str) -> None:
    if not np.isfinite(values).all():
        raise ValueError(f"The {what} is not finite at sample {int(np.argmin(np.isfinite(values)))}.")
    if float(np.ptp(values)) == 0.0:
        raise ValueError(f"The {what} is constant: there is nothing to characterise.")


def _step(u: np.ndarray) -> tuple[int, float]:
    """The place of the first step, and its size; a demand that begins away from 0 steps at its begin."""
    if u[0] != 0.0:
        return 0, float(u[0])
    k = int(np.flatnonzero(np.diff(u))[0]) + 1
    return k, float(u[k] - u[k - 1])


def _crossing(way: Sequence[float] | np.ndarray, share: float) -> float:
    """Where a rising way first passes a share, in samples."""
    values = np.asarray(way)
    above = np.flatnonzero(values >= share)
    if not len(above):
        return float("nan")
    k = int(above[0])
    if k == 0:
        return 0.0
    return k - 1 + float((share - values[k - 1]) / (values[k] - values[k - 1]))
