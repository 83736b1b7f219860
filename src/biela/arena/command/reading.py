"""Reads the data of requests; what is not as it should be raises ValueError with a reason."""

from __future__ import annotations

import math
from typing import Any, cast

from biela.arena.message import Request


def number(request: Request, name: str, low: float = -math.inf, high: float = math.inf) -> float:
    """A finite number within bounds."""
    value = request.data.get(name)
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not good or not low <= cast("float", value) <= high:
        span = f" from {low:g} to {high:g}" if math.isfinite(low) or math.isfinite(high) else ""
        raise ValueError(f"{request.command}: {name} is {value!r}; a finite number{span} is wanted.")
    return float(cast("float", value))


def whole(request: Request, name: str, low: int, high: int) -> int:
    """A whole number within bounds."""
    value = number(request, name, low, high)
    if value != int(value):
        raise ValueError(f"{request.command}: {name} is {value!r}; a whole number is wanted.")
    return int(value)


def switch(request: Request, name: str) -> bool:
    """True or false."""
    value = request.data.get(name)
    if not isinstance(value, bool):
        raise ValueError(f"{request.command}: {name} is {value!r}; true or false is wanted.")
    return value


def text(request: Request, name: str, default: str | None = None) -> str:
    """A text."""
    value = request.data.get(name, default)
    if not isinstance(value, str):
        raise ValueError(f"{request.command}: {name} is {value!r}; a text is wanted.")
    return value


def numbers(request: Request, name: str, count: int) -> tuple[float, ...] | None:
    """So many finite numbers, or None if they are not given."""
    values = cast("list[Any] | None", request.data.get(name))
    if values is None:
        return None
    good = isinstance(cast("Any", values), list | tuple) and len(values) == count
    if not good or not all(isinstance(v, int | float) and math.isfinite(v) for v in values):
        raise ValueError(f"{request.command}: {name} is {values!r}; {count} finite numbers are wanted.")
    return tuple(float(v) for v in values)


def texts(request: Request, name: str) -> tuple[str, ...]:
    """A list of texts; none if it is not given."""
    values: Any = request.data.get(name, [])
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) for v in cast("list[Any]", values)):
        raise ValueError(f"{request.command}: {name} is {values!r}; a list of texts is wanted.")
    return tuple(cast("list[str]", values))
