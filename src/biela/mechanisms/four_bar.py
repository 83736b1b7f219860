"""A four-bar linkage on a laboratory bench: a heavy disc as crank, a coupler that carries sensors, a rocker.

The plane is that of x and y, with y up. The disc turns about A, the origin, and its pin drives the coupler;
the rocker turns about B on x. Coordinates are the angle of the crank and that of the rocker, both against
x, and the angle of the coupler relative to the crank; two equations put the end of the coupler on the
end of the rocker; one degree of freedom. The input ``torque`` turns the crank. P3 is the point of the
coupler that carried the inertial sensor. The drawing is the disc, the three bars and the path of P3.
"""

from __future__ import annotations

from math import pi

from biela.mechanics.drawing import Bar, Solid, Trace
from biela.mechanics.inertia import disc, rod
from biela.mechanics.system import System
from biela.mechanisms.bench import bench


def four_bar() -> System:
    """The four-bar test bench with a disc as crank, in relative coordinates.

    Source: Torres-Moreno, Blanco-Claraco, Gimenez-Fernandez, Sanjurjo and Naya, Sensors 16 (2016) 333:
    lengths and masses. Chosen, since it does not print them: the radius of the disc, 0.14 m, with its mass
    centre on the axis; coupler and rocker as thin uniform rods; released at rest with the crank upright.
    """
    s = System("four_bar")
    l1, l2, l3, l4, x3, y3, r, m1, m2, m3, g = bench(s)
    theta1 = s.coordinate("crank", pi / 2, unit="rad")
    theta2 = s.coordinate("coupler", -1.1570137056896086, unit="rad")
    theta3 = s.coordinate("rocker", 2.307146193739474, unit="rad")

    crank = s.body("crank", mass=m1, inertia=disc(m1, r))
    coupler = s.body("coupler", mass=m2, com=[l2 / 2, 0, 0], inertia=rod(m2, l2))
    rocker = s.body("rocker", mass=m3, com=[l3 / 2, 0, 0], inertia=rod(m3, l3))
    s.revolute(s.ground, crank, axis="z", coordinates=theta1)
    s.revolute(crank, coupler, at=[l1, 0, 0], axis="z", coordinates=theta2)
    s.revolute(s.ground, rocker, at=[l4, 0, 0], axis="z", coordinates=theta3)
    end, top = coupler.point([l2, 0, 0]), rocker.point([l3, 0, 0])
    s.close(end, top, name="loop")
    s.gravity([0, -g, 0])
    s.motor(theta1, "torque")

    P3 = s.point("P3", coupler, r=[x3, y3, 0], base=coupler)
    s.draw(Solid("cylinder", crank.origin, crank.base, (0.14, 0.02)), Bar(s.origin, coupler.origin))
    s.draw(Bar(coupler.origin, end), Bar(coupler.origin, P3, end), Bar(rocker.origin, top), Trace(P3))
    return s
