"""Implicit integrators: one family, of which the trapezoidal rule and HHT are members.

The generalised-alpha method with an algorithmic acceleration a (Chung and Hulbert, 1993; Arnold and Bruels,
2007, eqs. 5-8, for constraints):

    q+  = q + h dq + h^2 ((1/2 - beta) a + beta a+)
    dq+ = dq + h ((1 - gamma) a + gamma a+)
    (1 - am) a+ + am a = (1 - af) ddq+ + af ddq

and the equations of motion and constraints hold at the end of the step. They are solved for (ddq+, lambda+)
by Newton's method with the exact Jacobian, factored once a step where the prediction leads; the state
carries accelerations, algorithmic ones and multipliers. ``rho`` is the spectral radius at infinite frequency:
what is faster than the steps dies out by it. It is 1 for the trapezoidal rule, and HHT (Hilber, Hughes and
Taylor, 1977) takes 1/2 at least.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from biela.expr.expression import Expr
from biela.expr.factorisation import Factorisation
from biela.expr.matrix import Matrix
from biela.expr.pattern import block, zeros
from biela.simulate.balance import Balance
from biela.simulate.flow import Flow, Place
from biela.simulate.integrator.integrator import Advance, Integrator

ITERATIONS = 3


class Alpha(NamedTuple):
    """The coefficients of a member of the family."""

    am: float
    af: float
    beta: float
    gamma: float


def trapezoidal(rho: float) -> Alpha:
    """The rule of Newmark with constant average acceleration; ``rho`` plays no part."""
    return Alpha(0.0, 0.0, 0.25, 0.5)


def hht(rho: float) -> Alpha:
    """Hilber, Hughes and Taylor; raises ValueError for ``rho`` outside [1/2, 1]."""
    af = (1.0 - _radius(rho, 0.5)) / (1.0 + rho)
    return Alpha(0.0, af, (1.0 + af) ** 2 / 4.0, 0.5 + af)


def generalised(rho: float) -> Alpha:
    """Chung and Hulbert; raises ValueError for ``rho`` outside [0, 1]."""
    am, af = (2.0 * _radius(rho, 0.0) - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + af - am
    return Alpha(am, af, (gamma + 0.5) ** 2 / 4.0, gamma)


def _radius(rho: float, least: float) -> float:
    if not least <= rho <= 1.0:
        raise ValueError(f"rho, the spectral radius at infinity, lies between {least:g} and 1; got {rho!r}.")
    return rho


def advance(member: Callable[[float], Alpha], flow: Flow, start: Place, h: Expr, iterations: int) -> Advance:
    """One step: prediction, Newton's method, projection of velocities and accelerations."""
    balance = flow.balance
    rule = _Rule(member(flow.options.rho), start, h)
    x = block([start.more[0], *start.more[2:]])  # accelerations and multipliers
    factor = balance.factored(rule.b, rule.c, h, rule.known(balance, x))
    for _ in range(iterations):
        x = x - factor.solve(balance.residual(rule.b, rule.c, rule.known(balance, x)))
    return Advance(_projected(balance, rule, factor, x))


class _Rule:
    """How the end of a step follows from its accelerations."""

    def __init__(self, alpha: Alpha, start: Place, h: Expr) -> None:
        am, af, beta, gamma = alpha
        ddq, a = start.more[:2]
        ratio = (1.0 - af) / (1.0 - am)
        self.b, self.c = h * h * (beta * ratio), h * (gamma * ratio)
        self.ratio, self.n = ratio, len(ddq)
        self.old = (ddq * af - a * am) * (1.0 / (1.0 - am)) if af or am else ddq * 0.0
        half = a * (0.5 - beta) + self.old * beta if af or am else a * (0.5 - beta)
        self.q = start.q + (start.dq + half * h) * h
        self.dq = start.dq + (a * (1.0 - gamma) + self.old * gamma) * h
        self.t = None if start.t is None else start.t + h

    def place(self, x: Matrix) -> tuple[Matrix, Matrix]:
        """Positions and velocities for accelerations."""
        ddq = x[: self.n]
        return self.q + ddq * self.b, self.dq + ddq * self.c

    def known(self, balance: Balance, x: Matrix) -> dict[Expr, Any]:
        """The symbols of the model at the end of the step."""
        q, dq = self.place(x)
        return at(balance, q, dq, x, self.t)

    def algorithmic(self, ddq: Matrix) -> Matrix:
        """a at the end of the step."""
        return ddq * self.ratio + self.old


def at(balance: Balance, q: Matrix, dq: Matrix, x: Matrix, t: Expr | None) -> dict[Expr, Any]:
    """What the symbols of a model are replaced by."""
    model = balance.model
    known: dict[Expr, Any] = dict(zip([*model.q, *model.dq], [*q, *dq], strict=True))
    known |= zip(balance.unknowns, x, strict=True)
    return known if model.time is None else known | {model.time: t}


def _projected(balance: Balance, rule: _Rule, factor: Factorisation, x: Matrix) -> Place:
    """The end of the step, with the velocities and accelerations on the constraints nearest to its own."""
    n, (q, dq) = rule.n, rule.place(x)
    ddq, waiting = x[:n], zeros(x.graph, (n,))
    if balance.projections:
        velocities, accelerations = balance.projections
        gap = velocities.substitute(at(balance, q, dq, x, rule.t))
        dq = dq - factor.solve(block([waiting, gap]))[:n]
        gap = accelerations.substitute(at(balance, q, dq, x, rule.t))
        ddq = ddq - factor.solve(block([waiting, gap]))[:n]
    more = (ddq, rule.algorithmic(ddq), *([x[n:]] if balance.multipliers else []))
    return Place(q, dq, rule.t, more)


INTEGRATORS = tuple(
    Integrator(name, 2, description, partial(advance, member), implicit=True, iterations=ITERATIONS)
    for name, description, member in (
        ("trapezoidal", "the trapezoidal rule, implicit", trapezoidal),
        ("hht", "Hilber, Hughes and Taylor: implicit, damps what is fast", hht),
        ("generalised-alpha", "Chung and Hulbert: implicit, damps what is fast the least", generalised),
    )
)
