"""Faults of a description, all found at once: what hangs nowhere, what is unphysical, what is unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import isnan
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from biela.expr.derivative import jacobian
from biela.expr.expression import Expr
from biela.expr.matrix import Matrix
from biela.expr.program import Program
from biela.mechanics import ingredient
from biela.mechanics.model import Model
from biela.mechanics.rank import redundant

if TYPE_CHECKING:
    from biela.mechanics.body import Body
    from biela.mechanics.constraint import Constraint
    from biela.mechanics.load import Load
    from biela.mechanics.natural_body import NaturalBody
    from biela.mechanics.system import System

TOLERANCE = 1e-9
Made = TypeVar("Made")


def faults(system: System) -> list[str]:
    """What keeps a system from being a model, in words."""
    found = list(_unplaced(system))
    placed = not found  # else points cannot be followed to the ground, and nothing between bodies computed
    found += _unphysical(system)
    ingredients = list(ingredient.own(system))
    if placed:
        constraints, loads = _made(system.constraints, found), _made(system.loads, found)
        for body in system.bodies.values():
            ingredients += ingredient.carriers([body.reference], [body.base])
        ingredients += ingredient.between(constraints, loads)
        found += _twice(c.name for c in constraints)
        found += _not_rolling(system, constraints)
        found += _lost(system, loads)
    else:
        ingredients += ingredient.centres(system.bodies.values())
    found += ingredient.unusable(system, ingredients)
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
        refs = [e.ref for _, _, e in ingredient.carriers(points, bases)]
        for i in light.keys() & set(system.graph.reachable(refs)):
            yield (
                f"Coordinate '{light[i]}' was declared with inertia=False, but {what} moves with it, which "
                "its equation would leave out. Declare it with inertia."
            )


def _not_rolling(system: System, constraints: Iterable[Constraint]) -> Iterator[str]:
    """Constraints of velocities that are none."""
    velocities = [placement.symbols.velocity for placement in system.coordinates_by_name.values()]
    for c in (c for c in constraints if c.level == "velocity"):
        slopes = [slope.ref for slope in jacobian(list(c.equations), velocities).values()]
        if not slopes:
            yield f"Constraint '{c.name}' restrains no velocity. Give it to system.constrain()."
        elif {v.ref for v in velocities} & set(system.graph.reachable(slopes)):
            yield f"Constraint '{c.name}' is not linear in the velocities, as what rolls is."


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
