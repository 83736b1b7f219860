"""The car axis: an axle on two springs that runs over a bumpy road; one wheel is moved by time.

The plane is that of x and y, with y up. Two point masses, the ends of a rigid axle of length l, move by
their coordinates (xl, yl) and (xr, yr). A spring ties the left one to the origin, another the right one to
the point B, which the road moves: yb = r sin(omega t) at the distance l from the origin. The first equation
keeps the left spring square to the line from the origin to B, the second the length of the axle; two degrees
of freedom. The drawing is the chassis line to B, the axle, both springs and the path of the right mass.
"""

from __future__ import annotations

from biela.expr.expression import sin, sqrt
from biela.mechanics.drawing import Bar, Coil, Solid, Trace
from biela.mechanics.system import System


def car_axis() -> System:
    """A car's axle over a bumpy road: two point masses, two springs, a moved support.

    Source: "car axis problem" of the Test Set for IVP Solvers (Mazzia and Magherini, 2008), after S.
    Schneider: M = 10, L = 1, L0 = 1/2, r = 1/10, omega = 10, g = 1 and eps = 1/100. There the springs have
    unit stiffness and masses eps^2 M / 2; here, equally, stiffness 1 / eps^2 and masses M / 2, so that the
    multipliers of the source are those of here times -eps^2.
    """
    s = System("car_axis")
    m = s.parameter("m", 5.0, "kg", "each of the two masses")
    length = s.parameter("l", 1.0, "m", "length of the axle")
    l0 = s.parameter("l0", 0.5, "m", "length of the springs at rest")
    k = s.parameter("k", 1.0e4, "N/m", "stiffness of the springs")
    r = s.parameter("r", 0.1, "m", "amplitude of the road")
    omega = s.parameter("omega", 10.0, "rad/s", "frequency of the road")
    g = s.parameter("g", 1.0, "m/s2", "acceleration of free fall")
    xl, yl = s.coordinate("xl", 0.0, -0.5, "m"), s.coordinate("yl", 0.5, 0.0, "m")
    xr, yr = s.coordinate("xr", 1.0, -0.5, "m"), s.coordinate("yr", 0.5, 0.0, "m")

    left, right = s.point("left", r=[xl, yl, 0]), s.point("right", r=[xr, yr, 0])
    for name, point in (("left", left), ("right", right)):
        s.body(name, mass=m, origin=point, base=s.ground.base)
    yb = r * sin(omega * s.time)
    xb = sqrt(length * length - yb * yb)
    B = s.point("B", r=[xb, yb, 0])
    s.constrain("square", xl * xb + yl * yb)
    s.distance(right, left, length, name="axle")
    s.spring(s.origin, left, k, l0)
    s.spring(B, right, k, l0)
    s.gravity([0, -g, 0])

    s.draw(Bar(s.origin, B), Bar(left, right), Coil(s.origin, left), Coil(B, right), Trace(right))
    s.draw(*(Solid("sphere", point, s.ground.base, (0.05,)) for point in (left, right)))
    return s
