"""The spatial slider-crank: crank and slide in different planes, with a ball and a cross on the rod.

Three bodies: a crank that turns about the ground's x, a slider that moves along it, and a rod between. The
rod hangs on the slider by a cross, whose first axis is along the slide and second square to both, and meets
the crank in a ball. Coordinates are the angle of the crank (zero when it points up along z, positive about
x), the place of the slider and the two turns of the cross; the ball is three equations; one degree of
freedom.
"""

from __future__ import annotations

from math import acos, atan2, sin, sqrt

from biela.mechanics.drawing import Bar, Solid, Trace
from biela.mechanics.system import System

Y, Z, CRANK, ROD, RATE = 0.10, 0.12, 0.08, 0.30, 6.0


def spatial_slider_crank() -> System:
    """A slider-crank mechanism in space.

    Source: "spatial rigid slider-crank mechanism" of the IFToMM benchmark problems for multibody dynamics,
    after E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, 1989, section 12.2:
    sizes, masses, moments of inertia and the start, with the crank up and turning at 6 rad/s. Chosen: mass
    centres of crank and rod half way along them.
    """
    s = System("spatial_slider_crank")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    y = s.parameter("y", Y, "m", "offset of the crank's axis from the slide, along y")
    z = s.parameter("z", Z, "m", "offset of the crank's axis from the slide, along z")
    r = s.parameter("r", CRANK, "m", "length of the crank")
    l = s.parameter("l", ROD, "m", "length of the rod")  # noqa: E741
    turn, slide, roll, tilt = _start()
    angle = s.coordinate("crank.angle", *turn, unit="rad")
    x = s.coordinate("slider.x", *slide, unit="m")
    cross = [s.coordinate("rod.roll", *roll, unit="rad"), s.coordinate("rod.tilt", *tilt, unit="rad")]

    m1 = s.parameter("m1", 0.12, "kg", "mass of the crank")
    across1 = s.parameter("I1", 1e-4, "kg m2", "moment of inertia of the crank across it")
    along1 = s.parameter("J1", 1e-5, "kg m2", "moment of inertia of the crank along it")
    crank = s.body("crank", m1, [0, 0, r / 2], [across1, across1, along1])
    s.revolute(s.ground, crank, at=[0, y, z], axis="x", coordinates=angle)

    m3 = s.parameter("m3", 2.0, "kg", "mass of the slider")
    slider = s.body("slider", m3, inertia=[1e-4, 1e-4, 1e-4])
    s.prismatic(s.ground, slider, axis="x", coordinates=x)

    m2 = s.parameter("m2", 0.5, "kg", "mass of the rod")
    across2 = s.parameter("I2", 4e-3, "kg m2", "moment of inertia of the rod across it")
    along2 = s.parameter("J2", 4e-4, "kg m2", "moment of inertia of the rod along it")
    rod = s.body("rod", m2, [-l / 2, 0, 0], [along2, across2, across2])
    s.universal(slider, rod, axis="x", second="y", coordinates=cross)
    ball = rod.point([-l, 0, 0], "ball")
    s.close(crank.point([0, 0, r]), ball, "ball")
    s.gravity([0, 0, -g])

    s.draw(Bar(crank.origin, ball, radius=0.008), Bar(ball, rod.origin, radius=0.006))
    s.draw(Solid("box", slider.origin, slider.base, (0.06, 0.03, 0.03)), Trace(ball))
    return s


def _start() -> tuple[tuple[float, float], ...]:
    """Places and speeds of crank, slider and cross, with the crank up.

    From the slider the ball is at -l cos(tilt) along x, and at l sin(tilt) in the plane of y and z, turned by
    the roll about x from z.
    """
    height, rate_y = Z + CRANK, -CRANK * RATE
    reach = sqrt(Y * Y + height * height)
    x = sqrt(ROD * ROD - reach * reach)
    tilt, roll = acos(x / ROD), atan2(-Y, height)
    reach_rate = Y * rate_y / reach
    x_rate = -reach * reach_rate / x
    roll_rate = -rate_y * height / reach**2
    return (0.0, RATE), (x, x_rate), (roll, roll_rate), (tilt, -x_rate / (ROD * sin(tilt)))
