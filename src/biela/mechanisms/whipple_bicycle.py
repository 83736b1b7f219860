"""The bicycle of Carvallo and Whipple: four rigid bodies, knife-edge wheels that roll without slip.

Rear frame with a rigid rider, front frame, two wheels; x forward, y to the right, z down. The rear contact
point is at (x, y) on the road; from there the rear frame is turned by yaw about z, lean about x and pitch
about y, and the steering axis, tilted by lambda from the vertical, turns the front frame. With the turns of
the two wheels these are eight coordinates.

The lowest point of the front wheel is the centre plus rF d, where d is the direction down less its part
along the axle n, made of length one: d = (z - c n) / sqrt(1 - c^2), c = z . n. That it is on the road is
one equation of position; that neither wheel slips at its contact, lengthwise and sideways, are four of
velocity only. Three degrees of freedom of motion: lean, steer and speed.
"""

from __future__ import annotations

from math import pi
from typing import Any

from biela.expr.expression import Expr, sqrt
from biela.mechanics.body import Body
from biela.mechanics.drawing import Bar, Solid
from biela.mechanics.system import System
from biela.mechanics.vector import Vector

DATA = (
    ("w", 1.02, "m", "wheelbase"),
    ("c", 0.08, "m", "trail"),
    ("lambda", pi / 10, "rad", "tilt of the steering axis"),
    ("g", 9.81, "m/s2", "acceleration of free fall"),
    ("rR", 0.3, "m", "radius of the rear wheel"),
    ("mR", 2.0, "kg", "mass of the rear wheel"),
    ("IRxx", 0.0603, "kg m2", "moment of inertia of the rear wheel across its axle"),
    ("IRyy", 0.12, "kg m2", "moment of inertia of the rear wheel about its axle"),
    ("xB", 0.3, "m", "mass centre of the rear frame, along x from the rear contact"),
    ("zB", -0.9, "m", "mass centre of the rear frame, along z from the road"),
    ("mB", 85.0, "kg", "mass of the rear frame and the rider"),
    ("IBxx", 9.2, "kg m2", "entry xx of the inertia of the rear frame"),
    ("IByy", 11.0, "kg m2", "entry yy of the inertia of the rear frame"),
    ("IBzz", 2.8, "kg m2", "entry zz of the inertia of the rear frame"),
    ("IBxz", 2.4, "kg m2", "entry xz of the inertia of the rear frame"),
    ("xH", 0.9, "m", "mass centre of the front frame, along x from the rear contact"),
    ("zH", -0.7, "m", "mass centre of the front frame, along z from the road"),
    ("mH", 4.0, "kg", "mass of the front frame"),
    ("IHxx", 0.05892, "kg m2", "entry xx of the inertia of the front frame"),
    ("IHyy", 0.06, "kg m2", "entry yy of the inertia of the front frame"),
    ("IHzz", 0.00708, "kg m2", "entry zz of the inertia of the front frame"),
    ("IHxz", -0.00756, "kg m2", "entry xz of the inertia of the front frame"),
    ("rF", 0.35, "m", "radius of the front wheel"),
    ("mF", 3.0, "kg", "mass of the front wheel"),
    ("IFxx", 0.1405, "kg m2", "moment of inertia of the front wheel across its axle"),
    ("IFyy", 0.28, "kg m2", "moment of inertia of the front wheel about its axle"),
)
SPEED, LEAN_RATE = 4.6, 0.5


def whipple_bicycle() -> System:
    """A bicycle with a rigid rider, hands off, rolling on a level road.

    Source: the benchmark of J. P. Meijaard, J. M. Papadopoulos, A. Ruina and A. L. Schwab, "Linearized
    dynamics equations for the balance and steer of a bicycle", Proc. R. Soc. A 463, 2007: bodies, data
    (table 1) and the start of its figure 4, upright at 4.6 m/s with a lean rate of 0.5 rad/s.
    """
    s = System("whipple_bicycle")
    p = {name: s.parameter(name, value, unit, note) for name, value, unit, note in DATA}
    q = _coordinates(s)
    frame, wheel = _rear(s, p, q)
    fork, front = _front(s, p, q, frame)
    _roll(s, p, wheel, front, fork)
    s.gravity([0, 0, p["g"]])
    for name in ("lean", "steer"):
        s.motor(q[name], f"{name}.torque")
    return s


