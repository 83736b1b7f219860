"""The classical washout (Schmidt and Conrad, 1969; Reid and Nahon, 1985): fixed filters, one way each.

* **Translation.** The specific force is scaled and limited, turned into the ground's axes, freed of gravity,
  high-passed and integrated twice: the platform starts with every acceleration and comes back.
* **Tilt coordination.** The low-passed rest of the longitudinal and lateral force is shown by tilting the
  platform, so slowly (a limited rate, and a limited angular acceleration) that it is not felt as turning.
* **Rotation.** Scaled and limited rates, turned into rates of the Euler angles, high-passed, integrated,
  and added to the tilt.

Axes: x ahead, y left, z up, for the vehicle as for the pose (surge, sway, heave, roll, pitch, yaw);
positive pitch is nose down. At rest the specific force is (0, 0, g). To show f_x by tilt takes a pitch of
-asin(f_x / g), f_y a roll of asin(f_y / (g cos pitch)); laws 'linear' and 'atan' are to choose from.

The filters' numbers are values by name, such as "surge.omega" in rad/s; `ClassicalWashout.explain` says
what each of them does. Orders are 1 to 3 for each axis; a second order leaves a platform displaced for as
long as an acceleration lasts, the third, whose pole is ``omega_b``, does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from biela.cueing import limiter
from biela.cueing.gravity import GRAVITY
from biela.cueing.platform.leg import turned
from biela.cueing.recording import Recording
from biela.cueing.recursion import Recursion, States
from biela.cueing.washout.preset import EXPLAINED, PRESETS, Preset
from biela.cueing.washout.scaling import scaled
from biela.cueing.washout.section import low_pass, washed_once, washed_twice
from biela.expr.expression import Expr, asin, atan, constant, cos, maximum, minimum, sin
from biela.expr.function import Function
from biela.expr.graph import Graph

AXES = ("surge", "sway", "heave", "roll", "pitch", "yaw")
LAWS = ("asin", "linear", "atan")
INPUTS = ("fx", "fy", "fz", "p", "q", "r")


@dataclass(frozen=True, eq=False)
class ClassicalWashout:
    """Fixed filters. ``axes`` are the degrees of freedom that are wanted; what they do not need is left out.

    ``values`` has a number for every name of `EXPLAINED`, ``orders`` one of 1, 2, 3 for each axis, ``law``
    is that of the tilt, 'asin', 'linear' or 'atan'. Infinite tilt rates and accelerations are no limits.

    Raises ValueError for unknown names and numbers that make no sense.
    """

    values: Mapping[str, float] = field(default_factory=lambda: dict(PRESETS["delft"].values))
    orders: Mapping[str, int] = field(default_factory=lambda: dict(PRESETS["delft"].orders))
    axes: tuple[str, ...] = AXES
    law: str = "asin"
    dt: float = 0.02

    def __post_init__(self) -> None:
        for name in self.values:
            known(name, EXPLAINED, "parameter")
        missing = [name for name in EXPLAINED if name not in self.values]
        if missing:
            raise ValueError(f"ClassicalWashout: no value for {', '.join(missing)}.")
        for name in self.axes:
            known(name, AXES, "axis")
        known(self.law, LAWS, "law of the tilt")
        if any(self.orders.get(name) not in (1, 2, 3) for name in AXES):
            raise ValueError(
                f"ClassicalWashout: orders are 1, 2 or 3 for each axis; got {dict(self.orders)}."
            )
        if not (np.isfinite(self.dt) and self.dt > 0.0):
            raise ValueError(f"ClassicalWashout: dt is a positive number of seconds; got {self.dt!r}.")
        for name, value in self.values.items():
            check(name, value, self.dt)

    @classmethod
    def preset(cls, name: str, **options: Any) -> ClassicalWashout:
        """The washout of a published set of numbers; see `PRESETS`."""
        chosen: Preset = PRESETS[known(name, PRESETS, "preset")]
        return cls(dict(chosen.values), dict(chosen.orders), **options)

    def changed(self, values: Mapping[str, float] | None = None, **options: Any) -> ClassicalWashout:
        """Another washout with some numbers or options replaced."""
        have = {name: getattr(self, name) for name in ("orders", "axes", "law", "dt")}
        return ClassicalWashout({**self.values, **(values or {})}, **have | options)

    @staticmethod
    def explain(name: str) -> str:
        """What happens when a number is raised."""
        return EXPLAINED[known(name, EXPLAINED, "parameter")]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers, in their order in ``p``."""
        return tuple(EXPLAINED)

    @property
    def p(self) -> np.ndarray:
        """The numbers, in their order."""
        return np.array([min(self.values[name], 1e300) for name in EXPLAINED])

    def columns(self, name: str, values: Any) -> np.ndarray:
        """The numbers with a column for each value of one of them: settings for a batch."""
        known(name, EXPLAINED, "parameter")
        given = np.asarray(values, float)
        for value in given:
            check(name, float(value), self.dt)
        p = np.repeat(self.p[:, None], len(given), axis=1)
        p[self.names.index(name)] = np.minimum(given, 1e300)
        return p

    @cached_property
    def step(self) -> Function:
        """One sample: ``x_next`` of the state ``x``, the ``motion`` and the numbers ``p``.

        The state begins with the pose, in the order of ``axes``.
        """
        return _Builder(self).function()

    @cached_property
    def recursion(self) -> Recursion:
        """The native sample."""
        return Recursion(self.step)

    @property
    def rest(self) -> np.ndarray:
        """The state at rest."""
        return np.zeros(self.step.inputs[0].size)

    def motion(self, motion: Any) -> np.ndarray:
        """Rows (fx, fy, fz, p, q, r), or a `Recording` with these columns.

        Raises ValueError for others, values that are not finite, gaps, and rates that do not match.
        """
        if isinstance(motion, Recording):
            motion = motion.rows(INPUTS, self.dt)
        rows = np.atleast_2d(np.asarray(motion, float))
        if rows.ndim != 2 or rows.shape[1] != len(INPUTS):
            raise ValueError(f"A motion has the columns {', '.join(INPUTS)}; got shape {rows.shape}.")
        if not np.isfinite(rows).all():
            k = int(np.argmin(np.isfinite(rows).all(axis=1)))
            raise ValueError(f"The motion is not finite in row {k}: {rows[k].tolist()}.")
        return np.ascontiguousarray(rows)

    def run(self, motion: Any, p: Any = None, *, every: int = 1, threads: int = 1) -> np.ndarray:
        """The poses for rows (fx, fy, fz, p, q, r), from rest; settings ``p`` may have a column a lane."""
        rows = self.motion(motion)
        values = self.p if p is None else p
        found = self.recursion.run(self.rest, rows, values, every=every, threads=threads)
        return found[1:, : len(self.axes)]


