"""A chain of equal rods that hangs from one end.

The plane is that of x and y, with y up. Rod k turns by ``angle_k`` relative to the rod before, the first
relative to the horizontal. No constraints, n degrees of freedom: the usual chain by which the growth of
equations with the number of bodies is measured. The drawing is the rods and the path of the free end.
"""

from __future__ import annotations

from biela.mechanics.drawing import Bar, Trace
from biela.mechanics.inertia import rod
from biela.mechanics.system import System


def n_pendulum(n: int = 5) -> System:
    """A chain of n equal thin rods on hinges.

    Source: the standard scalable chain; length and mass of a rod, and the start at rest, stretched out
    horizontally, are chosen.

    Raises ValueError for less than one rod.
    """
    if n < 1:
        raise ValueError(f"A chain has at least one rod; got n={n}.")
    s = System("n_pendulum")
    m = s.parameter("m", 1.0, "kg", "mass of a rod")
    length = s.parameter("l", 1.0, "m", "length of a rod")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")

    above, joint = s.ground, s.origin
    for k in range(1, n + 1):
        link = s.body(f"rod{k}", mass=m, com=[length / 2, 0, 0], inertia=rod(m, length))
        angle = s.coordinate(f"angle{k}", 0.0, unit="rad")
        s.revolute(above, link, at=joint, axis="z", coordinates=angle)
        end = link.point([length, 0, 0])
        s.draw(Bar(link.origin, end))
        above, joint = link, end
    s.gravity([0, -g, 0])
    s.draw(Trace(joint))
    return s
