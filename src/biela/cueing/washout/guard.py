"""`Guard`: a washout with orders, as one native sample: ride, pause, emergency stop, reset.

While it rides, the platform does what the washout says; its motion is faded in. On a pause the platform
leaves the ride and goes to rest, whatever the vehicle does; when it rides again the washout begins anew. A
stop brings it to a stand where it is, and there it stays until it is reset; then it goes to rest. A motion
that is not finite, or absurd, counts as a pause.

Leaving, the platform has place x0, speed v0 and acceleration a0. In `EASING` seconds the acceleration goes
to nothing, evenly; then a polynomial of fifth order leads from there, x1 and v1, to the end with neither
speed nor acceleration left,

    x0 + v0 t + a0 (t^2 / 2 - t^3 / (6 E)),      then      x1 + w s + (10 d - 6 w) s^3
                                                           + (8 w - 15 d) s^4 + (6 d - 3 w) s^5

with s = (t - E) / T, w = v1 T and the way to go d; for a stop d = w / 2, where the speed falls all along. So
place, speed and acceleration never jump, and jerk is limited, whenever an order comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from biela.cueing.gravity import GRAVITY
from biela.cueing.recursion import Recursion
from biela.cueing.washout.tunable import Tunable
from biela.cueing.washout.washout import INPUTS, Washout
from biela.expr.expression import Expr, constant, equal, maximum, minimum, where
from biela.expr.function import Function
from biela.expr.graph import Graph

ORDERS = {"ride": 0.0, "pause": 1.0, "stop": 2.0, "reset": 3.0}
SETTLED, RIDING, STOPPED = 0.0, 1.0, 2.0  # going to rest or there, riding, stopping or stopped
EASING = 0.1  # s
ABSURD = 1e6  # in m/s2 and rad/s: no vehicle
TIMES = {
    "settling": Tunable("s", "Raise it and the platform goes to rest more gently after a pause.", (1.0, 5.0)),
    "fading": Tunable("s", "Raise it and motion comes back more gently after a pause.", (0.5, 3.0)),
    "stopping": Tunable("s", "Raise it and an emergency stop is gentler, and takes more room.", (0.1, 1.0)),
}


@dataclass(frozen=True, eq=False)
class Guard:
    """A washout that takes orders. Times in s; raises ValueError unless they are positive.

    >>> from biela.cueing import ClassicalWashout
    >>> guard = Guard(ClassicalWashout(axes=("pitch",)))
    >>> guard.step
    classical_guard(x[16], motion[6], p[61], order) -> x_next[16]
    """

    washout: Washout
    settling: float = 2.0
    fading: float = 1.0
    stopping: float = 0.3

    def __post_init__(self) -> None:
        for name, tunable in TIMES.items():
            tunable.check(f"guard.{name}", getattr(self, name), self.washout.dt)

    @cached_property
    def step(self) -> Function:
        """One sample: ``x_next``, pose first, of the state, the motion, the numbers and the order."""
        return _Draft(self).function()

    @property
    def p(self) -> np.ndarray:
        """The numbers of the washout, then the times."""
        return np.concatenate([self.washout.p, [getattr(self, name) for name in TIMES]])

    @property
    def rest(self) -> np.ndarray:
        """The state at rest, long since settled."""
        x = np.zeros(self.step.inputs[0].size)
        x[self._mode + 1] = EASING + self.settling
        return x

    @property
    def _mode(self) -> int:
        """Where the mode is in the state; behind it is the time since a course began (`_Draft.function`)."""
        return 6 * len(self.washout.axes)

    def mode(self, x: np.ndarray) -> float:
        """What a state does: `SETTLED`, `RIDING` or `STOPPED`."""
        return float(x[self._mode])

    def arrived(self, x: np.ndarray) -> bool:
        """Whether a state that is `SETTLED` is at rest by now."""
        return bool(x[self._mode + 1] >= EASING + self.settling)

    @cached_property
    def recursion(self) -> Recursion:
        """The native sample; a row is one of the motion with the order behind it."""
        step, graph = self.step, Graph()
        sizes = [port.size for port in step.inputs[:3]]
        x, row, p = ([graph.symbol(f"{name}{k}") for k in range(size)]
                     for name, size in zip("xmp", sizes, strict=True))  # fmt: skip
        order = graph.symbol("order")
        inputs = {"x": x, "row": [*row, order], "p": p}
        return Recursion(Function(step.name, inputs, {"x_next": step(x, row, p, order)}))

    def run(self, motion: Any, orders: Any) -> np.ndarray:
        """The poses for rows (fx, fy, fz, p, q, r) and an order for each, from rest.

        Orders are names of `ORDERS`, or their numbers. Rows that are not finite are pauses. Raises
        ValueError for unknown orders, and for as many orders as there are no rows.
        """
        rows = np.ascontiguousarray(np.asarray(motion, float))
        given = np.array([_number(order) for order in orders])
        if rows.ndim != 2 or rows.shape[1] != len(INPUTS) or len(given) != len(rows):
            raise ValueError(
                f"A guard takes the columns {', '.join(INPUTS)} and an order a row; got shape {rows.shape} "
                f"and {len(given)} orders."
            )
        rows = np.column_stack([self.washout.foreseen(rows), given])
        found = self.recursion.run(self.rest, np.ascontiguousarray(rows), self.p)
        return found[1:, : len(self.washout.axes)]


def _number(order: Any) -> float:
    number = ORDERS.get(order) if isinstance(order, str) else float(order)
    if number not in ORDERS.values():
        raise ValueError(f"Unknown order {order!r}. Known: {', '.join(ORDERS)}, or 0 to 3.")
    return number  # type: ignore[return-value]


class _Draft:
    """The sample in the making. ``y`` are the last three poses, ``left`` is where a course began."""

    def __init__(self, guard: Guard) -> None:
        wash = guard.washout.step
        self.wash, self.T, self.name = wash, guard.washout.dt, f"{guard.washout.kind}_guard"
        graph = Graph()
        n, sizes = len(guard.washout.axes), [port.size for port in wash.inputs]
        make = graph.symbol
        self.y = [[make(f"y{k}.s{i}") for i in range(n)] for k in range(3)]
        self.left = [[make(f"{key}.s{i}") for i in range(n)] for key in ("x0", "v0", "a0")]
        self.mode, self.clock, self.faded, self.order = map(make, ("mode", "clock", "faded", "order"))
        self.washed = [make(f"x.s{k}") for k in range(sizes[0])]
        self.motion = [make(f"motion.s{k}") for k in range(sizes[1])]
        self.p = [make(f"p.s{k}") for k in range(sizes[2])]
        self.times = {name: make(name) for name in TIMES}
        self.zero = constant(graph, 0.0)

    def function(self) -> Function:
        """All of it."""
        mode, leaving = self._turned()
        riding = equal(mode, RIDING)
        clock = where(leaving, 0.0, self.clock) + self.T
        left = [[where(leaving, new, old) for new, old in zip(news, olds, strict=True)]
                for news, olds in zip(self._leaving(), self.left, strict=True)]  # fmt: skip
        faded = where(riding, self.faded + self.T, 0.0)
        washed = self.wash(self.washed, self._faded(faded), self.p)
        kept = [where(riding, value, 0.0) for value in washed]
        pose = [
            self._course(clock, mode, *begin) + kept[i] for i, begin in enumerate(zip(*left, strict=True))
        ]
        after = [*pose, *self.y[0], *self.y[1], *left[0], *left[1], *left[2], mode, clock, faded, *kept]
        now = [*self.y[0], *self.y[1], *self.y[2], *self.left[0], *self.left[1], *self.left[2],
               self.mode, self.clock, self.faded, *self.washed]  # fmt: skip
        inputs = {"x": now, "motion": self.motion, "p": [*self.p, *self.times.values()], "order": self.order}
        return Function(self.name, inputs, {"x_next": after})

    def _turned(self) -> tuple[Expr, Expr]:
        """The mode from now on, and whether a course begins."""
        sane = self.zero + 1.0
        for value in self.motion:
            sane = where(abs(value) < ABSURD, sane, 0.0)  # a nan is not
        stop, reset = equal(self.order, ORDERS["stop"]), equal(self.order, ORDERS["reset"])
        ride = where(equal(self.order, ORDERS["ride"]), sane, 0.0)
        going = where(ride, RIDING, SETTLED)
        mode = where(stop, STOPPED, where(equal(self.mode, STOPPED), where(reset, SETTLED, STOPPED), going))
        leaves = where(equal(self.mode, SETTLED), equal(mode, STOPPED), 1.0 - equal(mode, self.mode))
        return mode, leaves

    def _leaving(self) -> tuple[Sequence[Expr], ...]:
        """Place, speed and acceleration as they are, by differences."""
        x0 = self.y[0]
        a0 = [(a - 2.0 * b + c) / (self.T * self.T) for a, b, c in zip(*self.y, strict=True)]
        v0 = [(a - b) / self.T + 0.5 * self.T * c for a, b, c in zip(*self.y[:2], a0, strict=True)]
        return x0, v0, a0

    def _faded(self, faded: Expr) -> list[Expr]:
        """The motion, as far as it is faded in; at rest where it is not finite."""
        s = minimum(faded / self.times["fading"], 1.0)
        share = s * s * s * (10.0 + s * (6.0 * s - 15.0))
        found: list[Expr] = []
        for k, value in enumerate(self.motion):
            level = GRAVITY if INPUTS[k % len(INPUTS)] == "fz" else 0.0
            found.append(level + share * (where(abs(value) < ABSURD, value, level) - level))
        return found

    def _course(self, t: Expr, mode: Expr, x0: Expr, v0: Expr, a0: Expr) -> Expr:
        """The place on the way from where the ride was left."""
        e = minimum(t, EASING)
        eased = x0 + e * (v0 + a0 * e * (0.5 - e / (6.0 * EASING)))
        x1, v1 = x0 + EASING * (v0 + a0 * EASING / 3.0), v0 + 0.5 * EASING * a0
        stopped = equal(mode, STOPPED)
        T = where(stopped, self.times["stopping"], self.times["settling"])
        s = minimum(maximum(t - EASING, 0.0) / T, 1.0)
        w = v1 * T
        d = where(stopped, 0.5 * w, -x1)
        way = x1 + s * (w + s * s * (10.0 * d - 6.0 * w + s * (8.0 * w - 15.0 * d + s * (6.0 * d - 3.0 * w))))
        settled = where(s < 1.0, way, where(stopped, x1 + d, 0.0))
        return where(t < EASING, eased, settled)
