"""The locomotive FEVE 3800 on a straight track: 21 bodies, 8 wheels that touch their rails.

x is along the track, y to the left and z up; the height is over the top of the rails. Bodies bear the names
of the source, with `rear` (driven) or `front` before them. Every base is turned from the one below by yaw
about z, then roll about x, then pitch about y. The source's figures, where the coordinates of each body were,
are lost; this division gives its 44:

* the car WAG moves freely over the ground: 6;
* either slider SLD turns about the vertical pin below the car: 1;
* either chassis BOG moves freely with respect to its slider: 6, which stretch the secondary suspension;
* each wheelset WHS rises, rolls and spins with respect to its chassis: 3. Guides keep it square to the
  chassis. The axle boxes AXB rise and roll with it but do not spin: 0;
* both motors MOT of the driven bogie move freely with respect to the chassis, on silent-blocks: 6;
* the rotors ROT turn in the motors by the spin of the wheelset times the gear ratio: 0.

That is 6 + 2 (1 + 6 + 2 3) + 2 6 = 44. The contact of each wheel adds 4 coordinates without inertia and 5
equations: 76 coordinates, 40 equations, 36 degrees of freedom.

Springs and dampers act on deflections between neighbours of the tree, so their work is exact and no force
passes through the rest of the train. All are preloaded by the weights they carry: the train stands or
rolls in equilibrium at the start. Inputs are the torques of the motors and the normal loads of the
contacts, on which creep depends. The drawing is the car, the chassis, the wheels and the rails.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from biela.expr.expression import Expr, cos, sin
from biela.mechanics.body import Body
from biela.mechanics.drawing import Bar, Solid
from biela.mechanics.space import Base, Point
from biela.mechanics.system import System
from biela.mechanisms.track import RAIL, SIDES, TAPE, creep, rail, rest, tread

SPEED = 10.0  # m/s at the start
RADIUS = 0.42  # m, of the wheels
ENDS = {"F": 1, "R": -1}

PARAMETERS = (
    ("g", 9.81, "m/s2", "acceleration of free fall"),
    ("m_WAG", 26000.0, "kg", "mass of the car"),
    ("Ix_WAG", 35000.0, "kg m2", "moment of inertia of the car about x"),
    ("Iy_WAG", 620000.0, "kg m2", "moment of inertia of the car about y"),
    ("Iz_WAG", 615000.0, "kg m2", "moment of inertia of the car about z"),
    ("Ixz_WAG", 4000.0, "kg m2", "product of inertia of the car"),
    ("h_WAG", 0.35, "m", "height of the mass centre of the car over its origin"),
    ("m_SLD", 380.0, "kg", "mass of a slider"),
    ("Ix_SLD", 190.0, "kg m2", "moment of inertia of a slider about x"),
    ("Iy_SLD", 20.0, "kg m2", "moment of inertia of a slider about y"),
    ("Iz_SLD", 200.0, "kg m2", "moment of inertia of a slider about z"),
    ("m_BOG", 2300.0, "kg", "mass of a chassis"),
    ("Ix_BOG", 950.0, "kg m2", "moment of inertia of a chassis about x"),
    ("Iy_BOG", 1500.0, "kg m2", "moment of inertia of a chassis about y"),
    ("Iz_BOG", 2300.0, "kg m2", "moment of inertia of a chassis about z"),
    ("h_BOG", 0.05, "m", "height of the mass centre of a chassis over its origin"),
    ("m_WHS", 1100.0, "kg", "mass of a wheelset"),
    ("Ix_WHS", 450.0, "kg m2", "moment of inertia of a wheelset across its axis"),
    ("Iy_WHS", 90.0, "kg m2", "moment of inertia of a wheelset about its axis"),
    ("m_AXB", 75.0, "kg", "mass of an axle box"),
    ("Ix_AXB", 1.5, "kg m2", "moment of inertia of an axle box about x"),
    ("Iy_AXB", 2.0, "kg m2", "moment of inertia of an axle box about y"),
    ("Iz_AXB", 2.0, "kg m2", "moment of inertia of an axle box about z"),
    ("m_MOT", 620.0, "kg", "mass of a motor without its rotor"),
    ("Ix_MOT", 45.0, "kg m2", "moment of inertia of a motor about x"),
    ("Iy_MOT", 30.0, "kg m2", "moment of inertia of a motor about y"),
    ("Iz_MOT", 45.0, "kg m2", "moment of inertia of a motor about z"),
    ("m_ROT", 190.0, "kg", "mass of a rotor"),
    ("Ix_ROT", 7.0, "kg m2", "moment of inertia of a rotor across its axis"),
    ("Iy_ROT", 3.0, "kg m2", "moment of inertia of a rotor about its axis"),
    ("gear", -5.2, "1", "turns of a rotor a turn of the wheelset"),
    ("r", RADIUS, "m", "radius of the tape circles"),
    ("a_pin", 5.2, "m", "from the middle of the car to a pin"),
    ("h_pin", 0.6, "m", "from the origin of the car down to a pin"),
    ("h_2", 0.35, "m", "from a pin down to the origin of the chassis"),
    ("b_2", 0.95, "m", "from the middle to a secondary suspension group"),
    ("a_1", 1.1, "m", "from the origin of a chassis to an axle"),
    ("h_1", 0.15, "m", "from the origin of a chassis down to an axle"),
    ("b_1", 0.78, "m", "from the middle to an axle box"),
    ("a_MOT", 0.55, "m", "from the origin of a chassis to a motor"),
    ("k_1", 6.5e5, "N/m", "stiffness of a primary group"),
    ("c_1", 8.0e3, "N s/m", "damping of a primary group"),
    ("kx_2", 2.0e6, "N/m", "stiffness of a secondary group along x of the slider"),
    ("ky_2", 3.5e5, "N/m", "stiffness of a secondary group along y of the slider"),
    ("kz_2", 6.0e5, "N/m", "stiffness of a secondary group along z of the slider"),
    ("cx_2", 2.0e4, "N s/m", "damping of a secondary group along x of the slider"),
    ("cy_2", 1.5e4, "N s/m", "damping of a secondary group along y of the slider"),
    ("cz_2", 2.0e4, "N s/m", "damping of a secondary group along z of the slider"),
    ("c_pin", 4.0e3, "N m s/rad", "damping of a pin"),
    ("k_MOT", 9.0e6, "N/m", "stiffness of a silent-block in any direction"),
    ("c_MOT", 1.2e4, "N s/m", "damping of a silent-block in any direction"),
    ("kr_MOT", 6.0e5, "N m/rad", "stiffness of a silent-block about any axis"),
    ("cr_MOT", 8.0e2, "N m s/rad", "damping of a silent-block about any axis"),
    ("C", 5.9e6, "N", "creep stiffness of a contact"),
)
_VALUE = {name: value for name, value, _, _ in PARAMETERS}


@dataclass(frozen=True, slots=True)
class _Bogie:
    """What the parts of a bogie are attached to."""

    s: System
    p: dict[str, Expr]
    film: str
    name: str
    driven: bool
    origin: Point
    base: Base


def locomotive(film: str = "dry") -> System:
    """The locomotive FEVE 3800, its rear bogie driven; ``film`` covers the rails.

    Source: appendix A.5 of Plaza (2015), "Locomotora FEVE 3800": bodies, joints, contacts and sizes (76
    coordinates, 40 constraints, 36 degrees of freedom). Masses, lengths and springs are chosen.
    """
    s = System("locomotive")
    p = {name: s.parameter(name, value, unit, note) for name, value, unit, note in PARAMETERS}
    s.gravity([0, 0, -p["g"]])
    height = RADIUS + rest().height + sum(_VALUE[name] for name in ("h_1", "h_2", "h_pin"))
    x = s.coordinate("WAG.x", 0.0, SPEED, "m")
    y, z = s.coordinate("WAG.y", unit="m"), s.coordinate("WAG.z", height, unit="m")
    origin, base = s.point("O.WAG", r=[x, y, z]), _turned(s, "WAG", s.ground.base)
    tensor = [*_principal(p, "WAG"), 0, p["Ixz_WAG"], 0]
    car = s.body("WAG", p["m_WAG"], [0, 0, p["h_WAG"]], tensor, origin=origin, base=base)
    axles: list[tuple[_Bogie, Body, Base, float]] = []
    for name, place, driven in (("rear", -1, True), ("front", 1, False)):
        bogie = _chassis(s, p, car, name, place, driven, film)
        _secondary(bogie)
        for end, sign in ENDS.items():
            wheels, axle, spin = _wheelset(bogie, end, sign)
            axles.append((bogie, wheels, axle, place * _VALUE["a_pin"] + sign * _VALUE["a_1"]))
            if driven:
                _motor(bogie, end, sign, spin)
    for parts in axles:  # last, so that the coordinates with inertia come first
        _contacts(*parts)
    s.draw(Solid("box", car.com, base, (14.0, 2.4, 2.2)))
    for side in SIDES.values():
        s.draw(Bar(*(s.ground.point([end, side * RAIL, 0]) for end in (-10.0, 30.0)), radius=0.03))
    return s


def _chassis(
    s: System, p: dict[str, Expr], car: Body, name: str, place: int, driven: bool, film: str
) -> _Bogie:
    """A slider on its pin, and below it a chassis."""
    pin = car.point([place * p["a_pin"], 0, -p["h_pin"]], f"P.{name}")
    yaw = s.coordinate(f"{name}.SLD.yaw", unit="rad")
    slider = s.base(f"B.{name}.SLD", car.base, "z", yaw)
    s.body(f"{name}.SLD", p["m_SLD"], inertia=_principal(p, "SLD"), origin=pin, base=slider)
    s.torsion_spring(yaw, 0.0, damping=p["c_pin"])
    x, y, z = (s.coordinate(f"{name}.BOG.{axis}", unit="m") for axis in "xyz")
    origin = s.point(f"O.{name}.BOG", pin, [x, y, z - p["h_2"]], slider)
    base = _turned(s, f"{name}.BOG", slider)
    com, tensor = [0, 0, p["h_BOG"]], _principal(p, "BOG")
    s.body(f"{name}.BOG", p["m_BOG"], com, tensor, origin=origin, base=base)
    s.draw(Solid("box", origin, base, (3.0, 1.8, 0.2)))
    return _Bogie(s, p, film, name, driven, origin, base)


def _secondary(bogie: _Bogie) -> None:
    """Groups on the slider, left and right, level with the chassis's origin; each has three stiffnesses."""
    s, p = bogie.s, bogie.p
    x, y, z, yaw, roll = (_coordinate(s, f"{bogie.name}.BOG.{k}") for k in ("x", "y", "z", "yaw", "roll"))
    load = p["g"] * (p["m_WAG"] / 2 + p["m_SLD"]) / 2
    for side in SIDES.values():
        arm = side * p["b_2"]
        _spring(s, x - arm * sin(yaw) * cos(roll), p["kx_2"], p["cx_2"])
        _spring(s, y + arm * (cos(yaw) * cos(roll) - 1), p["ky_2"], p["cy_2"])
        _spring(s, z + arm * sin(roll), p["kz_2"], p["cz_2"], -load)


