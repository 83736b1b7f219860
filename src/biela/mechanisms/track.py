"""Wheels and rails: profiles as cubic splines, and where they touch when a wheelset stands in the middle.

Both profiles are tables of points, in metres, for the left side; the right side is their mirror image. The
tread is that of S1002 (EN 13715): its polynomials from the flange root to the field side, every few
millimetres. The rail head is that of UIC 60 (EN 13674): arcs of 300, 80 and 13 mm, tangent to each other. The
track is metric, as that of FEVE.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

from biela.expr.expression import Expr, spline, sqrt
from biela.expr.spline import Curve, interpolate
from biela.mechanics.body import Body
from biela.mechanics.contact import Contact
from biela.mechanics.creep import polach
from biela.mechanics.space import Base
from biela.mechanics.surface import Surface
from biela.mechanics.system import System

# Outwards from the tape circle; how much the radius exceeds that of the tape circle.
TREAD = (
    (-0.038, 0.010856), (-0.036, 0.007892), (-0.034, 0.006038), (-0.032, 0.004793), (-0.030, 0.003922),
    (-0.027, 0.002994), (-0.024, 0.002297), (-0.020, 0.001597), (-0.016, 0.001076), (-0.012, 0.000682),
    (-0.008, 0.000384), (-0.004, 0.000161), (0.000, 0.000000), (0.004, -0.000111), (0.008, -0.000183),
    (0.012, -0.000229), (0.016, -0.000265), (0.020, -0.000312), (0.024, -0.000396), (0.028, -0.000543),
    (0.032, -0.000769), (0.036, -0.001036), (0.042, -0.001436), (0.050, -0.001969), (0.060, -0.002636),
)  # fmt: skip
# Across from the middle of an upright rail, one half; the height over the top.
HEAD = (
    (0.0000, 0.000000), (0.0030, -0.000015), (0.0060, -0.000060), (0.0090, -0.000135), (0.0120, -0.000253),
    (0.0150, -0.000477), (0.0180, -0.000815), (0.0210, -0.001268), (0.0240, -0.001839), (0.0260, -0.002285),
    (0.0280, -0.002934), (0.0300, -0.003979), (0.0320, -0.005552), (0.0335, -0.007267),
)  # fmt: skip
INCLINATION = 1 / 20  # of the rails towards each other, as in Spain; on 1 / 40, S1002 has no steady contact
TAPE = 0.5325  # m, from the middle of the axle to a tape circle: wheels 925 mm apart, circles 70 mm further
RAIL = 0.5360  # m, from the middle of the track to the middle of a rail head: 1000 mm between the heads
MILLIMETRE = 1e-3
WALK = 0.1  # m/s; creepage, which has no meaning at rest, is taken over no less
SIDES = {"left": 1, "right": -1}


@dataclass(frozen=True, slots=True)
class Rest:
    """Where a wheel touches when its axle is level over the middle of the track.

    ``excess`` is the radius there, ``height`` the height of the axle over the top of the rails, both less the
    radius of the tape circle; ``width`` and ``across`` are the places on tread and head of the left side.
    """

    excess: float
    height: float
    width: float
    across: float


def tread(body: Body, side: int, radius: Expr, base: Base) -> Surface:
    """The running surface of a wheel; ``base`` moves with the axle but need not turn with it."""
    knots, values = _mirrored(_points(TREAD), side)

    def profile(width: Expr) -> Expr:
        return radius + spline(width, knots, values)

    return Surface.revolution(body, profile, at=[0.0, side * TAPE, 0.0], base=base)


def rail(body: Body, side: int) -> Surface:
    """The head of a rail along x of the track, inclined."""
    knots, values = _mirrored(_inclined_head(), side)

    def profile(across: Expr) -> Expr:
        return spline(across, knots, values)

    return Surface.extrusion(body, profile, at=[0.0, side * RAIL, 0.0])


def rest() -> Rest:
    """The contact of a wheelset in the middle of the track: Newton's method, from the nearest of some places.

    The wheel touches where excess and height of the rail are greatest together.
    """
    excess, head = interpolate(*_points(TREAD)), interpolate(*_inclined_head())
    places = [k * MILLIMETRE for k in range(-25, 26)]
    width = max(places, key=lambda w: excess(w) + head(TAPE + w - RAIL))
    for _ in range(50):
        across = TAPE + width - RAIL
        step = (_slope(excess, width) + _slope(head, across)) / (
            _slope(excess, width, 2) + _slope(head, across, 2)
        )
        width -= step
        if abs(step) < 1e-16:
            break
    across = TAPE + width - RAIL
    return Rest(excess(width), excess(width) + head(across), width, across)


def creep(s: System, contact: Contact, forward: Expr, load: Expr, stiffness: Expr, film: str) -> None:
    """Creep forces on a wheel, by its forward speed, normal load and creep stiffness.

    The stiffness is G a b c11 pi / 4 of the contact ellipse, of half axes a and b (Polach, 2005): 5.9 MN for
    steel, a wheel of 0.42 m on a head of 0.3 m, and 45 kN.
    """
    speed = sqrt(forward * forward + WALK * WALK)
    s.rub(contact, lambda along, across: polach((along, across), speed, load, stiffness, film))


def _slope(curve: Curve, x: float, order: int = 1) -> float:
    for _ in range(order):
        slope = curve.derivative()
        assert slope is not None, "a cubic has three derivatives"
        curve = slope
    return curve(x)


def _points(table: tuple[tuple[float, float], ...]) -> tuple[list[float], list[float]]:
    return [x for x, _ in table], [y for _, y in table]


def _inclined_head() -> tuple[list[float], list[float]]:
    """Both halves of the head, turned towards the middle of the track about the middle of its top."""
    whole = [(-x, y) for x, y in reversed(HEAD[1:])] + list(HEAD)
    c, s = cos(INCLINATION), sin(INCLINATION)
    return [c * x - s * y for x, y in whole], [s * x + c * y for x, y in whole]


def _mirrored(points: tuple[list[float], list[float]], side: int) -> tuple[list[float], list[float]]:
    x, y = points
    return (x, y) if side > 0 else ([-k for k in reversed(x)], y[::-1])
