"""The limiter: a follower whose speed, and whose acceleration, stay within bounds.

Each sample it wants the speed with which it reaches its target, but no more than that from which it can
brake in time: at a distance e, with steps of length T and decelerations up to a, v (v + a T) <= 2 a e,
hence

    v = a T / 2 (sqrt(1 + 8 |e| / (a T^2)) - 1),

the law of a drive's profile generator, sampled.
"""

from __future__ import annotations

from math import inf

from biela.expr.expression import Expr, maximum, minimum, sign, sqrt, where

KINDS = ("none", "rate", "acceleration")


def kind(rate: float, acceleration: float) -> str:
    """Which bounds there are."""
    return "acceleration" if acceleration < inf else "rate" if rate < inf else "none"


def follow(
    target: Expr, place: Expr, speed: Expr, rate: Expr, acceleration: Expr, T: float, bounds: str
) -> tuple[Expr, Expr]:
    """Place and speed after a sample of length ``T``."""
    e = target - place
    wanted = minimum(abs(e) * (1.0 / T), rate)
    if bounds == "acceleration":
        step = acceleration * T
        braking = 0.5 * step * (sqrt(1.0 + 8.0 * abs(e) / (step * T)) - 1.0)
        aimed = sign(e) * minimum(wanted, braking)
        after = minimum(maximum(aimed, speed - step), speed + step)
    else:
        after = sign(e) * wanted
    arrives = abs(e - T * after) <= 1e-15 * abs(target)
    return where(arrives, target, place + T * after), after
