"""Ingredients: the expressions a description is made of, and what each of them may depend on.

Inertia is constant while a mechanism moves; places follow from coordinates and time; what rolls restrains
velocities; loads may depend on all that is known when accelerations are sought.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from biela.expr.expression import Expr
from biela.expr.matrix import vector

if TYPE_CHECKING:
    from biela.mechanics.body import Body
    from biela.mechanics.constraint import Constraint
    from biela.mechanics.load import Load
    from biela.mechanics.space import Base, Point
    from biela.mechanics.system import System

MAY = {
    "inertia": ("parameter",),
    "place": ("parameter", "coordinate", "time"),
    "speed": ("parameter", "coordinate", "time", "velocity"),
    "load": ("parameter", "coordinate", "time", "velocity", "input", "unknown"),
}


class Ingredient(NamedTuple):
    """An expression, where it stands, and as which row of `MAY`."""

    where: str
    role: str
    value: Expr


def own(system: System) -> Iterator[Ingredient]:
    """What needs no place of a body to be looked at."""
    for body in (*system.bodies.values(), *system.natural_bodies.values()):
        inertia = vector([body.mass, *body.first_moment, *body.inertia.reshape(9)])
        yield from (Ingredient(f"body '{body.name}'", "inertia", e) for e in inertia)
    for coordinate, effort, _ in system.efforts:
        yield Ingredient(f"effort on '{coordinate.name}'", "load", effort)
    yield from (Ingredient("gravity", "load", e) for e in system.weight)
    for level, equations in system.starts.items():
        role = "place" if level == "position" else "speed"
        yield from (Ingredient(f"start of {level}", role, e) for e in equations)


def centres(bodies: Iterable[Body]) -> Iterator[Ingredient]:
    """The mass centres, of bodies that hang nowhere too."""
    for body in bodies:
        yield from (Ingredient(f"body '{body.name}'", "place", e) for e in body.com.r or ())


def carriers(points: Iterable[Point], bases: Iterable[Base]) -> Iterator[Ingredient]:
    """The edges that points and bases hang on."""
    nodes = dict.fromkeys(node for point in points for node in point.path[1:])
    turned = [base for node in nodes for base in node.base.path[1:]]
    turned += [base for own in bases for base in own.path[1:]]
    for base in dict.fromkeys(turned):
        yield from (Ingredient(f"base '{base.name}'", "place", e) for e in base.edge().matrix.reshape(9))
    for node in nodes:
        yield from (Ingredient(f"point '{node.name}'", "place", e) for e in node.edge())


def between(constraints: Iterable[Constraint], loads: Iterable[Load]) -> Iterator[Ingredient]:
    """What joins bodies."""
    for c in constraints:
        role = "speed" if c.level == "velocity" else "place"
        yield from (Ingredient(f"constraint '{c.name}'", role, e) for e in c.equations)
    for load in loads:
        parts = [part for _, v in (*load.forces, *load.moments) for part in v.parts.values()]
        yield from (Ingredient(f"load '{load.name}'", "load", e) for part in parts for e in part)


def unusable(system: System, ingredients: Sequence[Ingredient]) -> Iterator[str]:
    """Symbols that nobody declared, symbols in the wrong place, and numbers that are none, in words."""
    kinds, graph = _kinds(system), system.graph
    seen: dict[str, dict[int, None]] = {role: {} for role in MAY}
    undeclared: dict[str, str] = {}
    spoilt = dict.fromkeys(where for where, _, e in ingredients if not isfinite(e.number or 0.0))
    for where, role, value in ingredients:
        for i in graph.reachable([value.ref], seen[role]):
            seen[role][i] = None
            if not isfinite(graph.number(i) or 0.0):
                spoilt[where] = None
            if graph.nodes[i][0] != "symbol":
                continue
            name, kind = graph.nodes[i][1], kinds.get(i)
            if kind is None:
                undeclared.setdefault(name, where)
            elif kind not in MAY[role]:
                yield f"The {kind} '{name}' stands in {where}, which may depend on {_listed(role)} only."
    for name, where in undeclared.items():
        yield (
            f"Symbol '{name}', used in {where}, is not declared. Declare it with system.parameter('{name}', "
            f"value), system.input('{name}') or system.coordinate('{name}')."
        )
    yield from (f"A number in {where} is nan or infinite. Give finite numbers." for where in spoilt)


def _listed(role: str) -> str:
    """'parameters, coordinates, time'."""
    plural = {"velocity": "velocities", "time": "time"}
    return ", ".join(plural.get(kind, f"{kind}s") for kind in MAY[role])


def _kinds(system: System) -> dict[int, str]:
    """The declared symbols, each with what it is."""
    kinds: dict[int, str] = {}
    for placement in system.coordinates_by_name.values():
        names = ("coordinate", "velocity", "acceleration")
        kinds |= {s.ref: kind for s, kind in zip(placement.symbols, names, strict=True)}
    tables = (system.parameters_by_name, system.inputs_by_name, system.unknowns_by_name)
    for kind, table in zip(("parameter", "input", "unknown"), tables, strict=True):
        kinds |= {quantity.symbol.ref: kind for quantity in table.values()}
    return kinds | ({system.time.ref: "time"} if system.uses_time else {})