def _wheelset(bogie: _Bogie, end: str, sign: int) -> tuple[Body, Base, Expr]:
    """An axle with its wheels and boxes and the primary suspension; the axle does not spin."""
    s, p, name = bogie.s, bogie.p, f"{bogie.name}.WHS{end}"
    z, roll = s.coordinate(f"{name}.z", unit="m"), s.coordinate(f"{name}.roll", unit="rad")
    spin = s.coordinate(f"{name}.spin", 0.0, SPEED / (RADIUS + rest().excess), "rad")
    origin = s.point(f"O.{name}", bogie.origin, [sign * p["a_1"], 0, z - p["h_1"]], bogie.base)
    axle = s.base(f"B.{name}.axle", bogie.base, "x", roll)
    wheels = s.base(f"B.{name}", axle, "y", spin)
    tensor = [p["Ix_WHS"], p["Iy_WHS"], p["Ix_WHS"]]
    body = s.body(name, p["m_WHS"], inertia=tensor, origin=origin, base=wheels)
    for which, side in SIDES.items():
        box = s.point(f"P.{name}.{which}", origin, [0, side * p["b_1"], 0], axle)
        label = f"{bogie.name}.AXB{end}{which[0].upper()}"
        s.body(label, p["m_AXB"], inertia=_principal(p, "AXB"), origin=box, base=axle)
        rise = z + side * p["b_1"] * sin(roll)  # of the box; its groups, one before and one behind, are alike
        _spring(s, rise, 2 * p["k_1"], 2 * p["c_1"], -_box_load(p, bogie.driven))
    return body, axle, spin


