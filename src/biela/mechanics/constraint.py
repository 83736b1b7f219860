"""Constraints: expressions that stay zero, at the level of positions or of velocities.

What vanishes identically is left out, so that a planar loop closes with two equations and a spatial
one with three, without being told; that two sines and cosines cancel is found out too
(`biela.expr.residue`). An equation that can never hold is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix
from biela.expr.residue import vanishes
from biela.mechanics.space import Base, Point, Space, last_common


@dataclass(frozen=True, eq=False)
class Constraint:
    """Equations of one name: ``level`` is 'position', 'velocity' or 'drive' (a prescribed position)."""

    name: str
    level: str
    equations: tuple[Expr, ...]
    points: tuple[Point, Point] | None = None  # where the constraint force acts, where that is known

    def labels(self) -> list[str]:
        """A name for every equation."""
        if len(self.equations) == 1:
            return [self.name]
        return [f"{self.name}[{i}]" for i in range(len(self.equations))]


def constraint(
    name: str, level: str, equations: Iterable[Expr], points: tuple[Point, Point] | None = None
) -> Constraint:
    """A constraint without what vanishes identically.

    Raises ValueError when nothing is left, or for an equation that no state satisfies.
    """
    given = tuple(equations)
    kept = tuple(e for e in given if not vanishes(e.graph, e.ref))
    if not kept:
        raise ValueError(
            f"Constraint '{name}' is fulfilled by every state: its {len(given)} equations vanish "
            "identically. Remove it, or check the points it joins."
        )
    for equation in kept:
        if equation.number is not None:
            raise ValueError(f"Constraint '{name}': the equation {equation} = 0 can never be fulfilled.")
    return Constraint(name, level, kept, points)


def gap(space: Space, p: Point, q: Point) -> tuple[Matrix, Base]:
    """The vector from ``p`` to ``q`` in the last common base of all it is made of, and that base.

    Turns about one axis are merged into one by the sum of angles, and sums grow from the far ends, so
    that a Jacobian finds its partial sums ready made.
    """
    low = last_common(p.path, q.path)
    start = len(low.path)
    ahead, back = list(q.path[start:]), list(p.path[start:])
    if not ahead and not back:
        return space.zero(), space.root
    target = ahead[0].base if ahead else back[0].base
    for node in (*ahead, *back):
        target = space.common(target, node.base)
    total = _gathered(space, ahead, target)
    return (total - _gathered(space, back, target) if back else total), target


def _gathered(space: Space, nodes: Sequence[Point], target: Base) -> Matrix:
    """The sum of edges in ``target``: nested from the outermost base, over merged rotations."""
    waiting: dict[Base, Matrix] = {}
    for node in reversed(nodes):
        r = node.edge()
        waiting[node.base] = waiting[node.base] + r if node.base in waiting else r
    total: Matrix | None = waiting.pop(target, None)
    inner = total
    total = None
    while waiting:
        base = max(waiting, key=lambda b: len(b.path))
        part = waiting.pop(base)
        below = _below_run(base, target)
        moved = space.project(part, base, below, merge=True)
        if below is target:
            total = moved if total is None else total + moved
        else:
            waiting[below] = moved + waiting[below] if below in waiting else moved
    if inner is not None:
        total = inner if total is None else total + inner
    return space.zero() if total is None else total


def _below_run(base: Base, target: Base) -> Base:
    """The base under the run of turns about one axis that ends in ``base``, not going below ``target``."""
    axis = base.edge().axis
    below = base.parent
    assert below is not None
    while axis is not None and below is not target and below.parent is not None and below.edge().axis == axis:
        below = below.parent
    return below
