"""A crank and a rod that push a disc, which rolls without slip on an inclined plane.

Described by bases and points, as in the source, in the plane of y and z, with z up; all turns are about x.
The crank turns about the origin by theta1, the rod about its end by theta2 relative to it, the disc about
the end of the rod by the absolute angle psi. The contact point P is located by its own coordinates y and z,
which move no body. Three equations of position: P lies on the plane, P lies on the rim, and the radius to P
is square to the plane. One of velocity: the place of the disc that is at P does not slip. Five coordinates,
one degree of freedom. A moment and a viscous damper act on the crank. The drawing is crank, rod and disc,
the trace of the plane, and the path of a point on the rim.
"""

from __future__ import annotations

from biela.expr.expression import Expr
from biela.mechanics.drawing import Bar, Solid, Trace
from biela.mechanics.space import Point
from biela.mechanics.system import System


def crank_rod_disc() -> System:
    """A crank, a rod and a disc that rolls on an incline, with coordinates of the contact point.

    Source: mechanism A.3 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015. The source gives no
    numbers; all are chosen.
    """
    s = System("crank_rod_disc")
    l1 = s.parameter("l1", 0.20, "m", "length of the crank")
    l2 = s.parameter("l2", 0.60, "m", "length of the rod")
    r = s.parameter("r", 0.15, "m", "radius of the disc")
    alpha = s.parameter("alpha", 0.2, "rad", "slope of the plane")
    h = s.parameter("h", 0.25, "m", "distance of the plane below the axis of the crank")
    m1 = s.parameter("m1", 1.0, "kg", "mass of the crank, whose centre is half way along it")
    m2 = s.parameter("m2", 2.0, "kg", "mass of the rod, whose centre is half way along it")
    m3 = s.parameter("m3", 3.0, "kg", "mass of the disc, whose centre is on its axis")
    I1 = s.parameter("I1", 0.04 / 3.0, "kg m2", "moment of inertia of the crank about its axis")
    I2 = s.parameter("I2", 0.24, "kg m2", "moment of inertia of the rod about its joint with the crank")
    I3 = s.parameter("I3", 0.03375, "kg m2", "moment of inertia of the disc about its axis")
    c_vis = s.parameter("c_vis", 0.1, "N m s/rad", "damping between crank and ground")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    theta1 = s.coordinate("theta1", 1.0, unit="rad")
    theta2 = s.coordinate("theta2", -1.2178379565742217, unit="rad")
    psi = s.coordinate("psi", 0.0, unit="rad")
    y, z = (
        s.coordinate(name, value, unit="m", inertia=False)
        for name, value in (("y", 0.723681054794555), ("z", -0.10838729892094034))
    )

    B1, B2 = s.base("crank", s.ground, "x", theta1), s.base("rod", "crank", "x", theta2)
    B3 = s.base("disc", s.ground, "x", psi)
    A = s.point("A", s.origin, r=[0, l1, 0], base=B1)
    C = s.point("C", A, r=[0, l2, 0], base=B2)
    s.body("crank", m1, [0, l1 / 2, 0], [I1, 0, 0], about="origin", origin=s.origin, base=B1)
    s.body("rod", m2, [0, l2 / 2, 0], [I2, 0, 0], about="origin", origin=A, base=B2)
    s.body("disc", m3, inertia=[I3, 0, 0], origin=C, base=B3)
    s.gravity([0, 0, -g])
    s.effort(theta1, s.input("M1", unit="N m", note="moment on the crank"))
    s.effort(theta1, -c_vis * theta1.dt())
    with s.using("down"):  # the plane is at home in the ground, and so is the contact
        _roll(s, s.point("P", s.origin, r=[0, y, z]), C, r, h, alpha)

    rim = s.point("rim", C, r=[0, 0, -r], base=B3)
    s.draw(Bar(s.origin, A), Bar(A, C), Solid("cylinder", C, B3, (0.15, 0.03), axis="x"), Trace(rim))
    return s


def _roll(s: System, P: Point, C: Point, r: Expr, h: Expr, alpha: Expr) -> None:
    """The contact at P of the disc about C with the plane, and its trace in the drawing."""
    plane = s.base("plane", s.ground, "x", alpha)
    along, normal = s.vector([0, 1, 0], plane), s.vector([0, 0, 1], plane)
    radius = s.position(P, relative_to=C)
    s.constrain("on the plane", s.position(P).dot(normal) + h)
    s.constrain("on the rim", radius.dot(radius) - r * r)
    s.constrain("square to the plane", radius.dot(along))
    s.constrain_velocity("no slip", s.velocity(P, body="disc").dot(along))
    ends = [s.point(name, s.origin, r=[0, x, -h], base=plane) for name, x in (("low", -0.5), ("high", 1.2))]
    s.draw(Bar(*ends, radius=0.005))
