"""A serial arm of six joints as a motion platform: the PUMA 560 of `biela.mechanisms.arm6`.

The pose (surge, sway, heave, roll, pitch, yaw) moves the tool away from where it is at rest, along and
about the axes of the ground: R = Rz(yaw) Ry(pitch) Rx(roll) R0.

The wrist's axes meet, so the inverse kinematics are closed (J. J. Craig, Introduction to Robotics, 1986,
section 4.7, for d4 < 0 as the twists of this arm have it): three angles put the meeting point in its place,

    q1 = atan2(y, x) - atan2(d, sqrt(x^2 + y^2 - d^2)),
    K = (x^2 + y^2 + z^2 - a2^2 - a3^2 - d^2 - d4^2) / (2 a2),
    q3 = atan2(a3, d4) - atan2(K, -sqrt(a3^2 + d4^2 - K^2)),

and the wrist turns what is left by Rz(q4) Ry(q5) Rz(q6). Of the eight solutions that of the rest is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, radians
from typing import Any, ClassVar

from biela.cueing.platform.hexapod import SIX
from biela.cueing.platform.leg import turned
from biela.cueing.platform.platform import Limits, Platform, Reach
from biela.expr.expression import Expr, atan2, constant, cos, maximum, sin, sqrt
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.mechanics.system import System
from biela.mechanisms.arm6 import LINKS, arm6
from biela.mechanisms.serial_arm import SINES

REST = tuple(map(radians, (0.0, -40.0, 40.0, 0.0, 45.0, 0.0)))  # the elbow well bent
A2, A3, D, D4 = LINKS[2].a, LINKS[3].a, LINKS[1].d + LINKS[2].d, -LINKS[3].d
TOOL = 0.056
WRIST = 0.05**2  # of sin(q5)^2, below which the wrist is taken for stretched
FREE = (-inf, inf)
LIMITS = Limits(
    tuple(map(radians, (-160.0, -225.0, -45.0, -110.0, -100.0, -266.0))),
    tuple(map(radians, (160.0, 45.0, 225.0, 170.0, 100.0, 266.0))),
    (1.43, 0.94, 2.15, 4.0, 4.4, 4.8),
    (12.0, 8.0, 20.0, 40.0, 40.0, 50.0),
)
Columns = list[list[Any]]  # three columns of three


@dataclass(frozen=True, eq=False)
class SerialArm(Platform):
    """Six joints in a chain."""

    limits: Limits = LIMITS
    pose_limits: tuple[tuple[float, float], ...] = (FREE,) * 6

    name: ClassVar[str] = "serial_arm"
    dofs: ClassVar[tuple[str, ...]] = SIX
    actuators: ClassVar[tuple[str, ...]] = tuple(f"joint{k}" for k in range(1, 7))

    @cached_property
    def rest(self) -> tuple[list[float], list[list[float]]]:
        """Where the tool is at rest, and the columns of its orientation."""
        graph = Graph()
        place, columns = tool(graph, [constant(graph, angle) for angle in REST])
        numbers = [[constant(graph, 0.0) + x for x in column] for column in columns]
        return [x.value() for x in place], [[x.value() for x in column] for column in numbers]

    def reach(self, graph: Graph, pose: Sequence[Expr]) -> Reach:
        """The angles of the joints."""
        place, columns = self.rest
        angles = [("z", pose[5]), ("y", pose[4]), ("x", pose[3])]
        now = [turned(angles, column) for column in columns]
        wrist = [p + x - TOOL * z for p, x, z in zip(place, pose[:3], now[2], strict=True)]
        first, margins = _arm(wrist)
        last, singular = _wrist(first, now)
        return Reach([*first, *last], [*margins, singular])

    def gaps(self, graph: Graph, pose: Sequence[Expr], actuators: Sequence[Expr]) -> list[Expr]:
        """Nothing is closed: the pose itself against that of the joints."""
        return [a - b for a, b in zip(pose, self._pose_of(graph, actuators), strict=True)]

    @cached_property
    def forward(self) -> Function:
        """The pose of the joints' angles, in closed form; ``guess`` has no effect."""
        graph, guess = self._pose()
        actuators = [graph.symbol(f"a{k}") for k in range(6)]
        zero = constant(graph, 0.0)
        outputs = {"pose": self._pose_of(graph, actuators), "gap": zero, "valid": zero + 1.0}
        return Function("serial_arm_forward", {"actuators": actuators, "guess": guess}, outputs)

    def _pose_of(self, graph: Graph, actuators: Sequence[Expr]) -> list[Expr]:
        rest, columns = self.rest
        place, now = tool(graph, actuators)

        def entry(i: int, j: int) -> Expr:  # of N R0^T, the turn since rest
            return sum((now[k][i] * columns[k][j] for k in range(3)), start=constant(graph, 0.0))

        roll, yaw = atan2(entry(2, 1), entry(2, 2)), atan2(entry(1, 0), entry(0, 0))
        pitch = atan2(-entry(2, 0), sqrt(entry(0, 0) * entry(0, 0) + entry(1, 0) * entry(1, 0)))
        return [*(a - b for a, b in zip(place, rest, strict=True)), roll, pitch, yaw]

    def mechanism(self) -> System:
        """Six bodies: `biela.mechanisms.arm6`."""
        return arm6()


