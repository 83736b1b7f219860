"""The planar four-bar in relative angles, with general mass centres, applied forces and moments.

Described by bases and points, as in the source: each of three bars turns about +y by its angle relative to
the bar before; they run along their own x, from the origin O over A and B to C, which coincides with the
ground point O2 at l4 on x. z is up. Mass centres lie anywhere in the plane of a bar; moments of inertia are
about the point where a bar begins. A force (components in the bar) at its first point and a moment act
on the second and third bar. Three coordinates, two equations of position, one degree of freedom. The
drawing is the three bars and the path of B.
"""

from __future__ import annotations

from biela.expr.expression import Expr
from biela.mechanics.drawing import Bar, Trace
from biela.mechanics.space import Point
from biela.mechanics.system import System

BARS = (  # length, mass, mass centre along x and z, moment of inertia about the first point, angle
    (0.12, 1.0, 0.05, 0.01, 0.006, -1.5707963267948966),
    (0.54, 0.4, 0.28, 0.02, 0.042, 1.157013705689609),
    (0.455, 1.2, 0.22, -0.015, 0.084, 1.248229080955607),
)


def four_bar_general() -> System:
    """A four-bar linkage with general mass centres, forces and moments.

    Source: mechanism A.2 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015, without its spring,
    as its tables compare it; after chapter 5 of Samin and Fisette (2003). The source gives no numbers: the
    lengths are those of `four_bar`, the others are chosen.
    """
    s = System("four_bar_general")
    angles = [s.coordinate(f"theta{b}", bar[-1], unit="rad") for b, bar in enumerate(BARS, 1)]
    tip = s.origin
    for b, angle in enumerate(angles, 1):
        tip = _bar(s, b, angle, tip)
    l4 = s.parameter("l4", 0.8, "m", "length of the ground bar")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    s.close(tip, s.point("O2", s.origin, r=[l4, 0, 0]), name="loop")
    s.gravity([0, 0, -g])
    s.draw(Trace(s.points["B"]))
    return s


def _bar(s: System, b: int, angle: Expr, start: Point) -> Point:
    """A bar from a point on, with its parameters and loads; returns its far end."""
    length, mass, x, z, moment, _ = BARS[b - 1]
    base = s.base(f"B{b}", f"B{b - 1}" if b > 1 else "ground", axis="y", angle=angle)
    along = s.parameter(f"l{b}", length, "m", f"length of bar {b}")
    m = s.parameter(f"m{b}", mass, "kg", f"mass of bar {b}")
    cgx = s.parameter(f"cg{b}x", x, "m", f"mass centre of bar {b} along it")
    cgz = s.parameter(f"cg{b}z", z, "m", f"mass centre of bar {b} across it")
    inertia = s.parameter(f"I{b}", moment, "kg m2", f"moment of inertia of bar {b} about its first point")
    bar = s.body(f"bar{b}", m, [cgx, 0, cgz], [0, inertia, 0], about="origin", origin=start, base=base)
    if b > 1:
        fx = s.input(f"Fx{b}", unit="N", note=f"force on bar {b} along it")
        fz = s.input(f"Fz{b}", unit="N", note=f"force on bar {b} across it")
        my = s.input(f"My{b}", unit="N m", note=f"moment on bar {b}")
        s.force(bar, [fx, 0, fz], base=base)
        s.moment(bar, [0, my, 0])
    end = s.point("ABC"[b - 1], start, r=[along, 0, 0], base=base)
    s.draw(Bar(start, end))
    return end
