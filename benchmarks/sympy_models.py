"""The peer's four-bar, seven-joint arm and chain of pendulums, described with sympy.physics.mechanics.

The same bodies, coordinates, parameters and loads as in `biela.mechanisms`, symbols for all of them. Each
description suits SymPy: bars that turn about one axis are oriented from the ground by the sum of their
angles, which spares it long products of cosines, and angular velocities are set, not derived.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import sympy
from sympy.physics import mechanics as me

from biela.mechanisms.arm7 import LINKS
from biela.mechanisms.serial_arm import SINES

T: Any = sympy.Symbol("t")  # time, as SymPy calls it


class Description(NamedTuple):
    """What SymPy is given; ``closure`` are the equations of position."""

    frame: Any
    q: list[Any]
    bodies: list[Any]
    loads: list[Any]
    closure: list[Any]


class Written(NamedTuple):
    """What SymPy has made: M and delta, then Phi, Phi_q and gamma where there is a loop."""

    q: list[Any]
    dq: list[Any]
    matrices: list[Any]

    def with_symbols(self) -> Written:
        """The same with a symbol in place of each coordinate and speed, which are functions of time."""
        q, dq = ([_symbol(f"{letter}_{k}") for k in range(len(self.q))] for letter in ("q", "dq"))
        plain = dict(zip((*self.dq, *self.q), (*dq, *q), strict=True))
        return Written(q, dq, [matrix.xreplace(plain) for matrix in self.matrices])


def kane(description: Description) -> Written:
    """Kane's equations, the speeds being the rates of the coordinates."""
    frame, q, bodies, loads, closure = description
    u = _coordinates("u", len(q))
    method = me.KanesMethod(frame, q, u, [speed - x.diff(T) for x, speed in zip(q, u, strict=True)])
    method.kanes_equations(bodies, loads)
    return Written(q, u, [method.mass_matrix, method.forcing, *_closed(closure, q, u)])


def lagrange(description: Description) -> Written:
    """Lagrange's equations, of an energy that includes the weight."""
    frame, q, bodies, loads, closure = description
    energy = sum((body.kinetic_energy(frame) for body in bodies), sympy.Integer(0))
    method = me.LagrangesMethod(energy, q, forcelist=loads, bodies=bodies, frame=frame)
    method.form_lagranges_equations()
    dq = [x.diff(T) for x in q]
    return Written(q, dq, [method.mass_matrix, method.forcing, *_closed(closure, q, dq)])


METHODS: dict[str, Callable[[Description], Written]] = {"KanesMethod": kane, "LagrangesMethod": lagrange}


def _closed(closure: list[Any], q: list[Any], dq: list[Any]) -> list[Any]:
    if not closure:
        return []
    phi, speeds = sympy.Matrix(closure), sympy.Matrix(dq)
    phi_q = phi.jacobian(q)
    return [phi, phi_q, -(phi_q * speeds).jacobian(q) * speeds]


def four_bar() -> Description:
    """`four_bar_general`: an open chain of three bars, closed by two equations."""
    frame, q = me.ReferenceFrame("N"), _coordinates("theta", 3)
    tip, loads, bodies, total = _origin(frame), [], [], sympy.Integer(0)
    origin, g = tip, _symbol("g")
    for b, angle in enumerate(q, 1):
        total += angle
        bar = _turned(frame, f"B{b}", total, frame.y)
        centre = _moved(frame, tip, f"G{b}", _symbol(f"cg{b}x") * bar.x + _symbol(f"cg{b}z") * bar.z)
        inertia = (me.inertia(bar, 0, _symbol(f"I{b}"), 0), tip)
        bodies.append(me.RigidBody(f"bar{b}", centre, bar, _symbol(f"m{b}"), inertia))
        loads.append((centre, -_symbol(f"m{b}") * g * frame.z))
        if b > 1:
            loads.append((tip, _symbol(f"Fx{b}") * bar.x + _symbol(f"Fz{b}") * bar.z))
            loads.append((bar, _symbol(f"My{b}") * bar.y))
        tip = _moved(frame, tip, "ABC"[b - 1], _symbol(f"l{b}") * bar.x)
    gap = _symbol("l4") * frame.x - tip.pos_from(origin)
    return Description(frame, q, bodies, loads, [gap.dot(frame.x), gap.dot(frame.z)])


