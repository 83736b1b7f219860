"""Plain data as bytes: MessagePack without its extensions (https://msgpack.org), so that others can read it.

Whatever bytes come, `unpack` returns data or raises ValueError: lengths are checked against what is there,
and nesting ends at `DEEPEST`.

>>> unpack(pack({"speeds": [1, -2.5, None, True]}))
{'speeds': [1, -2.5, None, True]}
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

DEEPEST = 16
Read = tuple[Any, int]


def pack(value: Any) -> bytes:
    """Data as bytes; raises TypeError for what is no text, number, list or table."""
    parts: list[bytes] = []
    _pack(value, parts.append)
    return b"".join(parts)


def _pack(value: Any, put: Callable[[bytes], None]) -> None:
    if value is None or isinstance(value, bool):
        put({None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value])
    elif isinstance(value, int):
        put(_whole(value))
    elif isinstance(value, float):
        put(struct.pack(">Bd", 0xCB, value))
    elif isinstance(value, str):
        text = value.encode()
        put(_head(len(text), 0xA0, 32, 0xDA) + text)
    elif isinstance(value, Mapping):
        table = cast("Mapping[str, Any]", value)
        put(_head(len(table), 0x80, 16, 0xDE))
        for key, item in table.items():
            _pack(key, put)
            _pack(item, put)
    elif isinstance(value, Sequence):
        items = cast("Sequence[Any]", value)
        put(_head(len(items), 0x90, 16, 0xDC))
        for item in items:
            _pack(item, put)
    else:
        raise TypeError(f"{value!r} is {type(value).__name__}; texts, numbers, lists and tables are sent.")


def _whole(value: int) -> bytes:
    if -32 <= value < 128:
        return struct.pack("b", value) if value < 0 else struct.pack("B", value)
    return struct.pack(">Bq", 0xD3, value) if -(2**63) <= value < 2**63 else struct.pack(">Bd", 0xCB, value)


def _head(count: int, short: int, room: int, long: int) -> bytes:
    if count < room:
        return bytes([short | count])
    return struct.pack(">BH", long, count) if count < 65536 else struct.pack(">BI", long + 1, count)


NUMBERS = {  # tag -> layout of what follows
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h",
    0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
TEXTS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}
LISTS = {0xDC: ">H", 0xDD: ">I"}
TABLES = {0xDE: ">H", 0xDF: ">I"}
PLAIN: dict[int, Any] = {0xC0: None, 0xC2: False, 0xC3: True}


def unpack(data: bytes | memoryview) -> Any:
    """Data from bytes; raises ValueError for bytes that are none."""
    try:
        value, end = _unpack(data, 0, 0)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"The data are truncated or no MessagePack: {error}.") from error
    if end != len(data):
        raise ValueError(f"The data end after {end} bytes; {len(data) - end} more follow.")
    return value


def _unpack(data: bytes | memoryview, at: int, depth: int) -> Read:
    if depth > DEEPEST:
        raise ValueError(f"The data nest deeper than {DEEPEST} lists and tables.")
    tag, at = data[at], at + 1
    if tag < 0x80:
        return tag, at
    if tag >= 0xE0:
        return tag - 256, at
    if tag in PLAIN:
        return PLAIN[tag], at
    if tag in NUMBERS:
        return struct.unpack_from(NUMBERS[tag], data, at)[0], at + struct.calcsize(NUMBERS[tag])
    if 0xA0 <= tag < 0xC0 or tag in TEXTS:
        count, at = _count(data, at, tag & 31, TEXTS.get(tag))
        return str(_slice(data, at, count), "utf-8"), at + count
    if 0x90 <= tag < 0xA0 or tag in LISTS:
        return _list(data, *_count(data, at, tag & 15, LISTS.get(tag)), depth + 1)
    if 0x80 <= tag < 0x90 or tag in TABLES:
        return _table(data, *_count(data, at, tag & 15, TABLES.get(tag)), depth + 1)
    raise ValueError(f"The data have a byte 0x{tag:02x} where a value begins; that is no type of ours.")


def _count(data: bytes | memoryview, at: int, short: int, layout: str | None) -> tuple[int, int]:
    if layout is None:
        return short, at
    return struct.unpack_from(layout, data, at)[0], at + struct.calcsize(layout)


def _slice(data: bytes | memoryview, at: int, count: int) -> bytes | memoryview:
    if at + count > len(data):
        raise ValueError(f"The data are truncated: {count} bytes are announced, {len(data) - at} follow.")
    return data[at : at + count]


def _list(data: bytes | memoryview, count: int, at: int, depth: int) -> Read:
    found: list[Any] = []
    for _ in range(count):
        value, at = _unpack(data, at, depth)
        found.append(value)
    return found, at


def _table(data: bytes | memoryview, count: int, at: int, depth: int) -> Read:
    found: dict[str, Any] = {}
    for _ in range(count):
        key, at = _unpack(data, at, depth)
        if not isinstance(key, str):
            raise ValueError(f"The data have a table with the key {key!r}; keys are texts.")
        found[key], at = _unpack(data, at, depth)
    return found, at
