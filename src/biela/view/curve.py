"""Columns of records as curves for a screen: common times, thinned without losing peaks.

Of every few hundred moments that fall into one pixel the lowest and the highest value are kept, in their
order (the "min-max" of level-of-detail plots), so a spike of one sample is still seen; the first and the last
moment stay as they are. Several records share one axis of times: the union of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from biela.simulate.record import Record
from biela.view.motion import fewer

PIXELS = 1000  # buckets of two values each
NUMBERS = 500_000  # values in all; as base64 2.7 MB
FEWEST = 100  # buckets that are kept even with very many columns
LEFT_OUT = ("cov(",)  # columns that no one reads as a curve


@dataclass(frozen=True, eq=False)
class Curves:
    """Times, and for each record the values of each column: (lane, moment), or None if it lacks it."""

    t: np.ndarray
    units: dict[str, str]
    values: dict[str, list[np.ndarray | None]]


def curves(records: Mapping[str, Record], columns: Iterable[str] | None = None, lanes: int = 20) -> Curves:
    """The curves of records; raises KeyError for a column that none of them has."""
    parts = [fewer(record, lanes) for record in records.values()]
    names = _names(parts, columns)
    times = np.array(parts[0].t) if _same_times(parts) else np.unique(np.concatenate([r.t for r in parts]))
    units = {name: next((r.units[name] for r in parts if name in r.units), "") for name in names}
    full = {name: [_values(record, name, times) for record in parts] for name in names}
    count = sum(len(rows) for found in full.values() for rows in found if rows is not None)
    buckets = min(PIXELS, max(FEWEST, NUMBERS // (2 * max(1, count))))
    thin = {name: [None if v is None else thinned(v, buckets) for v in found] for name, found in full.items()}
    return Curves(_places(times, buckets), _units(units), thin)


def thinned(values: np.ndarray, buckets: int) -> np.ndarray:
    """Rows with at most two values a bucket, its extremes in their order, between the first and the last."""
    length = values.shape[1]
    if length <= 2 * buckets + 2:
        return values
    edges = _edges(length, buckets)
    parts = [values[:, a:b] for a, b in pairwise(edges)]
    pairs = np.stack([_extremes(part) for part in parts], axis=1)
    return np.concatenate([values[:, :1], pairs.reshape(len(values), -1), values[:, -1:]], axis=1)


def _edges(length: int, buckets: int) -> np.ndarray:
    return np.linspace(1, length - 1, buckets + 1).astype(int)


def _places(times: np.ndarray, buckets: int) -> np.ndarray:
    """The times that thinned values are drawn at: two a bucket, a third of it from either side."""
    if len(times) <= 2 * buckets + 2:
        return times
    edges = _edges(len(times), buckets)
    first, width = edges[:-1], np.diff(edges)
    inner = times[np.stack([first + width // 4, first + (3 * width) // 4], axis=1).reshape(-1)]
    return np.concatenate([times[:1], inner, times[-1:]])


def _extremes(part: np.ndarray) -> np.ndarray:
    """The lowest and highest value of each row in the order they come; NaN where there is nothing else."""
    lost = np.isnan(part)
    low = np.argmin(np.where(lost, np.inf, part), axis=1)
    high = np.argmax(np.where(lost, -np.inf, part), axis=1)
    rows = np.arange(len(part))[:, None]
    return part[rows, np.sort(np.stack([low, high], axis=1), axis=1)]


def _names(records: list[Record], columns: Iterable[str] | None) -> list[str]:
    known = list(dict.fromkeys(name for record in records for name in record.columns))
    if columns is None:
        return [name for name in known if not name.startswith(LEFT_OUT)]
    wanted = [columns] if isinstance(columns, str) else list(columns)
    for name in wanted:
        if name not in known:
            records[0][name]  # raises, and says what there is
    return wanted


def _same_times(records: list[Record]) -> bool:
    first = records[0].t
    return all(len(r.t) == len(first) and np.array_equal(r.t, first) for r in records[1:])


def _values(record: Record, name: str, times: np.ndarray) -> np.ndarray | None:
    """(lane, moment) at the common times; NaN before the record begins and after it ends."""
    if name not in record.columns:
        return None
    rows: np.ndarray = np.atleast_2d(np.asarray(record.columns[name], float).T)
    if len(record.t) == len(times) and np.array_equal(record.t, times):
        return rows
    found: list[np.ndarray] = [np.interp(times, record.t, row, left=np.nan, right=np.nan) for row in rows]
    return np.stack(found)


def _units(units: dict[str, str]) -> dict[str, str]:
    """Units, with that of a deviation taken from what deviates."""
    found: dict[str, Any] = dict(units)
    for name in units:
        if name.startswith("sd(") and not units[name]:
            found[name] = units.get(name[3:-1], "")
    return found
