"""The Stewart platform: a plate on six linear actuators that cross between three base and three plate points.

Thirteen bodies: the platform, placed freely in space by three displacements and three turns (yaw, pitch and
roll about z, y and x), and for each actuator a cylinder and a rod. An actuator stands on its base point by
two turns, about the ground's x and then its own y, and its length reaches along its own z from the base
point to the end of the rod. Its cylinder and rod share one base. Twenty-four coordinates; six times three
equations put the ends of the rods on the platform; six degrees of freedom. The forces of the actuators are
the inputs.

The turns of an actuator stay regular as long as it does not lie along the ground's x.
"""

from __future__ import annotations

from math import asin, atan2, cos, pi, sin, sqrt
from typing import Any

from biela.expr.expression import Expr
from biela.mechanics.body import Body
from biela.mechanics.drawing import Bar, Solid
from biela.mechanics.space import Base, Point
from biela.mechanics.system import System

BASE_RADIUS, PLATFORM_RADIUS, HEIGHT = 0.60, 0.40, 0.80
LEGS = ((1, 1), (1, 3), (2, 2), (2, 1), (3, 3), (3, 2))  # base point and platform point of each actuator


def stewart(general: bool = False) -> System:
    """A Stewart platform on six linear actuators of two bodies each.

    The platform is balanced about its middle, and the actuators are alike and symmetric about their axes.
    With ``general=True`` every body has symbols of its own for a mass centre anywhere and a full inertia
    tensor; their default values are those of the symmetric platform.

    Source: bodies, coordinates and joints are those of A. Plaza, PhD thesis, Universidad Publica de
    Navarra, 2015, section A.4, which prints no data. Chosen: every size, mass and inertia, of a rig 1.2 m
    wide with slim actuators, and the home pose.
    """
    s = System("stewart_general" if general else "stewart")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    feet = [s.point(f"A{k}", r=place) for k, place in enumerate(_ring(s, "a", BASE_RADIUS, 0.0), 1)]
    platform = _platform(s, general)
    heads = [
        platform.point(place, f"P{k}")
        for k, place in enumerate(_ring(s, "p", PLATFORM_RADIUS, pi / 3), 1)
    ]  # fmt: skip
    shape = {} if general else _actuator_shape(s)
    for leg, (foot, head) in enumerate(LEGS, 1):
        _actuator(s, leg, feet[foot - 1], heads[head - 1], _home(foot, head), shape)
    s.gravity([0, 0, -g])
    s.draw(Bar(*feet, feet[0], radius=0.02), Bar(*heads, heads[0], radius=0.02))
    return s


def _ring(s: System, letter: str, radius: float, first: float) -> list[list[Any]]:
    """Three points on a circle, by parameters."""
    of = {"a": "base", "p": "platform"}[letter]
    places: list[list[Any]] = []
    for k in (1, 2, 3):
        turned = first + (k - 1) * 2 * pi / 3
        x = s.parameter(f"{letter}{k}x", radius * cos(turned), "m", f"point {k} of the {of}, along x")
        y = s.parameter(f"{letter}{k}y", radius * sin(turned), "m", f"point {k} of the {of}, along y")
        places.append([x, y, 0])
    return places


def _home(foot: int, head: int) -> tuple[float, float, float]:
    """The two turns and the length of an actuator when the platform is level above the base."""
    below, above = (foot - 1) * 2 * pi / 3, pi / 3 + (head - 1) * 2 * pi / 3
    x = PLATFORM_RADIUS * cos(above) - BASE_RADIUS * cos(below)
    y = PLATFORM_RADIUS * sin(above) - BASE_RADIUS * sin(below)
    length = sqrt(x * x + y * y + HEIGHT * HEIGHT)
    return atan2(-y, HEIGHT), asin(x / length), length


def _platform(s: System, general: bool) -> Body:
    x, y = s.coordinates("x y", unit="m")
    z = s.coordinate("z", HEIGHT, unit="m")
    turns = s.coordinates("yaw pitch roll", unit="rad")
    if general:
        body = _general_body(s, "platform", 20.0, (0.0, 0.0, 0.0), (0.82, 0.82, 1.6))
    else:
        mass = s.parameter("m_p", 20.0, "kg", "mass of the platform")
        across = s.parameter("I_p", 0.82, "kg m2", "moment of inertia of the platform about x and y")
        along = s.parameter("J_p", 1.6, "kg m2", "moment of inertia of the platform about z")
        body = s.body("platform", mass=mass, inertia=[across, across, along])
    s.free(s.ground, body, coordinates=[x, y, z, *turns])
    return body


