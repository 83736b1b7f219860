"""The four-bar test bench in natural coordinates: the places of its three moving points, and two angles.

The plane is that of x and y, with y up. P1 is the pin of the disc, which turns about A at the origin; P2
joins the coupler to the rocker, which turns about B on x; P3 is the point of the coupler that carried the
inertial sensor. Their components are coordinates, as are the angles th1 of the crank and th2 of the rocker.
One equation keeps the radius of the disc, three the shape of the coupler, one the length of the rocker, and
each angle has one: eight coordinates, seven equations, one degree of freedom. The drawing is the disc, the
bars and the path of P3.
"""

from __future__ import annotations

from biela.mechanics.drawing import Bar, Solid, Trace
from biela.mechanics.natural import Natural
from biela.mechanics.system import System


def four_bar_natural() -> System:
    """The four-bar test bench with a disc as crank, in natural coordinates.

    Source: Torres-Moreno, Blanco-Claraco, Gimenez-Fernandez, Sanjurjo and Naya, Sensors 16 (2016) 333:
    lengths, masses and coordinates; the angles have equations that are regular in every position, in place
    of the printed cosines. Chosen, as in `four_bar`: the disc, of 0.14 m, with its mass centre on the axis;
    coupler and rocker as thin uniform rods; released at rest with the crank upright.
    """
    s = System("four_bar_natural")
    l1 = s.parameter("l1", 0.120, "m", "from the axis of the disc to its pin")
    l2 = s.parameter("l2", 0.540, "m", "length of the coupler")
    l3 = s.parameter("l3", 0.455, "m", "length of the rocker")
    l4 = s.parameter("l4", 0.800, "m", "between the fixed axes A and B")
    x3 = s.parameter("x3", 0.36491851851851853, "m", "sensor on the coupler, along it")
    y3 = s.parameter("y3", 0.1195427741114019, "m", "sensor on the coupler, across it")
    r = s.parameter("r", 0.14, "m", "radius of the disc")
    m1 = s.parameter("m1", 11.10, "kg", "mass of the disc")
    m2 = s.parameter("m2", 0.40, "kg", "mass of the coupler")
    m3 = s.parameter("m3", 1.23, "kg", "mass of the rocker")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")

    n = Natural(s, plane="xy")
    A, B = n.fixed("A", [0, 0]), n.fixed("B", [l4, 0])
    P1 = n.point("P1", [0.0, 0.12])
    P2 = n.point("P2", [0.4944274976766022, 0.3371208178440142])
    P3 = n.point("P3", [0.28605652793435943, 0.3761789664007158])
    n.body("disc", {A: [0, 0], P1: [l1, 0]}, mass=m1, com=[0, 0], inertia=m1 * r * r / 2)
    shape = {P1: [0, 0], P2: [l2, 0], P3: [x3, y3]}
    n.body("coupler", shape, mass=m2, com=[l2 / 2, 0], inertia=m2 * l2 * l2 / 12)
    n.bar("rocker", B, P2, length=l3, mass=m3)
    th1, _ = n.angle("th1", (A, P1)), n.angle("th2", (B, P2))
    s.gravity([0, -g, 0])
    s.motor(th1, "torque")

    s.draw(
        Solid("cylinder", A, s.bases["disc"], (0.14, 0.02)),
        Bar(A, P1),
        Bar(P1, P2),
        Bar(P1, P3, P2),
        Bar(B, P2),
        Trace(P3),
    )
    return s
