"""The double pendulum: a mass on a massless rod that hangs from another.

The plane is that of x and y, with y up. The first body turns about the origin by ``angle1`` from the
vertical, the second about the first mass by ``angle2`` relative to the first body. No constraints, two
degrees of freedom; far from rest the motion is chaotic. The drawing is both rods, both masses, and the path
of the outer one.
"""

from __future__ import annotations

from math import pi

from biela.mechanics.drawing import Bar, Solid, Trace
from biela.mechanics.system import System


def double_pendulum() -> System:
    """Two masses on massless rods, one below the other.

    Source: the textbook's example of a chaotic mechanical system; lengths and masses of one, and the start
    at rest with both rods horizontal, are chosen.
    """
    s = System("double_pendulum")
    m1 = s.parameter("m1", 1.0, "kg", "mass of the inner bob")
    m2 = s.parameter("m2", 1.0, "kg", "mass of the outer bob")
    l1 = s.parameter("l1", 1.0, "m", "length of the inner rod")
    l2 = s.parameter("l2", 1.0, "m", "length of the outer rod")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    angle1 = s.coordinate("angle1", pi / 2, unit="rad")
    angle2 = s.coordinate("angle2", 0.0, unit="rad")

    inner = s.body("inner", mass=m1, com=[0, -l1, 0])
    outer = s.body("outer", mass=m2, com=[0, -l2, 0])
    s.revolute(s.ground, inner, axis="z", coordinates=angle1)
    s.revolute(inner, outer, at=inner.com, axis="z", coordinates=angle2)
    s.gravity([0, -g, 0])

    s.draw(Bar(s.origin, inner.com), Bar(inner.com, outer.com))
    s.draw(Solid("sphere", inner.com, inner.base, (0.05,)), Solid("sphere", outer.com, outer.base, (0.05,)))
    s.draw(Trace(outer.com))
    return s
