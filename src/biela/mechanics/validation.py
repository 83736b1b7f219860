"""Faults of a description, all found at once: what hangs nowhere, what is unphysical, what is unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isfinite, isnan
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix, vector
from biela.expr.program import Program
from biela.mechanics.model import Model
from biela.mechanics.rank import redundant

if TYPE_CHECKING:
    from biela.mechanics.body import Body
    from biela.mechanics.load import Load
    from biela.mechanics.natural_body import NaturalBody
    from biela.mechanics.space import Base, Point
    from biela.mechanics.system import System

TOLERANCE = 1e-9
Made = TypeVar("Made")


def faults(system: System) -> list[str]:
    """What keeps a system from being a model, in words."""
    found = list(_unplaced(system))
    placed = not found  # else points cannot be followed to the ground, and nothing between bodies computed
    found += _unphysical(system)
    expressions = list(_expressions(system))
    if placed:
        constraints, loads = _made(system.constraints, found), _made(system.loads, found)
        expressions += [edge for body in system.bodies.values() for edge in _hanging(body)]
        expressions += [(f"constraint '{c.name}'", e) for c in constraints for e in c.equations]
        for load in loads:
            parts = [part for _, v in (*load.forces, *load.moments) for part in v.parts.values()]
            expressions += [(f"load '{load.name}'", e) for part in parts for e in part]
        found += _twice(c.name for c in constraints)
        found += _lost(system, loads)
    else:
        expressions += [(f"body '{b.name}'", e) for b in system.bodies.values() for e in b.com.r or ()]
    found += _unusable(system, expressions)
    if placed and not system.coordinates_by_name:
        found.append("It has no coordinates: nothing can move. Add a joint or a coordinate.")
    if not found:
        found += _over_closed(system)
    return found


def _made(recipes: Iterable[Callable[[], Made]], found: list[str]) -> list[Made]:
    """What the recipes give; those that fail add to the faults found."""
    made: list[Made] = []
    for make in recipes:
        try:
            made.append(make())
        except ValueError as error:
            found.append(str(error))
    return made


def _unplaced(system: System) -> Iterator[str]:
    for body in system.bodies.values():
        if body.base.parent is None and body.base is not system.space.root:
            yield (
                f"Body '{body.name}' has no place. Join it to another body, as in "
                f"system.revolute(system.ground, {body.name}), or give its origin and base."
            )
            continue
        for node in (body.base, body.reference):
            try:
                _ = node.path
            except ValueError as error:
                yield f"Body '{body.name}': {error}"
                break
    for node in (*system.bases.values(), *system.points.values()):
        try:
            _ = node.path
        except ValueError as error:
            if node.name not in system.bodies:
                yield str(error)


def _unphysical(system: System) -> Iterator[str]:
    for body in (*system.bodies.values(), *system.natural_bodies.values()):
        mass = _value(system, [body.mass])[0]
        if mass < 0.0:
            yield f"Body '{body.name}' has the negative mass {mass:g}."
            continue
        tensor, s = _matrix(system, body.inertia), _matrix(system, body.first_moment)
        if not (np.isfinite(tensor).all() and np.isfinite(s).all() and not isnan(mass)):
            continue  # a parameter without value: nothing is known
        if mass == 0.0 and (tensor.any() or s.any()):
            yield f"Body '{body.name}' has inertia but no mass. Give its mass."
            continue
        yield from _unphysical_tensor(body, mass, tensor, s)


def _unphysical_tensor(
    body: Body | NaturalBody, mass: float, tensor: np.ndarray, s: np.ndarray
) -> Iterator[str]:
    central = tensor
    if mass > 0.0:
        r = s / mass
        central = tensor - mass * (r @ r * np.eye(3) - np.outer(r, r))
    given = np.flatnonzero(tensor.diagonal())
    # One moment alone describes a body in a plane. Nobody asks for its others, and published models have
    # moments about a hinge that are less than m r^2, with a mass matrix that is positive nevertheless.
    planar = len(given) <= 1 and np.count_nonzero(tensor) == len(given)
    moments = tensor.diagonal()[given] if planar else np.sort(np.linalg.eigvalsh(central))
    scale = max(np.abs(tensor).max(), mass * 1e-12, 1e-300)
    fault = ""
    if moments.min(initial=0.0) < -TOLERANCE * scale:
        fault = "one is negative: was it given about another point (about=)?"
    elif not planar and moments[2] > moments[0] + moments[1] + TOLERANCE * scale:
        fault = "the largest exceeds the sum of the others."
    if fault:
        told = ", ".join(f"{m:.4g}" for m in moments)
        yield (
            f"Body '{body.name}': no mass distribution has this inertia: of its central principal moments, "
            f"{told} kg m2, {fault}"
        )


def _expressions(system: System) -> Iterator[tuple[str, Expr]]:
    for body in system.bodies.values():
        where = f"body '{body.name}'"
        yield where, body.mass
        yield from ((where, e) for part in (body.first_moment, body.inertia.reshape(9)) for e in part)
    for body in system.natural_bodies.values():
        inertia = vector([body.mass, *body.first_moment, *body.inertia.reshape(9)])
        yield from ((f"body '{body.name}'", e) for e in inertia)
    for coordinate, effort, _ in system.efforts:
        yield f"effort on '{coordinate.name}'", effort
    yield from (("gravity", e) for e in system.weight)
    for level, equations in system.starts.items():
        yield from ((f"start of {level}", e) for e in equations)


def _hanging(body: Body) -> Iterator[tuple[str, Expr]]:
    return _carriers([body.reference], [body.base])


def _carriers(points: Iterable[Point], bases: Iterable[Base]) -> Iterator[tuple[str, Expr]]:
    """The edges that points and bases hang on."""
    nodes = dict.fromkeys(node for point in points for node in point.path[1:])
    turned = [base for node in nodes for base in node.base.path[1:]]
    turned += [base for own in bases for base in own.path[1:]]
    for base in dict.fromkeys(turned):
        yield from ((f"base '{base.name}'", e) for e in base.edge().matrix.reshape(9))
    for node in nodes:
        yield from ((f"point '{node.name}'", e) for e in node.edge())


def _lost(system: System, loads: Iterable[Load]) -> Iterator[str]:
    """Coordinates without inertia that move what has a part in the equations of motion."""
    light = {p.symbols.position.ref: p.name for p in system.coordinates_by_name.values() if not p.inertia}
    if not light:
        return
    moved = [(f"body '{b.name}'", [b.reference], [b.base]) for b in system.bodies.values() if b.has_inertia]
    for load in loads:
        points, bases = [p for p, _ in load.forces], [b for b, _ in load.moments]
        moved.append((f"load '{load.name}'", points, bases))
    for what, points, bases in moved:
        refs = [e.ref for _, e in _carriers(points, bases)]
        for i in light.keys() & set(system.graph.reachable(refs)):
            yield (
                f"Coordinate '{light[i]}' was declared with inertia=False, but {what} moves with it, which "
                "its equation would leave out. Declare it with inertia."
            )


def _unusable(system: System, expressions: Sequence[tuple[str, Expr]]) -> Iterator[str]:
    """Symbols that nobody declared and numbers that are none."""
    known, graph = _declared(system), system.graph
    seen: dict[int, None] = {}
    spoilt = dict.fromkeys(where for where, e in expressions if not isfinite(e.number or 0.0))
    for where, expression in expressions:
        for i in graph.reachable([expression.ref], seen):
            seen[i] = None
            if not isfinite(graph.number(i) or 0.0):
                spoilt[where] = None
            elif graph.nodes[i][0] == "symbol" and i not in known:
                name = graph.nodes[i][1]
                yield (
                    f"Symbol '{name}', used in {where}, is not declared. Declare it with "
                    f"system.parameter('{name}', value), system.input('{name}') or "
                    f"system.coordinate('{name}')."
                )
    yield from (f"A number in {where} is nan or infinite. Give finite numbers." for where in spoilt)


def _declared(system: System) -> set[int]:
    known = {s.ref for placement in system.coordinates_by_name.values() for s in placement.symbols}
    for table in (system.parameters_by_name, system.inputs_by_name, system.unknowns_by_name):
        known |= {quantity.symbol.ref for quantity in table.values()}
    return known | ({system.time.ref} if system.uses_time else set())


def _twice(names: Iterable[str]) -> Iterator[str]:
    for name, times in Counter(names).items():
        if times > 1:
            yield f"Constraint '{name}' is there {times} times. Remove all but one, or name them apart."


def _over_closed(system: System) -> Iterator[str]:
    extra = redundant(Model(system, "direct", "up", 1)) if system.constraints else []
    if extra:
        listed = ", ".join(f"'{name}'" for name in extra)
        follow, them = ("follows", "it") if len(extra) == 1 else ("follow", "them")
        yield (
            f"The mechanism is over-closed: {listed} {follow} from the constraints before, at every state. "
            f"Remove {them}, or close the loop with a joint that leaves more motion."
        )


def _value(system: System, expressions: list[Expr]) -> list[float]:
    """Values with the default parameters; nan where there is none."""
    nodes = system.graph.nodes
    refs = [e.ref for e in expressions]
    symbols = [i for i in system.graph.reachable(refs) if nodes[i][0] == "symbol"]
    values = {q.symbol.ref: q.value for q in system.parameters_by_name.values()}
    program = Program.lower(system.graph, symbols, refs)
    return program.evaluate([values.get(i, float("nan")) for i in symbols])


def _matrix(system: System, value: Matrix) -> np.ndarray:
    return np.reshape(_value(system, value.expressions), value.shape)