def tool(graph: Graph, joints: Sequence[Expr]) -> tuple[list[Any], Columns]:
    """Where the tool is for the joints' angles, and the columns of its orientation."""
    zero, one = constant(graph, 0.0), constant(graph, 1.0)
    place: list[Any] = [zero, zero, TOOL * one]
    columns: Columns = [[one, zero, zero], [zero, one, zero], [zero, zero, one]]
    for link, angle in reversed(list(zip(LINKS, joints, strict=True))):
        x, y, z = turned([("z", angle)], place)
        x, y, z = _twisted(link.twist, [x, y, z + link.d])
        place = [x + link.a, y, z]
        columns = [_twisted(link.twist, turned([("z", angle)], column)) for column in columns]
    return place, columns


def _twisted(degrees: int, point: Sequence[Any]) -> list[Any]:
    """A point turned about x by 0, 90 or -90 degrees, exactly."""
    x, y, z = point
    sine = SINES[degrees]
    return [x, -sine * z, sine * y] if sine else [x, y, z]


def _arm(wrist: Sequence[Any]) -> tuple[list[Expr], list[Expr]]:
    """The first three angles, and the margins of the roots."""
    x, y, z = wrist
    beside = x * x + y * y - D * D
    K = (x * x + y * y + z * z - (A2**2 + A3**2 + D**2 + D4**2)) / (2.0 * A2)
    beyond = A3**2 + D4**2 - K * K
    q1 = atan2(y, x) - atan2(D, sqrt(maximum(beside, 0.0)))
    q3 = atan2(A3, D4) - atan2(K, -sqrt(maximum(beyond, 0.0)))
    c1, s1, c3, s3 = cos(q1), sin(q1), cos(q3), sin(q3)
    out = c1 * x + s1 * y
    up, along = -A3 - A2 * c3, A2 * s3 - D4
    q23 = atan2(up * z + along * out, along * z - up * out)
    return [_wrapped(q1), _wrapped(q23 - q3), _wrapped(q3)], [beside, beyond]


def _wrist(first: Sequence[Expr], now: Columns) -> tuple[list[Expr], Expr]:
    """The last three angles for the orientation that is wanted, and how far the wrist is from stretched."""
    q1, q2, q3 = first
    M: Columns = []  # columns of Rz(q4) Ry(q5) Rz(q6)
    for column in now:
        turn = _twisted(90, turned([("z", -q1)], column))
        M.append(_twisted(-90, turned([("z", -(q2 + q3))], turn)))
    square = M[2][0] * M[2][0] + M[2][1] * M[2][1]
    q4, q6 = atan2(M[2][1], M[2][0]), atan2(M[1][2], -M[0][2])
    return [q4, atan2(sqrt(square), M[2][2]), q6], square - WRIST


def _wrapped(angle: Expr) -> Expr:
    return atan2(sin(angle), cos(angle))
