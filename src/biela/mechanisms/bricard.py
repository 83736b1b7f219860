"""Bricard's linkage: six hinges in a ring, each square to the next, on six edges of a cube.

Five rods of one length; the ground is the sixth link. The coordinates are the turns of the first five hinges,
each relative to the link before, zero where all links lie along edges of a cube. The sixth hinge closes the
ring with five equations, of which only four are independent wherever they hold: counting coordinates and
equations gives no degree of freedom, and there is one. One equation is redundant after assembly, so the
reactions of the hinges are not unique while the motion is.
"""

from __future__ import annotations

from biela.mechanics.drawing import Bar, Trace
from biela.mechanics.inertia import box
from biela.mechanics.system import System

HINGES = "yzxyzx"
DIRECTIONS = ((1, 0, 0), (0, -1, 0), (0, 0, 1), (-1, 0, 0), (0, 1, 0))  # of the rods, at the start


def bricard() -> System:
    """Bricard's six-hinge linkage on the edges of a cube, overconstrained by one.

    Source: problem A04 of the IFToMM Library of Computational Benchmark Problems (Gonzalez, Dopico, Pastorino
    and Cuadrado, 2011): five rods of 1 m and 1 kg with a square section of 0.1 m, from rest on the cube, with
    weight along -y. The linkage is that of R. Bricard, 1897.
    """
    s = System("bricard")
    l = s.parameter("l", 1.0, "m", "length of the rods")  # noqa: E741
    m = s.parameter("m", 1.0, "kg", "mass of a rod")
    side = s.parameter("side", 0.1, "m", "side of the square section of the rods")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")

    tips, last, place = [s.origin], s.ground, (0, 0, 0)
    for k, (axis, direction) in enumerate(zip(HINGES, DIRECTIONS, strict=False), 1):
        reach = [l * component for component in direction]
        edges = [l if component else side for component in direction]
        rod = s.body(f"rod{k}", m, [r / 2 for r in reach], box(m, *edges))
        s.revolute(last, rod, at=place, axis=axis, coordinates=f"angle{k}")
        last, place = rod, reach
        tips.append(rod.point(reach, f"P{k}"))
    s.revolute(s.ground, last, at=[0, 0, l], to=tips[-1], axis=HINGES[-1], name="last hinge")
    s.gravity([0, -g, 0])

    for k, color in enumerate(("steelblue", "seagreen", "goldenrod", "indianred", "slateblue")):
        s.draw(Bar(tips[k], tips[k + 1], radius=0.04, color=color))
    s.draw(Trace(tips[3]))
    return s
