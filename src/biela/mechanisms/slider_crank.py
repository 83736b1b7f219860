"""The planar slider-crank: crank, connecting rod and piston, as in an engine.

The plane is that of x and y, with y up. The crank turns about the origin, the rod about the crank pin by an
angle relative to the crank, and the piston slides along x. Two equations put the end of the rod on the
piston's pin; one degree of freedom. Inputs are the ``torque`` on the crank and the ``force`` of the gas on
the piston along x. The drawing is crank, rod and piston, and the path of the rod's mass centre.
"""

from __future__ import annotations

from biela.mechanics.drawing import Bar, Solid, Trace
from biela.mechanics.inertia import rod
from biela.mechanics.system import System


def slider_crank() -> System:
    """A planar slider-crank with torque and gas force.

    Source: the textbook's mechanism; all sizes and masses, of a small engine with uniform rods, are chosen,
    as is the start, with the crank upright and turning at 10 rad/s.
    """
    s = System("slider_crank")
    r = s.parameter("r", 0.05, "m", "length of the crank")
    length = s.parameter("l", 0.20, "m", "length of the connecting rod")
    m_c = s.parameter("m_c", 2.0, "kg", "mass of the crank")
    m_r = s.parameter("m_r", 0.6, "kg", "mass of the connecting rod")
    m_p = s.parameter("m_p", 0.5, "kg", "mass of the piston")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    theta = s.coordinate("crank", 1.5707963267948966, 10.0, "rad")
    phi = s.coordinate("rod", -1.8234765819369751, -10.0, "rad")
    x = s.coordinate("piston", 0.19364916731037085, -0.5, "m")

    crank = s.body("crank", mass=m_c, com=[r / 2, 0, 0], inertia=rod(m_c, r))
    link = s.body("rod", mass=m_r, com=[length / 2, 0, 0], inertia=rod(m_r, length))
    piston = s.body("piston", mass=m_p)
    s.revolute(s.ground, crank, axis="z", coordinates=theta)
    s.revolute(crank, link, at=[r, 0, 0], axis="z", coordinates=phi)
    s.prismatic(s.ground, piston, axis="x", coordinates=x)
    end = link.point([length, 0, 0])
    s.close(end, piston.origin, name="pin")
    s.gravity([0, -g, 0])
    s.motor(theta, "torque")
    s.motor(x, "force", unit="N")

    s.draw(Bar(s.origin, link.origin), Bar(link.origin, end), Trace(link.com))
    s.draw(Solid("cylinder", piston.origin, piston.base, (0.03, 0.04), axis="x"))
    return s
