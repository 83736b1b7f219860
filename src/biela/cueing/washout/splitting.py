"""A quadratic programme with boxes, solved by splitting, a fixed number of times: as expressions.

    min  1/2 U^T H U + g^T U   with   w = A U + b,  |w| <= 1

is solved by the alternating direction method of multipliers in the form of Douglas and Rachford (Boyd et
al., 2011, section 3; Stellato et al., 2020, are the same with a step's own factor): with one vector v of
the length of w,

    z = clamp(v),   U = K (rho A^T (2 z - v - b) - g),   v <- v + relax (A U + b - z),
    K = (H + rho A^T A)^-1.

v is kept for the next sample to start from. Rows that must be feasible whatever the state may be exceeded
at a price, 1/2 soft (excess)^2: for these z = clamp(v) + (v - clamp(v)) rho / (rho + soft). The rows are
those of double integrators, so A and A^T are sums along the stages and not matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from biela.expr.expression import Expr, constant, maximum, minimum

RELAX = 1.6


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of one mover: speed and place by the accelerations, all as shares of their limits.

    v_next = v + a u,  x_next = x + b v + c u.
    """

    a: Expr
    b: Expr
    c: Expr
    speed: Expr
    place: Expr

    def forward(self, U: Sequence[Expr]) -> list[Expr]:
        """A U + b: the accelerations, the speeds, the places."""
        speeds, places = [self.speed], [self.place]
        for u in U:
            places.append(places[-1] + self.b * speeds[-1] + self.c * u)
            speeds.append(speeds[-1] + self.a * u)
        return [*U, *speeds[1:], *places[1:]]

    def backward(self, w: Sequence[Expr]) -> list[Expr]:
        """A^T w."""
        N = len(w) // 3
        by_speed = by_place = constant(self.a.graph, 0.0)
        found: list[Expr] = []
        for k in reversed(range(N)):
            by_speed = by_speed + w[N + k] + self.b * by_place
            by_place = by_place + w[2 * N + k]
            found.append(w[k] + self.a * by_speed + self.c * by_place)
        return found[::-1]


@dataclass(frozen=True, eq=False)
class Splitting:
    """The programme: ``K`` row after row, ``rho``, and ``yields``, rho / (rho + soft)."""

    K: Sequence[Expr]
    g: Sequence[Expr]
    rho: Expr
    yields: Expr
    rows: Sequence[Rows]

    def solve(self, v: Sequence[Expr], iterations: int) -> tuple[list[Expr], list[Expr]]:
        """U and v after so many iterations."""
        stages = len(self.g) // len(self.rows)
        free = self.free
        now, found = list(v), list[Expr]()
        for _ in range(iterations):
            z = [self._near(value, k % (3 * stages) < stages) for k, value in enumerate(now)]
            pulls = [self.rho * (2.0 * a - b - c) for a, b, c in zip(z, now, free, strict=True)]
            right = [a - b for a, b in zip(self._backward(pulls), self.g, strict=True)]
            found = [self._row(k, right) for k in range(len(right))]
            now = [b + RELAX * (w - a) for a, b, w in zip(z, now, self._forward(found), strict=True)]
        return found, now

    @property
    def free(self) -> list[Expr]:
        """b."""
        return self._forward([constant(self.rho.graph, 0.0)] * len(self.g))

    def _near(self, value: Expr, hard: bool) -> Expr:
        inside = minimum(maximum(value, -1.0), 1.0)
        return inside if hard else inside + self.yields * (value - inside)

    def _row(self, k: int, right: Sequence[Expr]) -> Expr:
        n = len(right)
        return sum((self.K[k * n + j] * right[j] for j in range(1, n)), start=self.K[k * n] * right[0])

    def _forward(self, U: Sequence[Expr]) -> list[Expr]:
        N = len(U) // len(self.rows)
        return [w for j, rows in enumerate(self.rows) for w in rows.forward(U[j * N : (j + 1) * N])]

    def _backward(self, w: Sequence[Expr]) -> list[Expr]:
        N = len(w) // len(self.rows)
        return [u for j, rows in enumerate(self.rows) for u in rows.backward(w[j * N : (j + 1) * N])]
