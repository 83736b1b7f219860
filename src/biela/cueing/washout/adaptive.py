"""The coordinated adaptive washout (Parrish, Dieudonne and Martin, Journal of Aircraft 12, 1975).

Each channel is a small filter whose gains follow the steepest descent of a cost. Surge with pitch (and sway
with roll, heave and yaw alone, as parts of it):

    f_i = f - s g theta,                            the force that tilt does not show yet
    x'' = p1 f_i - 2 zeta omega x' - omega^2 x,     displacement
    theta' = p2 s f_i / g + p3 q,                   tilt, limited in rate and acceleration, and turning

with s = -1 for pitch, 1 for roll: as tilt comes to show the force, the platform has less to displace. That
is the coordination. The cost at a moment is

    J = 1/2 (w_f (f_i - x'')^2 + w_q (q - theta')^2 + w_v x'^2 + w_x x^2 + w_a theta^2 + w_p sum d_k^2),

the gains are p1 = 1 + d1, p2 = (1 + d2) omega_tilt, p3 = 1 + d3, and d_k' = -G_k dJ/dd_k, kept within -1
and 1. The derivatives of the states by the gains are integrated along; they are the exact derivatives of
the sample (all of it by the trapezoidal rule), limits included. With all G at 0 the filters are fixed and
linear.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, radians
from typing import Any, ClassVar, final

import numpy as np

from biela.cueing.gravity import GRAVITY
from biela.cueing.washout.channel import CHANNELS, Channel
from biela.cueing.washout.draft import Draft
from biela.cueing.washout.preset import Preset
from biela.cueing.washout.tunable import AXES, ROTATIONS, TRANSLATIONS, Tunable, plain, scaling
from biela.cueing.washout.washout import Washout
from biela.expr.derivative import directional_derivative
from biela.expr.expression import Expr, maximum, minimum
from biela.expr.function import Function

WEIGHTS = {
    "force": ("s4/m2", "Raise it and the gains keep closer to the vehicle's force.", (0.1, 10.0)),
    "rate": ("s2/rad2", "Raise it and the gains keep closer to its turning; tilt slows.", (1.0, 1e3)),
    "speed": ("s2/m2", "Raise it and gains fall sooner as the platform gets fast.", (0.0, 10.0)),
    "place": ("1/m2", "Raise it and gains fall sooner far from the middle.", (0.0, 50.0)),
    "angle": ("1/rad2", "Raise it and gains fall sooner as the platform leans over.", (0.0, 100.0)),
    "return": ("", "Raise it and gains come back to where they began sooner.", (0.0, 10.0)),
}  # fmt: skip


def _tunables() -> dict[str, Tunable]:
    told = scaling()
    for axis in TRANSLATIONS:
        told[f"{axis}.omega"] = Tunable(
            "rad/s", f"Raise it and {axis} is pulled back harder: less room, less of it shown.", (0.2, 5.0)
        )
        told[f"{axis}.damping"] = Tunable(
            "", f"Raise it and {axis} comes back without overshoot, slowly.", (0.5, 2.0)
        )
    for axis in ROTATIONS:
        what = "tilt shows lasting force sooner, and " if axis != "yaw" else ""
        told[f"{axis}.omega"] = Tunable(
            "rad/s", f"Raise it and {what}{axis} of the vehicle fades sooner.", (0.1, 3.0)
        )
    for axis in AXES:
        told[f"{axis}.adaptation"] = Tunable(
            "1/s",
            f"Raise it and the gain of {axis} adapts faster; too much, and it jumps.",
            (0.0, 1.0),
            "not negative",
        )
    told["tilt.adaptation"] = Tunable(
        "1/s",
        "Raise it and the speed of tilting adapts faster; too much, and it jumps.",
        (0.0, 1.0),
        "not negative",
    )
    told["tilt.rate"] = Tunable(
        "rad/s",
        "Raise it and tilt comes faster; above about 3 deg/s it is felt as turning.",
        (0.01, 0.2),
        endless=True,
    )
    told["tilt.acceleration"] = Tunable(
        "rad/s2", "Raise it and tilt starts and stops more abruptly.", (0.05, 2.0), endless=True
    )
    for name, (unit, words, usual) in WEIGHTS.items():
        told[f"cost.{name}"] = Tunable(unit, words, usual, "not negative")
    return told  # fmt: skip


def _preset() -> Preset:
    values = plain(dict.fromkeys(AXES, 0.6) | {"heave": 0.5})
    values |= {
        f"{axis}.omega": omega for axis, omega in zip(AXES, (0.8, 1.0, 1.5, 0.6, 0.6, 0.5), strict=True)
    }
    values |= {f"{axis}.damping": 1.0 for axis in TRANSLATIONS}
    values |= {f"{axis}.adaptation": 0.1 for axis in (*AXES, "tilt")}
    values |= {"tilt.rate": radians(3.0), "tilt.acceleration": inf}
    weights = (1.0, 100.0, 1.0, 4.0, 10.0, 1.0)
    values |= {f"cost.{name}": weight for name, weight in zip(WEIGHTS, weights, strict=True)}
    return Preset(
        values, "Our own, to begin with: filters as slow as in the classical 'delft'", recalled=True
    )


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class AdaptiveWashout(Washout):
    """Gains that adapt: small cues are shown in full, large ones as far as there is room.

    Angles are taken as small: the axes of platform and ground are the same for it.

    >>> AdaptiveWashout().explain("surge.adaptation")
    '[1/s] Raise it and the gain of surge adapts faster; too much, and it jumps.'
    """

    kind: ClassVar[str] = "adaptive"
    tunables: ClassVar[Mapping[str, Tunable]] = _tunables()
    presets: ClassVar[Mapping[str, Preset]] = {"begin": _preset()}
    values: Mapping[str, float] = field(default_factory=lambda: dict(AdaptiveWashout.presets["begin"].values))

    def idle(self) -> frozenset[str]:
        """Middles without a width."""
        return frozenset(f"{axis}.centre" for axis in AXES if not self.values[f"{axis}.centre"])

    def build(self) -> Function:
        """Channel after channel."""
        draft = Draft(self)
        pose: dict[str, Expr] = {}
        for channel in CHANNELS:
            place, angle = (axis if axis in self.axes else None for axis in channel[:2])
            if place or angle:
                pose |= _Pair(draft, channel, place, angle).advance()
        return draft.function(pose)

    def costs(self, motion: Any) -> dict[str, np.ndarray]:
        """The cost J of each channel along a motion, by the name of its first axis."""
        rows = self.motion(motion)
        found = self.recursion.run(self.rest, rows, self.p)[1:]
        step = self.step
        names = [str(symbol) for symbol in step.value(step.inputs[0])]
        return {
            name.removesuffix(".cost"): found[:, k] for k, name in enumerate(names) if name.endswith(".cost")
        }


class _Pair:
    """A channel in the making: ``now`` are its states, ``after`` what becomes of them."""

    def __init__(self, draft: Draft, channel: Channel, place: str | None, angle: str | None) -> None:
        self.draft, self.p, self.T = draft, draft.p, draft.T
        self.place, self.angle, self.sign = place, angle, channel.sign
        self.name = place or angle or ""
        force = channel.place
        self.force = draft.scaled(force) if force else draft.zero
        self.rate = draft.scaled(angle) if angle else draft.zero
        keys = [*(("x", "v", "a") if place else ()), *(("angle", "turning", "tilting") if angle else ())]
        self.now = {key: draft.states.state(f"{self.name}.{key}") for key in keys}
        gains = [*(["p1"] if place else []), *(["p2", "p3"] if angle else [])]
        self.gains = {key: draft.states.state(f"{self.name}.{key}") for key in gains}

    def advance(self) -> dict[str, Expr]:
        """The pose after the sample, with gains and sensitivities."""
        after, cost = self._sample()
        states = self.draft.states
        for gain, value in self.gains.items():
            along, keys = self._sensitivities(gain)
            *slopes, slope = directional_derivative([*(after[key] for key in keys), cost], along)
            for key, moved in zip(keys, slopes, strict=True):
                states.becomes(f"{self.name}.{key}.{gain}", moved)
            speed = self.p[f"{self._tuned(gain)}.adaptation"]
            states.becomes(f"{self.name}.{gain}", minimum(maximum(value - self.T * speed * slope, -1.0), 1.0))
        for key, value in after.items():
            states.becomes(f"{self.name}.{key}", value)
        states.state(f"{self.name}.cost")
        states.becomes(f"{self.name}.cost", cost)
        return self._pose(after)

    def _sensitivities(self, gain: str) -> tuple[dict[Expr, Expr | float], Sequence[str]]:
        """The direction in which the states change with a gain, and the names of those that do."""
        keys = [key for key in self.now if gain != "p1" or key in ("x", "v", "a")]
        along: dict[Expr, Expr | float] = {
            self.now[key]: self.draft.states.state(f"{self.name}.{key}.{gain}") for key in keys
        }
        return along | {self.gains[gain]: 1.0}, keys

    def _tuned(self, gain: str) -> str:
        return {"p1": self.place, "p2": "tilt", "p3": self.angle}[gain] or ""

    def _sample(self) -> tuple[dict[str, Expr], Expr]:
        """The filters, and the cost at the end of the sample."""
        p, after = self.p, dict[str, Expr]()
        unshown = self.force
        cost = self.draft.zero
        if self.angle:
            after |= self._turned(self.angle)
            unshown = unshown - self.sign * GRAVITY * after["angle"]
            off = self.rate - after["turning"]
            cost = cost + p["cost.rate"] * off * off + p["cost.angle"] * after["angle"] * after["angle"]
        if self.place:
            after |= self._moved(self.place, unshown)
            cost = (
                cost + p["cost.speed"] * after["v"] * after["v"] + p["cost.place"] * after["x"] * after["x"]
            )
            unshown = unshown - after["a"]
        if self.place or self.sign:
            cost = cost + p["cost.force"] * unshown * unshown
        for gain in self.gains.values():
            cost = cost + p["cost.return"] * gain * gain
        return after, 0.5 * cost

    def _turned(self, angle: str) -> dict[str, Expr]:
        """theta, theta' and its part that is tilt."""
        p, now, half = self.p, self.now, 0.5 * self.T
        pole = (1.0 + self.gains["p2"]) * p[f"{angle}.omega"]
        turned = (1.0 + self.gains["p3"]) * self.rate
        ahead = now["angle"] + half * (now["turning"] + turned)
        tilting = pole * (self.sign / GRAVITY * self.force - ahead) / (1.0 + half * pole)
        if self.sign:
            tilting = minimum(maximum(tilting, -p["tilt.rate"]), p["tilt.rate"])
            step = self.T * p["tilt.acceleration"]
            tilting = minimum(maximum(tilting, now["tilting"] - step), now["tilting"] + step)
        turning = tilting + turned
        return {
            "angle": now["angle"] + half * (now["turning"] + turning), "turning": turning, "tilting": tilting,
        }  # fmt: skip

    def _moved(self, place: str, unshown: Expr) -> dict[str, Expr]:
        """x, x', x''."""
        p, now, half = self.p, self.now, 0.5 * self.T
        stiff = p[f"{place}.omega"] * p[f"{place}.omega"]
        damp = 2.0 * p[f"{place}.damping"] * p[f"{place}.omega"]
        v0, x0 = now["v"] + half * now["a"], now["x"] + half * now["v"]
        pushed = (1.0 + self.gains["p1"]) * unshown
        a = (pushed - damp * v0 - stiff * (x0 + half * v0)) / (1.0 + half * damp + half * half * stiff)
        v = v0 + half * a
        return {"x": x0 + half * v, "v": v, "a": a}

    def _pose(self, after: Mapping[str, Expr]) -> dict[str, Expr]:
        found: dict[str, Expr] = {}
        asked = self.rate
        if self.angle and self.sign:
            asked = asked + self.sign / GRAVITY * self.p[f"{self.angle}.omega"] * self.force
        for axis, key, meant in ((self.place, "x", self.force), (self.angle, "angle", asked)):
            if axis:
                found[axis] = self.draft.centred(axis, after[key], meant)
        return found
