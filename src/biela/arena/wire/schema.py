"""The JSON Schema (draft 2020-12) of messages: `asked_schema` of agents, `told_schema` of the kernel.

``COMMANDS`` of the kernel and `DATA` here have the same keys, which a test holds.
"""

from __future__ import annotations

from typing import Any

from biela.arena.scene.document import schema as scene_schema

Schema = dict[str, Any]
DRAFT = "https://json-schema.org/draft/2020-12/schema"
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
SWITCH: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 1}


def _vector(size: int) -> Schema:
    return {"type": "array", "items": NUMBER, "minItems": size, "maxItems": size}


def _table(needed: Schema, more: Schema | None = None) -> Schema:
    """A table that has ``needed``, may have ``more`` and nothing else."""
    properties = needed | (more or {})
    return {
        "type": "object", "properties": properties, "required": list(needed), "additionalProperties": False,
    }  # fmt: skip


def _map(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _within(low: float, high: float) -> Schema:
    return {"type": "number", "minimum": low, "maximum": high}


SCENE = scene_schema()["properties"]
SPEEDS: Schema = {"anyOf": [_map(NUMBER), {"type": "array", "items": NUMBER}]}
DATA: dict[str, Schema] = {
    "register_agent": _table(
        {},
        {
            "key": {"type": "string", "minLength": 1, "maxLength": 200},
            "type": TEXT,
            "synchronous": SWITCH,
            "broadcasts": SWITCH,
            "interval": {"anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}]},
            "entities": {"type": "array", "items": TEXT},
            "address": TEXT,
            "port": {"type": "integer", "minimum": 0, "maximum": 65535},
        },
    ),
    "unregister_agent": _table({}),
    "agent_information": _table({"key": TEXT}),
    "synchronise": _table({"iteration": {"type": "integer", "minimum": 0}}),
    "create_entity": _table({"entity": SCENE["entities"]["items"]}),
    "register_materials_interactions": _table(
        {}, {"materials": SCENE["materials"], "interactions": SCENE["interactions"]}
    ),
    "set_automatic_adjustment": _table(
        {"on": SWITCH}, {"largest_step": _within(1e-6, 1.0), "window": COUNT}
    ),
    "set_time_step_mode": _table({"stepping": SWITCH}),
    "set_step_flag": _table({}),
    "set_communication_mode": _table({"synchronous": SWITCH}),
    "set_sync_wait_time": _table({"seconds": _within(0, 3600)}),
    "set_step_size": _table({"seconds": _within(1e-6, 1.0)}),
    "set_fast_mode": _table({"on": SWITCH}),
    "set_steps_per_iteration": _table({"steps": COUNT}),
    "save_simulation": _table({"path": TEXT}),
    "load_simulation": _table({"path": TEXT}),
    "set_gravity": _table({"gravity": _vector(3)}),
    "announce": _table({"about": TEXT}, {"what": {"type": "object"}}),
    "set_entity_position": _table(
        {},
        {
            "position": _vector(3), "x": NUMBER, "y": NUMBER, "z": NUMBER, "heading": NUMBER,
            "turn": _vector(4), "velocity": _vector(3), "spin": _vector(3),
        },
    ),
    "control_entity_motors": _table({"speeds": SPEEDS}),
    "say": _table({"text": {"type": "string", "maxLength": 100}}),
}  # fmt: skip
ENTITY_COMMANDS = ("set_entity_position", "control_entity_motors", "say")


def _request(command: str) -> Schema:
    data = DATA[command]
    needed: Schema = {"command": {"const": command}}
    more: Schema = {"data": data, "response": SWITCH, "tag": {"type": "integer"}, "entity": TEXT}
    for name, due in (("entity", command in ENTITY_COMMANDS), ("data", bool(data["required"]))):
        if due:
            needed[name] = more.pop(name)
    return _table(needed, more)


def asked_schema() -> Schema:
    """Of what agents send: a message, or a list of messages."""
    message = _table({"requests": {"type": "array", "items": {"oneOf": [_request(c) for c in DATA]}}})
    return {
        "$schema": DRAFT,
        "title": "What agents send to biela.arena",
        "$defs": {"message": message},
        "anyOf": [{"$ref": "#/$defs/message"}, {"type": "array", "items": {"$ref": "#/$defs/message"}}],
    }


def told_schema() -> Schema:
    """Of what the kernel sends."""
    pose: Schema = {"position": _vector(3), "turn": _vector(4)}
    motion: Schema = pose | {"velocity": _vector(3), "spin": _vector(3)}
    seen = _table({"type": TEXT, "team": TEXT, **motion, "motors": _map(NUMBER)})
    mode = {"step": NUMBER, "steps_per_iteration": COUNT}
    mode |= dict.fromkeys(("fast", "stepping", "synchronous"), SWITCH)
    reading = _table({"time": NUMBER, "values": _map({"type": ["number", "string"]})})
    pair: Schema = {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2}
    broadcast = _table(
        {
            "iteration": {"type": "integer"}, "time": NUMBER, "mode": _table({}, mode),
            "entities": _map(seen),
            "bodies": _map(_map(_table(pose))),
            "touching": {"type": "array", "items": pair},
            "notices": _map({"type": "object"}),
        },
        {"readings": _map(_map(reading))},
    )  # fmt: skip
    reply = _table({"command": TEXT, "data": {"type": "object"}, "error": TEXT, "tag": {"type": "integer"}})
    return {
        "$schema": DRAFT,
        "title": "What biela.arena sends to agents",
        "oneOf": [_table({"broadcast": broadcast}), _table({"reply": reply})],
    }
