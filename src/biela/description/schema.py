"""What a description file may say: one table, from which its JSON Schema, checks and documentation come.

A section maps names to entries, an entry keys to values. A *kind* is what a value may be; ``JSON`` says it in
JSON Schema.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from biela.mechanics.joint import JOINTS

VERSION = 1


@dataclass(frozen=True)
class Field:
    """A key of an entry."""

    name: str
    kind: str
    note: str
    required: bool = False


@dataclass(frozen=True)
class Section:
    """A table of entries by name; ``short`` is the key that a value alone stands for.

    With ``types`` an entry has a key ``type``, and beside ``fields`` those of its type.
    """

    name: str
    note: str
    fields: tuple[Field, ...]
    short: str = ""
    types: dict[str, tuple[Field, ...]] = field(default_factory=dict[str, tuple[Field, ...]])

    def of_type(self, kind: str) -> dict[str, Field]:
        """The keys of an entry of a type, by name."""
        return {f.name: f for f in (*self.fields, *self.types.get(kind, ()))}


_VALUE = Field("value", "number", "its value", required=True)
_START = Field("value", "number", "its value at the start (0)")
_UNIT, _NOTE = Field("unit", "text", "its unit"), Field("note", "text", "what it is")
_P = Field("p", "place", "one end", required=True)
_Q = Field("q", "place", "the other end", required=True)
_COORDINATE = Field("coordinate", "coordinate", "the coordinate it acts on", required=True)
_BODY = Field("body", "body", "the body it acts on", required=True)
_AT = Field("at", "vector", "where on the body (its origin), by components in its base")
_FORCE = Field("components", "vector", "by components in a base", required=True)
_BASE = Field("base", "base", "the base (ground)")
_BY = Field("by", "body", "the body that the reaction acts on")
_DAMPING = Field("damping", "expression", "of the damper beside it (0)")
_STIFFNESS = Field("stiffness", "expression", "force or torque by length or angle", required=True)

TOP: tuple[Field, ...] = (
    Field("biela", "version", f"the version of the format, {VERSION}", required=True),
    Field("name", "text", "the name of the mechanism", required=True),
    Field("note", "text", "what it is"),
    Field("gravity", "vector", "free fall, by components in the ground (none)"),
)
LOADS: dict[str, tuple[Field, ...]] = {
    "spring": (_P, _Q, _STIFFNESS, Field("length", "expression", "at rest (0)"), _DAMPING),
    "damper": (_P, _Q, Field("damping", "expression", "force by speed", required=True)),
    "actuator": (_P, _Q, Field("force", "expression", "drives the ends apart", required=True)),
    "force": (_BODY, _AT, _FORCE, _BASE, _BY),
    "moment": (_BODY, _FORCE, _BASE, _BY),
    "effort": (_COORDINATE, Field("effort", "expression", "generalised force", required=True)),
    "torsion-spring": (_COORDINATE, _STIFFNESS, Field("rest", "expression", "angle or length (0)"), _DAMPING),
    "friction": (
        _COORDINATE,
        Field("level", "expression", "of the dry friction", required=True),
        Field("width", "expression", "speeds over which it changes sign (0.001)"),
    ),
    "motor": (_COORDINATE, Field("input", "text", "the input it makes", required=True), _UNIT),
}
LOOPS: dict[str, tuple[Field, ...]] = {
    "close": (_P, _Q),
    "distance": (_P, _Q, Field("length", "expression", "what stays", required=True)),
}
SECTIONS: dict[str, Section] = {
    section.name: section
    for section in (
        Section("parameters", "constants that stay symbols", (_VALUE, _UNIT, _NOTE), "value"),
        Section("inputs", "given anew at every step", (_START, _UNIT, _NOTE), "value"),
        Section(
            "coordinates", "coordinates with their starts; joints make those that are not here",
            (_START, Field("speed", "number", "its rate at the start (0)"), _UNIT), "value",
        ),
        Section(
            "bodies", "rigid bodies",
            (
                Field("mass", "expression", "its mass (0)"),
                Field("com", "vector", "its mass centre, in its base (its origin)"),
                Field("inertia", "inertia", "a tensor, three or six moments, or a shape as rod(m, l)"),
                Field("about", "about", "the point of the inertia: com (default) or origin"),
            ),
        ),
        Section(
            "bases", "directions, turned from those of another base or body",
            (
                Field("parent", "base", "the base or body it is turned from (ground)"),
                Field("axis", "axis", "about what"),
                Field("angle", "expression", "by how much"),
                Field("matrix", "rows", "or its matrix: old components from new ones"),
            ),
        ),
        Section(
            "joints", "in the order in which they place bodies",
            (
                Field("type", "joint", "one of JOINTS", required=True),
                Field("parent", "body", "the body it is on", required=True),
                Field("child", "body", "the body it places, or closes a loop with", required=True),
                Field("at", "vector", "where on the parent (its origin)"),
                Field("to", "vector", "where on the child (its origin)"),
                Field("axis", "axis", "along what (z)"),
                Field("second", "axis", "the second axis, of a universal joint"),
                Field("child_axis", "axis", "the axis in the child's base, where it closes a loop"),
                Field("frame", "base", "the base of its axes, fixed to the parent"),
                Field("coordinates", "expressions", "names or expressions of its motions"),
                Field("pitch", "expression", "of a screw"),
                Field("quaternion", "boolean", "turn by a quaternion (false)"),
            ),
        ),
        Section(
            "points", "places with a name, on bodies",
            (
                Field("body", "body", "what it is on (ground)"),
                Field("at", "vector", "where, by components in the body's base", required=True),
            ),
            "",
        ),
        Section(
            "loops", "what closes the tree of joints",
            (Field("type", "loop", "close (default) or distance"),), "", LOOPS,
        ),
        Section(
            "loads", "forces and torques",
            (Field("type", "load", "what it is", required=True),), "", LOADS,
        ),
        Section(
            "drives", "coordinates, by name, that move as told",
            (Field("motion", "expression", "of the time t", required=True),), "motion",
        ),
        Section(
            "constraints", "expressions of coordinates and t that stay zero",
            (Field("equations", "expressions", "each zero", required=True),), "equations",
        ),
    )
}  # fmt: skip

_EXPRESSION = {"type": ["number", "string"]}
_VECTOR = {"type": "array", "items": _EXPRESSION, "minItems": 3, "maxItems": 3}
_AXIS = {"anyOf": [{"enum": ["x", "y", "z", "-x", "-y", "-z"]}, _VECTOR]}
_TEXT = {"type": "string"}
JSON: dict[str, dict[str, Any]] = {
    "version": {"const": VERSION},
    "text": _TEXT,
    "number": _EXPRESSION,
    "expression": _EXPRESSION,
    "expressions": {"anyOf": [_EXPRESSION, {"type": "array", "items": _EXPRESSION}]},
    "vector": _VECTOR,
    "rows": {"type": "array", "items": _VECTOR, "minItems": 3, "maxItems": 3},
    "boolean": {"type": "boolean"},
    "axis": _AXIS,
    "inertia": {"anyOf": [_TEXT, {"type": "array", "minItems": 3, "maxItems": 6}]},
    "about": {"enum": ["com", "origin"]},
    "joint": {"enum": list(JOINTS)},
    "loop": {"enum": list(LOOPS)},
    "load": {"enum": list(LOADS)},
    "body": _TEXT,
    "base": _TEXT,
    "coordinate": _TEXT,
    "place": {
        "anyOf": [
            _TEXT,
            {
                "type": "object", "additionalProperties": False, "required": ["body"],
                "properties": {"body": _TEXT, "at": _VECTOR},
            },
        ]
    },
}  # fmt: skip
WORDS = {  # what a kind is called in a message
    "version": f"the number {VERSION}", "text": "a text", "number": "a number or an expression of numbers",
    "expression": "a number or an expression in quotes", "expressions": "an expression, or a list of them",
    "rows": "three rows of three numbers or expressions",
    "vector": "three numbers or expressions", "boolean": "true or false",
    "axis": "x, y, z, -x, -y, -z or three numbers", "inertia": "a tensor, moments, or a shape as rod(m, l)",
    "about": "com or origin", "body": "the name of a body", "base": "the name of a base or body",
    "coordinate": "the name of a coordinate", "place": "the name of a point, or {body = ..., at = [...]}",
}  # fmt: skip


def schema() -> dict[str, Any]:
    """The JSON Schema of description files, draft 2020-12."""
    properties = {f.name: {**JSON[f.kind], "description": f.note} for f in TOP}
    properties |= {section.name: _section(section) for section in SECTIONS.values()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A mechanism for biela, version {VERSION}",
        "type": "object",
        "properties": properties,
        "required": [f.name for f in TOP if f.required],
        "additionalProperties": False,
    }


def _section(section: Section) -> dict[str, Any]:
    if section.types:
        entry: dict[str, Any] = {"oneOf": [_typed(section, kind) for kind in section.types]}
    else:
        entry = _entry(section.fields)
    if section.short:
        short = next(f for f in section.fields if f.name == section.short)
        entry = {"anyOf": [JSON[short.kind], entry]}
    return {"type": "object", "description": section.note, "additionalProperties": entry}


def _typed(section: Section, kind: str) -> dict[str, Any]:
    made = _entry((*section.fields, *section.types[kind]))
    made["properties"]["type"] = {"const": kind}
    return made


def _entry(fields: tuple[Field, ...]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {f.name: {**JSON[f.kind], "description": f.note} for f in fields},
        "required": [f.name for f in fields if f.required],
        "additionalProperties": False,
    }
