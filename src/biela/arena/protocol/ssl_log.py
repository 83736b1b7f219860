"""Log files of the small size league, which its players, referees' tools and statistics read.

A header of 16 bytes, then for each message its time (ns), kind, size and bytes, all numbers with the most
significant byte first; packed by gzip if the name ends in ``.gz``. Format: ssl-logtools (facts of
interoperability).
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from biela.arena.protocol.ssl_message import SSL
from biela.simulate.storage import whole

HEADER = struct.pack(">12si", b"SSL_LOG_FILE", 1)
ENTRY = struct.Struct(">qii")
VISION_2014 = 4
LONGEST = 10_000_000  # bytes of a message


class Entry(NamedTuple):
    """One message: when, ns; its kind; and its bytes."""

    time: int
    kind: int
    data: bytes

    @property
    def vision(self) -> Any:
        """The wrapper packet in it; raises ValueError for another kind."""
        if self.kind != VISION_2014:
            raise ValueError(f"A message of kind {self.kind}; vision is kind {VISION_2014}.")
        return SSL.read("SSL_WrapperPacket", self.data)


def write_ssl_log(entries: Iterable[Entry], path: str | Path) -> Path:
    """Write a log, whole or not at all."""

    def write(aside: Path) -> None:
        with aside.open("wb") as plain:
            if str(path).endswith(".gz"):
                with gzip.GzipFile("", "wb", fileobj=plain, mtime=0) as packed:
                    _write(entries, cast("BinaryIO", packed))
            else:
                _write(entries, plain)

    return whole(Path(path), write)


def _write(entries: Iterable[Entry], file: BinaryIO) -> None:
    file.write(HEADER)
    for time, kind, data in entries:
        file.write(ENTRY.pack(time, kind, len(data)) + data)


def read_ssl_log(path: str | Path) -> Iterator[Entry]:
    """The messages of a log, packed or not, one after the other.

    Raises ValueError for a foreign or truncated one, when it comes there.
    """
    path = Path(path)
    with path.open("rb") as plain:
        packed = plain.read(2) == b"\x1f\x8b"
        plain.seek(0)
        file = cast("BinaryIO", gzip.GzipFile(fileobj=plain) if packed else plain)
        try:
            yield from _read(file, path.name)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{path.name} is truncated or no gzip: {error}.") from error


def _read(file: BinaryIO, name: str) -> Iterator[Entry]:
    head = file.read(len(HEADER))
    if head != HEADER:
        raise ValueError(
            f"{name} begins with {head[:16]!r}; {HEADER!r} is wanted: no log, or another version."
        )
    number = 0
    while head := file.read(ENTRY.size):
        number += 1
        time, kind, size = ENTRY.unpack(head) if len(head) == ENTRY.size else (0, 0, -1)
        if not 0 <= size <= LONGEST:
            raise ValueError(f"{name}: message {number} is truncated or broken.")
        data = file.read(size)
        if len(data) < size:
            raise ValueError(f"{name}: message {number} has {len(data)} of its {size} bytes.")
        yield Entry(time, kind, data)
