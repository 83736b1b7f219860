"""The classical washout (Schmidt and Conrad, 1969; Reid and Nahon, 1985): fixed filters, one way each.

* **Translation.** The specific force is scaled and limited, turned into the ground's axes, freed of gravity,
  high-passed and integrated twice: the platform starts with every acceleration and comes back.
* **Tilt coordination.** The low-passed rest of the longitudinal and lateral force is shown by tilting the
  platform, so slowly (a limited rate, and a limited angular acceleration) that it is not felt as turning.
* **Rotation.** Scaled and limited rates, turned into rates of the Euler angles, high-passed, integrated,
  and added to the tilt.

To show f_x by tilt takes a pitch of -asin(f_x / g), f_y a roll of asin(f_y / (g cos pitch)); laws 'linear'
and 'atan' are to choose from.

Orders are 1 to 3 for each axis; a second order leaves a platform displaced for as long as an acceleration
lasts, the third, whose pole is ``omega_b``, does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

from biela.cueing import limiter
from biela.cueing.gravity import GRAVITY
from biela.cueing.platform.leg import turned
from biela.cueing.washout.draft import Draft
from biela.cueing.washout.preset import PRESETS, Preset
from biela.cueing.washout.section import low_pass, washed_once, washed_twice
from biela.cueing.washout.tunable import AXES, ROTATIONS, TRANSLATIONS, Tunable, scaling
from biela.cueing.washout.washout import Washout, known
from biela.expr.expression import Expr, asin, atan, cos, maximum, minimum, sin
from biela.expr.function import Function

LAWS = ("asin", "linear", "atan")


def _tunables() -> dict[str, Tunable]:
    told = scaling()
    for axis in AXES:
        told |= {
            f"{axis}.omega": Tunable(
                "rad/s", f"Raise it and {axis} fades sooner: less room, more phase error.", (0.2, 5.0)),
            f"{axis}.damping": Tunable(
                "", f"Raise it and the platform comes back from {axis} without overshoot, slowly.",
                (0.5, 2.0)),
            f"{axis}.omega_b": Tunable(
                "rad/s", f"Raise it and lasting {axis} is washed out sooner; used by order 3.",
                (0.05, 1.0), "not negative"),
        }  # fmt: skip
    return told | {
        "tilt.omega": Tunable(
            "rad/s", "Raise it and lasting forces are shown sooner by tilt; jolts then tilt too.",
            (0.5, 8.0)),
        "tilt.damping": Tunable(
            "", "Raise it and the tilt follows more slowly, without overshoot.", (0.5, 2.0)),
        "tilt.rate": Tunable(
            "rad/s", "Raise it and tilt comes faster; above about 3 deg/s it is felt as turning.",
            (0.01, 0.2), endless=True),
        "tilt.acceleration": Tunable(
            "rad/s2", "Raise it and tilt starts and stops more abruptly.", (0.05, 2.0), endless=True),
    }  # fmt: skip


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class ClassicalWashout(Washout):
    """Fixed filters.

    ``orders`` has one of 1, 2, 3 for each axis, ``law`` is that of the tilt, 'asin', 'linear' or 'atan'.
    Infinite tilt rates and accelerations are no limits.

    >>> ClassicalWashout.preset("delft").explain("surge.omega")
    '[rad/s] Raise it and surge fades sooner: less room, more phase error.'
    """

    kind: ClassVar[str] = "classical"
    tunables: ClassVar[Mapping[str, Tunable]] = _tunables()
    presets: ClassVar[Mapping[str, Preset]] = PRESETS
    values: Mapping[str, float] = field(default_factory=lambda: dict(PRESETS["delft"].values))
    orders: Mapping[str, int] = field(default_factory=lambda: dict(PRESETS["delft"].options["orders"]))
    law: str = "asin"

    def __post_init__(self) -> None:
        Washout.__post_init__(self)
        known(self.law, LAWS, "law of the tilt")
        if any(self.orders.get(name) not in (1, 2, 3) for name in AXES):
            raise ValueError(
                f"ClassicalWashout: orders are 1, 2 or 3 for each axis; got {dict(self.orders)}."
            )

    def idle(self) -> frozenset[str]:
        """Limits of the tilt that are infinite, middles without a width, poles that no order asks for."""
        found = {f"{axis}.centre" for axis in AXES if not self.values[f"{axis}.centre"]}
        found |= {f"{axis}.omega_b" for axis in AXES if self.orders[axis] < 3}
        found |= {f"{axis}.damping" for axis in AXES if self.orders[axis] < 2}
        kind = limiter.kind(self.values["tilt.rate"], self.values["tilt.acceleration"])
        found |= {"none": {"tilt.rate", "tilt.acceleration"}, "rate": {"tilt.acceleration"}}.get(kind, set())
        return frozenset(found)

    def build(self) -> Function:
        """Translations, and rotations with the tilt."""
        draft = _Draft(self)
        force = draft.force()
        return draft.function(draft.translations(force) | draft.rotations(force))


class _Draft(Draft):
    """The sample of a classical washout as expressions."""

    washout: ClassicalWashout

    def force(self) -> list[Expr]:
        """The specific force, scaled."""
        return [self.scaled("surge"), self.scaled("sway"), self.scaled("heave") + GRAVITY]

    def _angle(self, name: str) -> Expr:
        return self.last.get(name, self.zero)

    def translations(self, force: Sequence[Expr]) -> dict[str, Expr]:
        """What the force, turned into the ground's axes, leaves of displacements."""
        wanted = [name for name in TRANSLATIONS if name in self.washout.axes]
        if not wanted:
            return {}
        angles = [(axis, self._angle(name)) for axis, name in (("z", "yaw"), ("y", "pitch"), ("x", "roll"))]
        x, y, z = turned(angles, force)
        pushed: dict[str, Expr] = dict(zip(TRANSLATIONS, (x, y, z - GRAVITY), strict=True))
        meant = dict(zip(TRANSLATIONS, (force[0], force[1], force[2] - GRAVITY), strict=True))
        return {
            name: self.centred(name, self._wash(washed_twice, name, pushed[name]), meant[name])
            for name in wanted
        }

    def _wash(self, filtered: Any, axis: str, value: Expr) -> Expr:
        numbers = [self.p[f"{axis}.{key}"] for key in ("omega", "damping", "omega_b")]
        return filtered(self.states, f"{axis}.high", value, self.washout.orders[axis], *numbers, self.T)

    def rotations(self, force: Sequence[Expr]) -> dict[str, Expr]:
        """What the rates leave of angles, and the tilt."""
        wanted = [name for name in ROTATIONS if name in self.washout.axes]
        rates = self._euler_rates()
        tilt = self._tilt(force, wanted)
        washed = {
            name: self.centred(name, self._wash(washed_once, name, rates[name]), rates[name])
            for name in wanted
        }
        return {name: washed[name] + tilt.get(name, 0.0) for name in wanted}

    def _euler_rates(self) -> dict[str, Expr]:
        """Rates of yaw, pitch and roll for the body's rates (w = R^T dR/dt for R = Rz Ry Rx)."""
        p, q, r = (self.scaled(axis) for axis in ROTATIONS)
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
