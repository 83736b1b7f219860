"""A thin disc that rolls on a horizontal plane without slip: a coin, or a hoop with a web.

z is up. The point of contact moves over the plane by x and y; from there the disc's plane is turned by
``yaw`` about z and by ``lean`` about its own x, the direction of rolling, and the disc by ``roll`` about
its axis. The disc touches the plane in every state; two equations of velocity say that the place of the
disc that touches does not move. Five coordinates, three degrees of freedom that are not integrable to fewer
coordinates. The drawing is the disc, one of its radii and the path of contact.
"""

from __future__ import annotations

from biela.mechanics.drawing import Bar, Solid, Trace
from biela.mechanics.inertia import disc
from biela.mechanics.system import System


def rolling_disc() -> System:
    """A thin disc that rolls on a plane without slip.

    Source: the classical nonholonomic system (Routh, Dynamics of a System of Rigid Bodies, Advanced Part);
    radius and mass are chosen. It starts on a steady circle, leaning by 0.3 rad at one turn about z in pi s.
    """
    s = System("rolling_disc")
    m = s.parameter("m", 1.0, "kg", "mass of the disc")
    r = s.parameter("r", 0.2, "m", "radius of the disc")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    x, y = s.coordinate("x", 0.0, -1.1100362717772476, "m"), s.coordinate("y", 0.0, unit="m")
    yaw = s.coordinate("yaw", 0.0, 2.0, "rad")
    lean = s.coordinate("lean", 0.3, unit="rad")
    roll = s.coordinate("roll", 0.0, -5.550181358886238, "rad")

    P = s.point("P", s.origin, r=[x, y, 0])
    heading = s.base("heading", s.ground, axis="z", angle=yaw)
    plane = s.base("plane", heading, axis="x", angle=lean)
    base = s.base("disc", plane, axis="y", angle=roll)
    C = s.point("C", P, r=[0, 0, r], base=plane)
    wheel = s.body("disc", mass=m, inertia=disc(m, r, axis="y"), origin=C, base=base)
    slip = s.velocity(P, body=wheel)
    ahead, across = s.vector([1, 0, 0], heading), s.vector([0, 1, 0], heading)
    s.constrain_velocity("no slip", slip.dot(ahead), slip.dot(across))
    s.gravity([0, 0, -g])

    rim = s.point("rim", C, r=[0, 0, -r], base=base)
    s.draw(Solid("cylinder", C, base, (0.2, 0.01), axis="y"), Bar(C, rim), Trace(P))
    return s
