"""Faults of a description, all found at once: what hangs nowhere, what is unphysical, what is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix, vector
from biela.expr.program import Program

if TYPE_CHECKING:
    from biela.mechanics.body import Body
    from biela.mechanics.load import Load
    from biela.mechanics.natural_body import NaturalBody
    from biela.mechanics.space import Base, Point
    from biela.mechanics.system import System

TOLERANCE = 1e-9


def faults(system: System) -> list[str]:
    """What keeps a system from being a model, in words."""
    found = list(_unplaced(system))
    if found:  # nothing else can be computed
        return found
    found += _unphysical(system)
    try:
        equations = [(c.name, e) for make in system.constraints for c in [make()] for e in c.equations]
        loads = [load for make in system.loads for load in [make()]]
    except ValueError as error:
        return [*found, str(error)]
    expressions = list(_expressions(system)) + [(f"constraint '{name}'", e) for name, e in equations]
    for load in loads:
        parts = [part for _, v in (*load.forces, *load.moments) for part in v.parts.values()]
        expressions += [(f"load '{load.name}'", e) for part in parts for e in part]
    found += _undeclared(system, expressions)
    found += _lost(system, loads)
    if not system.coordinates_by_name:
        found.append("It has no coordinates: nothing can move. Add a joint or a coordinate.")
    if not found:
        found += _over_closed(system)
    return found


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
    moments = np.sort(np.linalg.eigvalsh(central))
    scale = max(np.abs(tensor).max(), mass * 1e-12, 1e-300)
    if (
        np.count_nonzero(tensor - np.diag(np.diag(tensor))) == 0
        and np.count_nonzero(tensor) == 1
        and s.any() == 0
    ):
        return  # one moment only: a planar model, whose other moments nobody asks for
    told = ", ".join(f"{m:.4g}" for m in moments)
    if moments[0] < -TOLERANCE * scale:
        if np.count_nonzero(tensor) <= 1:
            return
        yield (
            f"Body '{body.name}': no mass distribution has this inertia: its central principal moments are "
            f"{told} kg m2, and one is negative. Was it given about another point? See about=."
        )
    elif moments[2] > moments[0] + moments[1] + TOLERANCE * scale and np.count_nonzero(np.diag(tensor)) > 1:
        yield (
            f"Body '{body.name}': no mass distribution has this inertia: its central principal moments are "
            f"{told} kg m2, and the largest exceeds the sum of the others."
        )


def _expressions(system: System) -> Iterator[tuple[str, Expr]]:
    for body in system.bodies.values():
        where = f"body '{body.name}'"
        yield where, body.mass
        yield from ((where, e) for part in (body.first_moment, body.inertia.reshape(9)) for e in part)
        yield from _carriers([body.reference], [body.base])
    for body in system.natural_bodies.values():
        inertia = vector([body.mass, *body.first_moment, *body.inertia.reshape(9)])
        yield from ((f"body '{body.name}'", e) for e in inertia)
    for coordinate, effort, _ in system.efforts:
        yield f"effort on '{coordinate.name}'", effort
    yield from (("gravity", e) for e in system.weight)
    for level, equations in system.starts.items():
        yield from ((f"start of {level}", e) for e in equations)


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


def _undeclared(system: System, expressions: Iterable[tuple[str, Expr]]) -> Iterator[str]:
    known = _declared(system)
    nodes, seen, told = system.graph.nodes, set[int](), set[int]()
    for where, expression in expressions:
        for i in system.graph.reachable([expression.ref], dict.fromkeys(seen)):
            seen.add(i)
            if nodes[i][0] == "symbol" and i not in known and i not in told:
                told.add(i)
                name = nodes[i][1]
                yield (
                    f"Symbol '{name}', used in {where}, is not declared. Declare it with "
                    f"system.parameter('{name}', value), system.input('{name}') or "
                    f"system.coordinate('{name}')."
                )


def _declared(system: System) -> set[int]:
    known = {s.ref for placement in system.coordinates_by_name.values() for s in placement.symbols}
    for table in (system.parameters_by_name, system.inputs_by_name, system.unknowns_by_name):
        known |= {quantity.symbol.ref for quantity in table.values()}
    return known | ({system.time.ref} if system.uses_time else set())


def _over_closed(system: System) -> Iterator[str]:
    from biela.mechanics.model import Model
    from biela.mechanics.rank import redundant

    names: dict[str, int] = {}
    for make in system.constraints:
        name = make().name
        names[name] = names.get(name, 0) + 1
    for name, times in names.items():
        if times > 1:
            yield f"Constraint '{name}' is there {times} times. Remove all but one, or name them apart."
    if system.constraints:
        extra = redundant(Model(system, "direct", "up", 1))
        if extra:
            listed = ", ".join(f"'{name}'" for name in extra)
            yield (
                f"The mechanism is over-closed: {listed} follow from the constraints before, at every state. "
                "Remove them, or close the loop with a joint that leaves more motion."
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
