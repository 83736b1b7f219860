"""`read_description`: a description file as a `System`.

First every entry is checked by itself, with the names it uses; all faults are told at once, by lines. What
only the whole shows, a body that nothing places, is told when the parts are right.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from biela.description.checking import Entry, check, entries
from biela.description.document import Document, load
from biela.description.fault import Faults
from biela.description.formula import formula
from biela.description.schema import SECTIONS
from biela.expr.expression import Expr
from biela.mechanics.drawing import Bar
from biela.mechanics.load import coulomb
from biela.mechanics.symbols import PLAIN
from biela.mechanics.system import System


def read_description(path: str | Path) -> System:
    """The system that a file describes, in TOML or YAML by its suffix.

    Raises DescriptionError with every fault and its line, ValueError for a suffix or file that is not there.
    """
    return described(load(path))


def described(document: Document) -> System:
    """The system of a document; raises DescriptionError with every fault and its line."""
    faults = check(document)
    if not PLAIN.fullmatch(str(document.data.get("name", "x"))):
        line = document.line("name")
        told = "is no name of a mechanism: letters, digits and underscores"
        faults.add(line, f"'{document.data['name']}' {told}.")
    faults.raise_if_any()
    return _Making(document, faults).done()


class _Making:
    """A system in the making, section after section."""

    def __init__(self, document: Document, faults: Faults) -> None:
        self.document, self.faults = document, faults
        self.system = System(document.data["name"])
        self.names: dict[str, Any] = {}

    def done(self) -> System:
        """The whole system, validated."""
        steps: dict[str, Callable[[str, Entry], None]] = {
            "parameters": self._parameter, "inputs": self._input, "coordinates": self._coordinate,
            "bodies": self._body, "bases": self._base, "joints": self._joint, "points": self._point,
            "loops": self._loop, "loads": self._load, "drives": self._drive, "constraints": self._constraint,
        }  # fmt: skip
        self._time()
        for section in SECTIONS:
            for name, entry in entries(self.document, section).items():
                self._tried(section, name, lambda s=section, n=name, e=entry: steps[s](n, e))
        self._tried("gravity", "", self._gravity)
        self.faults.raise_if_any()
        for fault in self.system.validate():
            self.faults.add(self._line_of(fault), fault)
        self.faults.raise_if_any()
        return self.system

    def _tried(self, section: str, name: str, make: Callable[[], None]) -> None:
        try:
            make()
        except KeyError as error:
            told = f"{error} has a fault, or comes later in the file: write it before"
            self.faults.add(self.document.line(section, name), f"{section} '{name}': {told}.")
        except (TypeError, ValueError) as error:
            self.faults.add(self.document.line(section, name), f"{section} '{name}': {error}")

    def _line_of(self, fault: str) -> int:
        """The line of the entry that a fault names in quotes, if one does."""
        lines = self.document.lines
        named = [line for key, line in lines.items() if len(key) == 2 and f"'{key[1]}'" in fault]
        return min(named, default=0)

    # values

    def _value(self, given: Any) -> Any:
        """A number, or the expression of a text."""
        return formula(given, self.names) if isinstance(given, str) else float(given)

    def _row(self, given: Any) -> list[Any]:
        return [self._value(one) for one in given]

    def _listed(self, given: Any) -> list[Any]:
        return cast("list[Any]", given if isinstance(given, list) else [given])

    def _axis(self, given: Any) -> Any:
        return given if isinstance(given, str) else self._row(given)

    def _inertia(self, given: Any) -> Any:
        if isinstance(given, str):
            return formula(given, self.names, shapes=True)
        nested = isinstance(given[0], list)
        return [self._row(row) for row in given] if nested else self._row(given)

    def _place(self, given: Any) -> Any:
        if isinstance(given, str):
            s = self.system
            return s.points[given] if given in s.points else s.bodies[given].origin
        return self.system.bodies[given["body"]].point(self._row(given.get("at", (0, 0, 0))))

    def _frame(self, given: str) -> Any:
        s = self.system
        return s.bodies[given].base if given in s.bodies else s.bases[given]

    def _at(self, name: str) -> Expr:
        """A coordinate by name."""
        return self.system.coordinates_by_name[name].symbols.position

    # entries

    def _parameter(self, name: str, entry: Entry) -> None:
        value, told = self._value(entry["value"]), (entry.get("unit", ""), entry.get("note", ""))
        self.names[name] = self.system.parameter(name, value, *told)

    def _input(self, name: str, entry: Entry) -> None:
        value, told = self._value(entry.get("value", 0.0)), (entry.get("unit", ""), entry.get("note", ""))
        self.names[name] = self.system.input(name, value, *told)

    def _coordinate(self, name: str, entry: Entry) -> None:
        start, speed = (self._value(entry.get(key, 0.0)) for key in ("value", "speed"))
        self.names[name] = self.system.coordinate(name, start, speed, entry.get("unit", ""))

    def _time(self) -> None:
        """The time, where an expression has it; a system that asks for it depends on it."""
        told = ("bases", "joints", "loads", "drives", "constraints")
        used = {key: self.document.data.get(key) for key in told}
        if any("t" in PLAIN.findall(text) for text in _texts(used)):
            self.names["t"] = self.system.time

    def _body(self, name: str, entry: Entry) -> None:
        options: dict[str, Any] = {"mass": self._value(entry.get("mass", 0.0))}
        if "com" in entry:
            options["com"] = self._row(entry["com"])
        if "inertia" in entry:
            options |= {"inertia": self._inertia(entry["inertia"]), "about": entry.get("about", "com")}
        self.system.body(name, **options)

    def _base(self, name: str, entry: Entry) -> None:
        parent = self._frame(entry.get("parent", "ground"))
        options: dict[str, Any] = {}
        if "matrix" in entry:
            options["matrix"] = [self._row(row) for row in entry["matrix"]]
        if "axis" in entry:
            options["axis"] = self._axis(entry["axis"])
        if "angle" in entry:
            options["angle"] = self._value(entry["angle"])
        self.system.base(name, parent, **options)

    def _joint(self, name: str, entry: Entry) -> None:
        s, options = self.system, dict[str, Any](name=name)
        options |= {key: self._row(entry[key]) for key in ("at", "to") if key in entry}
        options |= {k: self._axis(entry[k]) for k in ("axis", "second", "child_axis") if k in entry}
        if "pitch" in entry:
            options["pitch"] = self._value(entry["pitch"])
        if "frame" in entry:
            options["frame"] = self._frame(entry["frame"])
        if "coordinates" in entry:
            options["coordinates"] = [self._motion(one) for one in self._listed(entry["coordinates"])]
        if entry.get("quaternion"):
            options["quaternion"] = True
        made = s.joint(entry["type"], entry["parent"], entry["child"], **options)
        self.names |= {n: c.symbols.position for n, c in s.coordinates_by_name.items()}
        s.draw(Bar(made.parent.origin, made.at))
        s.draw(Bar(made.to, made.child.origin, made.child.com))

    def _motion(self, given: Any) -> Any:
        """A coordinate there is, the name of a new one, or an expression."""
        if isinstance(given, str) and given not in self.names and PLAIN.fullmatch(given.replace(".", "_")):
            return given
        return self._value(given)

    def _point(self, name: str, entry: Entry) -> None:
        body = self.system.bodies[entry.get("body", "ground")]
        self.system.point(name, body, self._row(entry["at"]), body.base)

    def _loop(self, name: str, entry: Entry) -> None:
        p, q = self._place(entry["p"]), self._place(entry["q"])
        if entry.get("type") == "distance":
            self.system.distance(p, q, self._value(entry["length"]), name)
        else:
            self.system.close(p, q, name)

    def _load(self, name: str, entry: Entry) -> None:
        s, kind = self.system, entry["type"]
        number = {k: self._value(v) for k, v in entry.items() if k in _NUMBERS}
        if kind in ("spring", "damper", "actuator"):
            getattr(s, kind)(self._place(entry["p"]), self._place(entry["q"]), **number, name=name)
        elif kind in ("force", "moment"):
            options: dict[str, Any] = {"base": self._frame(entry.get("base", "ground")), "name": name}
            options |= {"by": entry["by"]} if "by" in entry else {}
            options |= {"at": self._row(entry["at"])} if "at" in entry else {}
            getattr(s, kind)(entry["body"], self._row(entry["components"]), **options)
        elif kind == "effort":
            s.effort(entry["coordinate"], number["effort"])
        elif kind == "torsion-spring":
            s.torsion_spring(entry["coordinate"], **number)
        elif kind == "friction":
            q = self._at(entry["coordinate"])
            s.effort(q, coulomb(q.dt(), number["level"], number.get("width", 1e-3)))
        else:
            made = s.motor(entry["coordinate"], entry["input"], entry.get("unit", "N m"))
            self.names[entry["input"]] = made

    def _drive(self, name: str, entry: Entry) -> None:
        self.system.drive(name, self._value(entry["motion"]))

    def _constraint(self, name: str, entry: Entry) -> None:
        self.system.constrain(name, *(self._value(one) for one in self._listed(entry["equations"])))

    def _gravity(self) -> None:
        if "gravity" in self.document.data:
            self.system.gravity(self._row(self.document.data["gravity"]))


_NUMBERS = ("stiffness", "length", "damping", "force", "effort", "rest", "level", "width")


def _texts(value: Any) -> list[str]:
    """Every text of plain data."""
    if isinstance(value, dict):
        return [text for one in cast("Entry", value).values() for text in _texts(one)]
    if isinstance(value, list):
        return [text for one in cast("list[Any]", value) for text in _texts(one)]
    return [value] if isinstance(value, str) else []
