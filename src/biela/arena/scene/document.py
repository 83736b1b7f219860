"""Scenes as plain data, and as TOML and JSON files.

A document is a dictionary of lists, strings and numbers with the field names of the dataclasses; what has its
default is left out. `schema` publishes it as JSON Schema.
"""

from __future__ import annotations

import dataclasses
import json
import math
import tomllib
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from biela.arena.scene.body import SHAPES, Body
from biela.arena.scene.entity import ENTITIES, Entity
from biela.arena.scene.fault import Faults, SceneError, known
from biela.arena.scene.joint import JOINTS, Joint, Motor
from biela.arena.scene.mark import Mark
from biela.arena.scene.material import Interaction, Materials
from biela.arena.scene.scene import Scene
from biela.arena.sensor.registry import SENSORS
from biela.arena.sensor.sensor import Sensor
from biela.simulate.storage import whole

PARTS: dict[str, Any] = {"bodies": Body, "joints": Joint, "motors": Motor, "sensors": SENSORS, "marks": Mark}
CHOICES = {(Body, "shape"): SHAPES, (Joint, "kind"): JOINTS, (Entity, "type"): ENTITIES}


# writing


def to_document(scene: Scene) -> dict[str, Any]:
    """A scene as dictionaries and lists."""
    pairs = [
        {"materials": list(pair), **_short(interaction)}
        for pair, interaction in scene.materials.pairs.items()
    ]
    return {
        "name": scene.name,
        "gravity": list(scene.gravity),
        "materials": dict(scene.materials.names),
        "interactions": pairs,
        "entities": [entity_document(e) for e in scene.entities],
    }


def entity_document(entity: Entity) -> dict[str, Any]:
    """One entity as a dictionary."""
    return _short(entity) | {n: [_short(p) for p in getattr(entity, n)] for n in PARTS if getattr(entity, n)}


def _short(item: Any) -> dict[str, Any]:
    """Fields that differ from their defaults, without the parts of entities."""
    found = {
        f.name: (getattr(item, f.name), f.default) for f in dataclasses.fields(item) if f.name not in PARTS
    }
    kind = {"kind": item.kind} if isinstance(item, Sensor) else {}
    return kind | {name: _plain(value) for name, (value, default) in found.items() if value != default}


def _plain(value: Any) -> Any:
    return [_plain(v) for v in typing.cast("tuple[Any]", value)] if isinstance(value, tuple) else value


def save(scene: Scene, path: str | Path) -> Path:
    """Write a scene as JSON, whole or not at all."""
    text = json.dumps(to_document(scene), indent=1) + "\n"
    return whole(Path(path), lambda aside: aside.write_text(text, encoding="utf-8"))


# reading


def load(path: str | Path) -> Scene:
    """Read a TOML, JSON or XML file; raises SceneError with all faults, ValueError for an unreadable file.

    Bodies that are inside those of other entities are faults as well.
    """
    from biela.arena.physics.space import buried

    scene = _loaded(Path(path))
    Faults(buried(scene)).raise_if_any(f"Scene '{scene.name}'")
    return scene


def _loaded(path: Path) -> Scene:
    from biela.arena.scene import xml

    text = path.read_text(encoding="utf-8")
    readers: dict[str, Any] = {".toml": tomllib.loads, ".json": json.loads}
    if path.suffix == ".xml":
        return xml.read_scene(text, path.stem)
    if path.suffix not in readers:
        raise ValueError(f"{path.name}: scenes are .toml, .json or .xml files.")
    try:
        return from_document(readers[path.suffix](text))
    except (tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path.name} cannot be read: {error}.") from error


def from_document(document: Any) -> Scene:
    """A scene from dictionaries and lists; raises SceneError with all faults."""
    faults = Faults()
    if not isinstance(document, Mapping):
        raise SceneError("The document", [f"scene: a table is wanted; got {type(document).__name__}."])
    given: dict[str, Any] = dict(typing.cast("Mapping[str, Any]", document))
    names = ("name", "gravity", "materials", "interactions", "entities")
    _unknown(given, names, "scene", faults)
    materials = _materials(given, faults)
    entities = [
        entity_from(e, f"entities[{i}]", faults)
        for i, e in enumerate(_list(given, "entities", "scene", faults))
    ]
    plain = {n: given[n] for n in ("name", "gravity") if n in given}
    values = _values(Scene, plain, "scene", faults)
    scene = Scene(materials=materials, entities=tuple(e for e in entities if e), **values)
    try:
        scene.checked()
    except SceneError as error:
        faults.found += error.faults
    faults.raise_if_any(f"Scene '{scene.name}'")
    return scene


def _materials(given: dict[str, Any], faults: Faults) -> Materials:
    names: Any = given.get("materials", {})
    if not faults.check(isinstance(names, Mapping), "materials", "must be a table, id = name."):
        names = {}
    pairs: dict[tuple[str, str], Interaction] = {}
    for i, row in enumerate(_list(given, "interactions", "scene", faults)):
        where = f"interactions[{i}]"
        pair = typing.cast("list[Any]", row.pop("materials", None))
        two = isinstance(typing.cast("Any", pair), list) and len(pair) == 2
        if faults.check(two, where, f"materials is {pair!r}; two ids are wanted."):
            pairs[(str(pair[0]), str(pair[1]))] = Interaction(**_values(Interaction, row, where, faults))
    return Materials({str(k): str(v) for k, v in dict[Any, Any](names).items()}, pairs)


