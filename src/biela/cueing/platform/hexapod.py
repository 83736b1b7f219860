"""Platforms of six degrees of freedom on six legs, and of three on three.

The pose of a hexapod is (surge, sway, heave, roll, pitch, yaw), relative to rest: x is ahead, y left, z up,
and the platform turns by R = Rz(yaw) Ry(pitch) Rx(roll).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, inf, pi, sin, sqrt
from typing import ClassVar

from biela.cueing.platform.body import on_cranks, on_cylinders
from biela.cueing.platform.leg import CrankLeg, LinearLeg, Place, turned
from biela.cueing.platform.legged import Legged
from biela.cueing.platform.platform import Limits
from biela.expr.expression import Expr
from biela.mechanics.system import System
from biela.mechanisms.stewart import BASE_RADIUS, HEIGHT, LEGS, PLATFORM_RADIUS, stewart

SIX = ("surge", "sway", "heave", "roll", "pitch", "yaw")
FREE = (-inf, inf)


def placed(pose: Sequence[Expr], center: Place, place: Place) -> list[Expr]:
    """Where a point of the platform is; ``center`` is its origin at rest, ``place`` the point from there."""
    surge, sway, heave, roll, pitch, yaw = pose
    x, y, z = turned([("z", yaw), ("y", pitch), ("x", roll)], place)
    return [center[0] + surge + x, center[1] + sway + y, center[2] + heave + z]


def _ring(radius: float, degrees: Sequence[float], height: float = 0.0) -> list[tuple[float, float, float]]:
    return [(radius * cos(d * pi / 180), radius * sin(d * pi / 180), height) for d in degrees]


@dataclass(frozen=True, eq=False)
class Hexapod(Legged):
    """The Stewart platform, on six legs of variable length; as it stands, that of `biela.mechanisms.stewart`.

    ``feet`` are on the base, ``heads`` on the platform from its origin, which at rest is ``height`` above the
    base.
    """

    feet: tuple[tuple[float, float, float], ...] = field(
        default_factory=lambda: tuple(_ring(BASE_RADIUS, [120.0 * (foot - 1) for foot, _ in LEGS]))
    )
    heads: tuple[tuple[float, float, float], ...] = field(
        default_factory=lambda: tuple(_ring(PLATFORM_RADIUS, [60 + 120.0 * (head - 1) for _, head in LEGS]))
    )
    height: float = HEIGHT
    limits: Limits = field(default_factory=lambda: Limits.alike(6, 0.76, 1.20, 0.5, 5.0))
    pose_limits: tuple[tuple[float, float], ...] = (FREE,) * 6

    name: ClassVar[str] = "hexapod"
    dofs: ClassVar[tuple[str, ...]] = SIX
    actuators: ClassVar[tuple[str, ...]] = tuple(f"leg{k}" for k in range(1, 7))

    @property
    def legs(self) -> list[LinearLeg]:
        """The six legs, at rest."""
        pairs = zip(self.feet, self.heads, strict=True)
        return [LinearLeg(foot, (head[0], head[1], head[2] + self.height)) for foot, head in pairs]

    def uppers(self, pose: Sequence[Expr]) -> list[list[Expr]]:
        """Where the upper points of the legs are."""
        return [placed(pose, (0.0, 0.0, self.height), head) for head in self.heads]

    def mechanism(self) -> System:
        """Thirteen bodies: `biela.mechanisms.stewart`, or its like for another geometry."""
        own = Hexapod()
        same = (self.feet, self.heads, self.height) == (own.feet, own.heads, own.height)
        return stewart() if same else on_cylinders(self.name, self.height, self.dofs, self.legs)


@dataclass(frozen=True, eq=False)
class RotaryHexapod(Legged):
    """Six cranks with rods, in three pairs whose cranks point away from each other.

    Chosen: the sizes, of a rig about 0.9 m wide.
    """

    radius: float = 0.45
    head_radius: float = 0.38
    crank: float = 0.12
    rod: float = 0.50
    limits: Limits = field(default_factory=lambda: Limits.alike(6, -1.3, 1.3, 8.0, 80.0))
    pose_limits: tuple[tuple[float, float], ...] = (FREE,) * 6

    name: ClassVar[str] = "rotary_hexapod"
    dofs: ClassVar[tuple[str, ...]] = SIX
    actuators: ClassVar[tuple[str, ...]] = tuple(f"crank{k}" for k in range(1, 7))

    @property
    def height(self) -> float:
        """At rest, with all cranks level; raises ValueError for rods that are too short."""
        motor, along, head = self._layout()[0]
        across = [m + self.crank * d - h for m, d, h in zip(motor[:2], along[:2], head[:2], strict=True)]
        square = self.rod**2 - across[0] ** 2 - across[1] ** 2
        if not square > 0.0:
            raise ValueError(
                f"rotary_hexapod: rods of {self.rod:g} m do not reach the platform. Make them longer."
            )
        return sqrt(square)

    def _layout(self) -> list[tuple[tuple[float, float, float], ...]]:
        """Motor, direction of the level crank, and upper point in the platform, of each leg."""
        motors = _ring(self.radius, [k * 120.0 + s * 14.0 for k in range(3) for s in (-1, 1)])
        heads = _ring(self.head_radius, [k * 120.0 + s * 46.0 for k in range(3) for s in (-1, 1)])
        sides = [(s * -sin(k * 2 * pi / 3), s * cos(k * 2 * pi / 3), 0.0) for k in range(3) for s in (-1, 1)]
        return list(zip(motors, sides, heads, strict=True))

    @property
    def legs(self) -> list[CrankLeg]:
        """The six legs, with the bend that has level cranks at rest."""
        made = [
            CrankLeg(motor, (head[0], head[1], self.height), u, (0.0, 0.0, 1.0), self.crank, self.rod)
            for motor, u, head in self._layout()
        ]
        return [_bent(leg) for leg in made]

    def uppers(self, pose: Sequence[Expr]) -> list[list[Expr]]:
        """Where the upper points of the legs are."""
        return [placed(pose, (0.0, 0.0, self.height), head) for _, _, head in self._layout()]

    def mechanism(self) -> System:
        """Seven bodies, with rods that have no mass."""
        legs = [(leg.motor, leg.u, leg.upper) for leg in self.legs]
        return on_cranks(self.name, self.height, self.dofs, legs, self.crank, self.rod)


def _bent(leg: CrankLeg) -> CrankLeg:
    """The leg with the sign whose angle at rest is the smaller one."""
    plus, minus = leg.at_rest()
    sign = 1 if abs(plus) <= abs(minus) else -1
    return CrankLeg(leg.motor, leg.upper, leg.u, leg.w, leg.crank, leg.rod, sign)


@dataclass(frozen=True, eq=False)
class ThreeDof(Legged):
    """Pitch, roll and heave on three upright electric cylinders, with a central guide that holds the rest.

    The pose is (heave, roll, pitch); one cylinder stands ahead, two behind. Chosen: the sizes.
    """

    radius: float = 0.55
    height: float = 0.70
    limits: Limits = field(default_factory=lambda: Limits.alike(3, 0.55, 0.85, 0.6, 6.0))
    pose_limits: tuple[tuple[float, float], ...] = (FREE,) * 3

    name: ClassVar[str] = "three_dof"
    dofs: ClassVar[tuple[str, ...]] = ("heave", "roll", "pitch")
    actuators: ClassVar[tuple[str, ...]] = ("front", "left", "right")

    @property
    def legs(self) -> list[LinearLeg]:
        """The three cylinders, at rest."""
        rings = [_ring(self.radius, (0.0, 120.0, 240.0), height) for height in (0.0, self.height)]
        return [LinearLeg(foot, head) for foot, head in zip(*rings, strict=True)]

    def uppers(self, pose: Sequence[Expr]) -> list[list[Expr]]:
        """Where the upper points of the legs are."""
        heave, roll, pitch = pose
        zero = 0.0 * heave
        whole = [zero, zero, heave, roll, pitch, zero]
        center = (0.0, 0.0, self.height)
        return [placed(whole, center, place) for place in _ring(self.radius, (0.0, 120.0, 240.0))]

    def mechanism(self) -> System:
        """Seven bodies; the guide is in the coordinates of the seat."""
        return on_cylinders(self.name, self.height, self.dofs, self.legs)
