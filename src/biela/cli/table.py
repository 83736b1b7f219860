"""Tables of readings between programs: a column ``t`` and one for each channel, on the grid of a filter.

Files are CSV, Parquet or NumPy archives. A name may have a unit behind it, ``gyro.coupler [deg/s]``, as
records write them; bare columns are SI. A reading belongs to the step that ends nearest to its time, or
is taken exactly then.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from biela.cli.fault import UsageError, hint
from biela.cli.quantity import factor_of
from biela.observe import stream
from biela.observe.event import Events, events
from biela.observe.instrument import Instruments
from biela.simulate.record import Record


def columns_of(path: Path, units: Mapping[str, str]) -> dict[str, np.ndarray]:
    """The columns of a file by name, in SI; ``units`` are those that are wanted.

    Raises ValueError for a file that is no table, or a column in a unit of another dimension.
    """
    found: dict[str, np.ndarray] = {}
    for head, values in stream.columns(path).items():
        name, _, rest = (part.strip(" ]") for part in head.partition(" ["))
        try:
            found[name] = values * (factor_of(rest, units.get(name, ""), name) if rest else 1.0)
        except UsageError as error:
            raise ValueError(f"{path}: {error}") from None
    return found


def events_of(path: Path, instruments: Instruments, t0: float = 0.0) -> Events:
    """The readings at their own times, with the steps of the process between; errors as of `readings_of`."""
    found = _wanted(path, instruments)
    _steps(path, found["t"], instruments.process.dt, t0)
    later = [packet for packet in stream.packets_of(found, instruments) if packet.taken > t0]
    if not later:
        raise ValueError(f"{path} has no readings after t={t0:g} s.")
    return events(later, instruments, t0)


def readings_of(path: Path, instruments: Instruments, dt: float, t0: float = 0.0) -> np.ndarray:
    """The readings of a file, a row for each step, NaN where there is none.

    Raises ValueError for a missing column, times that are not finite, or readings before the start.
    """
    found = _wanted(path, instruments)
    steps = _steps(path, found["t"], dt, t0)
    y = np.full((int(steps.max(initial=0)), len(instruments.channels)), np.nan)
    for k, name in enumerate(instruments.channels):
        there = np.isfinite(found[name]) & (steps > 0)
        y[steps[there] - 1, k] = found[name][there]
    if not np.isfinite(y).any():
        raise ValueError(f"{path} has no readings after t={t0:g} s.")
    return y


def _wanted(path: Path, instruments: Instruments) -> dict[str, np.ndarray]:
    """The columns of a file, among them the time and every channel."""
    found = columns_of(path, {"t": "s", **instruments.units})
    for name in ("t", *instruments.channels):
        if name not in found:
            told = ", ".join(found)
            raise ValueError(f"{path} has no column '{name}'. It has {told}.{hint(name, found)}")
    return found


def _steps(path: Path, t: np.ndarray, dt: float, t0: float) -> Any:
    """The number of the step that ends at each moment."""
    if not len(t):
        raise ValueError(f"{path} has no rows.")
    if not np.isfinite(t).all():
        raise ValueError(f"{path}, row {int(np.argmin(np.isfinite(t))) + 1}: the time is not finite.")
    if (np.diff(t) < 0.0).any():
        row = int(np.argmax(np.diff(t) < 0.0)) + 2
        raise ValueError(f"{path}, row {row}: time runs backwards. Sort the rows by t.")
    if t[0] < t0 - 0.5 * dt:
        raise ValueError(f"{path} begins at t={t[0]:g} s, before the start at {t0:g} s: give --begin.")
    if (t[-1] - t0) / dt > 1e8:
        raise ValueError(f"{path} ends at t={t[-1]:g} s: more than 1e8 steps of {dt:g} s. Is t in seconds?")
    return np.round((t - t0) / dt).astype(int)


def readings_record(t: np.ndarray, y: np.ndarray, instruments: Instruments) -> Record:
    """Readings as a record, without the rows in which there is none."""
    there = np.isfinite(y).any(axis=1)
    columns = {name: y[there, k] for k, name in enumerate(instruments.channels)}
    return Record(t[there], columns, dict(instruments.units))


def written(record: Record, path: Path) -> Path:
    """Write a record in the format of its suffix; the file appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    writers = {".csv": record.to_csv, ".parquet": record.to_parquet, ".mcap": record.to_mcap}
    return writers.get(path.suffix, record.save)(path)


def record_of(path: Path) -> Record:
    """A record in any of the formats that `written` writes."""
    if path.suffix == ".parquet":
        return Record.from_parquet(path)
    if path.suffix == ".csv":
        found = columns_of(path, {"t": "s"})
        if "t" not in found:
            raise ValueError(f"{path} has no column 't'. It has {', '.join(found)}.")
        return Record(found.pop("t"), found, {})
    return Record.load(path)
