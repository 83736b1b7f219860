"""`Flow`: what an integrator is given: accelerations at any state, and the way back to the constraints.

A formulation makes a Flow of a model. Both of its Functions are symbolic, so an integrator calls them on
expressions, as often as it has stages, and the whole step becomes one Function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.expr.matrix import Matrix
from biela.mechanics.model import Model
from biela.simulate.balance import Balance


@dataclass(frozen=True)
class Options:
    """What a user may choose beside formulation and integrator; the defaults are documented there."""

    independent: tuple[str, ...] = ()
    iterations: int = 0  # of the way back to the constraints; 0: as the integrator's order needs
    metric: str = "identity"
    damping: float = 1.0  # of Baumgarte's and the penalty's restoring terms, relative to critical
    frequency: float = 20.0  # of the same, rad/s
    penalty: float = 1e7
    rho: float = 0.8  # spectral radius at infinity of the generalised-alpha family
    softness: float = 1e-10  # of the augmented Lagrangian, relative: 1 / penalty


class Place(NamedTuple):
    """A state in expressions; ``t`` is None where nothing depends on time.

    ``more`` is what an implicit integrator carries from step to step beside positions and velocities.
    """

    q: Matrix
    dq: Matrix
    t: Expr | None
    more: tuple[Matrix, ...] = ()


@dataclass(frozen=True)
class Flow:
    """Accelerations and closing of a model, as Functions of its own symbols.

    ``closing`` takes a state near the constraints to one on them, by that many iterations at positions and
    velocities. With ``stages`` an integrator closes every intermediate state too, because ``rate`` is
    only right on the constraints. ``balancing`` makes what implicit integrators solve, where there is such
    a thing. ``pivot`` tells how near to singular the matrix of ``rate`` is, from 1 to 0. ``independent`` are
    the names of the coordinates that the others follow, where some are chosen.
    """

    model: Model
    rate: Function
    closing: Callable[[int], Function] | None = None
    stages: bool = False
    balancing: Callable[[], Balance] | None = None
    pivot: Function | None = None
    independent: tuple[str, ...] = ()
    options: Options = Options()

    @cached_property
    def balance(self) -> Balance:
        """The equations that an implicit integrator solves."""
        assert self.balancing is not None
        return self.balancing()

    def acceleration(self, place: Place) -> Matrix:
        """The accelerations at a state."""
        return self.at(self.rate, place)

    def at(self, function: Function, place: Place) -> Any:
        """A Function of the model at a state."""
        return function(**self._given(function, place))

    def closed(self, place: Place, iterations: int) -> tuple[Place, Expr]:
        """The state on the constraints near a state, and the largest gap that is left."""
        assert self.closing is not None
        found = self.at(self.closing(iterations), place)
        return Place(found.q_closed, found.dq_closed, place.t, place.more), found.gap

    def _given(self, function: Function, place: Place) -> dict[str, Any]:
        here = {"q": place.q, "dq": place.dq, "t": place.t}
        names = [port.name for port in function.inputs]
        return {name: here.get(name, function.value(function.input(name))) for name in names}
