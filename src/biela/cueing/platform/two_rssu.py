"""The platform of source 002: pitch and roll on two cranks and two rods, type 2-RSSU.

Pitch is about x (lateral), roll about y (along the vehicle), z is up; the moving base hangs on a universal
joint at the origin, P_i = Rx(pitch) Ry(roll) P0_i. Crank angles are counted from the horizontal, zero at
rest.

The inverse kinematics come in two forms. That of the source (appendix A) cuts the sphere of the rod, about
the upper point, with the plane of the crank, and the circle that is left with that of the crank's end: with
Q = B - P = (x_q, y_q, z_q) and rho^2 = l^2 - x_q^2,

    S = y_q^2 + z_q^2,  k = (rho^2 + S - b^2) / 2,  rad = rho^2 S - k^2,
    y = (k y_q -+ z_q sqrt(rad)) / S,  z = (k z_q +- y_q sqrt(rad)) / S,  angle = atan2(z - z_q, y - y_q).

By Heron's identity rad = ((b + rho)^2 - S)(S - (b - rho)^2) / 4, so the pose is within reach where both
factors are positive. The source prints 2 S in the denominators and 4 rad under the root. The other form is
that of `biela.cueing.platform.leg`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar

from biela.cueing.platform.leg import CrankLeg, Place, minus, turned
from biela.cueing.platform.legged import Legged
from biela.cueing.platform.platform import Limits, Reach
from biela.expr.expression import Expr, atan2, maximum, sqrt
from biela.expr.graph import Graph
from biela.mechanics.quantity import deg
from biela.mechanics.system import System
from biela.mechanisms.two_rssu import two_rssu

FORMS = ("plane", "angle")
PITCH = 30.27350887  # degrees: where the negative pitch of the reference geometry ends


@dataclass(frozen=True, eq=False)
class TwoRSSU(Legged):
    """Pitch and roll on two cranks.

    ``a`` is half the distance of the chains along x, ``l`` the distance of the upper balls from the pitch
    axis, both at rest; ``form`` is that of the inverse kinematics, 'plane' or 'angle'; ``order`` is 'xy'
    for Rx Ry, as a cross whose ground axis is x has it, or 'yx'.

    Raises ValueError for unknown forms and orders.
    """

    a: float
    l: float  # noqa: E741 - the letter of the drawing
    b: float
    rod: float
    form: str = "plane"
    order: str = "xy"
    limits: Limits = field(default_factory=lambda: Limits.alike(2, -inf, inf, deg(280.0), deg(2500.0)))
    pose_limits: tuple[tuple[float, float], ...] = ((-inf, inf), (-inf, inf))

    name: ClassVar[str] = "two_rssu"
    dofs: ClassVar[tuple[str, ...]] = ("pitch", "roll")
    actuators: ClassVar[tuple[str, ...]] = ("crank1", "crank2")
    senses: ClassVar[dict[str, float]] = {"pitch": -1.0}  # about x to the right, where nose up is positive

    def __post_init__(self) -> None:
        for what, value, known in (("form", self.form, FORMS), ("order", self.order, ("xy", "yx"))):
            if value not in known:
                raise ValueError(f"two_rssu: unknown {what} {value!r}. Known: {', '.join(known)}.")

    @classmethod
    def source_002(cls, **options: Any) -> TwoRSSU:
        """The reference geometry: lengths chosen to meet the published ranges, which came without lengths.

        Upwards the pitch has no end of its own; it is limited to what it can do downwards.
        """
        have: dict[str, Any] = {"pose_limits": ((-deg(PITCH), deg(PITCH)), (-inf, inf))}
        return cls(0.3016, 0.2519, 0.15, 0.60, **have | options)

    @property
    def legs(self) -> list[CrankLeg]:
        """Both legs; the crank's plane is that of y and z."""
        return [
            CrankLeg(
                (side * self.a, -(self.l + self.b), -self.rod), (side * self.a, -self.l, 0.0),
                (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), self.b, self.rod, 1,
            )
            for side in (1, -1)
        ]  # fmt: skip

    def uppers(self, pose: Sequence[Expr]) -> list[list[Any]]:
        """Where the upper points of the legs are."""
        pair = list(zip("xy", pose, strict=True))
        return [turned(pair if self.order == "xy" else pair[::-1], leg.upper) for leg in self.legs]

    def reach(self, graph: Graph, pose: Sequence[Expr]) -> Reach:
        """The crank angles for (pitch, roll)."""
        solve = self._cut if self.form == "plane" else CrankLeg.actuator
        found = [solve(leg, P) for leg, P in zip(self.legs, self.uppers(pose), strict=True)]
        return Reach([angle for angle, _ in found], [m for _, margins in found for m in margins])

    def _cut(self, leg: CrankLeg, P: Place) -> tuple[Expr, list[Expr]]:
        """The form of the source: sphere, plane and circle."""
        x, y, z = minus(leg.motor, P)
        square = leg.rod**2 - x * x
        rho = sqrt(maximum(square, 0.0))
        S = y * y + z * z
        outer, inner = (leg.crank + rho) * (leg.crank + rho) - S, S - (leg.crank - rho) * (leg.crank - rho)
        k = 0.5 * (square + S - leg.crank**2)
        root = sqrt(maximum(0.25 * outer * inner, 0.0))
        along, up = (k * y - z * root) / S, (k * z + y * root) / S
        return atan2(up - z, along - y), [square, outer, inner]

    def mechanism(self) -> System:
        """Five bodies, of this geometry; its masses are those of `biela.mechanisms.two_rssu`."""
        return two_rssu(self.a, self.l, self.b, self.rod)
