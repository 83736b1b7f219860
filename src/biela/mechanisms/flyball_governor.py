"""The flyball governor: two rods with heavy ends on a spinning shaft, and a slider that springs hold to them.

z is up. The shaft turns freely about z; two rods are hinged to it on opposite sides, a distance r from its
axis at height h, and hang outward by the angles b1 and b2 below the horizontal, with a point mass at each
end. A slider moves along the shaft by its height, turning with it; a stiff spring with a damper joins it to
the middle of each rod. No constraints; four degrees of freedom. The drawing is the shaft, the rods, the
masses, the slider and both springs, and the path of one mass.
"""

from __future__ import annotations

from math import pi

from biela.expr.expression import Expr
from biela.mechanics.body import Body
from biela.mechanics.drawing import Bar, Coil, Solid, Trace
from biela.mechanics.inertia import box
from biela.mechanics.system import System


def flyball_governor() -> System:
    """A governor whose rods and slider are joined by stiff springs and dampers.

    Source: "flyball governor", problem A05 of the IFToMM Library of Computational Benchmark Problems, a
    stiff one: boxes of 3000 kg/m3 for shaft, rods and slider, 5 kg at the rods' ends, springs of 8e5 N/m with
    dampers of 4e4 N s/m; spinning at one turn a second with the rods at 30 degrees.
    """
    s = System("flyball_governor")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    rho = s.parameter("rho", 3000.0, "kg/m3", "density of shaft, rods and slider")
    length = s.parameter("l", 1.0, "m", "length of shaft and rods")
    a = s.parameter("a", 0.01, "m", "edge of their square section")
    c = s.parameter("c", 0.1, "m", "edge of the slider, a cube")
    r = s.parameter("r", 0.05, "m", "hinges and ends of the springs from the axis of the shaft")
    h = s.parameter("h", 1.0, "m", "height of the hinges")
    spin = s.coordinate("spin", 0.0, 2.0 * pi, "rad")
    b = [s.coordinate(f"b{k}", pi / 6, unit="rad") for k in (1, 2)]
    height = s.coordinate("slider", 0.5, unit="m")

    m_bar, m_slider = rho * length * a * a, rho * c * c * c
    shaft = s.body("shaft", mass=m_bar, com=[0, 0, h / 2], inertia=box(m_bar, a, a, length))
    slider = s.body("slider", mass=m_slider, inertia=box(m_slider, c, c, c))
    s.revolute(s.ground, shaft, axis="z", coordinates=spin)
    s.prismatic(shaft, slider, axis="z", coordinates=height)
    ball = s.parameter("m", 5.0, "kg", "mass at the end of a rod")
    stiffness = s.parameter("k", 8.0e5, "N/m", "stiffness of the springs")
    rest = s.parameter("l0", 0.5, "m", "length of the springs at rest")
    damping = s.parameter("d", 4.0e4, "N s/m", "damping beside the springs")
    for k, side in ((0, 1), (1, -1)):
        rod = s.body(f"rod{k + 1}", m_bar, [side * length / 2, 0, 0], box(m_bar, length, a, a))
        axis = "y" if side == 1 else "-y"
        s.revolute(shaft, rod, at=[side * r, 0, h], axis=axis, coordinates=b[k])
        _dress(s, k + 1, rod, ball, [side * length, 0, 0])
        eye = slider.point([side * r, 0, 0])
        s.spring(eye, rod.com, stiffness, rest, damping)
        s.draw(Coil(eye, rod.com))
    s.gravity([0, 0, -g])
    s.draw(Bar(s.origin, shaft.point([0, 0, h])), Solid("box", slider.origin, slider.base, (0.1, 0.1, 0.1)))
    return s


def _dress(s: System, k: int, rod: Body, mass: Expr, place: list[Expr | int]) -> None:
    """The mass at the end of a rod, and their drawing."""
    end = rod.point(place)
    s.body(f"ball{k}", mass=mass, origin=end, base=rod.base)
    s.draw(Bar(rod.origin, end), Solid("sphere", end, rod.base, (0.06,)))
    if k == 1:
        s.draw(Trace(end))