def _contacts(bogie: _Bogie, wheels: Body, axle: Base, along: float) -> None:
    """Both wheels of an axle on their rails, and the creep there."""
    s, p, touch = bogie.s, bogie.p, rest()
    weight = 2 * _box_load(_VALUE, bogie.driven) + (2 * _VALUE["m_AXB"] + _VALUE["m_WHS"]) * _VALUE["g"]
    for which, side in SIDES.items():
        contact = s.contact(
            tread(wheels, side, p["r"], axle),
            rail(s.ground, side),
            f"{wheels.name}.{which}",
            start=[0.0, side * touch.width, along, side * touch.across],
            speeds=[0.0, 0.0, SPEED, 0.0],
        )
        load = s.input(f"{contact.name}.load", weight / 2, "N", "normal load of the contact")
        creep(s, contact, _coordinate(s, "WAG.x").dt(), load, p["C"], bogie.film)
        s.draw(Solid("cylinder", wheels.point([0, side * TAPE, 0]), wheels.base, (RADIUS, 0.1), axis="y"))


def _motor(bogie: _Bogie, end: str, sign: int, spin: Expr) -> None:
    """A motor on its silent-block, and the rotor in it, geared to a wheelset."""
    s, p, name = bogie.s, bogie.p, f"{bogie.name}.MOT{end}"
    moves = [s.coordinate(f"{name}.{axis}", unit="m") for axis in "xyz"]
    place = [sign * p["a_MOT"] + moves[0], moves[1], moves[2]]
    origin, base = s.point(f"O.{name}", bogie.origin, place, bogie.base), _turned(s, name, bogie.base)
    s.body(name, p["m_MOT"], inertia=_principal(p, "MOT"), origin=origin, base=base)
    weight = p["g"] * (p["m_MOT"] + p["m_ROT"])
    for k, move in enumerate(moves):
        _spring(s, move, p["k_MOT"], p["c_MOT"], weight if k == 2 else 0.0)
    for turn in ("yaw", "roll", "pitch"):
        s.torsion_spring(_coordinate(s, f"{name}.{turn}"), p["kr_MOT"], damping=p["cr_MOT"])
    shaft = s.base(f"B.{bogie.name}.ROT{end}", base, "y", p["gear"] * spin)
    tensor = [p["Ix_ROT"], p["Iy_ROT"], p["Ix_ROT"]]
    s.body(f"{bogie.name}.ROT{end}", p["m_ROT"], inertia=tensor, origin=origin, base=shaft)
    torque = s.input(f"{name}.torque", 0.0, "N m", "torque of the motor on its rotor")
    s.effort(spin, p["gear"] * torque)


