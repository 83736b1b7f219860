"""Messages in compact binary form: frames of little-endian numbers, the most frequent ones without detours.

A frame is a head of eight bytes (`MAGIC`, kind, two zeros, the length of what follows as u32) and a body. A
message is any number of frames. Text is its length (u16) and UTF-8.

======== ============= ====================================================================================
kind     who sends it  body
======== ============= ====================================================================================
1        agent         request: MessagePack table ``command``, ``entity``, ``data``, ``response``, ``tag``
2        agent         motors: text entity, u16 count, count x f64 speeds in the order of the entity
3        agent         done: u32 iteration
17       kernel        reply: MessagePack table ``command``, ``data``, ``error``, ``tag``
18       kernel        broadcast, below
======== ============= ====================================================================================

A broadcast is f64 time, f64 step, then ten u32: iteration, steps per iteration, flags (1 fast, 2 stepping,
4 synchronous), entities E, their motors M, bodies B, bytes of names, bytes of the rest, two zeros. Names are,
for each entity, the texts id, type, team, a u16 and as many texts of motors, then for each body the texts
entity and body, and zeros up to a multiple of eight. Then E x 13 f64 (position, turn w x y z, velocity,
spin), M f64 (speeds), B x 7 f64 (position, turn), and the rest, a MessagePack table with ``touching``,
``notices`` and, where there are sensors, ``readings``.
Names come with every broadcast, so that a lost datagram loses nothing else.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence, Set
from functools import lru_cache
from typing import Any, ClassVar, final

import numpy as np

from biela.arena.broadcast import Broadcast
from biela.arena.message import Asked, Done, Drive, Reply
from biela.arena.seen import Names, Places, Table, Title
from biela.arena.wire.form import Form, Told
from biela.arena.wire.pack import pack, unpack
from biela.arena.wire.plain import (
    readings_document,
    readings_from,
    reply_document,
    request_document,
    request_from,
)

MAGIC = 0xB1
REQUEST, MOTORS, DONE, REPLY, BROADCAST = 1, 2, 3, 17, 18
HEAD, SHORT, LONG = struct.Struct("<BBHI"), struct.Struct("<H"), struct.Struct("<I")
FIXED = struct.Struct("<dd10I")
SPEEDS = tuple(struct.Struct(f"<{count}d") for count in range(64))
ENTITY, BODY = 13, 7


def framed(kind: int, body: bytes) -> bytes:
    """A frame."""
    return HEAD.pack(MAGIC, kind, 0, len(body)) + body


def _frames(data: bytes) -> list[tuple[int, int, int]]:
    """(kind, begin, end) of every frame."""
    found: list[tuple[int, int, int]] = []
    at, size = 0, len(data)
    while at < size:
        if at + 8 > size:
            raise ValueError(f"The message is truncated: {size - at} bytes of the head of a frame.")
        magic, kind, _, length = HEAD.unpack_from(data, at)
        at += 8
        if magic != MAGIC or length > size - at:
            raise ValueError(f"A frame of kind {kind} says {magic:#x}, {length} bytes; {size - at} follow.")
        found.append((kind, at, at + length))
        at += length
    return found


def _text(data: bytes, at: int) -> tuple[str, int]:
    (size,) = SHORT.unpack_from(data, at)
    end = at + 2 + size
    if end > len(data):
        raise ValueError("A text is longer than the message.")
    return str(data[at + 2 : end], "utf-8"), end


def _texts(*texts: str) -> bytes:
    coded = [text.encode(errors="replace")[:65535] for text in texts]
    return b"".join(SHORT.pack(len(text)) + text for text in coded)


def _drive(data: bytes, begin: int, end: int) -> Drive:
    entity, at = _text(data, begin)
    count: int = SHORT.unpack_from(data, at)[0]
    if at + 2 + 8 * count != end:
        raise ValueError(f"Motors of '{entity[:40]}': {count} speeds are announced in {end - at - 2} bytes.")
    if count < len(SPEEDS):
        return Drive(entity, SPEEDS[count].unpack_from(data, at + 2))
    return Drive(entity, struct.unpack_from(f"<{count}d", data, at + 2))


@lru_cache(8)
def _names(names: Names, bodies: bool) -> bytes:
    parts = [_texts(*t[:3]) + SHORT.pack(len(t[3])) + _texts(*t[3]) for t in names.titles]
    parts += [_texts(*part) for part in names.parts if bodies]
    whole = b"".join(parts)
    return whole + bytes(-len(whole) % 8)


@lru_cache(64)
def _touching(pairs: Set[tuple[str, str]]) -> bytes:
    return pack(sorted(pairs))


@lru_cache(8)
def _rest(data: bytes) -> tuple[frozenset[tuple[str, str]], dict[str, Any], dict[str, Any]]:
    """Who touches whom, the notices and the readings; without sensors they seldom change."""
    more = unpack(data)
    touching = frozenset((a, b) for a, b in more["touching"])
    return touching, more["notices"], readings_from(more.get("readings", {}))


@lru_cache(8)
def _named(data: bytes, entities: int, bodies: int) -> Names:
    titles: list[Title] = []
    at = 0
    for _ in range(entities):
        key, at = _text(data, at)
        kind, at = _text(data, at)
        team, at = _text(data, at)
        (count,), at = SHORT.unpack_from(data, at), at + 2
        motors: list[str] = []
        for _ in range(count):
            motor, at = _text(data, at)
            motors.append(motor)
        titles.append((key, kind, team, tuple(motors)))
    parts: list[tuple[str, str]] = []
    for _ in range(bodies):
        entity, at = _text(data, at)
        body, at = _text(data, at)
        parts.append((entity, body))
    return Names(tuple(titles), tuple(parts))


def _tables(told: Broadcast) -> tuple[Table, Places | None]:
    """Entities and bodies as arrays; those that a filter has changed are put together anew."""
    entities, bodies = told.entities, told.bodies
    if not isinstance(entities, Table):
        seen = list(entities.values())
        titles = tuple((e.id, e.type, e.team, tuple(e.motors)) for e in seen)
        rows = [(*e.position, *e.turn, *e.velocity, *e.spin) for e in seen]
        speeds = [speed for e in seen for speed in e.motors.values()]
        entities = Table(Names(titles), np.array(rows).reshape(-1, ENTITY), np.array(speeds, float))
    if not bodies:
        return entities, None
    if not isinstance(bodies, Places) or bodies.names is not entities.names:
        flat = [((e, b), (*p, *t)) for e, of in bodies.items() for b, (p, t) in of.items()]
        names = Names(entities.names.titles, tuple(part for part, _ in flat))
        bodies = Places(names, np.array([row for _, row in flat]))
    return entities, bodies


@final
class Binary(Form):
    """Messages as bytes."""

    name: ClassVar[str] = "binary"
    text: ClassVar[bool] = False

    def asked(self, data: bytes) -> list[Asked]:
        """What an agent asks for."""
        found: list[Asked] = []
        try:
            for kind, begin, end in _frames(data):
                if kind == MOTORS:
                    found.append(_drive(data, begin, end))
                elif kind == DONE:
                    found.append(Done(LONG.unpack_from(data, begin)[0]))
                elif kind == REQUEST:
                    found.append(request_from(unpack(data[begin:end])))
                else:
                    raise ValueError(f"A frame of kind {kind}; agents send 1 to 3.")
        except (struct.error, UnicodeDecodeError) as error:
            raise ValueError(f"The message is truncated or broken: {error}.") from error
        return found

    def told(self, data: bytes) -> list[Told]:
        """What the kernel tells."""
        readers: dict[int, Callable[[bytes], Told]] = {BROADCAST: _heard, REPLY: _replied}
        try:
            return [readers[kind](data[begin:end]) for kind, begin, end in _frames(data)]
        except (struct.error, KeyError, TypeError, UnicodeDecodeError) as error:
            raise ValueError(f"The message is none of a kernel: {error!r}.") from error

    def ask(self, asked: Sequence[Asked]) -> bytes:
        """Requests of an agent."""
        parts: list[bytes] = []
        for one in asked:
            if isinstance(one, Drive):
                count = len(one.speeds)
                speeds = SHORT.pack(count) + struct.pack(f"<{count}d", *one.speeds)
                parts.append(framed(MOTORS, _texts(one.entity) + speeds))
            elif isinstance(one, Done):
                parts.append(HEAD.pack(MAGIC, DONE, 0, 4) + LONG.pack(one.iteration))
            else:
                parts.append(framed(REQUEST, pack(request_document(one))))
        return b"".join(parts)

    def tell(self, broadcast: Broadcast) -> bytes:
        """A broadcast."""
        entities, bodies = _tables(broadcast)
        whole = bodies.names if bodies is not None else entities.names
        names, mode = _names(whole, bodies is not None), broadcast.mode
        flags = mode.get("fast", False) + 2 * mode.get("stepping", False) + 4 * mode.get("synchronous", False)
        rest = b"\x83" if broadcast.readings else b"\x82"
        rest += b"\xa8touching" + _touching(frozenset(broadcast.touching)) + b"\xa7notices"
        rest += pack(broadcast.notices)
        if broadcast.readings:
            rest += b"\xa8readings" + pack(readings_document(broadcast.readings))
        fixed = FIXED.pack(
            broadcast.time, mode.get("step", 0.0), broadcast.iteration, mode.get("steps_per_iteration", 0),
            flags, len(entities.rows), len(entities.motors), 0 if bodies is None else len(bodies.rows),
            len(names), len(rest), 0, 0,
        )  # fmt: skip
        parts = [fixed, names, entities.rows.tobytes(), entities.motors.tobytes()]
        parts += [rest] if bodies is None else [bodies.rows.tobytes(), rest]
        return framed(BROADCAST, b"".join(parts))

    def answer(self, reply: Reply) -> bytes:
        """A reply."""
        return framed(REPLY, pack(reply_document(reply)))


def _heard(body: bytes) -> Broadcast:
    """A broadcast from its bytes."""
    time, step, iteration, steps, flags, entities, motors, parts, size, rest, _, _ = FIXED.unpack_from(body)
    at, wide = FIXED.size + size, (ENTITY * entities + motors + BODY * parts) * 8
    if at + wide + rest != len(body):
        raise ValueError(f"The broadcast has {len(body)} bytes; its head says {at + wide + rest}.")
    names = _named(body[FIXED.size : at], entities, parts)
    values = np.frombuffer(body, "<f8", wide // 8, at)
    first, last = ENTITY * entities, ENTITY * entities + motors
    table = Table(names, values[:first].reshape(-1, ENTITY), values[first:last])
    touching, notices, readings = _rest(body[at + wide :])
    mode = {"step": step, "steps_per_iteration": steps, "fast": bool(flags & 1)}
    mode |= {"stepping": bool(flags & 2), "synchronous": bool(flags & 4)}
    bodies = Places(names, values[last:].reshape(-1, BODY))
    return Broadcast(iteration, time, mode, table, bodies, touching, dict(notices), readings)


def _replied(body: bytes) -> Reply:
    return Reply(**unpack(body))