class _Builder:
    """The sample of a washout as expressions."""

    def __init__(self, washout: ClassicalWashout) -> None:
        self.washout, self.T = washout, washout.dt
        self.graph = Graph()
        self.states = States(self.graph)
        self.last = {name: self.states.state(name) for name in washout.axes}
        self.motion: dict[str, Expr] = dict(
            zip(INPUTS, [self.graph.symbol(name) for name in INPUTS], strict=True)
        )
        self.p: dict[str, Expr] = {name: self.graph.symbol(name) for name in EXPLAINED}
        self.zero = constant(self.graph, 0.0)

    def function(self) -> Function:
        """All of it."""
        force = self._force()
        pose = self._translations(force) | self._rotations(force)
        for name in self.washout.axes:
            self.states.becomes(name, pose[name])
        states = self.states
        inputs = {
            "x": list(states.now.values()),
            "motion": list(self.motion.values()),
            "p": list(self.p.values()),
        }
        return Function("washout", inputs, {"x_next": [states.after[name] for name in states.now]})

    def _scaled(self, axis: str, value: Expr) -> Expr:
        p = self.p
        return scaled(value, p[f"{axis}.gain"], p[f"{axis}.limit"], p[f"{axis}.deadband"])

    def _force(self) -> list[Expr]:
        """The specific force, scaled; of the vertical one only what exceeds gravity."""
        motion = self.motion
        vertical = self._scaled("heave", motion["fz"] - GRAVITY) + GRAVITY
        return [self._scaled("surge", motion["fx"]), self._scaled("sway", motion["fy"]), vertical]

    def _angle(self, name: str) -> Expr:
        return self.last.get(name, self.zero)

    def _translations(self, force: Sequence[Expr]) -> dict[str, Expr]:
        wanted = [name for name in AXES[:3] if name in self.washout.axes]
        if not wanted:
            return {}
        angles = [(axis, self._angle(name)) for axis, name in (("z", "yaw"), ("y", "pitch"), ("x", "roll"))]
        x, y, z = turned(angles, force)
        pushed: dict[str, Expr] = dict(zip(AXES[:3], (x, y, z - GRAVITY), strict=True))
        return {name: self._wash(washed_twice, name, pushed[name]) for name in wanted}

    def _wash(self, filtered: Any, axis: str, value: Expr) -> Expr:
        numbers = [self.p[f"{axis}.{key}"] for key in ("omega", "damping", "omega_b")]
        return filtered(self.states, f"{axis}.high", value, self.washout.orders[axis], *numbers, self.T)

    def _rotations(self, force: Sequence[Expr]) -> dict[str, Expr]:
        wanted = [name for name in AXES[3:] if name in self.washout.axes]
        rates = self._euler_rates()
        tilt = self._tilt(force, wanted)
        return {name: self._wash(washed_once, name, rates[name]) + tilt.get(name, 0.0) for name in wanted}

    def _euler_rates(self) -> dict[str, Expr]:
        """Rates of yaw, pitch and roll for the body's rates (w = R^T dR/dt for R = Rz Ry Rx)."""
        about = (("roll", "p"), ("pitch", "q"), ("yaw", "r"))
        p, q, r = (self._scaled(axis, self.motion[key]) for axis, key in about)
        roll, pitch = self._angle("roll"), self._angle("pitch")
        s, c, C = sin(roll), cos(roll), cos(pitch)
        across = (s * q + c * r) / C
        return {"roll": p + sin(pitch) * across, "pitch": c * q - s * r, "yaw": across}

    def _tilt(self, force: Sequence[Expr], wanted: Sequence[str]) -> dict[str, Expr]:
        omega, damping = self.p["tilt.omega"], self.p["tilt.damping"]
        low: dict[str, Expr] = {
            key: low_pass(self.states, f"tilt.{key}.low", f / GRAVITY, omega, damping, self.T)
            for key, f in (("pitch", force[0]), ("roll", force[1])) if key in wanted
        }  # fmt: skip
        found: dict[str, Expr] = {}
        if "pitch" in low:
            found["pitch"] = self._slowly("pitch", -self._shown(low["pitch"], self.zero + 1.0))
        if "roll" in low:
            across = (
                cos(found["pitch"]) if "pitch" in found and self.washout.law == "asin" else self.zero + 1.0
            )
            found["roll"] = self._slowly("roll", self._shown(low["roll"], across))
        return found

    def _shown(self, share: Expr, across: Expr) -> Expr:
        """The angle that shows a share of gravity."""
        if self.washout.law == "linear":
            return share
        if self.washout.law == "atan":
            return atan(share)
        sine = minimum(maximum(share / across, -1.0), 1.0)
        return asin(sine)

    def _slowly(self, name: str, angle: Expr) -> Expr:
        """The tilt, with its rate and acceleration limited."""
        values = self.washout.values
        kind = limiter.kind(values["tilt.rate"], values["tilt.acceleration"])
        if kind == "none":
            return angle
        place, speed = self.states.state(f"tilt.{name}"), self.states.state(f"tilt.{name}.speed")
        rate, acceleration = self.p["tilt.rate"], self.p["tilt.acceleration"]
        after = limiter.follow(angle, place, speed, rate, acceleration, self.T, kind)
        self.states.becomes(f"tilt.{name}", after[0])
        self.states.becomes(f"tilt.{name}.speed", after[1])
        return after[0]


def known(name: str, table: Any, what: str) -> str:
    """A name of a table; raises ValueError with the nearest one for another."""
    if name not in table:
        close = get_close_matches(str(name), list(table), 1)
        hint = f" Did you mean '{close[0]}'?" if close else ""
        raise ValueError(f"Unknown {what} {name!r}. Known: {', '.join(table)}.{hint}")
    return name


def check(name: str, value: float, dt: float) -> None:
    """Raise ValueError for a number that makes no sense for its name."""
    key = name.split(".")[1]
    endless = key in ("limit", "rate", "acceleration") and value == inf
    if not (endless or np.isfinite(value)):
        raise ValueError(f"Washout: {name} is {value!r}; it must be a finite number.")
    vanishes = value == 0.0 and key not in ("gain", "deadband", "omega_b")
    if vanishes or (key != "gain" and value < 0.0):
        raise ValueError(f"Washout: {name} is {value!r}; it must be positive.")
    if key.startswith("omega") and not value < np.pi / dt:
        raise ValueError(
            f"Washout: {name} = {value:g} rad/s is not below half the sample rate, {np.pi / dt:g} rad/s."
        )
