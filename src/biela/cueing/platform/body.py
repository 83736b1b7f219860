"""Multibody models of platforms that have none among the mechanisms: of any of their geometries.

The coordinates of the pose have the names of the degrees of freedom and are zero at rest. Chosen: all masses
and inertias, of rigs with one seat.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import asin, atan2, pi
from typing import TYPE_CHECKING, Any

from biela.cueing.gravity import GRAVITY
from biela.mechanics.body import Body
from biela.mechanics.drawing import Bar, Solid
from biela.mechanics.inertia import rod
from biela.mechanics.space import Point
from biela.mechanics.system import System

if TYPE_CHECKING:
    from biela.cueing.platform.leg import LinearLeg

SEAT = (110.0, (14.0, 11.0, 9.0), 0.25)  # mass, moments of inertia, height of the mass centre: kg, kg m2, m
CYLINDER, PISTON, CRANK = 3.0, 1.5, 1.0  # masses, kg
HALF = 0.25  # m, from the end of a cylinder or piston to its mass centre


def _seat(s: System, height: float, dofs: Sequence[str]) -> Body:
    """The moving base: its origin, ``height`` above the ground at rest, moved and turned by what it has."""
    units = {"surge": "m", "sway": "m", "heave": "m", "roll": "rad", "pitch": "rad", "yaw": "rad"}
    pose: dict[str, Any] = {name: s.coordinate(name, unit=units[name]) for name in dofs}
    place = [pose.get("surge", 0.0), pose.get("sway", 0.0), height + pose["heave"]]
    base = s.ground.base
    for name, axis in (("yaw", "z"), ("pitch", "y"), ("roll", "x")):
        if name in pose:
            base = s.base(f"seat.{name}", base, axis, pose[name])
    mass, moments, up = SEAT
    origin = s.point("seat.origin", s.origin, place, s.ground.base)
    body = s.body("seat", mass, [0, 0, up], moments, origin=origin, base=base)
    s.draw(Solid("box", body.com, body.base, (0.6, 0.6, 0.08)))
    return body


def on_cylinders(name: str, height: float, dofs: Sequence[str], legs: Sequence[LinearLeg]) -> System:
    """A platform on cylinders and pistons, each on a cross on the ground and a ball on the platform.

    The forces of the cylinders are the inputs.
    """
    s = System(name)
    seat = _seat(s, height, dofs)
    for k, leg in enumerate(legs, 1):
        x, y, z = (p - f for p, f in zip(leg.upper, leg.foot, strict=True))
        first = s.coordinate(f"leg{k}.angle1", atan2(-y, z), unit="rad")
        second = s.coordinate(f"leg{k}.angle2", asin(x / leg.rest), unit="rad")
        length = s.coordinate(f"leg{k}.length", leg.rest, unit="m")
        base = s.base(f"leg{k}", s.base(f"leg{k}.cross", axis="x", angle=first), "y", second)
        s.motor(length, f"leg{k}.force", "N")
        foot = s.point(f"A{k}", s.origin, list(leg.foot), s.ground.base)
        low = s.point(f"leg{k}.low", foot, [0, 0, HALF], base)
        high = s.point(f"leg{k}.high", foot, [0, 0, length - HALF], base)
        s.body(f"cylinder{k}", CYLINDER, inertia=rod(CYLINDER, 2 * HALF, axis="z"), origin=low, base=base)
        s.body(f"piston{k}", PISTON, inertia=rod(PISTON, 2 * HALF, axis="z"), origin=high, base=base)
        end = s.point(f"C{k}", high, [0, 0, HALF], base)
        ball = _held(seat, leg.upper, height, k)
        s.close(end, ball, f"ball{k}")
        s.draw(Bar(foot, end, radius=0.02), Bar(seat.origin, ball, radius=0.015))
    s.gravity([0, 0, -GRAVITY])
    return s


def on_cranks(
    name: str, height: float, dofs: Sequence[str],
    legs: Sequence[tuple[Sequence[float], Sequence[float], Sequence[float]]], crank: float, length: float,
) -> System:  # fmt: skip
    """A platform on cranks and massless rods: motor, direction of the level crank, upper point of each leg.

    The torques of the motors are the inputs; a crank turns from its direction upwards.
    """
    s = System(name)
    seat = _seat(s, height, dofs)
    for k, (motor, along, upper) in enumerate(legs, 1):
        angle = s.coordinate(f"crank{k}.angle", unit="rad")
        turned = s.base(f"motor{k}", axis="z", angle=atan2(along[1], along[0]) - pi / 2)
        base = s.base(f"crank{k}", turned, "x", angle)
        shaft = s.point(f"B{k}", s.origin, list(motor), s.ground.base)
        body = s.body(
            f"crank{k}", CRANK, [0, crank / 2, 0], rod(CRANK, crank, axis="y"), origin=shaft, base=base
        )
        s.motor(angle, f"crank{k}.torque")
        end, ball = body.point([0, crank, 0], f"C{k}"), _held(seat, upper, height, k)
        s.distance(end, ball, length, f"rod{k}")
        s.draw(
            Bar(shaft, end, radius=0.02), Bar(end, ball, radius=0.012), Bar(seat.origin, ball, radius=0.015)
        )
    s.gravity([0, 0, -GRAVITY])
    return s


def _held(seat: Body, upper: Sequence[float], height: float, k: int) -> Point:
    """A point of the platform, told by where it is at rest."""
    return seat.point([upper[0], upper[1], upper[2] - height], f"P{k}")