def _coordinates(s: System) -> dict[str, Expr]:
    rows = (
        ("x", SPEED, "m"), ("y", 0.0, "m"), ("yaw", 0.0, "rad"), ("lean", LEAN_RATE, "rad"),
        ("pitch", 0.0, "rad"), ("steer", 0.0, "rad"), ("rear", -SPEED / 0.3, "rad"),
        ("front", -SPEED / 0.35, "rad"),
    )  # fmt: skip
    return {name: s.coordinate(name, speed=speed, unit=unit) for name, speed, unit in rows}


def _rear(s: System, p: dict[str, Expr], q: dict[str, Expr]) -> tuple[Body, Body]:
    """The rear frame, with its origin in the rear wheel's centre, and the rear wheel."""
    contact = s.point("rear contact", r=[q["x"], q["y"], 0])
    leaned = s.base("leaned", s.base("heading", axis="z", angle=q["yaw"]), "x", q["lean"])
    centre = s.point("rear centre", contact, [0, 0, -p["rR"]], leaned)
    pitched = s.base("frame", leaned, "y", q["pitch"])
    tensor = [p["IBxx"], p["IByy"], p["IBzz"], 0, p["IBxz"], 0]
    frame = s.body("frame", p["mB"], [p["xB"], 0, p["zB"] + p["rR"]], tensor, origin=centre, base=pitched)
    wheel = s.body("rear_wheel", p["mR"], inertia=[p["IRxx"], p["IRyy"], p["IRxx"]])
    s.revolute(frame, wheel, axis="y", coordinates=q["rear"])
    s.draw(Solid("cylinder", wheel.origin, wheel.base, (0.3, 0.02), axis="y"))
    return frame, wheel


def _front(s: System, p: dict[str, Expr], q: dict[str, Expr], frame: Body) -> tuple[Body, Body]:
    """The front frame, with its origin where the steering axis meets the road, and the front wheel."""
    tilted = s.base("tilted", frame, "y", p["lambda"])
    steered = s.base("steered", tilted, "z", q["steer"])
    level = s.base("fork", steered, "y", -p["lambda"])
    foot = frame.point([p["w"] + p["c"], 0, p["rR"]], "foot")
    tensor = [p["IHxx"], p["IHyy"], p["IHzz"], 0, p["IHxz"], 0]
    com = [p["xH"] - p["w"] - p["c"], 0, p["zH"]]
    fork = s.body("fork", p["mH"], com, tensor, origin=foot, base=level)
    wheel = s.body("front_wheel", p["mF"], inertia=[p["IFxx"], p["IFyy"], p["IFxx"]])
    s.revolute(fork, wheel, at=[-p["c"], 0, -p["rF"]], axis="y", coordinates=q["front"])
    s.draw(Solid("cylinder", wheel.origin, wheel.base, (0.35, 0.02), axis="y"))
    s.draw(Bar(frame.origin, frame.com, fork.com, wheel.origin, radius=0.02))
    return fork, wheel


def _roll(s: System, p: dict[str, Expr], rear: Body, front: Body, fork: Body) -> None:
    """Both wheels touch the road and do not slip on it."""
    down = s.vector([0, 0, 1])
    axle = s.vector([0, 1, 0], fork)
    c = down.dot(axle)
    depth = sqrt(1 - c * c)
    to_road = (down - axle * c) * (p["rF"] / depth)
    s.constrain("front contact", s.position(front.origin).dot(down) + p["rF"] * depth)
    rear_arm = s.vector([0, 0, p["rR"]], "leaned")
    for name, wheel, arm in (("rear", rear, rear_arm), ("front", front, to_road)):
        slip = s.velocity(wheel.origin) + s.angular_velocity(wheel).cross(arm)
        s.constrain_velocity(f"{name} slip", *_level(s, slip))


def _level(s: System, slip: Vector) -> list[Any]:
    """The components of a velocity along and across the heading."""
    return [slip.dot(s.vector(axis, "heading")) for axis in ([1, 0, 0], [0, 1, 0])]
