"""Filters as expressions: first and second order, sampled by Tustin's rule, with two states or one each.

A transfer function b(s)/a(s) becomes, with s = c (1 - z^-1)/(1 + z^-1) and c = 2/T, a recursion in transposed
direct form II (Oppenheim and Schafer, 1989, section 6.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biela.cueing.recursion import States
from biela.expr.expression import Expr


def second(states: States, name: str, u: Expr, b: Sequence[Any], a: Sequence[Any], T: float) -> Expr:
    """(b2 s^2 + b1 s + b0) / (s^2 + a1 s + a0) at work on ``u``; coefficients from the lowest power on."""
    c = 2.0 / T
    over = 1.0 / (c * c + a[1] * c + a[0])
    past = (2.0 * a[0] - 2.0 * c * c) * over, (c * c - a[1] * c + a[0]) * over
    high, middle, low = b[2] * (c * c), b[1] * c, b[0]
    now = (high + middle + low) * over, (2.0 * low - 2.0 * high) * over, (high - middle + low) * over
    s1, s2 = states.state(f"{name}.s1"), states.state(f"{name}.s2")
    y = now[0] * u + s1
    states.becomes(f"{name}.s1", now[1] * u - past[0] * y + s2)
    states.becomes(f"{name}.s2", now[2] * u - past[1] * y)
    return y


def first(states: States, name: str, u: Expr, b: Sequence[Any], a: Any, T: float) -> Expr:
    """(b1 s + b0) / (s + a) at work on ``u``."""
    c = 2.0 / T
    over = 1.0 / (a + c)
    s1 = states.state(f"{name}.s1")
    y = (b[1] * c + b[0]) * over * u + s1
    states.becomes(f"{name}.s1", (b[0] - b[1] * c) * over * u - (a - c) * over * y)
    return y


def low_pass(states: States, name: str, u: Expr, omega: Expr, damping: Expr, T: float) -> Expr:
    """omega^2 / (s^2 + 2 damping omega s + omega^2)."""
    square = omega * omega
    return second(states, name, u, (square, 0.0, 0.0), (square, 2.0 * damping * omega), T)


def integral(states: States, name: str, u: Expr, T: float) -> Expr:
    """1 / s."""
    return first(states, name, u, (1.0, 0.0), 0.0, T)


def washed_twice(
    states: States, name: str, u: Expr, order: int, omega: Expr, damping: Expr, bias: Expr, T: float
) -> Expr:
    """The displacement of an acceleration: high pass of an order from 1 to 3, integrated twice.

    The double integration cancels against the zeros of the filter, so nothing drifts that need not: order 2
    is 1/(s^2 + 2 damping omega s + omega^2), order 3 that with s/(s + bias), order 1 only 1/(s (s +
    omega)).
    """
    if order == 1:
        return integral(states, f"{name}.i", first(states, name, u, (1.0, 0.0), omega, T), T)
    y = second(states, name, u, (1.0, 0.0, 0.0), (omega * omega, 2.0 * damping * omega), T)
    return y if order == 2 else first(states, f"{name}.b", y, (0.0, 1.0), bias, T)


def washed_once(
    states: States, name: str, u: Expr, order: int, omega: Expr, damping: Expr, bias: Expr, T: float
) -> Expr:
    """The angle of a rate: high pass of an order from 1 to 3, integrated once."""
    if order == 1:
        return first(states, name, u, (1.0, 0.0), omega, T)
    y = second(states, name, u, (0.0, 1.0, 0.0), (omega * omega, 2.0 * damping * omega), T)
    return y if order == 2 else first(states, f"{name}.b", y, (0.0, 1.0), bias, T)
