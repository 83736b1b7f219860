"""What a pose does to the rider's head: specific force and rates of turning, by differences.

Five poses in a row give the derivatives of the middle one, with errors of the fourth power of the sample
time (Abramowitz and Stegun, 1964, table 25.2),

    x'  = (x(-2) - 8 x(-1) + 8 x(1) - x(2)) / (12 T),
    x'' = (-x(-2) + 16 x(-1) - 30 x(0) + 16 x(1) - x(2)) / (12 T^2),

so what is told is `LAG` samples old. With R = Rz(yaw) Ry(pitch) Rx(roll) the specific force is R^T (x'' +
g), and the rates of the body follow from those of the angles. The head is a point of the platform, from its
origin, in m.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from biela.cueing.gravity import GRAVITY
from biela.cueing.perception import REST
from biela.cueing.platform import Platform
from biela.cueing.platform.leg import turned
from biela.cueing.recursion import Recursion, States
from biela.expr.expression import Expr, constant, cos, sin
from biela.expr.function import Function
from biela.expr.graph import Graph

LAG = 2
Place = tuple[float, float, float]
CENTER: Place = (0.0, 0.0, 0.0)
POSE = ("surge", "sway", "heave", "roll", "pitch", "yaw")


def told(states: States, pose: Mapping[str, Expr], T: float, head: Place = CENTER) -> list[Expr]:
    """(fx, fy, fz, p, q, r) as they were `LAG` samples ago, for poses whose missing parts stay at rest."""
    zero = constant(states.graph, 0.0)
    whole = {name: pose.get(name, zero) for name in POSE}
    turns = [("z", whole["yaw"]), ("y", whole["pitch"]), ("x", whole["roll"])]
    arm = turned(turns, [zero + part for part in head])
    moved = zip(POSE[:3], arm, head, strict=True)
    place = [whole[name] + part - rest for name, part, rest in moved]  # from where the head is at rest
    pushed = [_differences(states, f"head.{axis}", x, T)[2] for axis, x in zip("xyz", place, strict=True)]
    roll, pitch, yaw = (_differences(states, f"head.{name}", whole[name], T) for name in POSE[3:])
    back = [("x", -roll[0]), ("y", -pitch[0]), ("z", -yaw[0])]
    force = turned(back, [pushed[0], pushed[1], pushed[2] + GRAVITY])
    s, c, C = sin(roll[0]), cos(roll[0]), cos(pitch[0])
    rates = [
        roll[1] - sin(pitch[0]) * yaw[1],
        c * pitch[1] + s * C * yaw[1],
        c * C * yaw[1] - s * pitch[1],
    ]
    return [*force, *rates]


def _differences(states: States, name: str, x: Expr, T: float) -> tuple[Expr, Expr, Expr]:
    """The value in the middle of the last five, and its first and second derivatives."""
    if x.number is not None:
        return x, 0.0 * x, 0.0 * x
    past = [states.state(f"{name}.past{k}") for k in range(1, 5)]
    for k, value in enumerate([x, *past[:3]], 1):
        states.becomes(f"{name}.past{k}", value)
    a, b, c, d = past  # one to four samples old
    speed = (d - 8.0 * c + 8.0 * a - x) * (1.0 / (12.0 * T))
    pushed = (16.0 * (a + c) - 30.0 * b - x - d) * (1.0 / (12.0 * T * T))
    return b, speed, pushed


def shown(platform: Platform, poses: Any, dt: float, head: Place = CENTER) -> np.ndarray:
    """Rows (fx, fy, fz, p, q, r) for rows of poses, from rest, which the last pose is held after."""
    rows = platform.checked(poses, len(platform.dofs), "poses")
    senses = np.array([platform.senses.get(name, 1.0) for name in platform.dofs])
    held = np.concatenate([rows, np.repeat(rows[-1:], LAG, axis=0)]) * senses
    recursion = _recursion(platform.dofs, dt, head)
    x = np.zeros(recursion.function.inputs[0].size)
    x[:6] = REST
    return recursion.run(x, held, np.zeros(1))[1 + LAG :, :6]


@lru_cache(maxsize=16)
def _recursion(dofs: Sequence[str], dt: float, head: Place) -> Recursion:
    graph = Graph()
    states, pose = States(graph), [graph.symbol(name) for name in dofs]
    names = [f"shown{k}" for k in range(6)]
    for name in names:
        states.state(name)
    for name, value in zip(names, told(states, dict(zip(dofs, pose, strict=True)), dt, head), strict=True):
        states.becomes(name, value)
    x, after = list(states.now.values()), [states.after[name] for name in states.now]
    return Recursion(Function("head", {"x": x, "pose": pose, "p": [graph.symbol("none")]}, {"x_next": after}))
