"""The middle: what is washed out comes back to it and stops there, instead of swinging through.

A high pass of second order lets a displacement overshoot: a roll to the right that is washed out ends as
one to the left, which the vehicle never made. Here a side of the middle is open only when the vehicle has
moved that way,

    y = a phi(x) - b phi(-x),

with phi(x) = 0, x^2 / (2 d) up to x = d, x - d / 2 beyond: smooth, so that the platform arrives without a
jolt. The openings a and b rise to 1 within about `OPENS` seconds while the vehicle moves to their side, and
fall to 0 while it does not and x is on the other one. A deadband belongs to it: noise moves both ways.
"""

from __future__ import annotations

from math import exp

from biela.cueing.recursion import States
from biela.expr.expression import Expr, maximum, minimum, where

OPENS = 0.2  # s


def centred(states: States, name: str, x: Expr, meant: Expr, width: Expr, T: float) -> Expr:
    """A displacement ``x``, kept on the sides to which the vehicle moves, ``meant``."""
    k = 1.0 - exp(-T / OPENS)
    sides: list[Expr] = []
    for key, sign in ((f"{name}.above", 1.0), (f"{name}.below", -1.0)):
        opening = states.state(key)
        asked, away = sign * meant > 0.0, sign * x < 0.0
        target = where(asked, 1.0, where(away, 0.0, opening))
        after = opening + k * (target - opening)
        states.becomes(key, after)
        sides.append(sign * after * _bowl(sign * x, width))
    return sides[0] + sides[1]


def _bowl(x: Expr, width: Expr) -> Expr:
    """phi."""
    inside = minimum(maximum(x, 0.0), width)
    return inside * inside / (2.0 * width) + maximum(x - width, 0.0)
