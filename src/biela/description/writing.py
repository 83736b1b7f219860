"""`write_description`: a model as a description file, as far as files can say it.

Bodies, joints, parameters, inputs and coordinates come out as one would write them. What closes loops, and
drives, become equations; springs and other loads become efforts on the coordinates, by their virtual power.
So the equations of motion are those of the model, while names of loads, potentials and drawings are lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, cast

from biela.description.schema import VERSION
from biela.expr.derivative import jacobian
from biela.expr.expression import Expr
from biela.expr.matrix import Matrix, vector
from biela.expr.printing import text
from biela.mechanics.body import Body
from biela.mechanics.joint import Joint
from biela.mechanics.kinematics import angular_velocity, position, velocity
from biela.mechanics.model import Model
from biela.mechanics.space import Base, Point, is_zero

SIZE = 1_000_000  # operations and operands that an expression may have
MARK = "rate_of_coordinate_"  # stands for velocities until they are written as rate(...)
Table = dict[str, Any]


def write_description(model: Model, path: str | Path) -> Path:
    """Write a model into a file, TOML or YAML by its suffix.

    Raises ValueError for another suffix, and with all that a file cannot say: bodies placed by hand, natural
    bodies, contacts, rolling, joint unknowns, parameters without a value.
    """
    target = Path(path)
    writers = {".toml": _toml, ".yaml": _yaml, ".yml": _yaml}
    if target.suffix not in writers:
        raise ValueError(f"A description is a file with one of {', '.join(writers)}; got '{path}'.")
    target.write_text(writers[target.suffix](document_of(model)), encoding="utf-8", newline="\n")
    return target


def document_of(model: Model) -> Table:
    """A model as the data of a description file; raises ValueError with all that one cannot say."""
    found = _unsayable(model)
    if found:
        raise ValueError(f"Model '{model.name}' is more than a description file says: {'; '.join(found)}.")
    return _Writing(model).document()


def _unsayable(model: Model) -> list[str]:
    placed = {joint.child.name for joint in model.joints if not joint.closes}
    told = {
        "bodies that no joint places": [name for name in model.bodies if name not in placed],
        "natural bodies": [body.name for body in model.natural_bodies],
        "coordinates without inertia": [c.name for c in model.placements if not c.inertia],
        "joint unknowns": [one.name for one in model.unknowns],
        "equations of velocity": [c.name for c in model.constraints if c.level == "velocity"],
        "parameters without a value": [one.name for one in model.parameters if not isfinite(one.value)],
    }
    return [f"{what} ({', '.join(names)})" for what, names in told.items() if names]


class _Writing:
    """A document in the making."""

    def __init__(self, model: Model) -> None:
        self.model, self.space = model, model.space
        self.bodies = {id(body.base): name for name, body in model.bodies.items()}
        self.bodies[id(self.space.root)] = "ground"
        graph = model.graph
        pairs = list(enumerate(model.placements))
        self.rates: dict[Any, Any] = {c.symbols.velocity: graph.symbol(f"{MARK}{k}") for k, c in pairs}
        self.names = {f"{MARK}{k}": f"rate({c.name})" for k, c in pairs}
        self.bases: Table = {}

    def document(self) -> Table:
        """The whole."""
        model = self.model
        balls = [joint for joint in model.joints if joint.options.get("quaternion")]
        turned = {c.ref for joint in balls for c in joint.coordinates}
        joints = {joint.name: self.joint(joint) for joint in model.joints}
        parts: Table = {
            "biela": VERSION,
            "name": model.name,
            "gravity": None if is_zero(model.weight) else self.row(model.weight),
            "parameters": {one.name: self.quantity(one) for one in model.parameters},
            "inputs": {one.name: self.quantity(one) for one in model.inputs},
            "coordinates": {
                c.name: _filled(value=c.value, speed=c.speed, unit=c.unit)
                for c in model.placements
                if c.symbols.position.ref not in turned
            },
            "bodies": {name: self.body(body) for name, body in model.bodies.items()},
            "bases": self.bases,
            "joints": joints,
            "points": dict(self.points()),
            "loads": dict(self.efforts()),
            "constraints": dict(self.constraints()),
        }
        return {key: value for key, value in parts.items() if value not in (None, {})}

    # values

    def value(self, expression: Expr) -> Any:
        """A number, or the text of an expression."""
        number = expression.number
        if number is not None:
            return number
        written = text(expression.substitute(self.rates), SIZE)
        return re.sub(rf"{MARK}\d+", lambda found: self.names[found[0]], written)

    def row(self, values: Iterable[Expr]) -> list[Any]:
        """Several."""
        return [self.value(one) for one in values]

    def quantity(self, one: Any) -> Table:
        """A parameter or input."""
        return {"value": one.value, **_filled(unit=one.unit, note=one.note)}

    def body(self, body: Body) -> Table:
        """Mass, mass centre and inertia."""
        if not body.has_inertia:
            return {}
        own = is_zero(body.first_moment)
        center = position(self.space, body.origin, body.reference).at(body.base)
        com = center if own else vector([s / body.mass for s in body.first_moment], self.model.graph)
        found: Table = {"mass": self.value(body.mass)}
        if not is_zero(com):
            found["com"] = self.row(com)
        if not is_zero(body.inertia):
            found["inertia"] = [self.row(body.inertia[i]) for i in range(3)]
            found |= {} if own else {"about": "origin"}
        return found

    # joints and places

    def joint(self, joint: Joint) -> Table:
        """A joint with its places and axes."""
        options = joint.options
        found: Table = {"type": joint.kind.name, "parent": joint.parent.name, "child": joint.child.name}
        for key, body, point in (("at", joint.parent, joint.at), ("to", joint.child, joint.to)):
            place = self.on(body, point)
            found |= {} if is_zero(place) else {key: self.row(place)}
        frame = options.get("frame")
        if isinstance(frame, Base) and frame is not joint.parent.base:
            found["frame"] = self.base(frame)
        axes = ("axis", "second", "child_axis")
        found |= {k: self.axis(options[k]) for k in axes if options.get(k) is not None}
        if options.get("pitch") is not None:
            pitch = options["pitch"]
            found["pitch"] = self.value(pitch) if isinstance(pitch, Expr) else float(pitch)
        if options.get("quaternion"):
            found["quaternion"] = True
        elif joint.coordinates:
            found["coordinates"] = self.row(joint.coordinates)
        return found

    def on(self, body: Body, point: Point) -> Matrix:
        """Where a point is on a body."""
        return position(self.space, body.origin, point).at(body.base)

    def axis(self, given: Any) -> Any:
        """An axis as it was given."""
        if isinstance(given, str):
            return given
        return [self.value(one) if isinstance(one, Expr) else float(one) for one in given]

    def base(self, base: Base) -> str:
        """The name of a base, which is written where it is none of a body."""
        if id(base) in self.bodies:
            return self.bodies[id(base)]
        if base.name not in self.bases:
            assert base.parent is not None
            assert base.rotation is not None
            parent, turn = self.base(base.parent), base.rotation
            if turn.axis is not None and turn.angle is not None:
                how: Table = {"axis": "xyz"[turn.axis], "angle": self.value(turn.angle)}
            else:
                how = {"matrix": [self.row(turn.matrix[i]) for i in range(3)]}
            self.bases[base.name] = {"parent": parent, **how}
        return base.name

    def points(self) -> Iterable[tuple[str, Table]]:
        """The points with a name that are fixed on bodies."""
        model = self.model
        origins = {id(body.origin) for body in model.bodies.values()} | {id(self.space.origin)}
        bodies: Mapping[str, Body] = model.bodies
        for name, point in model.points.items():
            carrier = self.bodies.get(id(point.base))
            if id(point) in origins or carrier is None or carrier == "ground" or name in bodies:
                continue
            place = self.on(bodies[carrier], point)
            moving = {c.ref for c in model.q}
            if not any(symbol.ref in moving for one in place for symbol in one.symbols):
                yield name, {"body": carrier, "at": self.row(place)}

    # forces and equations

    def efforts(self) -> Iterable[tuple[str, Table]]:
        """Every effort, and what the loads do to each coordinate."""
        for k, (coordinate, effort, _) in enumerate(self.model.efforts, 1):
            yield f"effort{k}", self.effort(coordinate, effort)
        for k, (coordinate, effort) in enumerate(zip(self.model.q, self.of_loads(), strict=True), 1):
            if effort.number != 0.0:
                yield f"loads{k}", self.effort(coordinate, effort)

    def effort(self, coordinate: Expr, effort: Expr) -> Table:
        """A generalised force."""
        return {"type": "effort", "coordinate": str(coordinate), "effort": self.value(effort)}

    def of_loads(self) -> list[Expr]:
        """The power of the loads by the velocity of each coordinate."""
        space, model = self.space, self.model
        rows: list[tuple[Matrix, Matrix]] = []
        for load in model.loads:
            for point, force in load.forces:
                speed = velocity(space, point, space.root, space.origin)
                rows.append((speed.at(space.root), force.at(space.root)))
            for base, moment in load.moments:
                rows.append((angular_velocity(space, space.root, base).at(space.root), moment.at(space.root)))
        totals = list(vector([0.0] * len(model.q), model.graph))
        for speed, action in rows:
            for (i, k), slope in jacobian(list(speed), model.dq).items():
                totals[k] = totals[k] + action[i] * slope
        return totals

    def constraints(self) -> Iterable[tuple[str, Table]]:
        """What closes loops, but for joints, which say it themselves."""
        closing = {joint.name for joint in self.model.joints if joint.closes}
        norms = {f"{joint.child.name}.norm" for joint in self.model.joints if joint.options.get("quaternion")}
        for constraint in self.model.constraints:
            if constraint.name not in closing | norms and constraint.equations:
                yield constraint.name, {"equations": self.row(constraint.equations)}


def _filled(**values: Any) -> Table:
    """Those that say something."""
    return {key: value for key, value in values.items() if value}


def _split(document: Table) -> tuple[Table, dict[str, Table]]:
    """What stands at the top, and the sections."""
    sections = {key: cast("Table", value) for key, value in document.items() if isinstance(value, dict)}
    return {key: value for key, value in document.items() if key not in sections}, sections


def _toml(document: Table) -> str:
    top, sections = _split(document)
    lines = [f"{key} = {_inline(value)}" for key, value in top.items()]
    for section, entries in sections.items():
        lines += ["", f"[{section}]"]
        lines += [f"{_key(name)} = {_inline(entry)}" for name, entry in entries.items()]
    return "\n".join(lines) + "\n"


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        entry = cast("Table", value)
        inner = ", ".join(f"{_key(key)} = {_inline(one)}" for key, one in entry.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, cast('list[Any]', value)))}]"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _yaml(document: Table) -> str:
    """JSON is YAML; each entry has a line."""
    top, sections = _split(document)
    lines = [f"{key}: {json.dumps(value)}" for key, value in top.items()]
    for section, entries in sections.items():
        lines.append(f"{section}:")
        lines += [f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items()]
    return "\n".join(lines) + "\n"