def n_pendulum(n: int) -> Description:
    """`n_pendulum`: a chain of equal rods, each turned relative to the one before."""
    frame, q = me.ReferenceFrame("N"), _coordinates("angle", n)
    tip, loads, bodies, total = _origin(frame), [], [], sympy.Integer(0)
    m, length, g = _symbol("m"), _symbol("l"), _symbol("g")
    for k, angle in enumerate(q, 1):
        total += angle
        rod = _turned(frame, f"A{k}", total, frame.z)
        centre = _moved(frame, tip, f"G{k}", length / 2 * rod.x)
        across = m * length**2 / 12
        bodies.append(me.RigidBody(f"rod{k}", centre, rod, m, (me.inertia(rod, 0, across, across), centre)))
        loads.append((centre, -m * g * frame.y))
        tip = _moved(frame, tip, f"P{k}", length * rod.x)
    return Description(frame, q, bodies, loads, [])


def arm7() -> Description:
    """`arm7`: seven links by Craig's table, with a torque in every joint."""
    frame, q = me.ReferenceFrame("N"), _coordinates("joint", 7)
    tip, loads, bodies, last = _origin(frame), [], [], frame
    for n, (link, angle) in enumerate(zip(LINKS, q, strict=True), 1):
        sine = SINES[link.twist]
        a, d = _given(f"a{n}", link.a), _given(f"d{n}", link.d)
        place = a * last.x - sine * d * last.y + (1 - abs(sine)) * d * last.z
        origin = tip if place == 0 else tip.locatenew(f"O{n}", place)
        origin.set_vel(last, 0)
        if origin is not tip:
            origin.v2pt_theory(tip, frame, last)
        twist = last.orientnew(f"T{n}", "Axis", (sine * sympy.pi / 2, last.x)) if sine else last
        body = twist.orientnew(f"A{n}", "Axis", (angle, twist.z))
        centre = origin.locatenew(
            f"G{n}",
            sum(
                (_given(f"{x}{n}", c) * e for x, c, e in zip("xyz", link.com, body, strict=True)),
                me.Vector(0),
            ),
        )
        centre.v2pt_theory(origin, frame, body)
        entries = [
            _given(f"I{n}{ij}", v)
            for ij, v in zip(("xx", "yy", "zz", "xy", "xz", "yz"), link.inertia, strict=True)
        ]
        xx, yy, zz, xy, xz, yz = entries
        tensor = me.inertia(body, xx, yy, zz, xy, yz, xz)
        bodies.append(me.RigidBody(f"link{n}", centre, body, _symbol(f"m{n}"), (tensor, centre)))
        loads.append((centre, -_symbol(f"m{n}") * _symbol("g") * frame.z))
        torque = _symbol(f"joint{n}.torque") * body.z
        loads += [(body, torque)] + ([(last, -torque)] if n > 1 else [])
        tip, last = origin, body
    return Description(frame, q, bodies, loads, [])


def _coordinates(name: str, count: int) -> list[Any]:
    return [me.dynamicsymbols(f"{name}{k}", real=True) for k in range(1, count + 1)]


def _symbol(name: str) -> Any:
    return sympy.Symbol(name, real=True)


def _given(name: str, value: float) -> Any:
    return _symbol(name) if value else sympy.Integer(0)


def _origin(frame: Any) -> Any:
    point = me.Point("O")
    point.set_vel(frame, 0)
    return point


def _turned(frame: Any, name: str, angle: Any, axis: Any) -> Any:
    made = frame.orientnew(name, "Axis", (angle, axis))
    made.set_ang_vel(frame, angle.diff(T) * axis)
    return made


def _moved(frame: Any, point: Any, name: str, r: Any) -> Any:
    """A point fixed to what r is fixed to."""
    made = point.locatenew(name, r)
    (base,) = {base for _, base in r.args}
    made.v2pt_theory(point, frame, base)
    return made
