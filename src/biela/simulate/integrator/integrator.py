"""`Integrator`: a row of the registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix
from biela.mechanics.model import Model
from biela.simulate.flow import Flow, Place


class Advance(NamedTuple):
    """A state one step later, not yet closed, and an estimate of its error where the integrator has one."""

    place: Place
    error: Matrix | None = None  # of (q, dq)


def everywhere(model: Model) -> str:
    """It suits every model."""
    return ""


@dataclass(frozen=True)
class Integrator:
    """A way to step a `Flow`: ``advance(flow, start, h, iterations)``.

    ``order`` is that of its global error. One that is ``adaptive`` estimates its error and chooses h itself.
    One that is ``implicit`` solves the `Balance` of the flow and hands over a closed state; ``more`` of
    its places are accelerations, algorithmic ones and multipliers. ``iterations`` is how many it takes, or
    the closing after it, unless it is said: 0 stands for what the order needs. One that ``closes`` hands over
    a closed state too. ``formulations`` are those it goes with, all when none are named; ``refuses`` says why
    it does not suit a model, or nothing.
    """

    name: str
    order: int
    description: str
    advance: Callable[[Flow, Place, Expr, int], Advance]
    adaptive: bool = False
    implicit: bool = False
    iterations: int = 0
    closes: bool = False
    formulations: tuple[str, ...] = ()
    refuses: Callable[[Model], str] = everywhere