def entity_from(given: dict[str, Any], where: str, faults: Faults) -> Entity | None:
    """An entity from its dictionary; None, with faults added, if something needed is missing."""
    found: dict[str, tuple[Any, ...]] = {}
    for name, kind in PARTS.items():
        rows = _list(given, name, where, faults)
        made = [_part(kind, row, f"{where}.{name}[{i}]", faults) for i, row in enumerate(rows)]
        found[name] = tuple(part for part in made if part is not None)
    return _made(Entity, {k: v for k, v in given.items() if k not in PARTS}, where, faults, **found)


def _part(kind: Any, row: dict[str, Any], where: str, faults: Faults) -> Any:
    """A part; where there are several kinds of it, the row says which."""
    if not isinstance(kind, dict):
        return _made(kind, row, where, faults)
    kinds = typing.cast("dict[str, Any]", kind)
    named = row.pop("kind", None)
    if not faults.check(named in kinds, where, f"kind is {named!r}.", known(named, kinds)):
        return None
    return _made(kinds[named], row, where, faults)


def _made(kind: Any, row: dict[str, Any], where: str, faults: Faults, **more: Any) -> Any:
    values = _values(kind, row, where, faults) | more
    needed = [f.name for f in dataclasses.fields(kind) if f.default is dataclasses.MISSING]
    missing = [name for name in needed if name not in values]
    told = [name for name in missing if name not in row]
    faults.check(not told, where, f"{', '.join(told)} missing.")
    return None if missing else kind(**values)


def _list(given: dict[str, Any], name: str, where: str, faults: Faults) -> list[dict[str, Any]]:
    rows: list[Any] = given.get(name, [])
    good = isinstance(typing.cast("Any", rows), list) and all(isinstance(r, Mapping) for r in rows)
    return [dict(r) for r in rows] if faults.check(good, where, f"{name} must be a list of tables.") else []


def _unknown(given: Mapping[str, Any], names: Any, where: str, faults: Faults) -> None:
    for name in given:
        faults.check(name in names, where, f"'{name}' means nothing here.", known(name, names))


def _values(kind: Any, row: Mapping[str, Any], where: str, faults: Faults) -> dict[str, Any]:
    """The fields of a dataclass from a table, each of its type."""
    hints = typing.get_type_hints(kind)
    names = {f.name for f in dataclasses.fields(kind)} - set(PARTS)
    _unknown(row, sorted(names), where, faults)
    found: dict[str, Any] = {}
    for name in names & set(row):
        value, good = _typed(row[name], hints[name])
        wanted = KINDS.get(hints[name], "three numbers")
        if faults.check(good, where, f"{name} is {row[name]!r}; {wanted} wanted."):
            found[name] = value
    return found


KINDS: dict[Any, str] = {str: "a text is", float: "a finite number is", bool: "true or false is"}


def _typed(value: Any, hint: Any) -> tuple[Any, bool]:
    if hint is str:
        return str(value), isinstance(value, str | int) and not isinstance(value, bool)
    if hint is bool:
        return value, isinstance(value, bool)
    if hint is float:
        good = isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
        return (float(value), True) if good else (value, False)
    if isinstance(hint, types.UnionType):
        return (None, True) if value is None else _typed(value, typing.get_args(hint)[0])
    items, inner = typing.get_args(hint), isinstance(value, list | tuple)
    if not inner or (items[-1] is not ... and len(value) != len(items)):
        return value, False
    pairs = [_typed(v, items[0]) for v in value]
    return tuple(v for v, _ in pairs), all(good for _, good in pairs)


# the schema


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of scene documents."""
    parts = {name: {"type": "array", "items": _items(kind)} for name, kind in PARTS.items()}
    entity = _table(Entity, parts)
    pair = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scene of biela.arena",
        **_table(
            Scene,
            {
                "materials": {"type": "object", "additionalProperties": {"type": "string"}},
                "interactions": {"type": "array", "items": _table(Interaction, {"materials": pair})},
                "entities": {"type": "array", "items": entity},
            },
        ),
    }


def _items(kind: Any) -> dict[str, Any]:
    if not isinstance(kind, dict):
        return _table(kind)
    kinds = typing.cast("dict[str, Any]", kind)
    return {"oneOf": [_named(name, one) for name, one in kinds.items()]}


def _named(name: str, kind: Any) -> dict[str, Any]:
    found = _table(kind, {"kind": {"const": name}})
    return found | {"required": ["kind", *found["required"]]}


def _table(kind: Any, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    hints, more = typing.get_type_hints(kind), more or {}
    own = [f for f in dataclasses.fields(kind) if f.name not in PARTS and f.name not in more]
    rows = {f.name: _schema_of(hints[f.name], CHOICES.get((kind, f.name))) for f in own}
    missing = dataclasses.MISSING
    needed = [f.name for f in own if f.default is missing and f.default_factory is missing]
    return {
        "type": "object",
        "properties": rows | dict(more),
        "required": needed,
        "additionalProperties": False,
    }


def _schema_of(hint: Any, choices: Any = None) -> dict[str, Any]:
    if choices:
        return {"enum": list(choices)}
    if hint in (str, float, bool):
        return {"type": {str: ["string", "integer"], float: "number", bool: "boolean"}[hint]}
    if isinstance(hint, types.UnionType):
        return {"anyOf": [_schema_of(typing.get_args(hint)[0]), {"type": "null"}]}
    items = typing.get_args(hint)
    size = {} if items[-1] is ... else {"minItems": len(items), "maxItems": len(items)}
    return {"type": "array", "items": _schema_of(items[0]), **size}
