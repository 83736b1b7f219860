"""Messages as JSON, by the schema that `schema` publishes.

An agent sends ``{"requests": [{"command": "synchronise", "data": {"iteration": 7}}]}`` or a list of such
messages; it is told ``{"broadcast": {...}}`` and ``{"reply": {...}}``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, cast, final

from biela.arena.broadcast import Broadcast
from biela.arena.message import Asked, Reply, Request
from biela.arena.seen import Pose, Seen
from biela.arena.sensor.sensor import Reading
from biela.arena.wire.form import Form, Told

FIELDS: dict[str, Any] = {"command": str, "entity": str, "data": dict, "response": bool, "tag": int}


def request_document(asked: Asked) -> dict[str, Any]:
    """A request as a table, without what has its default."""
    request = asked if isinstance(asked, Request) else asked.request
    found: dict[str, Any] = {"command": request.command}
    for name in ("entity", "data", "response", "tag"):
        if getattr(request, name):
            found[name] = getattr(request, name)
    return found


def request_from(given: Any) -> Request:
    """A request from its table; raises ValueError for another."""
    if not isinstance(given, dict) or "command" not in given:
        raise ValueError(f"A request is {repr(cast('object', given))[:80]}; a table with a command is due.")
    table = cast("dict[str, Any]", given)
    for name, value in table.items():
        if name not in FIELDS:
            raise ValueError(f"A request has '{name[:40]}'; it may have {', '.join(FIELDS)}.")
        if not isinstance(value, FIELDS[name]) or (name == "tag" and isinstance(value, bool)):
            wanted = FIELDS[name].__name__
            raise ValueError(f"A request has the {name} {str(value)[:80]}; {wanted} is wanted.")
    return Request(**table)


def reply_document(reply: Reply) -> dict[str, Any]:
    """A reply as a table."""
    return {"command": reply.command, "data": reply.data, "error": reply.error, "tag": reply.tag}


def broadcast_document(told: Broadcast) -> dict[str, Any]:
    """A broadcast as a table."""
    readings = {"readings": readings_document(told.readings)} if told.readings else {}
    return readings | {
        "iteration": told.iteration,
        "time": told.time,
        "mode": told.mode,
        "entities": {key: _entity(seen) for key, seen in told.entities.items()},
        "bodies": {
            e: {b: {"position": list(p), "turn": list(t)} for b, (p, t) in bodies.items()}
            for e, bodies in told.bodies.items()
        },
        "touching": sorted(map(list, told.touching)),
        "notices": told.notices,
    }


def _entity(seen: Seen) -> dict[str, Any]:
    vectors = {name: list(getattr(seen, name)) for name in ("position", "turn", "velocity", "spin")}
    return {"type": seen.type, "team": seen.team, **vectors, "motors": seen.motors}


def broadcast_from(given: Mapping[str, Any]) -> Broadcast:
    """A broadcast from its table."""
    entities = {
        key: Seen(
            key, e["type"], e["team"], _three(e["position"]), tuple(e["turn"]), _three(e["velocity"]),
            _three(e["spin"]), e["motors"],
        )
        for key, e in given["entities"].items()
    }  # fmt: skip
    bodies: dict[str, dict[str, Pose]] = {
        e: {b: (_three(p["position"]), tuple(p["turn"])) for b, p in of.items()}
        for e, of in given["bodies"].items()
    }
    touching = frozenset((a, b) for a, b in given["touching"])
    return Broadcast(
        given["iteration"], given["time"], given["mode"], entities, bodies, touching, given["notices"],
        readings_from(given.get("readings", {})),
    )  # fmt: skip


def readings_document(readings: Mapping[str, Mapping[str, Reading]]) -> dict[str, Any]:
    """What sensors told, as a table."""
    return {e: {s: r._asdict() for s, r in of.items()} for e, of in readings.items()}


def readings_from(given: Mapping[str, Any]) -> dict[str, dict[str, Reading]]:
    """What sensors told, from its table."""
    return {e: {s: Reading(r["time"], r["values"]) for s, r in of.items()} for e, of in given.items()}


def _three(values: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = values
    return (x, y, z)


def parse(data: bytes) -> Any:
    """JSON without NaN and infinities; raises ValueError for anything else."""
    try:
        return json.loads(data, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("The message is no JSON that could be read: it nests too deep.") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"The message is no JSON: {error}.") from error


def _refuse(constant: str) -> float:
    raise ValueError(f"The message has the number {constant}; numbers are finite.")


def _written(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


@final
class Json(Form):
    """Messages as JSON."""

    name: ClassVar[str] = "json"
    text: ClassVar[bool] = True

    def asked(self, data: bytes) -> list[Asked]:
        """What an agent asks for."""
        given = parse(data)
        found: list[Asked] = []
        for message in cast("list[Any]", given if isinstance(given, list) else [given]):
            rows: Any = cast("dict[str, Any]", message).get("requests") if isinstance(message, dict) else None
            if not isinstance(rows, list):
                raise ValueError('A message is a table {"requests": [...]}, or a list of such tables.')
            found += [request_from(row) for row in cast("list[Any]", rows)]
        return found

    def told(self, data: bytes) -> list[Told]:
        """What the kernel tells."""
        given = parse(data)
        readers: dict[str, Callable[[Any], Told]] = {
            "broadcast": broadcast_from,
            "reply": lambda table: Reply(**table),
        }
        try:
            return [readers[kind](table) for kind, table in given.items()]
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"The message is none of a kernel: {error!r}.") from error

    def ask(self, asked: Sequence[Asked]) -> bytes:
        """Requests of an agent."""
        return _written({"requests": [request_document(a) for a in asked]})

    def tell(self, broadcast: Broadcast) -> bytes:
        """A broadcast."""
        return _written({"broadcast": broadcast_document(broadcast)})

    def answer(self, reply: Reply) -> bytes:
        """A reply."""
        return _written({"reply": reply_document(reply)})
