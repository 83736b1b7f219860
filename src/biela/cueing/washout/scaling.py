"""Scaling and limiting of what a vehicle does before it is filtered.

`scaled` is a factor with a limit and a deadband. The cubic of Reid and Nahon (1985) shows small cues in
full and large ones less: its slope is s0 at 0 and s1 at the largest input, which becomes the largest
output.
"""

from __future__ import annotations

from typing import Any

from biela.expr.expression import Expr, maximum, minimum, sign


def scaled(value: Expr, gain: Expr, limit: Expr, deadband: Expr) -> Expr:
    """A gain on what exceeds the deadband, never more than the limit; a sign never changes."""
    over = maximum(abs(value) - deadband, 0.0)
    return gain * (sign(value) * minimum(over, limit))


def cubic(value: Any, most: float, out: float, s0: float, s1: float) -> Any:
    """The odd cubic s0 x + c2 x|x| + c3 x^3 through (most, out), slopes s0 at 0, s1 there; then constant."""
    c3 = (s0 * most - 2.0 * out + s1 * most) / most**3
    c2 = (3.0 * out - 2.0 * s0 * most - s1 * most) / most**2
    x = minimum(abs(value), most)
    return sign(value) * (x * (s0 + x * (c2 + x * c3)))
