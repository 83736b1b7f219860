"""The hexaglide: a platform on six legs of one length, whose feet slide on six parallel rails.

Thirteen bodies: the platform, placed freely by three displacements and three turns (yaw, pitch and roll
about z, y and x), six slides that move along x on rails in the plane z = 0, and six legs. A leg stands on
its slide by two turns, about the ground's x and its own y; its turn about itself moves nothing and is left
out. Twenty-four coordinates; six times three equations put the upper ends of the legs on the platform; six
degrees of freedom. The forces on the slides are the inputs.

The inverse kinematics are closed: with P the place of a leg's end and y of its rail, the slide is at
x = P_x + f sqrt(l^2 - (P_y - y)^2 - P_z^2), with f = -1 for a slide behind the platform and 1 for one ahead.
"""

from __future__ import annotations

from math import asin, atan2, cos, sin, sqrt

from biela.expr.expression import Expr
from biela.mechanics.body import Body
from biela.mechanics.drawing import Bar, Solid
from biela.mechanics.inertia import rod
from biela.mechanics.quantity import deg
from biela.mechanics.space import Point
from biela.mechanics.system import System

LENGTH, RADIUS, HEIGHT = 0.80, 0.12, 0.55
RAILS = (-0.25, -0.15, -0.05, 0.05, 0.15, 0.25)  # y
SIDES = (-1, 1, -1, 1, -1, 1)
CORNERS = (250.0, 290.0, 170.0, 10.0, 130.0, 50.0)  # of the platform, in degrees


def hexaglide() -> System:
    """A platform on six legs of fixed length that slide on parallel rails.

    Source: the idea is that of M. Honegger, A. Codourey and E. Burdet, "Adaptive control of the Hexaglide, a
    6 dof parallel manipulator", IEEE Int. Conf. on Robotics and Automation, 1997. Chosen: the layout, every
    size, mass and inertia, and the home pose.
    """
    s = System("hexaglide")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    shape = {
        "l": s.parameter("l", LENGTH, "m", "length of the legs"),
        "r": s.parameter("r", RADIUS, "m", "radius of the platform's corners"),
        "m_s": s.parameter("m_s", 1.5, "kg", "mass of a slide"),
        "m_l": s.parameter("m_l", 0.6, "kg", "mass of a leg"),
    }
    platform = _platform(s)
    heads = [_leg(s, k, platform, shape) for k in range(6)]
    s.gravity([0, 0, -g])
    s.draw(Bar(*heads, heads[0], radius=0.01))
    return s


def _platform(s: System) -> Body:
    mass = s.parameter("m_p", 8.0, "kg", "mass of the platform and its tool")
    across = s.parameter("I_p", 0.035, "kg m2", "moment of inertia of the platform about x and y")
    along = s.parameter("J_p", 0.058, "kg m2", "moment of inertia of the platform about z")
    x, y = s.coordinates("x y", unit="m")
    z = s.coordinate("z", HEIGHT, unit="m")
    turns = s.coordinates("yaw pitch roll", unit="rad")
    platform = s.body("platform", mass, inertia=[across, across, along])
    s.free(s.ground, platform, coordinates=[x, y, z, *turns])
    return platform


def _leg(s: System, k: int, platform: Body, shape: dict[str, Expr]) -> Point:
    """Slide and leg on rail ``k``; their end on the platform is returned."""
    n, l, corner = k + 1, shape["l"], deg(CORNERS[k])  # noqa: E741
    place, angle1, angle2 = _home(k)
    travel = s.coordinate(f"slide{n}.x", place, unit="m")
    about_x = s.coordinate(f"leg{n}.angle1", angle1, unit="rad")
    about_y = s.coordinate(f"leg{n}.angle2", angle2, unit="rad")
    rail = s.parameter(f"y{n}", RAILS[k], "m", f"place of rail {n} along y")

    slide = s.body(f"slide{n}", shape["m_s"])
    s.prismatic(s.ground, slide, at=[0, rail, 0], axis="x", coordinates=travel)
    s.motor(travel, f"slide{n}.force", "N")

    base = s.base(f"leg{n}", s.base(f"leg{n}.cross", axis="x", angle=about_x), "y", about_y)
    middle = s.point(f"leg{n}.middle", slide.origin, [0, 0, l / 2], base)
    s.body(f"leg{n}", shape["m_l"], inertia=rod(shape["m_l"], l, axis="z"), origin=middle, base=base)
    end = s.point(f"leg{n}.end", middle, [0, 0, l / 2], base)
    head = platform.point([shape["r"] * cos(corner), shape["r"] * sin(corner), 0], f"P{n}")
    s.close(end, head, f"ball{n}")
    s.draw(Solid("box", slide.origin, slide.base, (0.08, 0.06, 0.04)), Bar(slide.origin, end))
    return head


def _home(k: int) -> tuple[float, float, float]:
    """The place of a slide and the two turns of its leg, with the platform level."""
    corner = deg(CORNERS[k])
    across = RADIUS * sin(corner) - RAILS[k]
    reach = SIDES[k] * sqrt(LENGTH**2 - across**2 - HEIGHT**2)
    return RADIUS * cos(corner) + reach, atan2(-across, HEIGHT), asin(-reach / LENGTH)
