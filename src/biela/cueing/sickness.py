"""Motion sickness: the weighting Wf of vertical acceleration, and the dose of a ride.

ISO 2631-1:1997 weights vertical acceleration by Wf, whose analytic form ISO 8041-1 gives as a chain of four
filters of second order,

    high pass  1 / (1 + w1/(Q1 s) + (w1/s)^2),        f1 = 0.08 Hz,   Q1 = 1/sqrt 2,
    low pass   1 / (1 + s/(Q2 w2) + (s/w2)^2),        f2 = 0.63 Hz,   Q2 = 1/sqrt 2,
    transition 1 / (1 + s/(Q4 w4) + (s/w4)^2),        f4 = 0.25 Hz,   Q4 = 0.86,
    step       (w5/w6)^2 (1 + s/(Q5 w5) + (s/w5)^2) / (1 + s/(Q6 w6) + (s/w6)^2),
               f5 = 0.0625 Hz, f6 = 0.1 Hz, Q5 = Q6 = 0.8,

and sums it up as the dose (integral of a_w^2 dt)^(1/2), in m/s^1.5. The standard is about ships and
vertical motion; it says nothing of what happens when eyes and platform disagree, which makes riders of
simulators sick too. Compare doses of rides with it, and do not take them for a prediction.
"""

from __future__ import annotations

from functools import lru_cache
from math import pi, sqrt
from typing import Any

import numpy as np

from biela.cueing.recursion import Recursion, States
from biela.cueing.washout.section import second
from biela.expr.function import Function
from biela.expr.graph import Graph

F1, F2, F4, F5, F6 = (2.0 * pi * hertz for hertz in (0.08, 0.63, 0.25, 0.0625, 0.1))  # rad/s
Q1, Q2, Q4, Q5, Q6 = 1.0 / sqrt(2.0), 1.0 / sqrt(2.0), 0.86, 0.8, 0.8
SECTIONS = (  # numerator, denominator of second order over s^2 + ..., from the lowest power on
    ((0.0, 0.0, 1.0), (F1 * F1, F1 / Q1)),
    ((F2 * F2, 0.0, 0.0), (F2 * F2, F2 / Q2)),
    ((F4 * F4, 0.0, 0.0), (F4 * F4, F4 / Q4)),
    ((F5 * F5, F5 / Q5, 1.0), (F6 * F6, F6 / Q6)),
)


def respond(omega: Any) -> np.ndarray:
    """The complex weight at rates in rad/s."""
    s = 1j * np.asarray(omega, float)
    found = np.ones_like(s)
    for b, a in SECTIONS:
        found = found * (b[0] + b[1] * s + b[2] * s * s) / (a[0] + a[1] * s + s * s)
    return found


def weighted(acceleration: Any, dt: float = 0.02) -> np.ndarray:
    """A vertical acceleration (gravity taken off), weighted by Wf, from rest."""
    row = np.asarray(acceleration, float)
    if row.ndim != 1 or not np.isfinite(row).all():
        raise ValueError(f"An acceleration is a row of finite numbers; got shape {row.shape}.")
    recursion = _recursion(dt)
    x = np.zeros(recursion.function.inputs[0].size)
    return recursion.run(x, row[:, None], np.zeros(1))[1:, 0]


def dose(acceleration: Any, dt: float = 0.02) -> float:
    """The motion sickness dose value of a vertical acceleration, in m/s^1.5."""
    return float(np.sqrt(dt * np.square(weighted(acceleration, dt)).sum()))


@lru_cache(maxsize=8)
def _recursion(dt: float) -> Recursion:
    graph = Graph()
    states, u = States(graph), graph.symbol("u")
    states.state("out")
    y = u
    for k, (b, a) in enumerate(SECTIONS):
        y = second(states, f"section{k}", y, b, a, dt)
    states.becomes("out", y)
    x, after = list(states.now.values()), [states.after[name] for name in states.now]
    return Recursion(Function("wf", {"x": x, "u": [u], "p": [graph.symbol("none")]}, {"x_next": after}))
