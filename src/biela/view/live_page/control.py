"""`Control`: what a page offers to be changed: a slider, a switch or a choice, with unit and borders."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, inf, isfinite, log10
from typing import Any

AROUND = (0.2, 2.0)  # a slider goes from and to so many times the value it begins with
TINY = 1e-9  # of the largest: what is smaller is zero but for rounding


@dataclass
class Control:
    """A number that is changed while a page is open.

    ``kind`` is 'slider', 'switch' (0 or 1) or 'choice' (the number of one of ``choices``); ``group`` is the
    heading it stands under and ``told`` says what it does.
    """

    name: str
    kind: str
    value: float
    unit: str = ""
    low: float = 0.0
    high: float = 1.0
    group: str = ""
    told: str = ""
    choices: tuple[str, ...] = ()

    def accepts(self, value: float) -> bool:
        """Whether a number is within the borders."""
        if not (isfinite(value) and self.low <= value <= self.high):
            return False
        return self.kind == "slider" or value == int(value)

    def plain(self) -> dict[str, Any]:
        """The same as JSON would have it."""
        return {**vars(self), "choices": list(self.choices)}


def slider(
    name: str, value: float, unit: str = "", borders: tuple[float, float] | None = None, **more: Any
) -> Control:
    """A slider; its borders are around the value unless they are given.

    >>> found = slider("mass", 3.0, "kg")
    >>> found.low, found.high, slider("torque", 0.0, borders=(-2.0, 2.0)).high
    (0.6, 6.0, 2.0)

    Raises ValueError for borders that are none.
    """
    low, high = borders or _around(value)
    if not (isfinite(low) and isfinite(high) and low < high):
        raise ValueError(f"Slider '{name}': from {low!r} to {high!r} is no range. Give (low, high).")
    return Control(name, "slider", value, unit, min(low, value), max(high, value), **more)


def switch(name: str, on: bool, **more: Any) -> Control:
    """Something that is on or off."""
    return Control(name, "switch", float(on), **more)


def choice(name: str, choices: tuple[str, ...], chosen: int = 0, **more: Any) -> Control:
    """One of several."""
    return Control(name, "choice", float(chosen), high=float(len(choices) - 1), choices=choices, **more)


def _around(value: float) -> tuple[float, float]:
    if not isfinite(value) or abs(value) < TINY:
        return -1.0, 1.0
    ends = sorted(round_to(share * value) for share in AROUND)
    return ends[0], ends[1]


def round_to(value: float, digits: int = 2) -> float:
    """A number with few digits.

    >>> round_to(0.012345), round_to(-98.7), round_to(0.0)
    (0.012, -99.0, 0.0)
    """
    if value == 0.0 or not isfinite(value):
        return value
    return round(value, digits - 1 - floor(log10(abs(value))))


def limits(low: float, high: float, value: float) -> tuple[float, float]:
    """Borders that are finite and hold a value.

    >>> limits(0.0, float("inf"), 3.0)
    (0.0, 6.0)
    """
    reach = max(abs(value), 1.0)
    return (min(low, value) if low > -inf else value - reach), (
        max(high, value) if high < inf else value + reach
    )
