"""A wheelset that runs along a straight track: two wheels on one axle, each touching its rail in a point.

x is along the track, y to the left and z up; the height is over the top of the rails. The axle is turned by
``yaw`` about z, then by ``roll`` about its x, and the wheels by ``spin`` about the axle. Each contact adds
four coordinates without inertia and five equations (`biela.mechanics.contact`): 14 coordinates, 10 equations,
4 degrees of freedom. Springs hold the axle to a frame that runs along with it in the middle of the track, so
that only ``y`` and ``yaw`` stretch them; creep forces steer it, and above a critical speed it hunts.

The inputs are the normal loads of both contacts, on which creep depends; they are the multipliers of the
contacts' equations, of the step before say. The drawing is the axle, both wheels and both rails.
"""

from __future__ import annotations

from biela.mechanics.drawing import Bar, Solid, Trace
from biela.mechanics.system import System
from biela.mechanisms.track import RAIL, SIDES, TAPE, creep, rail, rest, tread

RADIUS, MASS, LOAD, SPEED, GRAVITY = 0.42, 1100.0, 45000.0, 15.0, 9.81


def wheelset(film: str = "dry") -> System:
    """A wheelset with S1002 treads on inclined UIC 60 rails, metric gauge; ``film`` covers the rails.

    Source: the contact of appendix A.5 of Plaza (2015); profiles of EN 13715 and EN 13674, creep of Polach
    (2005). Masses, springs and sizes are chosen to suit a metric locomotive.
    """
    s = System("wheelset")
    touch = rest()
    radius = s.parameter("r", RADIUS, "m", "radius of the tape circles")
    m = s.parameter("m", MASS, "kg", "mass of the wheelset")
    across = s.parameter("I_x", 450.0, "kg m2", "moment of inertia across the axle")
    along = s.parameter("I_y", 90.0, "kg m2", "moment of inertia about the axle")
    load = s.parameter("F", 2.0 * LOAD - MASS * GRAVITY, "N", "load of the vehicle on the axle")
    k_y = s.parameter("k_y", 5e6, "N/m", "lateral stiffness of the suspension")
    k_yaw = s.parameter("k_yaw", 6e6, "N m/rad", "yaw stiffness of the suspension")
    stiffness = s.parameter("C", 5.9e6, "N", "creep stiffness of a contact")
    g = s.parameter("g", GRAVITY, "m/s2", "acceleration of free fall")

    x, y = s.coordinate("x", 0.0, SPEED, "m"), s.coordinate("y", unit="m")
    z = s.coordinate("z", RADIUS + touch.height, unit="m")
    yaw, roll = s.coordinate("yaw", unit="rad"), s.coordinate("roll", unit="rad")
    spin = s.coordinate("spin", 0.0, SPEED / (RADIUS + touch.excess), "rad")
    axle = s.base("axle", euler="zx", angles=[yaw, roll])
    centre, turned = s.point("centre", r=[x, y, z]), s.base("wheels", axle, "y", spin)
    body = s.body("wheelset", m, inertia=[across, along, across], origin=centre, base=turned)

    s.gravity([0, 0, -g])
    s.effort(z, -load, load * z)
    s.torsion_spring(y, k_y)
    s.torsion_spring(yaw, k_yaw)
    for name, side in SIDES.items():
        contact = s.contact(
            tread(body, side, radius, axle),
            rail(s.ground, side),
            name,
            start=[0.0, side * touch.width, 0.0, side * touch.across],
            speeds=[0.0, 0.0, SPEED, 0.0],
        )
        normal = s.input(f"{name}.load", LOAD, "N", "normal load of the contact")
        creep(s, contact, x.dt(), normal, stiffness, film)
        wheel = body.point([0, side * TAPE, 0])
        s.draw(Solid("cylinder", wheel, turned, (RADIUS, 0.1), axis="y"), Trace(contact.point))
        s.draw(Bar(*(s.ground.point([end, side * RAIL, 0]) for end in (-2.0, 4.0)), radius=0.03))
    s.draw(Bar(body.point([0, TAPE, 0]), body.point([0, -TAPE, 0]), radius=0.08))
    return s
