"""Constraints: expressions that stay zero, at the level of positions or of velocities.

What vanishes identically is left out, so that a planar loop closes with two equations and a spatial
one with three, without being told; that two sines and cosines cancel is found out too
(`biela.expr.residue`), and for joints and loops what others imply (`biela.mechanics.dependence`). An
equation that can never hold is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix
from biela.expr.residue import vanishes
from biela.mechanics.dependence import independent
from biela.mechanics.space import Base, Point, Space, last_common

if TYPE_CHECKING:
    from biela.mechanics.condition import Action, Condition, Rates

Sum = TypeVar("Sum", bound=Any)  # what can be added: components, or components with their rates


@dataclass(frozen=True, eq=False)
class Constraint:
    """Equations of one name: ``level`` is 'position', 'velocity' or 'drive' (a prescribed position)."""

    name: str
    level: str
    equations: tuple[Expr, ...]
    points: tuple[Point, Point] | None = None  # where the constraint force acts, where that is known
    sources: tuple[tuple[Condition | None, int], ...] = ()  # the condition of each equation, its row there

    def labels(self) -> list[str]:
        """A name for every equation."""
        if len(self.equations) == 1:
            return [self.name]
        return [f"{self.name}[{i}]" for i in range(len(self.equations))]

    def rates(self) -> list[Rates | None]:
        """The rates of the equations by operators, None where only differentiation gives them."""
        known = {id(source): source.rates() for source, _ in self.sources if source is not None}
        found = [(known.get(id(source)), row) for source, row in self.sources]
        return [None if rates is None else rates[row] for rates, row in found]

    @property
    def tells(self) -> bool:
        """Whether it is known what each multiplier does to the bodies."""
        sources = [source for source, _ in self.sources]
        return self.level == "drive" or (len(sources) == len(self.equations) and None not in sources)

    def actions(self) -> Sequence[Action | None] | None:
        """What each multiplier does to the bodies at `points`, None where it stays inside a joint.

        The whole is None when an equation is an expression that does not tell.
        """
        if self.level == "drive":
            return [None] * len(self.equations)
        if not self.tells:
            return None
        known = {id(source): source.actions() for source, _ in self.sources if source is not None}
        return [known[id(source)][row] for source, row in self.sources]


def constraint(
    name: str,
    level: str,
    demands: Iterable[Expr | Condition],
    points: tuple[Point, Point] | None = None,
) -> Constraint:
    """A constraint without what vanishes identically.

    Raises ValueError when nothing is left, or for an equation that no state satisfies.
    """
    given: list[Expr] = []
    sources: list[tuple[Condition | None, int]] = []
    for demand in demands:
        equations = [demand] if isinstance(demand, Expr) else demand.equations()
        given += equations
        sources += [(None if isinstance(demand, Expr) else demand, row) for row in range(len(equations))]
    places = [k for k, e in enumerate(given) if not vanishes(e.graph, e.ref)]
    if places and all(source is not None for source, _ in sources):
        places = [places[k] for k in independent([given[k] for k in places])]
    kept = tuple(given[k] for k in places)
    if not kept:
        raise ValueError(
            f"Constraint '{name}' is fulfilled by every state: its {len(given)} equations vanish "
            "identically. Remove it, or check the points it joins."
        )
    for equation in kept:
        if equation.number is not None:
            raise ValueError(f"Constraint '{name}': the equation {equation} = 0 can never be fulfilled.")
    return Constraint(name, level, kept, points, tuple(sources[k] for k in places))


def gap(space: Space, p: Point, q: Point) -> tuple[Matrix, Base]:
    """The vector from ``p`` to ``q`` in the last common base of all it is made of, and that base.

    Turns about one axis are merged into one by the sum of angles, and sums grow from the far ends, so
    that a Jacobian finds its partial sums ready made.
    """
    ahead, back, target = paths(space, p, q)

    def edge(node: Point) -> Matrix:
        return node.edge()

    def down(part: Matrix, base: Base, below: Base) -> Matrix:
        return space.project(part, base, below, merge=True)

    total = gathered(ahead, target, edge, down, space.zero())
    return (total - gathered(back, target, edge, down, space.zero()) if back else total), target


def paths(space: Space, p: Point, q: Point) -> tuple[list[Point], list[Point], Base]:
    """The edges to ``q`` and to ``p`` from their last common point, and the last common base of all."""
    start = len(last_common(p.path, q.path).path)
    ahead, back = list(q.path[start:]), list(p.path[start:])
    edges = [*ahead, *back]
    target = edges[0].base if edges else space.root
    for node in edges:
        target = space.common(target, node.base)
    return ahead, back, target


def gathered(
    nodes: Sequence[Point],
    target: Base,
    edge: Callable[[Point], Sum],
    down: Callable[[Sum, Base, Base], Sum],
    zero: Sum,
) -> Sum:
    """The sum of edges in ``target``: nested from the outermost base, over merged rotations."""
    waiting: dict[Base, Sum] = {}
    for node in reversed(nodes):
        r = edge(node)
        waiting[node.base] = waiting[node.base] + r if node.base in waiting else r
    inner = waiting.pop(target, None)
    total: Sum | None = None
    while waiting:
        base = max(waiting, key=lambda b: len(b.path))
        part = waiting.pop(base)
        below = below_run(base, target)
        moved = down(part, base, below)
        if below is target:
            total = moved if total is None else total + moved
        else:
            waiting[below] = moved + waiting[below] if below in waiting else moved
    if inner is not None:
        total = inner if total is None else total + inner
    return zero if total is None else total


def below_run(base: Base, target: Base) -> Base:
    """The base under the run of turns about one axis that ends in ``base``, not going below ``target``."""
    axis = base.edge().axis
    below = base.parent
    assert below is not None
    while axis is not None and below is not target and below.parent is not None and below.edge().axis == axis:
        below = below.parent
    return below
