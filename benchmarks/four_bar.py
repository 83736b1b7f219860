"""The step that every contender computes: a falling four-bar, one millisecond of semi-implicit Euler.

The mechanism: a disc crank centred on its pin A, a thin-rod coupler and a thin-rod rocker over a fixed
ground link, released from rest with the crank upright on the upper branch. The state is (theta1, omega1,
theta2, theta3): the angles of crank, coupler and rocker to the ground link and the velocity of the crank.

One step:

1. project the equations of motion on the one free motion (R-matrix: the rates r = theta' / omega1)
   at the present configuration, and divide by the reduced mass: alpha;
2. omega1 += dt alpha, theta1 += dt omega1;
3. two Newton iterations of the loop closure for theta2 and theta3, started at their old values, with the
   exact Jacobian. The first shares its sines and cosines with 1.

`advance` is written once over any kind of number: floats, our expressions, CasADi's, SymPy's, JAX arrays.
The contender in C is written by hand (`peers/four_bar_step.h`).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from biela.expr.expression import cos, sin
from biela.expr.function import Function
from biela.expr.graph import Graph

DT = 1e-3
GRAVITY = 9.81
GROUND, CRANK, COUPLER, ROCKER = 0.800, 0.120, 0.540, 0.455  # lengths, m
COUPLER_MASS, ROCKER_MASS = 0.40, 1.23
CRANK_INERTIA = 11.10 * CRANK**2 / 2  # about A
THETA_AT_1_S = 5.327673846031  # rad, converged
EULER_ERROR = 2e-3  # rad, of this integrator at 1 s
GAP = 2e-6  # m, the loop's after 10 s, at most

HALF = COUPLER_MASS * CRANK * COUPLER / 2
COUPLER_INERTIA = COUPLER_MASS * COUPLER**2 / 3  # about B
ROCKER_INERTIA = ROCKER_MASS * ROCKER**2 / 3  # about D
CRANK_WITH_B = CRANK_INERTIA + COUPLER_MASS * CRANK**2


class Turn(NamedTuple):
    """Cosine and sine of an angle."""

    c: Any
    s: Any


def advance(state: Any, sin: Any, cos: Any) -> list[Any]:
    """The state one step later, by the sine and cosine that fit the numbers given."""
    theta1, omega1, theta2, theta3 = state
    turn1, turn2, turn3 = (Turn(cos(theta), sin(theta)) for theta in (theta1, theta2, theta3))
    omega1 = omega1 + DT * acceleration(omega1, turn1, turn2, turn3)
    theta1 = theta1 + DT * omega1
    pin = Turn(CRANK * cos(theta1) - GROUND, CRANK * sin(theta1))  # B seen from D
    theta2, theta3 = newton(pin, theta2, theta3, turn2, turn3)
    turn2, turn3 = Turn(cos(theta2), sin(theta2)), Turn(cos(theta3), sin(theta3))
    theta2, theta3 = newton(pin, theta2, theta3, turn2, turn3)
    return [theta1, omega1, theta2, theta3]


def acceleration(omega1: Any, t1: Turn, t2: Turn, t3: Turn) -> Any:
    """The crank's, from r.(M r) alpha = r.(Q - M r' - h), all velocities in units of omega1."""
    s12, s13, s32 = _sine(t1, t2), _sine(t1, t3), _sine(t3, t2)
    c12, c13, c32 = _cosine(t1, t2), _cosine(t1, t3), _cosine(t3, t2)
    scale = 1 / s32
    r2, r3 = (CRANK / COUPLER) * s13 * scale, (CRANK / ROCKER) * s12 * scale
    v2, v3 = r2 * r2, r3 * r3
    b2 = scale * ((CRANK / COUPLER) * c13 + c32 * v2 - (ROCKER / COUPLER) * v3)  # r' / omega1
    b3 = scale * ((CRANK / ROCKER) * c12 + (COUPLER / ROCKER) * v2 - c32 * v3)
    m12 = HALF * c12
    mass = CRANK_WITH_B + r2 * (2 * m12 + COUPLER_INERTIA * r2) + ROCKER_INERTIA * v3
    quadratic = HALF * s12 * (r2 - v2) - m12 * b2 - COUPLER_INERTIA * r2 * b2 - ROCKER_INERTIA * r3 * b3
    weight = (
        COUPLER_MASS * GRAVITY * CRANK * t1.c
        + COUPLER_MASS * GRAVITY * COUPLER / 2 * t2.c * r2
        + ROCKER_MASS * GRAVITY * ROCKER / 2 * t3.c * r3
    )
    return (quadratic * (omega1 * omega1) - weight) / mass


def newton(pin: Turn, theta2: Any, theta3: Any, t2: Turn, t3: Turn) -> tuple[Any, Any]:
    """Coupler and rocker angles that close the loop better."""
    x = pin.c + COUPLER * t2.c - ROCKER * t3.c
    y = pin.s + COUPLER * t2.s - ROCKER * t3.s
    scale = 1 / _sine(t3, t2)
    return (
        theta2 - (x * t3.c + y * t3.s) * scale * (1 / COUPLER),
        theta3 - (x * t2.c + y * t2.s) * scale * (1 / ROCKER),
    )


def start() -> np.ndarray:
    """Crank upright, at rest, coupler and rocker on the upper branch."""
    x, y = GROUND, -CRANK  # D seen from B
    reach = math.hypot(x, y)
    theta2 = math.atan2(y, x) + math.acos((COUPLER**2 + reach**2 - ROCKER**2) / (2 * COUPLER * reach))
    theta3 = math.atan2(COUPLER * math.sin(theta2) - y, COUPLER * math.cos(theta2) - x)
    return np.array([math.pi / 2, 0.0, theta2, theta3])


def lanes(count: int) -> np.ndarray:
    """Many starts, (4, count): the first is `start`, the others already turn, all at different speeds."""
    states = np.repeat(start()[:, None], count, axis=1)
    states[1] = np.linspace(0.0, 2.0, count)
    return states


def gap(state: Any) -> float:
    """How far the loop is from closing, m."""
    theta1, _, theta2, theta3 = state
    sides = ((CRANK, theta1), (COUPLER, theta2), (-ROCKER, theta3), (-GROUND, 0.0))
    return math.hypot(*(sum(side * f(theta) for side, theta in sides) for f in (math.cos, math.sin)))


def function() -> Function:
    """The step on our graph."""
    state = Graph().symbols("theta1 omega1 theta2 theta3")
    return Function("four_bar_step", {"x": state}, {"x_next": advance(state, sin, cos)})


def _sine(a: Turn, b: Turn) -> Any:
    return a.s * b.c - a.c * b.s


def _cosine(a: Turn, b: Turn) -> Any:
    return a.c * b.c + a.s * b.s
