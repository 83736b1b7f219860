"""`Legged`: a platform on legs, each of which has an actuator of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from biela.cueing.platform.leg import Leg
from biela.cueing.platform.platform import Platform, Reach
from biela.expr.expression import Expr
from biela.expr.graph import Graph


class Legged(Platform):
    """What its legs say of a pose, one after the other."""

    @property
    @abstractmethod
    def legs(self) -> Sequence[Leg]:
        """The legs, at rest."""

    @abstractmethod
    def uppers(self, pose: Sequence[Expr]) -> list[list[Any]]:
        """Where the upper points of the legs are."""

    def reach(self, graph: Graph, pose: Sequence[Expr]) -> Reach:
        """The actuators of the legs."""
        found = [leg.actuator(P) for leg, P in zip(self.legs, self.uppers(pose), strict=True)]
        return Reach([place for place, _ in found], [m for _, margins in found for m in margins])

    def gaps(self, graph: Graph, pose: Sequence[Expr], actuators: Sequence[Expr]) -> list[Expr]:
        """The squares of the lengths of legs or rods."""
        legs = zip(self.legs, self.uppers(pose), actuators, strict=True)
        return [leg.gap(P, place) for leg, P, place in legs]
