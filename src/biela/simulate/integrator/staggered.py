"""Integrators with one acceleration a step, which treat positions and velocities differently."""

from __future__ import annotations

from biela.expr.expression import Expr
from biela.simulate.flow import Flow, Place
from biela.simulate.integrator.integrator import Advance, Integrator


def _later(start: Place, h: Expr) -> Expr | None:
    return None if start.t is None else start.t + h


def _improved(flow: Flow, start: Place, h: Expr, iterations: int) -> Advance:
    """Positions with the acceleration's share (Plaza, 2015, eq. 2.54)."""
    ddq = flow.acceleration(start)
    q = start.q + (start.dq + ddq * (h / 2)) * h
    return Advance(Place(q, start.dq + ddq * h, _later(start, h)))


def _semi_implicit(flow: Flow, start: Place, h: Expr, iterations: int) -> Advance:
    """Velocities first, positions with the new velocities: symplectic for Hamiltonian systems."""
    dq = start.dq + flow.acceleration(start) * h
    return Advance(Place(start.q + dq * h, dq, _later(start, h)))


INTEGRATORS = (
    Integrator("improved-euler", 1, "Euler with q + (dq + ddq h / 2) h", _improved),
    Integrator("semi-implicit-euler", 1, "velocities first, positions with the new ones", _semi_implicit),
)
