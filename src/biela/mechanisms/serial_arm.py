"""Serial arms from a table of links: what the arms of this room have in common.

Frames follow the modified convention of Denavit and Hartenberg (J. J. Craig, Introduction to Robotics, 1986):
from one link to the next, turn by the twist alpha about x, go a along x and d along the new z, and turn by
the joint about z. The frame of a link is at its own joint, with z along the joint's axis.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from biela.expr.expression import Expr
from biela.mechanics.body import Body
from biela.mechanics.drawing import Bar, Solid
from biela.mechanics.quantity import deg
from biela.mechanics.system import System

SINES = {0: 0, 90: 1, -90: -1}


@dataclass(frozen=True, slots=True)
class Link:
    """A row of the table; ``twist`` in degrees is 0, 90 or -90.

    The inertia is (xx, yy, zz, xy, xz, yz) at the mass centre; the arm starts from the angles ``start``.
    """

    twist: int
    a: float
    d: float
    mass: float
    com: tuple[float, float, float]
    inertia: tuple[float, ...]
    start: float


def hang(s: System, links: Iterable[Link], tool: float) -> None:
    """Hang an arm on the ground of a system, with a motor in every joint and a tool point along the last z.

    Parameters that are zero in the table are left out of the equations.
    """
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    places = [s.origin]
    last = s.ground
    for n, link in enumerate(links, 1):
        last = _link(s, n, link, last)
        places.append(last.origin)
    reach = s.parameter("tool", tool, "m", "distance of the tool point from the last joint's frame, along z")
    tip = last.point([0, 0, reach], "tool")
    s.gravity([0, 0, -g])
    s.draw(Bar(*places, tip, radius=0.04), Solid("sphere", tip, last.base, (0.03,)))


def _link(s: System, n: int, link: Link, last: Body) -> Body:
    angle = s.coordinate(f"joint{n}", link.start, unit="rad")
    a = _given(s, f"a{n}", link.a, "m", f"offset of joint {n} along x")
    d = _given(s, f"d{n}", link.d, "m", f"offset of joint {n} along z")
    mass = s.parameter(f"m{n}", link.mass, "kg", f"mass of link {n}")
    com = [
        _given(s, f"{axis}{n}", value, "m", f"mass centre of link {n}, along {axis}")
        for axis, value in zip("xyz", link.com, strict=True)
    ]
    inertia = [
        _given(
            s, f"I{n}{place}", value, "kg m2", f"entry {place} of the inertia of link {n} at its mass centre"
        )
        for place, value in zip(("xx", "yy", "zz", "xy", "xz", "yz"), link.inertia, strict=True)
    ]
    body = s.body(f"link{n}", mass, com, inertia)
    sine = SINES[link.twist]
    frame = s.base(f"twist{n}", last, "x", deg(link.twist)) if sine else None
    s.revolute(last, body, at=[a, -sine * d, (1 - abs(sine)) * d], axis="z", frame=frame, coordinates=angle)
    s.motor(angle, f"joint{n}.torque")
    s.draw(Solid("cylinder", body.origin, body.base, (0.06, 0.14)))
    return body


def _given(s: System, name: str, value: float, unit: str, note: str) -> Expr | float:
    return s.parameter(name, value, unit, note) if value else 0.0