def _spring(s: System, deflection: Expr, stiffness: Any, damping: Any, preload: Any = 0.0) -> None:
    """A spring and damper along any length; the effort on each coordinate is the force times its slope."""
    force = preload - stiffness * deflection - damping * deflection.dt()
    energy: Expr | None = stiffness * deflection * deflection / 2 - preload * deflection
    for q in deflection.symbols:
        if q.name in s.coordinates_by_name:
            s.effort(q, force * deflection.diff(q), energy)
            energy = None  # counted once


def _turned(s: System, name: str, below: Base) -> Base:
    """The base of a body, turned by yaw, roll and pitch."""
    angles = [s.coordinate(f"{name}.{turn}", unit="rad") for turn in ("yaw", "roll", "pitch")]
    return s.base(f"B.{name}", below, euler="zxy", angles=angles)


def _coordinate(s: System, name: str) -> Expr:
    return s.coordinates_by_name[name].symbols.position


def _principal(p: dict[str, Expr], body: str) -> list[Expr]:
    return [p[f"I{axis}_{body}"] for axis in "xyz"]


def _box_load(p: Mapping[str, Any], driven: bool) -> Any:
    """The weight on an axle box: a quarter of what stands on a bogie's primary suspension."""
    above = p["m_WAG"] / 2 + p["m_SLD"] + p["m_BOG"]
    return p["g"] * (above + 2 * (p["m_MOT"] + p["m_ROT"]) if driven else above) / 4
