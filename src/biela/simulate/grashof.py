"""Grashof's classes of four-bar linkages, and how far the input may turn.

With the lengths g (ground), a (input), h (coupler) and b (output), the signs of

    T1 = g + h - b - a,   T2 = g + b - h - a,   T3 = h + b - g - a

tell the class (Murray and Larochelle, 1998). The input angle is measured from the line between the fixed
pivots, on the input's side. At an angle the far ends of coupler and output lie

    r^2 = g^2 + a^2 - 2 g a cos(angle)

apart, so the linkage closes where ``|h - b| <= r <= h + b``. A crank turns fully; a rocker passes neither
0 nor half a turn, a 0-Rocker passes 0 only, a Pi-Rocker half a turn only. Where one of the T is zero the bars
can come to lie in one line, where the linkage may fold.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import acos, pi

import numpy as np

LABELS = (
    "Crank-Crank",
    "Crank-Rocker",
    "Rocker-Crank",
    "Rocker-Rocker",
    "0-Rocker-0-Rocker",
    "Pi-Rocker-Pi-Rocker",
    "Pi-Rocker-0-Rocker",
    "0-Rocker-Pi-Rocker",
    "Crank-Crank that folds",
)


@dataclass(frozen=True)
class Grashof:
    """The class of a four-bar linkage; made by `grashof`.

    ``ranges`` are the intervals of the input angle, in radians, where it closes: (0, 2 pi) for a crank,
    one about 0 or half a turn, or two that mirror each other.
    """

    label: str
    terms: tuple[float, float, float]
    folds: bool
    ranges: tuple[tuple[float, float], ...]

    @property
    def crank(self) -> bool:
        """Whether the input turns fully."""
        return self.label.startswith("Crank")

    def closes(self, angle: float) -> bool:
        """Whether the linkage closes at an input angle."""
        return any((angle - low) % (2.0 * pi) <= high - low for low, high in self.ranges)

    def draw(self, count: int, seed: int = 1) -> np.ndarray:
        """Input angles drawn uniformly from where the linkage closes."""
        sizes = np.array([high - low for low, high in self.ranges])
        edges = np.concatenate([[0.0], np.cumsum(sizes)])
        drawn = np.random.default_rng(seed).uniform(0.0, edges[-1], count)
        which = np.clip(np.searchsorted(edges, drawn, side="right") - 1, 0, len(sizes) - 1)
        return np.array([low for low, _ in self.ranges])[which] + drawn - edges[which]


def grashof(ground: float, input: float, coupler: float, output: float) -> Grashof:  # noqa: A002
    """The class of a four-bar linkage, and the ranges of its input angle.

    >>> grashof(4.0, 2.0, 3.0, 4.0).label
    'Crank-Rocker'

    Raises ValueError for lengths that are not positive, or of which one is longer than the others together.
    """
    lengths = {"ground": ground, "input": input, "coupler": coupler, "output": output}
    for name, length in lengths.items():
        if not (np.isfinite(length) and length > 0.0):
            raise ValueError(f"The length of the {name} is a positive number of metres; got {length!r}.")
    longest = max(lengths, key=lambda name: lengths[name])
    if 2.0 * lengths[longest] > sum(lengths.values()):
        rest = sum(lengths.values()) - lengths[longest]
        told = f"the {longest}, {lengths[longest]:g} m, is longer than the others together, {rest:g} m"
        raise ValueError(f"No four-bar linkage: {told}.")
    T1 = ground + coupler - output - input
    T2 = ground + output - coupler - input
    T3 = coupler + output - ground - input
    folds = T1 * T2 * T3 == 0.0
    label = f"{_kind(T1 * T2, T3)}-{_kind(-T2, -T1 * T3)}"
    if folds and label == "Crank-Crank":
        label = LABELS[-1]
    return Grashof(label, (T1, T2, T3), folds, _ranges(ground, input, coupler, output))


def _kind(passes_zero: float, passes_half: float) -> str:
    """What a bar is that passes 0, or half a turn, where these are not negative."""
    if passes_zero >= 0.0:
        return "Crank" if passes_half >= 0.0 else "0-Rocker"
    return "Pi-Rocker" if passes_half >= 0.0 else "Rocker"


def _ranges(g: float, a: float, h: float, b: float) -> tuple[tuple[float, float], ...]:
    high = (g * g + a * a - (h - b) ** 2) / (2.0 * g * a)  # cosine where r is smallest
    low = (g * g + a * a - (h + b) ** 2) / (2.0 * g * a)
    if high >= 1.0 and low <= -1.0:
        return ((0.0, 2.0 * pi),)
    if high >= 1.0:
        return ((-acos(low), acos(low)),)
    if low <= -1.0:
        return ((acos(high), 2.0 * pi - acos(high)),)
    return ((-acos(low), -acos(high)), (acos(high), acos(low)))
