"""Records for other programs: xarray, Parquet and CSV.

A table has a row for each moment, or for each moment and lane; a column ``lane`` counts those.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biela.simulate.storage import whole

if TYPE_CHECKING:
    from biela.simulate.record import Record

FORMAT = "biela record 1"
LANE, TIME = "lane", "t"


def to_xarray(record: Record) -> Any:
    """An xarray.Dataset over time (and lane), with units as attributes."""
    xarray = _needed("xarray", "Datasets")
    dims = ("t", "lane") if record.lanes else ("t",)
    variables = {
        name: (dims, values, {"units": record.units.get(name, "")}) for name, values in record.columns.items()
    }
    attributes = {"status": record.status, "notes": json.dumps(record.notes)}
    if record.model is not None:
        attributes["model"] = record.model.name
    found = xarray.Dataset(variables, {"t": ("t", record.t, {"units": "s"})}, attributes)
    return found.assign_coords(lane=np.arange(record.lanes)) if record.lanes else found


def to_parquet(record: Record, path: Path) -> Path:
    """A Parquet file, with units, status, parameters and inputs in its metadata."""
    pyarrow = _needed("pyarrow", "Parquet files")
    parquet = _needed("pyarrow.parquet", "Parquet files")
    told = {"format": FORMAT, "lanes": record.lanes, **json.loads(record.to_json())}
    table = _table(record)
    for name in ("p", "u"):
        values = getattr(record, name)
        if values is None or values.ndim < 2 + bool(record.lanes):
            told[name] = None if values is None else values.tolist()
            continue
        for k in range(values.shape[1]):
            table[f"{name}[{k}]"] = values[:, k].reshape(-1)
        told[name] = values.shape[1]
    schema = {b"biela": json.dumps(told).encode()}
    made = pyarrow.table(table).replace_schema_metadata(schema)
    return whole(path, lambda aside: parquet.write_table(made, aside))


def from_parquet(path: Path) -> Record:
    """The record of a file that `to_parquet` wrote; raises ValueError for another, or a truncated one."""
    from biela.simulate.record import Record

    pyarrow = _needed("pyarrow", "Parquet files")
    parquet = _needed("pyarrow.parquet", "Parquet files")
    try:
        found = parquet.read_table(path)
        told: dict[str, Any] = json.loads(dict[bytes, bytes](found.schema.metadata or {})[b"biela"])
    except (KeyError, pyarrow.ArrowException, json.JSONDecodeError) as error:
        raise ValueError(f"{path} is no record, or not a whole one ({error}).") from None
    lanes = int(told["lanes"])
    table = {name: found.column(name).to_numpy() for name in found.column_names}
    moments = {name: v.reshape(-1, lanes) if lanes else v for name, v in table.items()}
    times = moments.pop(TIME)
    if lanes:
        del moments[LANE]
    extra: dict[str, np.ndarray | None] = {}
    for name in ("p", "u"):
        kept = told[name]
        columns = [moments.pop(f"{name}[{k}]") for k in range(kept)] if isinstance(kept, int) else []
        extra[name] = (
            np.stack(columns, axis=1) if columns else None if kept is None else np.array(kept, float)
        )
    columns = {name: np.array(values) for name, values in moments.items()}
    times = np.array(times[:, 0] if lanes else times)
    return Record(times, columns, told["units"], told["status"], told["notes"], None, **extra)


def to_csv(record: Record, path: Path) -> Path:
    """A CSV file whose first line has names and units, with all digits."""
    table = _table(record)
    units = {TIME: "s", **record.units}
    head = [f"{name} [{units[name]}]" if units.get(name) else name for name in table]
    quoted = ",".join(f'"{name}"' if "," in name else name for name in head)
    rows = np.stack([np.asarray(values, float) for values in table.values()], axis=1)
    return whole(
        path,
        lambda aside: np.savetxt(aside, rows, "%.17g", ",", header=quoted, comments="", encoding="utf-8"),
    )


def _table(record: Record) -> dict[str, Any]:
    """Flat columns, time first."""
    lanes = max(1, record.lanes)
    table: dict[str, Any] = {TIME: np.repeat(record.t, lanes)}
    if record.lanes:
        table[LANE] = np.tile(np.arange(lanes), len(record.t))
    return table | {name: np.ascontiguousarray(values).reshape(-1) for name, values in record.columns.items()}


def _needed(name: str, what: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(f"{what} need {name.split('.')[0]}: pip install 'biela[data]'.") from None
