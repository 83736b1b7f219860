"""Orders: what browsers send, as JSON of at most `LARGEST` bytes; what is none is told apart, never raised.

Each is one of

    {"do": "play" | "pause" | "step" | "reset" | "release"}
    {"do": "speed", "value": 0.5}
    {"do": "set", "name": "m1", "value": 2.0}
    {"do": "grab", "actor": 0, "lane": 0, "a": 3, "b": 4, "turn": -1, "at": [x, y, z]}
    {"do": "drag", "to": [x, y, z]}
    {"do": "drive", "ahead": 1, "aside": 0}
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, NamedTuple, cast

import numpy as np

from biela.view.live_page.source import Grip, Source

LARGEST = 2048
SLOWEST, FASTEST = 0.001, 50.0
FAR = 1e9  # m: nothing is dragged farther
PLAIN = ("play", "pause", "step", "reset", "release")


class Order(NamedTuple):
    """Something to be done, with what it takes."""

    do: str
    name: str = ""
    value: float = 0.0
    other: float = 0.0
    place: np.ndarray | None = None
    grip: Grip | None = None


def order_of(message: str | bytes, source: Source) -> Order | str:
    """The order in a message, or why it is none.

    >>> from biela.view.live_page.source import Source
    >>> order_of("hello", Source)
    'no JSON'
    """
    if not isinstance(message, str):
        return "binary"
    if len(message) > LARGEST:
        return "too long"
    try:
        found: Any = json.loads(message)
    except (ValueError, RecursionError):
        return "no JSON"
    if not isinstance(found, dict):
        return "no object"
    told = cast("dict[str, Any]", found)
    do = told.get("do")
    if do in PLAIN:
        return Order(str(do))
    reader = _READERS.get(do) if isinstance(do, str) else None
    return "unknown" if reader is None else (reader(told, source) or "impossible")


def _number(value: Any, low: float, high: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int) and abs(value) > 1 << 53:
        return None
    return float(value) if isfinite(value) and low <= value <= high else None


def _place(value: Any) -> np.ndarray | None:
    if not isinstance(value, list) or len(cast("list[Any]", value)) != 3:
        return None
    found = [_number(x, -FAR, FAR) for x in cast("list[Any]", value)]
    return None if None in found else np.array(found, float)


def _speed(told: dict[str, Any], source: Source) -> Order | None:
    value = _number(told.get("value"), SLOWEST, FASTEST)
    return None if value is None else Order("speed", value=value)


def _set(told: dict[str, Any], source: Source) -> Order | None:
    name, value = told.get("name"), _number(told.get("value"), -1e300, 1e300)
    control = next((c for c in source.controls if c.name == name), None)
    if control is None or value is None or not control.accepts(value):
        return None
    return Order("set", control.name, value)


def _drive(told: dict[str, Any], source: Source) -> Order | None:
    ahead, aside = (_number(told.get(name), -1.0, 1.0) for name in ("ahead", "aside"))
    if ahead is None or aside is None or not source.drives:
        return None
    return Order("drive", value=ahead, other=aside)


def _drag(told: dict[str, Any], source: Source) -> Order | None:
    place = _place(told.get("to"))
    return None if place is None or not source.holds else Order("drag", place=place)


def _grab(told: dict[str, Any], source: Source) -> Order | None:
    at = _place(told.get("at"))
    actor = _index(told.get("actor"), len(source.actors))
    if at is None or not source.holds or actor < 0:
        return None
    own = source.actors[actor]
    lane, a = _index(told.get("lane"), own.lanes), _index(told.get("a"), own.points)
    b, turn = _index(told.get("b"), own.points), _index(told.get("turn"), own.bases)
    return None if lane < 0 or a < 0 else Order("grab", grip=Grip(actor, lane, a, b, turn, at))


def _index(value: Any, count: int) -> int:
    """A place in a list, -1 for none."""
    fine = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count
    return value if fine else -1


_READERS = {"speed": _speed, "set": _set, "drive": _drive, "drag": _drag, "grab": _grab}
