"""What a formalism is given: the bodies, loads and speeds of a system, and how its trees carry them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from biela.expr.expression import Coordinate, Expr, constant
from biela.expr.matrix import Matrix
from biela.mechanics.body import Body
from biela.mechanics.load import Load
from biela.mechanics.space import Base, NodeType, Point, Space


class Equations(NamedTuple):
    """M and delta of ``M ddq + J^T lambda = delta``, with M positive."""

    M: Matrix
    delta: Matrix


@dataclass(frozen=True, eq=False)
class Problem:
    """Bodies under loads, described by coordinates.

    ``coordinates`` are those that move a body; the others enter M and delta as zeros.
    """

    space: Space
    coordinates: tuple[Coordinate, ...]
    bodies: tuple[Body, ...]
    loads: tuple[Load, ...]
    gravity: Matrix  # components in the ground
    efforts: dict[int, Expr]  # by index of the coordinate: its power is the effort times the speed

    @cached_property
    def points(self) -> list[Point]:
        """All points on the way to a body or a load, each after its parent."""
        tips = [body.reference for body in self.bodies]
        tips += [point for load in self.loads for point, _ in load.forces]
        return _united([tip.path for tip in tips])

    @cached_property
    def bases(self) -> list[Base]:
        """All bases that these points and bodies use, each after its parent."""
        used = [point.base.path for point in self.points]
        used += [body.base.path for body in self.bodies]
        used += [base.path for load in self.loads for base, _ in load.moments]
        used += [base.path for load in self.loads for _, f in load.forces for base in f.parts]
        return _united(used)

    def effort(self, k: int) -> Expr:
        """The effort on a coordinate, zero if none."""
        return self.efforts.get(k, constant(self.space.graph, 0.0))


def _united(paths: list[tuple[NodeType, ...]]) -> list[NodeType]:
    """The nodes of all paths, by depth."""
    nodes = {id(node): node for path in paths for node in path}
    return sorted(nodes.values(), key=lambda node: len(node.path))
