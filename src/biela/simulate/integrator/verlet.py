"""Velocity Verlet, with constraints RATTLE (Andersen, 1983): second order, symplectic, one evaluation a step.

For models whose mass matrix is constant and whose forces do not depend on velocities, as in natural
coordinates without dampers:

    q+  = q + h (dq + h/2 M^-1 f(q)) - M^-1 J(q)' m,      with m such that Phi(q+) = 0
    dq+ = (q+ - q)/h + h/2 M^-1 f(q+) - M^-1 J(q+)' n,    with n such that J(q+) dq+ = 0

Both impulses solve with the matrix [[M, J'], [J, 0]], at the start and at the end of the step; what the end
has worked out the next step finds ready. Energy oscillates but does not drift.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.expr.matrix import Matrix
from biela.expr.pattern import block, zeros
from biela.mechanics.forward import factored, independent_rows
from biela.mechanics.model import Model
from biela.mechanics.sample import with_start
from biela.simulate.flow import Flow, Place
from biela.simulate.integrator.integrator import Advance, Integrator

STATES = 3
ITERATIONS = 3


class Parts(NamedTuple):
    """What a model offers to RATTLE: free accelerations, and impulses that undo residuals."""

    free: Function
    impulse: Function | None
    rows: list[int]


def refuses(model: Model) -> str:
    """Why the integrator does not suit a model, or nothing."""
    moving = {e.ref for e in (*model.q, *model.dq)}
    if any(symbol.ref in moving for entry in model.mass_matrix.reshape(-1) for symbol in entry.symbols):
        return "its mass matrix changes with the position: describe it in natural coordinates"
    speeds = {e.ref for e in model.dq}
    if any(symbol.ref in speeds for force in model.delta for symbol in force.symbols):
        return "its forces depend on velocities"
    if len(model.phi) < len(model.phi_dot) or model.time is not None:
        return "its constraints hold for velocities only or depend on time"
    return ""


def advance(flow: Flow, start: Place, h: Expr, iterations: int) -> Advance:
    """One step; as many iterations of the position's impulse as asked for."""
    model, parts = flow.model, _parts(flow.model)
    accelerated = _call(parts.free, start.q)
    middle = start.dq + accelerated * (h / 2)
    q = start.q + middle * h
    if parts.impulse is not None:
        undone: Matrix | None = None
        for _ in range(iterations):
            residual = _at(model.phi, parts.rows, dict(zip(model.q, q, strict=True)))
            impulse = _call(parts.impulse, start.q, r=residual)
            q, undone = q - impulse, impulse if undone is None else undone + impulse
        if undone is not None:
            middle = middle - undone * (1 / h)
    dq = middle + _call(parts.free, q) * (h / 2)
    if parts.impulse is not None:
        known = dict(zip([*model.q, *model.dq], [*q, *dq], strict=True))
        dq = dq - _call(parts.impulse, q, r=_at(model.phi_dot, parts.rows, known))
    return Advance(Place(q, dq, start.t))


def _parts(model: Model) -> Parts:
    graph, n = model.graph, len(model.q)
    ports = {k: v for k, v in model.ports("force").items() if k != "dq"}
    states = with_start(model, STATES)
    if not len(model.phi):
        inverse = factored(model, model.mass_matrix, states)
        return Parts(Function(f"{model.name}_free", ports, {"a": inverse.solve(model.delta)}), None, [])
    rows = independent_rows(model, states)
    J = Matrix(graph, (len(rows), n), tuple(ref for i in rows for ref in model.phi_dq[i].refs))
    factor = factored(model, block([[model.mass_matrix, J.T], [J, zeros(graph, (len(rows),) * 2)]]), states)
    r = Matrix(graph, (len(rows),), tuple(graph.symbol(f"step.residual{k}").ref for k in range(len(rows))))
    undo = factor.solve(block([zeros(graph, (n,)), r]))[:n]
    try:
        accelerated = factored(model, model.mass_matrix, states).solve(model.delta)
    except ValueError:  # coordinates without inertia: with the constraints their accelerations are determined
        accelerated = factor.solve(block([model.delta, zeros(graph, (len(rows),))]))[:n]
    free = Function(f"{model.name}_free", ports, {"a": accelerated})
    return Parts(free, Function(f"{model.name}_impulse", {**ports, "r": r}, {"change": undo}), rows)


def _call(function: Function, q: Matrix, **more: Any) -> Matrix:
    given = {"q": q, **more}
    names = [port.name for port in function.inputs]
    return function(**{name: given.get(name, function.value(function.input(name))) for name in names})


def _at(values: Matrix, rows: list[int], known: dict[Expr, Any]) -> Matrix:
    chosen = Matrix(values.graph, (len(rows),), tuple(values.refs[i] for i in rows))
    return chosen.substitute(known)


INTEGRATORS = (
    Integrator(
        "rattle",
        2,
        "velocity Verlet with impulses for constraints; constant mass, forces without velocities",
        advance,
        iterations=ITERATIONS,
        closes=True,
        formulations=("tree", "multipliers"),
        refuses=refuses,
    ),
)
