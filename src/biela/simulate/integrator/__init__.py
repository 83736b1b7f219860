"""Integrators: how a step of time is made of accelerations.

Adding one is adding a row: explicit Runge-Kutta methods are tableaus in `explicit`.
"""

from __future__ import annotations

from biela.simulate.integrator import explicit, implicit, staggered, verlet
from biela.simulate.integrator.integrator import Integrator

INTEGRATORS: dict[str, Integrator] = {
    row.name: row
    for row in (
        *staggered.INTEGRATORS,
        *verlet.INTEGRATORS,
        *explicit.INTEGRATORS,
        *implicit.INTEGRATORS,
    )
}

__all__ = ["INTEGRATORS", "Integrator"]
