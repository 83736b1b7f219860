"""Cubic spline curves of one variable, for rail and wheel profiles."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Curve:
    """A C2 piecewise cubic through given knots, or one of its derivatives (``order``).

    Outside the knots the end cubics continue. ``coefficients[i]`` are (a, b, c, d) of
    a + b h + c h^2 + d h^3 with h = x - knots[i].
    """

    knots: tuple[float, ...]
    coefficients: tuple[tuple[float, float, float, float], ...]
    order: int = 0

    def __call__(self, x: float) -> float:
        """The value at ``x``."""
        if x != x:
            return x
        i = min(max(bisect_right(self.knots, x) - 1, 0), len(self.knots) - 2)
        a, b, c, d = self.row(i)
        h = x - self.knots[i]
        return a + h * (b + h * (c + h * d))

    def row(self, i: int) -> tuple[float, float, float, float]:
        """The coefficients of piece ``i`` after ``order`` differentiations."""
        a, b, c, d = self.coefficients[i]
        for _ in range(self.order):
            a, b, c, d = b, 2.0 * c, 3.0 * d, 0.0
        return a, b, c, d

    def derivative(self) -> Curve | None:
        """The curve of the slope; None when it is zero everywhere."""
        return replace(self, order=self.order + 1) if self.order < 3 else None


def interpolate(
    knots: Sequence[float], values: Sequence[float], slopes: tuple[float, float] | None = None
) -> Curve:
    """The cubic spline through (knots, values): natural ends, or clamped to two end ``slopes``.

    >>> interpolate([0, 1, 2], [0, 1, 4], slopes=(0, 4))(1.5)
    2.25
    """
    x, y = [float(k) for k in knots], [float(v) for v in values]
    _check(x, y)
    if slopes is not None:
        _check_slopes(slopes)
    c = _second_halves(x, y, slopes)
    rows: list[tuple[float, float, float, float]] = []
    for i in range(len(x) - 1):
        h = x[i + 1] - x[i]
        slope = (y[i + 1] - y[i]) / h - h * (2.0 * c[i] + c[i + 1]) / 3.0
        rows.append((y[i], slope, c[i], (c[i + 1] - c[i]) / (3.0 * h)))
    return Curve(tuple(x), tuple(rows))


def _check(x: list[float], y: list[float]) -> None:
    if len(x) != len(y):
        raise ValueError(f"A spline needs as many values as knots: got {len(x)} knots and {len(y)} values.")
    if len(x) < 2:
        raise ValueError(f"A spline needs at least 2 knots: got {len(x)}.")
    for i, (xi, yi) in enumerate(zip(x, y, strict=True)):
        if not (math.isfinite(xi) and math.isfinite(yi)):
            raise ValueError(f"Spline knot {i} is not finite: ({xi}, {yi}).")
        if i and xi <= x[i - 1]:
            raise ValueError(f"Spline knots must increase: knot {i} is {xi} after {x[i - 1]}.")


def _check_slopes(slopes: tuple[float, float]) -> None:
    try:
        fine = len(slopes) == 2 and all(map(math.isfinite, slopes))
    except TypeError:
        fine = False
    if not fine:
        raise ValueError(f"The end slopes of a spline are two finite numbers; got {slopes!r}.")


def _second_halves(x: list[float], y: list[float], slopes: tuple[float, float] | None) -> list[float]:
    """Half the second derivatives at the knots: one tridiagonal solve (Thomas)."""
    n = len(x)
    h = [x[i + 1] - x[i] for i in range(n - 1)]
    chord = [(y[i + 1] - y[i]) / h[i] for i in range(n - 1)]
    lower, diagonal, upper, right = [0.0] * n, [1.0] * n, [0.0] * n, [0.0] * n
    if slopes is not None:
        diagonal[0], upper[0], right[0] = 2.0 * h[0], h[0], 3.0 * (chord[0] - slopes[0])
        lower[-1], diagonal[-1], right[-1] = h[-1], 2.0 * h[-1], 3.0 * (slopes[1] - chord[-1])
    for i in range(1, n - 1):
        lower[i], diagonal[i], upper[i] = h[i - 1], 2.0 * (h[i - 1] + h[i]), h[i]
        right[i] = 3.0 * (chord[i] - chord[i - 1])
    for i in range(1, n):
        factor = lower[i] / diagonal[i - 1]
        diagonal[i] -= factor * upper[i - 1]
        right[i] -= factor * right[i - 1]
    for i in range(n - 1, -1, -1):
        following = upper[i] * right[i + 1] if i + 1 < n else 0.0
        right[i] = (right[i] - following) / diagonal[i]
    return right
