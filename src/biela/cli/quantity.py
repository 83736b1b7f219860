"""Numbers with units at the border: ``90deg``, ``1ms``, ``0.5 deg/s``; inside, all is SI and radians.

A unit is a product of known ones with whole powers, ``kg m2/s2``; '/' divides by the one that follows. A bare
number is in the unit that is wanted. What has another dimension is refused: 90 m is no angle.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from biela.cli.fault import UsageError, chosen

Dimension = tuple[int, int, int, int]  # of rad, m, kg, s

UNITS: dict[str, tuple[float, Dimension]] = {
    "1": (1.0, (0, 0, 0, 0)),
    "%": (0.01, (0, 0, 0, 0)),
    "rad": (1.0, (1, 0, 0, 0)),
    "mrad": (1e-3, (1, 0, 0, 0)),
    "deg": (math.pi / 180.0, (1, 0, 0, 0)),
    "turn": (2.0 * math.pi, (1, 0, 0, 0)),
    "rpm": (math.pi / 30.0, (1, 0, 0, -1)),
    "m": (1.0, (0, 1, 0, 0)),
    "mm": (1e-3, (0, 1, 0, 0)),
    "cm": (1e-2, (0, 1, 0, 0)),
    "um": (1e-6, (0, 1, 0, 0)),
    "km": (1e3, (0, 1, 0, 0)),
    "kg": (1.0, (0, 0, 1, 0)),
    "g": (1e-3, (0, 0, 1, 0)),
    "s": (1.0, (0, 0, 0, 1)),
    "ms": (1e-3, (0, 0, 0, 1)),
    "us": (1e-6, (0, 0, 0, 1)),
    "min": (60.0, (0, 0, 0, 1)),
    "h": (3600.0, (0, 0, 0, 1)),
    "Hz": (1.0, (0, 0, 0, -1)),
    "kHz": (1e3, (0, 0, 0, -1)),
    "N": (1.0, (0, 1, 1, -2)),
    "kN": (1e3, (0, 1, 1, -2)),
    "mN": (1e-3, (0, 1, 1, -2)),
    "Nm": (1.0, (0, 2, 1, -2)),
    "Pa": (1.0, (0, -1, 1, -2)),
    "J": (1.0, (0, 2, 1, -2)),
    "W": (1.0, (0, 2, 1, -3)),
}
NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*", re.DOTALL)
FACTOR = re.compile(r"\s*([*/]?)\s*([A-Za-z]+|1|%)(?:\^?(-?\d+))?")


def unit(text: str) -> tuple[float, Dimension]:
    """What a unit is in SI, and its dimension; raises UsageError for one that is not known.

    >>> unit("km/h")[0] * 36
    10.0
    """
    factor, powers, place = 1.0, [0, 0, 0, 0], 0
    while place < len(text.rstrip()):
        found = FACTOR.match(text, place)
        if not found:
            raise UsageError(f"'{text}' is no unit: write products of units, as in 'N m s/rad' or 'kg m2'.")
        name = chosen(found[2], UNITS, "unit")
        power = int(found[3] or 1) * (-1 if found[1] == "/" else 1)
        factor *= UNITS[name][0] ** power
        powers = [a + power * b for a, b in zip(powers, UNITS[name][1], strict=True)]
        place = found.end()
    return factor, (powers[0], powers[1], powers[2], powers[3])


def quantity(text: str, wanted: str = "") -> float:
    """A number in SI; a bare one is in the unit that is wanted, where '' takes any.

    >>> quantity("90deg", "rad") == math.pi / 2, quantity("1.5", "rad"), quantity("1 ms", "s")
    (True, 1.5, 0.001)

    Raises UsageError for what is no number, has an unknown unit, or one of another dimension.
    """
    found = NUMBER.fullmatch(text)
    if not found:
        raise UsageError(f"'{text}' is no number{_like(wanted)}.")
    number, factor, given = float(found[1]), 1.0, found[2]
    if given:
        factor = factor_of(given, wanted, f"'{text}'")
    if not math.isfinite(number * factor):
        raise UsageError(f"'{text}' is too large for a number.")
    return number * factor


def factor_of(given: str, wanted: str, what: str) -> float:
    """What a unit is in SI; raises UsageError where it is not of the dimension that is wanted."""
    factor, dimension = unit(given)
    if wanted and not _same(dimension, unit(wanted)[1]):
        raise UsageError(f"{what} is in {given}, where {wanted} is wanted{_like(wanted)}.")
    return factor


def _same(one: Dimension, other: Dimension) -> bool:
    """Equal dimensions; beside forces radians are as good as none, a moment by an angle is a moment."""
    return one[1:] == other[1:] and (one[0] == other[0] or bool(one[2] and other[2]))


def _like(wanted: str) -> str:
    """An example of what is wanted."""
    examples = {"rad": "90deg", "s": "10s or 1ms", "m": "120mm", "Hz": "100Hz", "rad/s": "0.5deg/s"}
    examples |= {"kg": "1.2kg", "m/s": "0.1m/s"}
    return f"; give one like {examples[wanted]}" if wanted in examples else ""


def measured(wanted: str, *, positive: bool = False) -> Callable[[str], float]:
    """A type of arguments: numbers in a unit, above zero if they must be."""

    def read(text: str) -> float:
        value = quantity(text, wanted)
        if positive and not value > 0.0:
            raise UsageError(f"'{text}': expected more than zero{_like(wanted)}.")
        return value

    return read


def counted(least: int = 1) -> Callable[[str], int]:
    """A type of arguments: whole numbers from a least one on."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise UsageError(f"'{text}' is no whole number.") from None
        if value < least:
            raise UsageError(f"Expected {least} or more; got {value}.")
        return value

    return read


def assigned(text: str) -> tuple[str, str]:
    """A type of arguments: NAME=VALUE, the value as it was written."""
    name, equals, value = text.partition("=")
    if not (equals and name.strip() and value.strip()):
        raise UsageError(f"'{text}': expected NAME=VALUE, as in crank=90deg.")
    return name.strip(), value.strip()
