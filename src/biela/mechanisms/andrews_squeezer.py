"""Andrews' squeezing mechanism: seven bodies between three fixed points, driven fast by a constant torque.

The plane is that of x and y; nothing has weight. The crank K1 turns about the origin O, and K2 on its pin;
the far end of K2, the corner E, also belongs to K3, a plate on B, to K4, the far half of a leg whose near
half K5 turns about A, and to K6, the far half of another leg whose near half K7 turns about A. A spring
pulls the corner D of K3 towards C. Seven angles as in the source (those of K2, K4 and K6 relative to K1, K5
and K7), three times two equations at E, one degree of freedom. The input ``mom`` turns the crank. The
drawing is the seven bodies, the spring, and the path of E.
"""

from __future__ import annotations

from biela.expr.expression import Expr
from biela.mechanics.body import Body
from biela.mechanics.drawing import Bar, Coil, Trace
from biela.mechanics.space import Point
from biela.mechanics.system import System

SIZES = {  # value, what it is; those of length in metres
    "d": (0.028, "length of K2"),
    "da": (0.0115, "mass centre of K2 from the pin of the crank"),
    "e": (0.02, "length of K4"),
    "ea": (0.01421, "mass centre of K4 from E"),
    "rr": (0.007, "length of the crank K1"),
    "ra": (0.00092, "mass centre of K1 from O"),
    "ss": (0.035, "from B to E on K3"),
    "sa": (0.01874, "mass centre of K3 towards E"),
    "sb": (0.01043, "mass centre of K3 across that"),
    "sc": (0.018, "corner D of K3 towards E"),
    "sd": (0.02, "corner D of K3 across that"),
    "ta": (0.02308, "mass centre of K5 along it"),
    "tb": (0.00916, "mass centre of K5 across it"),
    "u": (0.04, "length of K7"),
    "ua": (0.01228, "mass centre of K7 along it"),
    "ub": (0.00449, "mass centre of K7 across it"),
    "zf": (0.02, "length of K6"),
    "zt": (0.04, "length of K5"),
    "fa": (0.01421, "mass centre of K6 from E"),
}
MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
FIXED = {"A": (-0.06934, -0.00227), "B": (-0.03635, 0.03273), "C": (0.014, 0.072)}
START = {
    "beta": -0.0617138900142764496358948458001,
    "theta": 0.0,
    "gamma": 0.455279819163070380255912382449,
    "phi": 0.222668390165885884674473185609,
    "delta": 0.487364979543842550225598953530,
    "omega": -0.222668390165885884674473185609,
    "epsilon": 1.23054744454982119249735015568,
}


def andrews_squeezer() -> System:
    """Andrews' squeezing mechanism: seven bodies, three loops, one fast degree of freedom.

    Source: a test of multibody programs since Giles (1978) and Manning (1981), in Schiehlen (ed.), Multibody
    Systems Handbook (1990); data and start as in Hairer and Wanner, Solving Ordinary Differential Equations
    II, section VII.7, and in the Test Set for IVP Solvers (Mazzia and Magherini, 2008).
    """
    s = System("andrews_squeezer")
    p = {name: s.parameter(name, value, "m", note) for name, (value, note) in SIZES.items()}
    q = {name: s.coordinate(name, value, unit="rad") for name, value in START.items()}
    fixed = {name: _fixed(s, name, *place) for name, place in FIXED.items()}
    c0 = s.parameter("c0", 4530.0, "N/m", "stiffness of the spring")
    l0 = s.parameter("l0", 0.07785, "m", "its length at rest")

    K1 = _body(s, 1, s.ground, s.origin, q["beta"], [p["ra"], 0, 0])
    K2 = _body(s, 2, K1, K1.point([p["rr"], 0, 0]), q["theta"], [-p["da"], 0, 0])
    K3 = _body(s, 3, s.ground, fixed["B"], q["gamma"], [p["sb"], -p["sa"], 0])
    K5 = _body(s, 5, s.ground, fixed["A"], q["delta"], [p["ta"], -p["tb"], 0])
    K4 = _body(s, 4, K5, K5.point([p["zt"], 0, 0]), q["phi"], [0, p["ea"] - p["e"], 0])
    K7 = _body(s, 7, s.ground, fixed["A"], q["epsilon"], [p["ub"], -p["ua"], 0])
    K6 = _body(s, 6, K7, K7.point([0, -p["u"], 0]), q["omega"], [p["zf"] - p["fa"], 0, 0])

    E = K2.point([-p["d"], 0, 0], "E")
    ends = [K3.point([0, -p["ss"], 0]), K4.point([0, -p["e"], 0]), K6.point([p["zf"], 0, 0])]
    for k, end in zip((3, 4, 6), ends, strict=True):
        s.close(end, E, name=f"E on K{k}")
    D = K3.point([p["sd"], -p["sc"], 0], "D")
    s.spring(fixed["C"], D, c0, l0)
    mom = s.input("mom", 0.033, "N m", "torque on the crank")
    s.effort(q["beta"], mom)

    s.draw(Bar(s.origin, K2.origin, E, radius=0.001), Bar(fixed["B"], ends[0], D, fixed["B"], radius=0.001))
    s.draw(Bar(fixed["A"], K4.origin, E, radius=0.001), Bar(fixed["A"], K6.origin, E, radius=0.001))
    s.draw(Coil(fixed["C"], D), Trace(E))
    return s


def _fixed(s: System, name: str, x: float, y: float) -> Point:
    a = s.parameter(f"x{name.lower()}", x, "m", f"place of {name} along x")
    b = s.parameter(f"y{name.lower()}", y, "m", f"place of {name} along y")
    return s.point(name, s.origin, r=[a, b, 0])


def _body(s: System, k: int, parent: Body, at: Point, angle: Expr, com: list[Expr | int]) -> Body:
    m = s.parameter(f"m{k}", MASSES[k - 1], "kg", f"mass of K{k}")
    inertia = s.parameter(f"I{k}", INERTIAS[k - 1], "kg m2", f"moment of inertia of K{k} at its mass centre")
    body = s.body(f"K{k}", mass=m, com=com, inertia=[0, 0, inertia])
    s.revolute(parent, body, at=at, axis="z", coordinates=angle)
    return body
