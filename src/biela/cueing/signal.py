"""Test signals of source 002: chirps, damped sines and squares, triangles, sawteeth.

``A`` is the amplitude, ``f`` a frequency in Hz, ``c`` a decay in 1/s, ``t`` times in s from 0. The chirp's
frequency grows by the factor r every second,

    y = A sin(phi(t)) + offset,   phi(t) = 2 pi f0 (r^t - 1)/ln r + phase,   f(t) = f0 r^t.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi
from typing import Any

import numpy as np


def chirp_phase(t: Any, f0: float, r: float, phase: float = 0.0) -> np.ndarray:
    """phi(t), also for r = 1."""
    t = np.asarray(t, float)
    rate = log(r)
    grown = t if rate == 0.0 else np.expm1(t * rate) / rate
    return 2.0 * pi * f0 * grown + phase


def chirp(
    t: Any, A: float, f0: float = 0.01, r: float = 1.1, phase: float = 0.0, offset: float = 0.0
) -> np.ndarray:
    """A sine whose frequency grows exponentially. Raises ValueError unless f0 and r are positive."""
    if not (f0 > 0.0 and r > 0.0):
        raise ValueError(f"A chirp has f0 > 0 and r > 0; got f0={f0!r}, r={r!r}.")
    return A * np.sin(chirp_phase(t, f0, r, phase)) + offset


def sine(t: Any, A: float, f: float) -> np.ndarray:
    """A sin(2 pi f t)."""
    return A * np.sin(2.0 * pi * f * np.asarray(t, float))


def damped_sine(t: Any, A: float, f: float, c: float = 0.0) -> np.ndarray:
    """A e^(-ct) sin(2 pi f t)."""
    return np.exp(-c * np.asarray(t, float)) * sine(t, A, f)


def damped_square(t: Any, A: float, f: float, c: float = 0.0) -> np.ndarray:
    """A e^(-ct) on the first half of every period, t = 0 included, and the negative on the second."""
    t = np.asarray(t, float)
    half = np.floor(2.0 * f * t + 1e-9) % 2.0
    return A * np.exp(-c * t) * (1.0 - 2.0 * half)


def triangle(t: Any, A: float, f: float) -> np.ndarray:
    """(2A/pi) asin(sin 2 pi f t)."""
    return 2.0 * A / pi * np.arcsin(np.sin(2.0 * pi * f * np.asarray(t, float)))


def sawtooth(t: Any, A: float, f: float) -> np.ndarray:
    """2A (ft - floor(ft + 1/2))."""
    turns = f * np.asarray(t, float)
    return 2.0 * A * (turns - np.floor(turns + 0.5))


KINDS = {
    "chirp": chirp,
    "sine": sine,
    "damped sine": damped_sine,
    "damped square": damped_square,
    "triangle": triangle,
    "sawtooth": sawtooth,
}


@dataclass(frozen=True)
class Signal:
    """A test signal by its kind and numbers; the amplitude is in degrees, the values are in radians."""

    kind: str
    amplitude_deg: float
    numbers: tuple[tuple[str, float], ...]

    def __call__(self, t: Any) -> np.ndarray:
        """Its values at times."""
        return KINDS[self.kind](t, np.radians(self.amplitude_deg), **dict(self.numbers))


def signal(kind: str, amplitude_deg: float, **numbers: float) -> Signal:
    """A test signal; raises ValueError for an unknown kind.

    >>> signal("sine", 30.0, f=0.25)([0.0, 1.0])
    array([0.        , 0.52359878])
    """
    if kind not in KINDS:
        raise ValueError(f"Unknown signal {kind!r}. Known: {', '.join(KINDS)}.")
    return Signal(kind, amplitude_deg, tuple(numbers.items()))


def times(duration: float, dt: float) -> np.ndarray:
    """Sample times 0, dt, ... up to the duration, the end included."""
    return dt * np.arange(round(duration / dt) + 1)
