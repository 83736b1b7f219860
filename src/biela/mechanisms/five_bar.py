"""A five-bar linkage: two arms on the ground whose forearms meet, as in planar parallel robots.

The plane is that of x and y, with y up. Each arm is a pair of bars: the inner one turns about a fixed
point, A at the origin or B on x, the outer one about its end, relative to it. Two equations let the
outer ends meet; two degrees of freedom. Inputs are the torques on both inner bars. The drawing is the four
bars and the path of the point where they meet.
"""

from __future__ import annotations

from math import pi

from biela.expr.expression import Expr
from biela.mechanics.drawing import Bar, Trace
from biela.mechanics.inertia import rod
from biela.mechanics.space import Point
from biela.mechanics.system import System

BARS = (  # name, mass, length, what its angle is measured against, angle
    ("left_inner", 3.0, 0.5, 0.0),
    ("left_outer", 1.0, 2.0615528128088303, 1.8157749899217608),
    ("right_inner", 3.0, 0.5, pi),
    ("right_outer", 2.0, 3.2015621187164243, -0.6747409422235524),
)


def five_bar() -> System:
    """A planar five-bar linkage with two driven arms.

    Source: the five-bar of the observers' toolbox mbde-matlab (github.com/MBDS/mbde-matlab): fixed points
    (0, 0) and (3, 0), start at (0.5, 0), (0, 2) and (2.5, 0) m at rest, masses of 3, 1, 2 and 3 kg from left
    to right; uniform thin bars.
    """
    s = System("five_bar")
    base = s.parameter("d", 3.0, "m", "between the fixed points")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    B = s.point("B", s.origin, r=[base, 0, 0])
    left = _arm(s, s.origin, 0)
    right = _arm(s, B, 2)
    s.close(left, right, name="loop")
    s.gravity([0, -g, 0])
    s.draw(Trace(left))
    return s


def _arm(s: System, start: Point, first: int) -> Point:
    """An inner and an outer bar from a fixed point on; returns the outer end."""
    above, tip = s.ground, start
    for k in (first, first + 1):
        name, mass, length, angle = BARS[k]
        m = s.parameter(f"m{k + 1}", mass, "kg", f"mass of {name}")
        along = s.parameter(f"l{k + 1}", length, "m", f"length of {name}")
        q: Expr = s.coordinate(name, angle, unit="rad")
        bar = s.body(name, mass=m, com=[along / 2, 0, 0], inertia=rod(m, along))
        s.revolute(above, bar, at=tip, axis="z", coordinates=q)
        if k == first:
            s.motor(q, f"torque_{name}")
        end = bar.point([along, 0, 0])
        s.draw(Bar(bar.origin, end))
        above, tip = bar, end
    return tip
