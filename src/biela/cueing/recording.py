"""`Recording`: measured signals with their times, from CSV or Parquet, checked and brought to one clock.

A tracker samples a hundred times a second, the demand fifty: `Recording.sampled` takes every second row.
Rates that are no multiples of each other are refused unless interpolation is asked for. `Recording.check`
refuses gaps, values that are not finite, signals that do not move and signals that are cut off at their
ends.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

GAP = 1.5  # of the usual time between rows
CLIPPED = 12  # equal extreme values in a row, and no other plateaus of that length


@dataclass(frozen=True, eq=False)
class Recording:
    """Columns by name, in rad or m, with times in s.

    Raises ValueError for columns of different lengths and times that do not increase.
    """

    t: np.ndarray
    columns: dict[str, np.ndarray]
    origin: str = "recording"

    def __post_init__(self) -> None:
        lengths = {name: len(values) for name, values in self.columns.items()} | {"t": len(self.t)}
        if len(set(lengths.values())) != 1 or len(self.t) < 2:
            raise ValueError(f"{self.origin}: columns have one length, of two rows or more; got {lengths}.")
        if not (np.diff(self.t) > 0.0).all():
            k = int(np.argmin(np.diff(self.t) > 0.0))
            raise ValueError(
                f"{self.origin}: times increase; row {k + 1} has {self.t[k + 1]:g} s after {self.t[k]:g} s."
            )

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            raise KeyError(f"{self.origin} has no column '{name}'. It has {', '.join(self.columns)}.")
        return self.columns[name]

    @classmethod
    def read(cls, path: str | Path, *, degrees: Sequence[str] = ()) -> Recording:
        """A file with a header, ``t`` first: ``.csv``, or ``.parquet`` with the extra ``data``.

        ``degrees`` are columns that are in degrees. Raises ValueError for other files and for text that is no
        number, naming the row.
        """
        path = Path(path)
        if path.suffix == ".csv":
            names, rows = _csv(path)
        elif path.suffix == ".parquet":
            names, rows = _parquet(path)
        else:
            raise ValueError(f"{path.name}: expected a file .csv or .parquet.")
        if "t" not in names:
            raise ValueError(f"{path.name}: no column 't' with times in s. It has {', '.join(names)}.")
        columns = {name: np.ascontiguousarray(rows[:, k]) for k, name in enumerate(names)}
        for name in degrees:
            columns[name] = np.radians(columns[name])
        return cls(columns.pop("t"), columns, path.name)

    @property
    def dt(self) -> float:
        """The usual time between rows."""
        return float(np.median(np.diff(self.t)))

    def regular(self, *names: str) -> Recording:
        """Itself, if it is finite and has no gaps; raises ValueError, naming what is wrong, if not."""
        wide = np.flatnonzero(np.diff(self.t) > GAP * self.dt)
        if len(wide):
            k = int(wide[0])
            raise ValueError(
                f"{self.origin}: a gap of {self.t[k + 1] - self.t[k]:.3g} s after t = {self.t[k]:g} s, where "
                f"rows come every {self.dt:.3g} s. Cut the recording there."
            )
        for name in names or self.columns:
            finite = np.isfinite(self[name])
            if not finite.all():
                at = self.t[int(np.argmin(finite))]
                raise ValueError(f"{self.origin}, column '{name}': not finite at t = {at:g} s.")
        return self

    def check(self, *names: str) -> Recording:
        """The same for what a platform did: columns must move too, and must not be cut off."""
        self.regular(*names)
        for name in names or self.columns:
            _check_column(self[name], f"{self.origin}, column '{name}'")
        return self

    def rows(self, names: Sequence[str], dt: float) -> np.ndarray:
        """Some columns side by side, every ``dt`` seconds; raises as `regular` and `sampled` do."""
        found = self.regular(*names).sampled(dt)
        return np.stack([found[name] for name in names], axis=1)

    def sampled(self, dt: float, *, interpolate: bool = False) -> Recording:
        """Every so many rows, for a sample time that is a multiple of its own.

        Raises ValueError for other sample times, unless values between rows may be interpolated.
        """
        ratio = dt / self.dt
        whole = round(ratio)
        if whole >= 1 and abs(ratio - whole) <= 1e-3 * whole and not interpolate:
            return Recording(self.t[::whole], {k: v[::whole] for k, v in self.columns.items()}, self.origin)
        if not interpolate:
            raise ValueError(
                f"{self.origin}: rows come every {self.dt:.4g} s; {dt:.4g} s is no multiple of that. Record "
                "with matching rates, or pass interpolate=True."
            )
        t = np.arange(self.t[0], self.t[-1] + 0.5 * dt, dt)
        return Recording(t, {k: np.interp(t, self.t, v) for k, v in self.columns.items()}, self.origin)

    def aligned(self, demand: Recording, name: str, *, longest: float = 5.0) -> tuple[Recording, float]:
        """The recording with its clock shifted to that of a demand, and by how many seconds.

        Both have been started by hand: the shift is the one with the best correlation of a column, so the
        delay of the platform is part of it. Subtract it where it is known.
        """
        u = demand[name]
        y = np.interp(demand.t, self.t, self[name], left=np.nan, right=np.nan)
        steps = round(longest / demand.dt)
        best = max(range(-steps, steps + 1), key=lambda k: _likeness(u, y, k))
        shift = best * demand.dt
        return Recording(self.t - shift, self.columns, self.origin), shift


def _likeness(u: np.ndarray, y: np.ndarray, k: int) -> float:
    """The correlation of a demand with a response that comes k samples later."""
    a, b = (u[: len(u) - k], y[k:]) if k >= 0 else (u[-k:], y[: len(y) + k])
    here = np.isfinite(b)
    if here.sum() < 0.5 * len(u):
        return -np.inf
    a, b = a[here] - a[here].mean(), b[here] - b[here].mean()
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size > 0.0 else -np.inf


def _check_column(values: np.ndarray, where: str) -> None:
    if float(np.ptp(values)) == 0.0:
        raise ValueError(f"{where}: constant at {values[0]:g}. Was the platform on, and was it seen?")
    for name, extreme in (("largest", values.max()), ("smallest", values.min())):
        run = _longest(values == extreme)
        if run >= CLIPPED:
            raise ValueError(
                f"{where}: {run} rows in a row are at the {name} value, {extreme:g}. The signal is cut "
                "off: lower the amplitude, or widen what the sensor sees."
            )


def _longest(flags: np.ndarray) -> int:
    """The longest run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))


def _csv(path: Path) -> tuple[list[str], np.ndarray]:
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    if not lines:
        raise ValueError(f"{path.name} is empty.")
    names = [name.strip() for name in lines[0]]
    rows: list[list[float]] = []
    for number, line in enumerate(lines[1:], 2):
        if not line:
            continue
        if len(line) != len(names):
            raise ValueError(f"{path.name}, line {number}: {len(line)} fields, but {len(names)} columns.")
        try:
            rows.append([float(text) if text.strip() else float("nan") for text in line])
        except ValueError as error:
            raise ValueError(f"{path.name}, line {number}: {error}.") from None
    return names, np.array(rows, float).reshape(len(rows), len(names))


def _parquet(path: Path) -> tuple[list[str], np.ndarray]:
    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        raise ImportError("Parquet files need pyarrow: install biela[data].") from None
    table: Any = parquet.read_table(path)
    names: list[str] = list(table.column_names)
    return names, np.stack([np.asarray(table.column(name), float) for name in names], axis=1)