def _actuator_shape(s: System) -> dict[str, Expr]:
    """What all actuators have in common: masses, mass centres and moments of inertia."""
    rows = (
        ("m_c", 1.6, "kg", "mass of a cylinder"),
        ("c_c", 0.22, "m", "distance of a cylinder's mass centre from the base point"),
        ("I_c", 0.105, "kg m2", "moment of inertia of a cylinder across its axis, about the base point"),
        ("J_c", 8e-4, "kg m2", "moment of inertia of a cylinder about its axis"),
        ("m_r", 0.9, "kg", "mass of a rod"),
        ("c_r", 0.25, "m", "distance of a rod's mass centre from its end on the platform"),
        ("I_r", 0.019, "kg m2", "moment of inertia of a rod across its axis, about its mass centre"),
        ("J_r", 7e-5, "kg m2", "moment of inertia of a rod about its axis"),
    )
    return {name: s.parameter(name, value, unit, note) for name, value, unit, note in rows}


def _actuator(
    s: System, leg: int, foot: Point, head: Point, home: tuple[float, float, float], shape: dict[str, Expr]
) -> None:
    about_x = s.coordinate(f"leg{leg}.angle1", home[0], unit="rad")
    about_y = s.coordinate(f"leg{leg}.angle2", home[1], unit="rad")
    length = s.coordinate(f"leg{leg}.length", home[2], unit="m")
    base = s.base(f"leg{leg}", s.base(f"leg{leg}.cross", axis="x", angle=about_x), "y", about_y)
    s.motor(length, f"leg{leg}.force", "N")
    bodies = _symmetric_bodies if shape else _general_bodies
    end = bodies(s, leg, foot, base, length, shape)
    s.close(end, head, f"leg{leg}")
    top = s.point(f"leg{leg}.top", foot, [0, 0, 0.45], base)
    s.draw(Bar(foot, top, radius=0.03), Bar(top, end, radius=0.012))
    s.draw(Solid("sphere", end, base, (0.025,)))


def _symmetric_bodies(
    s: System, leg: int, foot: Point, base: Base, length: Expr, shape: dict[str, Expr]
) -> Point:
    """Bodies symmetric about their axis; the end of the rod is returned."""
    p = shape
    s.body(
        f"cylinder{leg}", p["m_c"], inertia=[p["I_c"], p["I_c"], p["J_c"]], about="origin",
        first_moment=[0, 0, p["m_c"] * p["c_c"]], origin=foot, base=base,
    )  # fmt: skip
    middle = s.point(f"G{leg}", foot, [0, 0, length - p["c_r"]], base)
    rod = s.body(f"rod{leg}", p["m_r"], inertia=[p["I_r"], p["I_r"], p["J_r"]], origin=middle, base=base)
    return rod.point([0, 0, p["c_r"]], f"C{leg}")


def _general_bodies(
    s: System, leg: int, foot: Point, base: Base, length: Expr, shape: dict[str, Expr]
) -> Point:
    """Bodies of any shape, on the base point and on the end of the rod, which is returned."""
    end = s.point(f"C{leg}", foot, [0, 0, length], base)
    _general_body(s, f"cylinder{leg}", 1.6, (0.0, 0.0, 0.22), (0.105, 0.105, 8e-4), foot, base)
    across = 0.019 + 0.9 * 0.25**2
    _general_body(s, f"rod{leg}", 0.9, (0.0, 0.0, -0.25), (across, across, 7e-5), end, base)
    return end


def _general_body(
    s: System, name: str, mass: float, com: tuple[float, ...], moments: tuple[float, ...],
    origin: Point | None = None, base: Base | None = None,
) -> Body:  # fmt: skip
    m = s.parameter(f"{name}.m", mass, "kg", f"mass of {name}")
    center = [
        s.parameter(f"{name}.{axis}", value, "m", f"mass centre of {name}, along {axis}")
        for axis, value in zip("xyz", com, strict=True)
    ]
    inertia = [
        s.parameter(
            f"{name}.I{place}", value, "kg m2", f"entry {place} of the inertia of {name} about its origin"
        )
        for place, value in zip(("xx", "yy", "zz", "xy", "xz", "yz"), (*moments, 0.0, 0.0, 0.0), strict=True)
    ]
    return s.body(name, mass=m, com=center, inertia=inertia, about="origin", origin=origin, base=base)
