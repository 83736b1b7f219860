"""A motion platform of two degrees of freedom, pitch and roll, on two cranks: the type 2-RSSU.

Five bodies: the moving base, on a cross at the origin, with its ground axis along x (pitch) and its own
along y (roll); two cranks that turn about axes along x; and two rods between them, with a ball at both
ends. The turn of a rod about itself moves nothing, so a rod has two turns, about the ground's x and its own
y, and stands on the end of its crank. Eight coordinates; six equations put the upper ends of the rods on
the moving base; two degrees of freedom. The torques of the two motors are the inputs. All coordinates are
zero at rest, with the cranks level and the rods upright; x is lateral, y along the vehicle and z up.
"""

from __future__ import annotations

from biela.expr.expression import Expr
from biela.mechanics.body import Body
from biela.mechanics.drawing import Bar, Solid
from biela.mechanics.inertia import rod
from biela.mechanics.system import System


def two_rssu(a: float = 0.3016, l: float = 0.2519, b: float = 0.15, p: float = 0.60) -> System:  # noqa: E741
    """The pitch and roll platform on two cranks and two rods; the lengths are those of its parameters, in m.

    Source: the type, axes and ranges are those of S. Casas et al., Revista Iberoamericana de Automatica e
    Informatica Industrial 14 (2017), which prints no lengths. Chosen: the lengths, so that the published
    ranges of 30.27 degrees of pitch and 26.38 of roll are met, and all masses and inertias, of a rig with
    one seat.
    """
    s = System("two_rssu")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    shape = {
        "a": s.parameter("a", a, "m", "half the distance between the two chains, along x"),
        "l": s.parameter("l", l, "m", "distance of the upper balls from the pitch axis, at rest along -y"),
        "b": s.parameter("b", b, "m", "length of the cranks"),
        "p": s.parameter("p", p, "m", "length of the rods"),
        "m_c": s.parameter("m_c", 1.2, "kg", "mass of a crank"),
        "m_r": s.parameter("m_r", 0.8, "kg", "mass of a rod"),
    }
    base = _moving_base(s)
    for k, side in ((1, 1), (2, -1)):
        _chain(s, k, side, base, shape)
    s.gravity([0, 0, -g])
    return s


def _moving_base(s: System) -> Body:
    mass = s.parameter("m", 110.0, "kg", "mass of the moving base, the seat and its driver")
    height = s.parameter("h", 0.25, "m", "height of its mass centre above the cross")
    moments = [
        s.parameter(
            f"I{axis}{axis}", value, "kg m2", f"its moment of inertia about {axis}, at its mass centre"
        )
        for axis, value in zip("xyz", (14.0, 11.0, 9.0), strict=True)
    ]
    base = s.body("base", mass, [0, 0, height], moments)
    turns = s.coordinates("pitch roll", unit="rad")
    s.universal(s.ground, base, axis="x", second="y", coordinates=turns)
    s.draw(Solid("box", base.com, base.base, (0.7, 0.9, 0.08)), Bar(s.origin, base.com, radius=0.03))
    return base


def _chain(s: System, k: int, side: int, base: Body, shape: dict[str, Expr]) -> None:
    """Motor, crank and rod on one side; level and upright at rest."""
    a, l, b, p = (shape[name] for name in ("a", "l", "b", "p"))  # noqa: E741
    crank = s.body(f"crank{k}", shape["m_c"], [0, b / 2, 0], rod(shape["m_c"], b, axis="y"))
    angle = s.coordinate(f"crank{k}.angle", unit="rad")
    s.revolute(s.ground, crank, at=[side * a, -(l + b), -p], axis="x", coordinates=angle)
    s.motor(angle, f"crank{k}.torque")

    turns = s.coordinates(f"rod{k}.angle1 rod{k}.angle2", unit="rad")
    lower = crank.point([0, b, 0], f"C{k}")
    upright = s.base(f"rod{k}", s.base(f"rod{k}.cross", axis="x", angle=turns[0]), "y", turns[1])
    middle = s.point(f"rod{k}.middle", lower, [0, 0, p / 2], upright)
    s.body(f"rod{k}", shape["m_r"], inertia=rod(shape["m_r"], p, axis="z"), origin=middle, base=upright)
    upper = s.point(f"rod{k}.top", middle, [0, 0, p / 2], upright)
    held = base.point([side * a, -l, 0], f"P{k}")
    s.close(upper, held, f"ball{k}")
    s.draw(
        Bar(crank.origin, lower, radius=0.02),
        Bar(lower, upper, radius=0.015),
        Bar(s.origin, held, radius=0.02),
    )
