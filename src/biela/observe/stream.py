"""Sources of packets for `Live`: a queue, a recorded file, a UDP socket.

The protocol is one line of JSON a packet, in a file one a line, on the network one a datagram:

    {"t": 1.25, "sensor": "gyro.coupler", "y": [0.31]}

with ``t`` the time the reading was taken, s. ``{"end": true}`` ends a stream. What is no such line is
skipped: a stream from outside must not stop an observer. `Packets.skipped` counts such lines.
"""

from __future__ import annotations

import csv
import json
import math
import queue
import socket
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from biela.observe.instrument import Instruments
from biela.observe.packet import Packet

LARGEST = 8192  # bytes of a datagram
DEPTH = 64  # characters of a line that are shown in a message


class Packets:
    """An iterable of packets that counts what it skipped."""

    def __init__(self, source: Iterator[Packet | None]) -> None:
        self._source, self.skipped = source, 0

    def __iter__(self) -> Iterator[Packet]:
        for packet in self._source:
            if packet is None:
                self.skipped += 1
            else:
                yield packet


def line_of(packet: Packet) -> str:
    """A packet as a line of JSON."""
    return json.dumps({"t": packet.taken, "sensor": packet.sensor, "y": list(packet.values)})


def packet_of(line: str | bytes) -> Packet | None:
    """The packet of a line; None for what is none."""
    try:
        given: Any = json.loads(line)
        t, sensor, y = given["t"], given["sensor"], given["y"]
        if not isinstance(sensor, str) or not isinstance(y, list) or len(y) > 1000:  # pyright: ignore
            return None
        values = tuple(_number(v) for v in y)  # pyright: ignore
        return Packet(_number(t), _number(given.get("arrived", t)), sensor, values)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return None


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"expected a number, got {value!r}")
    found = float(value)
    if not math.isfinite(found):
        raise ValueError("not finite")
    return found


def ended(line: str | bytes) -> bool:
    """Whether a line ends the stream."""
    try:
        given: Any = json.loads(line)
        return isinstance(given, dict) and given.get("end") is True  # pyright: ignore
    except (ValueError, RecursionError):
        return False


def from_queue(source: queue.Queue[Packet | None]) -> Packets:
    """Packets of a queue, waiting for each; None ends it."""
    return Packets(iter(source.get, None))


def from_udp(
    port: int = 0, host: str = "127.0.0.1", *, wait: float | None = None, opened: Any = None
) -> Packets:
    """Packets that come to a UDP port, until one ends the stream or none came for ``wait`` seconds.

    ``opened(port)`` is called with the number of the port, which the system chooses for 0.
    """
    return Packets(_datagrams(port, host, wait, opened))


def _datagrams(port: int, host: str, wait: float | None, opened: Any) -> Iterator[Packet | None]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind((host, port))
        sock.settimeout(wait)
        if opened is not None:
            opened(sock.getsockname()[1])
        while True:
            try:
                data = sock.recv(LARGEST)
            except TimeoutError:
                return
            if ended(data):
                return
            yield packet_of(data)


def from_lines(path: str | Path) -> Packets:
    """Packets of a file with one line of JSON each."""

    def lines() -> Iterator[Packet | None]:
        with Path(path).open("rb") as file:
            for line in file:
                if ended(line):
                    return
                if line.strip():
                    yield packet_of(line)

    return Packets(lines())


def from_table(path: str | Path, instruments: Instruments) -> Packets:
    """Packets of a recorded table: CSV, a NumPy archive (.npz), or Parquet with the extra `biela[data]`.

    It has a column ``t`` and one for each channel of the instruments, empty or NaN where none was taken.

    The last row of a CSV file that does not end with a line may be cut in a number: it is left out, with a
    warning. Raises ValueError for a file that is none, or that ends in the middle of a row.
    """
    found = columns(path)
    missing = [name for name in ("t", *instruments.channels) if name not in found]
    if missing:
        raise ValueError(f"{path} has no column '{missing[0]}'. It has {', '.join(found)}.")
    return Packets(iter(packets_of(found, instruments)))


def columns(path: str | Path) -> dict[str, np.ndarray]:
    """The columns of a table by name; raises ValueError as `from_table` does."""
    path = Path(path)
    readers = {".csv": _csv, ".npz": _npz, ".parquet": _parquet}
    if path.suffix not in readers:
        raise ValueError(f"{path}: expected one of {', '.join(readers)}; got '{path.suffix}'.")
    return readers[path.suffix](path)


def packets_of(columns: Mapping[str, np.ndarray], instruments: Instruments) -> list[Packet]:
    """The packets of a table's columns, row after row."""
    found: list[Packet] = []
    parts: list[tuple[str, np.ndarray]] = []
    for sensor in instruments.sensors:
        names = sensor.channels(instruments.model)
        parts.append((sensor.name or sensor.label, np.stack([columns[name] for name in names], axis=1)))
    for k, t in enumerate(columns["t"]):
        for name, values in parts:
            if np.isfinite(values[k]).all():
                found.append(Packet(float(t), float(t), name, tuple(map(float, values[k]))))
    return found


def _csv(path: Path) -> dict[str, np.ndarray]:
    with path.open(newline="", encoding="utf-8") as file:
        written = file.read()
    rows, whole = list(csv.reader(written.splitlines())), written.endswith(("\n", "\r"))
    if not rows:
        raise ValueError(f"{path} is empty.")
    head, values = rows[0], np.full((len(rows) - 1, len(rows[0])), np.nan)
    for k, row in enumerate(rows[1:]):
        if len(row) != len(head):
            raise ValueError(
                f"{path}, line {k + 2}: expected {len(head)} fields, got {len(row)}. Is it whole?"
            )
        for j, text in enumerate(row):
            try:
                values[k, j] = float(text) if text.strip() else np.nan
            except ValueError:
                raise ValueError(f"{path}, line {k + 2}: '{text[:DEPTH]}' is no number.") from None
    if len(values) and not whole:
        warnings.warn(f"{path} ends in the middle of a line: its last row is left out.", stacklevel=4)
        values = values[:-1]
    return {name: values[:, j] for j, name in enumerate(head)}


def _npz(path: Path) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: np.asarray(file[name], float) for name in file.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(f"{path} is no table, or not a whole one ({error}).") from None


def _parquet(path: Path) -> dict[str, np.ndarray]:
    try:
        from pyarrow import parquet  # pyright: ignore
    except ImportError:
        raise ImportError("Parquet files need pyarrow: pip install 'biela[data]', or use CSV.") from None
    reader: Any = parquet
    try:
        table = reader.read_table(path)
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(f"{path} is no table, or not a whole one ({error}).") from None
    return {name: np.asarray(table[name].to_numpy(), float) for name in table.column_names}
