"""Scaling and limiting of what a vehicle does before it is filtered.

`scaled` is a factor with a limit and a deadband. The cubic of Reid and Nahon (1985) shows small cues in
full and large ones less: its slope is s0 at 0 and s1 at the largest input, which becomes the largest
output. With both slopes equal to the factor it is the straight line.
"""

from __future__ import annotations

from typing import Any

from biela.expr.expression import Expr, maximum, minimum, sign


def scaled(value: Expr, gain: Expr, limit: Expr, deadband: Expr, begin: Expr, end: Expr) -> Expr:
    """What exceeds the deadband, on the cubic through (limit, gain limit); a sign never changes.

    The slopes of the cubic are multiples of the gain, ``begin`` at 0 and ``end`` at the limit.
    """
    over = maximum(abs(value) - deadband, 0.0)
    return sign(value) * (gain * _curve(over, limit, limit, begin, end))


def cubic(value: Any, most: float, out: float, s0: float, s1: float) -> Any:
    """The odd cubic s0 x + c2 x|x| + c3 x^3 through (most, out), slopes s0 at 0, s1 there; then constant."""
    return sign(value) * _curve(abs(value), most, out, s0, s1)


def _curve(size: Any, most: Any, out: Any, s0: Any, s1: Any) -> Any:
    """The cubic of a size."""
    share = out / most
    c3 = (s0 - 2.0 * share + s1) / most / most
    c2 = (3.0 * share - 2.0 * s0 - s1) / most
    x = minimum(size, most)
    return x * (s0 + x * (c2 + x * c3))
