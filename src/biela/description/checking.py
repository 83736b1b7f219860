"""What is wrong with a document, entry by entry, before anything is made of it: by the table of `schema`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from biela.description.document import Document
from biela.description.fault import Faults
from biela.description.formula import SHAPES, FormulaError, formula
from biela.description.schema import JSON, LOADS, LOOPS, SECTIONS, TOP, VERSION, WORDS, Field, Section
from biela.expr.graph import Graph
from biela.mechanics.joint import JOINTS
from biela.mechanics.symbols import QUALIFIED
from biela.suggestion import suggestion

Entry = dict[str, Any]
CHOICES = {"joint": list(JOINTS), "loop": list(LOOPS), "load": list(LOADS), "about": ["com", "origin"]}
NAMING = ("parameters", "inputs", "coordinates", "bodies", "bases", "points")
LARGEST = 1e300
AXES = ("x", "y", "z", "-x", "-y", "-z")


def entries(document: Document, section: str) -> dict[str, Entry]:
    """The entries of a section, those in short form written out; what is no entry is left out."""
    row = SECTIONS[section]
    given = document.data.get(section, {})
    found: dict[str, Entry] = {}
    if isinstance(given, dict):
        for name, value in cast("dict[str, Any]", given).items():
            if isinstance(value, dict):
                found[name] = cast("Entry", value)
            elif row.short:
                found[name] = {row.short: value}
    return found


def check(document: Document) -> Faults:
    """Every fault that an entry shows by itself or by the names it uses."""
    checker = _Checker(document)
    checker.top()
    for section in SECTIONS.values():
        checker.section(section)
    return checker.faults


class _Checker:
    """The faults so far, and the names there are."""

    def __init__(self, document: Document) -> None:
        self.document, self.faults = document, Faults(document.where)
        graph = Graph()

        def symbols(names: Iterable[str]) -> dict[str, Any]:
            return {n: graph.symbol(n) for n in dict.fromkeys(names) if QUALIFIED.fullmatch(n)}

        def named(section: str) -> list[str]:
            return list(entries(document, section))

        self.coordinates = [*named("coordinates"), *self._made()]
        self.numbers: Mapping[str, Any] = {}
        motors = [str(load.get("input")) for load in entries(document, "loads").values() if "input" in load]
        fixed = symbols(named("parameters"))
        moving = symbols([*named("inputs"), *motors, *self.coordinates, "t"])
        self.symbols = {**moving, **fixed}
        self.bodies = ["ground", *named("bodies")]
        self.bases = [*self.bodies, *named("bases")]
        self.points = ["origin", *named("points")]

    def _made(self) -> list[str]:
        """The coordinates that joints make: those they name, and those named after the body they place."""
        found: list[str] = []
        for joint in entries(self.document, "joints").values():
            kind = JOINTS.get(str(joint.get("type")))
            child, given = str(joint.get("child")), joint.get("coordinates", [])
            listed = cast("list[Any]", given if isinstance(given, list) else [given])
            found += [name for name in listed if isinstance(name, str) and QUALIFIED.fullmatch(name)]
            motions = [f"{child}.{name}" for _, _, name in kind.motions] if kind else []
            turned = [f"{child}.e{k}" for k in range(4)] if joint.get("quaternion") else []
            found += [name for name in motions + turned if name not in found]
        return found

    def add(self, text: str, *key: str) -> None:
        """A fault at the line of a key."""
        self.faults.add(self.document.line(*key), text)

    # keys

    def top(self) -> None:
        """The keys of the file itself."""
        data, known = self.document.data, [*(f.name for f in TOP), *SECTIONS]
        for key in data:
            if key not in known:
                self.add(f"unknown key '{key}'.{suggestion(key, known)} Known: {', '.join(known)}.", key)
        for one in TOP:
            if one.name in data:
                self.value(one, data[one.name], "", one.name)
            elif one.required:
                example = f"{one.name} = {VERSION if one.kind == 'version' else '...'}"
                self.add(f"'{one.name}' is missing: {one.note}. Write {example} at the top.")

    def section(self, section: Section) -> None:
        """All entries of a section."""
        given = self.document.data.get(section.name, {})
        if not isinstance(given, dict):
            self.add(f"'{section.name}' is a table of entries by name; got {_shown(given)}.", section.name)
            return
        found = entries(self.document, section.name)
        for name in cast("dict[str, Any]", given):
            key = (section.name, name)
            if section.name in NAMING and not QUALIFIED.fullmatch(name):
                self.add(f"{section.name}: '{name}' is no name: letters, digits, underscores and dots.", *key)
            if name not in found:
                told = f"expected a table of keys; got {_shown(given[name])}"
                self.add(f"{section.name} '{name}': {told}.", *key)
            else:
                self.entry(section, name, found[name])
        if section.name == "drives":
            for name in found:
                self.known("coordinate", name, self.coordinates, f"drives '{name}'", ("drives", name))

    def entry(self, section: Section, name: str, entry: Entry) -> None:
        """One entry: unknown keys, missing ones, and every value."""
        where, key = f"{section.name} '{name}'", (section.name, name)
        needed = any(f.name == "type" and f.required for f in section.fields)
        kind = str(entry.get("type", "" if needed else next(iter(section.types), "")))
        if section.types and kind not in section.types:
            wanted = ", ".join(section.types)
            told = f"unknown type '{kind}'.{suggestion(kind, section.types)} Known: {wanted}."
            self.add(f"{where}: {told if 'type' in entry else f'no type is given: {wanted}.'}", *key)
            return
        fields = section.of_type(kind)
        for given in entry:
            if given not in fields:
                hint = suggestion(given, fields)
                self.add(f"{where}: unknown key '{given}'.{hint} Known: {', '.join(fields)}.", *key, given)
        for one in fields.values():
            if one.name in entry:
                self.value(one, entry[one.name], where, *key, one.name)
            elif one.required:
                self.add(f"{where}: '{one.name}' is missing: {one.note}.", *key)

    # values

    def value(self, one: Field, value: Any, where: str, *key: str) -> None:
        """One value, by its kind."""
        told = f"{where}: '{one.name}'" if where else f"'{one.name}'"
        if not self._typed(one.kind, value, told, key):
            wanted = WORDS.get(one.kind) or f"one of {', '.join(CHOICES[one.kind])}"
            hint = suggestion(value, CHOICES.get(one.kind, ()))
            self.add(f"{told} is {wanted}; got {_shown(value)}.{hint}", *key)

    def _typed(self, kind: str, value: Any, told: str, key: tuple[str, ...]) -> bool:
        """Whether a value is of a kind; what is wrong inside of it is told here."""
        if kind in CHOICES:
            return value in CHOICES[kind]
        if kind == "version":
            return type(value) is int and value == VERSION
        if kind == "boolean":
            return isinstance(value, bool)
        if kind == "text":
            return isinstance(value, str)
        if kind in ("body", "base", "coordinate"):
            return isinstance(value, str) and self._named(kind, value, told, key)
        if kind == "place":
            return self._place(value, told, key)
        if kind == "rows":
            rows = cast("list[Any]", value) if isinstance(value, list) else []
            return len(rows) == 3 and all(self._row(row, told, key, 3) for row in rows)
        if kind in ("vector", "axis"):
            return (kind == "axis" and value in AXES) or self._row(value, told, key, 3)
        if kind == "inertia":
            return self._inertia(value, told, key)
        if kind == "expressions" and isinstance(value, list):
            return all(self._expression(one, self.symbols, told, key) for one in cast("list[Any]", value))
        return self._expression(value, self.numbers if kind == "number" else self.symbols, told, key)

    def _named(self, kind: str, value: str, told: str, key: tuple[str, ...]) -> bool:
        table = {"body": self.bodies, "base": self.bases, "coordinate": self.coordinates}[kind]
        self.known(kind, value, table, told, key)
        return True

    def known(self, kind: str, value: str, table: list[str], told: str, key: tuple[str, ...]) -> None:
        """Add a fault for a name that nothing has."""
        if value not in table:
            hint = suggestion(value, table)
            self.add(f"{told}: there is no {kind} '{value}'.{hint} Known: {', '.join(table)}.", *key)

    def _place(self, value: Any, told: str, key: tuple[str, ...]) -> bool:
        if isinstance(value, str):
            self.known("point", value, [*self.points, *self.bodies], told, key)
            return True
        if not isinstance(value, dict) or "body" not in value or set(cast("Entry", value)) - {"body", "at"}:
            return False
        entry = cast("Entry", value)
        fine = isinstance(entry["body"], str) and self._named("body", entry["body"], told, key)
        return fine and ("at" not in entry or self._row(entry["at"], told, key, 3))

    def _row(self, value: Any, told: str, key: tuple[str, ...], *sizes: int) -> bool:
        if not isinstance(value, list) or len(cast("list[Any]", value)) not in sizes:
            return False
        fine = [self._expression(one, self.symbols, told, key) for one in cast("list[Any]", value)]
        return all(fine)

    def _inertia(self, value: Any, told: str, key: tuple[str, ...]) -> bool:
        if isinstance(value, list) and value and isinstance(value[0], list):
            rows = cast("list[Any]", value)
            return len(rows) == 3 and all(self._row(row, told, key, 3) for row in rows)
        if isinstance(value, list):
            return self._row(value, told, key, 3, 6)
        if not isinstance(value, str):
            return False
        found = self._formula(value, self.symbols, told, key, shapes=True)
        if found is not None and not isinstance(found, list):
            self.add(f"{told}: '{value}' is no tensor. Shapes: {', '.join(SHAPES)}.", *key)
        return True

    def _expression(self, value: Any, names: Mapping[str, Any], told: str, key: tuple[str, ...]) -> bool:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            return False
        if isinstance(value, str):
            self._formula(value, names, told, key)
        return isinstance(value, str) or abs(value) < LARGEST

    def _formula(
        self, text: str, names: Mapping[str, Any], told: str, key: tuple[str, ...], shapes: bool = False
    ) -> Any:
        try:
            return formula(text, names, shapes)
        except FormulaError as error:
            self.add(f"{told}: {error}.".replace("?.", "?"), *key)
            return None


def _shown(value: Any) -> str:
    text = f"'{value}'" if isinstance(value, str) else str(value)
    return text if len(text) < 60 else f"{text[:57]}..."


assert set(JSON) <= set(WORDS) | set(CHOICES)
