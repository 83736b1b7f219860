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
from biela.mechanisms.bench import bench


def four_bar_natural() -> System:
    """The four-bar test bench with a disc as crank, in natural coordinates.

    Source: Torres-Moreno, Blanco-Claraco, Gimenez-Fernandez, Sanjurjo and Naya, Sensors 16 (2016) 333:
    lengths, masses and coordinates; the angles have equations that are regular in every position, in place
    of the printed cosines. Chosen, as in `four_bar`: the disc, of 0.14 m, with its mass centre on the axis;
    coupler and rocker as thin uniform rods; released at rest with the crank upright.
    """
    s = System("four_bar_natural")
    l1, l2, l3, l4, x3, y3, r, m1, m2, m3, g = bench(s)

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
