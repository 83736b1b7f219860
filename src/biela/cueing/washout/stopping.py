"""Stopping in time: the acceleration after which a double integrator can still keep its limits.

From place x and speed v an acceleration u, held for a sample T, leads to v1 = v + T u and x1 = x + T (v +
v1) / 2. From there it takes v1 (v1 + a T) / (2 a) to stop with decelerations up to a, in whole samples. So

    v1^2 / (2 a) + T v1 <= X - x - T v / 2,

of which the larger root bounds v1; and where the right side is negative, x1 itself must not exceed X. The
states that allow this form a set that is never left: limits of place, speed and acceleration hold at every
sample, whatever is asked for. From outside of it the acceleration is what brings it back soonest.
"""

from __future__ import annotations

from biela.expr.expression import Expr, maximum, minimum, sqrt, where

INSIDE = 1.0 - 1e-12  # of a limit, so that rounding stays on this side of it


def stopping(u: Expr, x: Expr, v: Expr, most: tuple[Expr, Expr, Expr], T: float) -> Expr:
    """The acceleration nearest to ``u`` that can be had; ``most`` are place, speed and acceleration."""
    place, speed, a = INSIDE * most[0], INSIDE * most[1], most[2]
    after = v + T * u
    after = minimum(after, minimum(_fastest(place - x - 0.5 * T * v, a, T), speed))
    after = maximum(after, -minimum(_fastest(place + x + 0.5 * T * v, a, T), speed))
    return minimum(maximum((after - v) / T, -a), a)


def _fastest(room: Expr, a: Expr, T: float) -> Expr:
    """The largest speed from which one can stop within some room."""
    stops = a * (sqrt(T * T + 2.0 * maximum(room, 0.0) / a) - T)
    return where(room > 0.0, stops, room * (2.0 / T))
