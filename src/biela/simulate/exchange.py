"""Records for other programs: pandas, xarray, Parquet, CSV and MCAP.

A table has a row for each moment, or for each moment and lane; a column ``lane`` counts those.
"""

from __future__ import annotations

import json
import math
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


def to_pandas(record: Record) -> Any:
    """A DataFrame by time, or by time and lane, with units in ``attrs``."""
    pandas = _needed("pandas", "DataFrames")
    found = pandas.DataFrame(_table(record))
    found.attrs = {"units": dict(record.units), "status": record.status}
    return found.set_index([TIME, LANE] if record.lanes else TIME)


def to_mcap(record: Record, path: Path) -> Path:
    """An MCAP file with a channel of JSON messages, one a moment; in a batch one channel a lane.

    Its schema has the units as descriptions, a metadata record the status and notes. What is not finite is
    null. Raises ValueError for times before zero, which MCAP has not.
    """
    writer = _needed("mcap.writer", "MCAP files")
    if len(record.t) and record.t.min() < 0.0:
        raise ValueError(f"MCAP has no times before zero, and the record begins at t={record.t[0]:g} s.")
    return whole(path, lambda aside: _write_mcap(record, aside, writer))


def _write_mcap(record: Record, path: Path, mcap: Any) -> None:
    with path.open("wb") as file:
        out = mcap.Writer(file)
        out.start(profile="", library=FORMAT)
        schema = out.register_schema("biela.Record", "jsonschema", json.dumps(_json_schema(record)).encode())
        told: dict[str, Any] = json.loads(record.to_json())
        out.add_metadata("biela", {key: json.dumps(value) for key, value in told.items()})
        stamps = [round(t * 1e9) for t in record.t.tolist()]
        for lane in range(max(1, record.lanes)):
            topic = f"/lane{lane}" if record.lanes else "/record"
            channel = out.register_channel(topic, "json", schema)
            columns = [v[:, lane] if record.lanes else v for v in record.columns.values()]
            rows = np.stack([record.t, *columns], axis=1)
            for stamp, row in zip(stamps, rows.tolist(), strict=True):
                message = {
                    k: v if math.isfinite(v) else None
                    for k, v in zip((TIME, *record.columns), row, strict=True)
                }
                data = json.dumps(message).encode()
                out.add_message(channel, log_time=stamp, publish_time=stamp, data=data)
        out.finish()


def _json_schema(record: Record) -> dict[str, Any]:
    """What a message is: a number or null for each column, with its unit."""
    units = {TIME: "s", **record.units}
    number: list[str] = ["number", "null"]
    return {
        "type": "object",
        "properties": {
            name: {"type": number, "description": units.get(name, "")} for name in (TIME, *record.columns)
        },
    }


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
