"""A pendulum: a heavy bob on a massless rod.

One body hangs from the origin by a hinge about z, in the plane of x and y, with y up. The coordinate is its
angle from the vertical, zero when the bob is at rest below; there is no constraint, and one degree of
freedom. The drawing is the rod from the pivot to the bob, and the bob's path.
"""

from __future__ import annotations

from biela.mechanics.drawing import Bar, Solid, Trace
from biela.mechanics.system import System


def pendulum() -> System:
    """A mass on a massless rod.

    Source: "simple pendulum", problem A01 of the IFToMM Library of Computational Benchmark Problems: 1 kg
    at 1 m, from rest at the height of the pivot on the side of -x.
    """
    s = System("pendulum")
    m = s.parameter("m", 1.0, "kg", "mass of the bob")
    length = s.parameter("l", 1.0, "m", "length of the rod")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    angle = s.coordinate("angle", -1.5707963267948966, unit="rad")

    bob = s.body("bob", mass=m, com=[0, -length, 0])
    s.revolute(s.ground, bob, axis="z", coordinates=angle)
    s.gravity([0, -g, 0])

    s.draw(Bar(s.origin, bob.com), Solid("sphere", bob.com, bob.base, (0.05,)), Trace(bob.com))
    return s
