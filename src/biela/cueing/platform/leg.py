"""Legs of parallel platforms: a rod on a crank, and an actuator of variable length.

A rotary leg has its motor at B, a crank of length b that turns in the plane of the unit vectors u (angle 0)
and w (angle 90 degrees), and a rod of length l from the crank's end to the upper point P. With Q = B - P,

    |Q + b (u cos a + w sin a)|^2 = l^2   =>   E cos a + F sin a = G,
    E = 2 b Q.u,  F = 2 b Q.w,  G = l^2 - b^2 - |Q|^2,  a = atan2(F, E) +- acos(G / hypot(E, F)),

which has a solution where |G| <= hypot(E, F).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import acos, atan2, hypot, pi
from typing import Any, Protocol

import numpy as np

from biela.expr.expression import Expr, cos, maximum, minimum, sin, sqrt
from biela.expr.expression import acos as acos_of
from biela.expr.expression import atan2 as atan2_of

Place = Sequence[Any]  # three numbers or expressions


def dot(a: Place, b: Place) -> Any:
    """The scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def minus(a: Place, b: Place) -> list[Any]:
    """The difference."""
    return [x - y for x, y in zip(a, b, strict=True)]


def turned(angles: Sequence[tuple[str, Expr]], point: Place) -> list[Any]:
    """A point turned by rotations about the named axes, the last of them first."""
    x, y, z = point
    for axis, angle in reversed(angles):
        c, s = cos(angle), sin(angle)
        if axis == "x":
            y, z = c * y - s * z, s * y + c * z
        elif axis == "y":
            x, z = c * x + s * z, c * z - s * x
        else:
            x, y = c * x - s * y, s * x + c * y
    return [x, y, z]


class Leg(Protocol):
    """A leg from the base to a point P of the platform."""

    def actuator(self, P: Place) -> tuple[Expr, list[Expr]]:
        """Where its actuator is, and the margins of reach."""
        ...

    def gap(self, P: Place, place: Expr, /) -> Expr:
        """What is zero where its actuator and P belong together."""
        ...


@dataclass(frozen=True)
class CrankLeg:
    """A rotary leg; ``upper`` is its place on the platform at rest, ``sign`` which way it bends."""

    motor: tuple[float, float, float]
    upper: tuple[float, float, float]
    u: tuple[float, float, float]
    w: tuple[float, float, float]
    crank: float
    rod: float
    sign: int = 1

    def at_rest(self) -> tuple[float, float]:
        """The two angles that close the leg at rest, sign +1 first; raises ValueError for none."""
        Q = np.subtract(self.motor, self.upper)
        E, F = (2.0 * self.crank * float(Q @ np.array(v)) for v in (self.u, self.w))
        G = self.rod**2 - self.crank**2 - float(Q @ Q)
        if abs(G) > hypot(E, F):
            raise ValueError(
                f"A leg from the motor at {self.motor} does not reach {self.upper} at rest: crank "
                f"{self.crank:g} m, rod {self.rod:g} m, distance {float(np.linalg.norm(Q)):g} m."
            )
        around, across = atan2(F, E), acos(G / hypot(E, F))
        return _half_turned(around + across), _half_turned(around - across)

    def actuator(self, P: Place) -> tuple[Expr, list[Expr]]:
        """The crank's angle for the upper point at P, and the margins of reach."""
        Q = minus(self.motor, P)
        E, F = 2.0 * self.crank * dot(Q, self.u), 2.0 * self.crank * dot(Q, self.w)
        G = self.rod**2 - self.crank**2 - dot(Q, Q)
        square = E * E + F * F
        share = minimum(maximum(G / sqrt(maximum(square, 1e-300)), -1.0), 1.0)
        return atan2_of(F, E) + self.sign * acos_of(share), [square - G * G]

    def gap(self, P: Place, angle: Expr) -> Expr:
        """How much the square of the rod's length is off, for a crank's angle."""
        c, s = cos(angle), sin(angle)
        end = [b + self.crank * (c * u + s * w) for b, u, w in zip(self.motor, self.u, self.w, strict=True)]
        across = minus(end, P)
        return dot(across, across) - self.rod**2


def _half_turned(angle: float) -> float:
    """The angle between -pi and pi."""
    return (angle + pi) % (2.0 * pi) - pi


@dataclass(frozen=True)
class LinearLeg:
    """A leg of variable length from a point of the base to one of the platform."""

    foot: tuple[float, float, float]
    upper: tuple[float, float, float]

    def actuator(self, P: Place) -> tuple[Expr, list[Expr]]:
        """Its length with the upper point at P, which is always within reach."""
        across = minus(P, self.foot)
        return sqrt(dot(across, across)), []

    def gap(self, P: Place, length: Expr) -> Expr:
        """How much the square of the length is off."""
        across = minus(P, self.foot)
        return dot(across, across) - length * length

    @property
    def rest(self) -> float:
        """Its length at rest."""
        return float(np.linalg.norm(np.subtract(self.upper, self.foot)))
