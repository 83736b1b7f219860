"""The predictive washout: every sample, the best accelerations over the next seconds, within the limits.

Surge with a tilt in pitch, sway with one in roll, and heave show the specific force; roll, pitch and yaw
show turning. Each of these is a quadratic programme over some stages ahead (`biela.cueing.washout.horizon`):
what is sensed wrongly, and how far and fast the platform is from rest, for the accelerations of the stages,
within limits of place, speed and acceleration, of tilt too. It is solved natively by a fixed number of
iterations that begin where those of the sample before ended (`biela.cueing.washout.splitting`); `exactly`
solves it by OSQP instead, row by row.

The first acceleration is applied for a sample, once it is certain that the platform can still stop in time
(`biela.cueing.washout.stopping`): limits hold at every sample, converged or not. In the programme limits of
place and speed are soft, so that it has a solution from wherever the platform is.

What the vehicle does ahead is taken to stay as it is ('constant'), or known ('oracle', for recorded drives).
Angles are taken as small.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import radians
from typing import ClassVar, final

import numpy as np

from biela.cueing.gravity import GRAVITY
from biela.cueing.perception import CANALS, OTOLITHS
from biela.cueing.washout.channel import CHANNELS
from biela.cueing.washout.draft import SHOWN, Draft
from biela.cueing.washout.horizon import Horizon, Mover
from biela.cueing.washout.preset import Preset
from biela.cueing.washout.receding import LIMITS, Group, Sample
from biela.cueing.washout.tunable import AXES, ROTATIONS, TRANSLATIONS, Tunable, plain, scaling
from biela.cueing.washout.washout import INPUTS, Washout, known
from biela.expr.function import Function

AHEAD = ("constant", "oracle")
SOFT = 10.0  # price of an excess of 1, a whole limit, in units of the mean curvature of the cost
RHO = 0.03
WEIGHTS = ("place", "speed", "effort", "smooth")


def _tunables() -> dict[str, Tunable]:
    told = scaling()
    for axis in (*TRANSLATIONS, "tilt", *ROTATIONS):
        m = "m" if axis in TRANSLATIONS else "rad"
        far, fast, hard = (1.0, 1.0, 10.0) if m == "m" else (0.5, 0.5, 5.0)
        if axis != "tilt":
            what, unit = ("force", "s4/m2") if m == "m" else ("turning", "s2/rad2")
            told[f"{axis}.sensed"] = Tunable(
                unit, f"Raise it and {axis} keeps closer to the felt {what}; it needs more room.", (0.1, 1e3)
            )
        told |= {
            f"{axis}.most_place": Tunable(m, f"Raise it and {axis} may go further.", (0.05, far)),
            f"{axis}.most_speed": Tunable(
                f"{m}/s", f"Raise it and {axis} may be faster"
                + ("; above about 3 deg/s it is felt as turning." if axis == "tilt" else "."), (0.02, fast)),
            f"{axis}.most_acceleration": Tunable(
                f"{m}/s2", f"Raise it and {axis} may start and stop harder.", (0.1, hard)),
            f"{axis}.place": Tunable(
                f"1/{m}2", f"Raise it and {axis} keeps to less room.", (1e-3, 100.0), "not negative"),
            f"{axis}.speed": Tunable(
                f"s2/{m}2", f"Raise it and {axis} is slower.", (1e-3, 100.0), "not negative"),
            f"{axis}.effort": Tunable(
                f"s4/{m}2", f"Raise it and {axis} shows less of what begins suddenly.", (1e-3, 10.0)),
            f"{axis}.smooth": Tunable(
                f"s4/{m}2", f"Raise it and the acceleration of {axis} changes less from sample to sample.",
                (0.0, 10.0), "not negative"),
        }  # fmt: skip
    return told


def _preset() -> Preset:
    values = plain(dict.fromkeys(AXES, 0.6) | {"heave": 0.5})
    rows = {
        **dict.fromkeys(TRANSLATIONS, (1.0, 0.3, 0.8, 6.0, 0.2, 0.1, 0.01, 0.01)),
        "tilt": (0.0, 0.3, radians(3.0), 0.3, 0.1, 1.0, 1.0, 1.0),
        **dict.fromkeys(ROTATIONS, (50.0, 0.3, 0.6, 4.0, 5.0, 0.5, 0.02, 0.02)),
    }
    for axis, numbers in rows.items():
        names = ("sensed", *LIMITS, *WEIGHTS)
        values |= {f"{axis}.{name}": x for name, x in zip(names, numbers, strict=True)}
    del values["tilt.sensed"]
    return Preset(values, "Our own, to begin with", recalled=True)


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class PredictiveWashout(Washout):
    """Model-predictive cueing, within limits.

    ``stages`` of ``length`` s are looked ahead, ``ahead`` says what the vehicle does meanwhile, 'constant'
    or 'oracle', ``otolith`` names one of `OTOLITHS`, or is 'none' for motion as it is instead of as it is
    sensed. ``iterations`` are those of a sample.

    >>> PredictiveWashout().explain("tilt.most_speed")
    '[rad/s] Raise it and tilt may be faster; above about 3 deg/s it is felt as turning.'
    """

    kind: ClassVar[str] = "predictive"
    solves: ClassVar[bool] = True
    tunables: ClassVar[Mapping[str, Tunable]] = _tunables()
    presets: ClassVar[Mapping[str, Preset]] = {"begin": _preset()}
    values: Mapping[str, float] = field(
        default_factory=lambda: dict(PredictiveWashout.presets["begin"].values)
    )
    stages: int = 10
    length: float = 0.2
    ahead: str = "constant"
    otolith: str = "young-meiry"
    iterations: int = 6

    def __post_init__(self) -> None:
        Washout.__post_init__(self)
        known(self.ahead, AHEAD, "motion ahead")
        known(self.otolith, (*OTOLITHS, "none"), "otolith")
        for name in ("stages", "iterations"):
            count = getattr(self, name)
            if not (isinstance(count, int) and count >= 1):
                raise ValueError(f"PredictiveWashout: {name} is a count, 1 or more; got {count!r}.")
        if not (np.isfinite(self.length) and self.length >= self.dt):
            raise ValueError(
                f"PredictiveWashout: a stage of {self.length!r} s is shorter than a sample, {self.dt:g} s."
            )

    def idle(self) -> frozenset[str]:
        """Middles without a width."""
        return frozenset(f"{axis}.centre" for axis in AXES if not self.values[f"{axis}.centre"])

    @cached_property
    def groups(self) -> dict[str, Group]:
        """The programmes, turns first: what they lean adds to the tilt."""
        found = {axis: Group(axis, (axis,), 0.0) for axis in ROTATIONS if axis in self.axes}
        for place, angle, sign in CHANNELS:
            movers = (
                *([place] if place in self.axes else []),
                *(["tilt"] if sign and angle in self.axes else []),
            )
            if place and movers:
                found[place] = Group(place, movers, sign)
        return found

    def horizon(self, name: str, values: Mapping[str, float] | None = None) -> Horizon:
        """What a programme is made of, by the axis whose motion it shows."""
        group = self.groups[known(name, self.groups, "programme")]
        have = self.values if values is None else values
        movers: list[Mover] = []
        for mover in group.movers:
            turns = group.axis in ROTATIONS
            shows = (0.0, 1.0, 0.0) if turns else (1.0, 0.0, 0.0)
            if mover == "tilt":
                shows = (0.0, 0.0, group.sign * GRAVITY)
            most, weights = (tuple(have[f"{mover}.{key}"] for key in keys) for keys in (LIMITS, WEIGHTS))
            movers.append(Mover(shows, most, weights))  # type: ignore[arg-type]
        sensed = have[f"{group.axis}.sensed"]
        return Horizon(tuple(movers), self._organ(group), sensed, self.stages, self.length)

    def _organ(self, group: Group) -> tuple[float, ...]:
        if self.otolith == "none":
            return ()
        if group.axis in ROTATIONS:
            c = CANALS[SHOWN[group.axis]]
            return c.long, c.short, c.adaptation
        o = OTOLITHS[self.otolith]
        return o.gain, o.lead, o.long, o.short

    # numbers

    def numbers(self, values: Mapping[str, float]) -> np.ndarray:
        """The values, and the matrices of the programmes."""
        own = [min(values[name], 1e300) for name in self.names]
        return np.concatenate([own, *(self._matrices(self.horizon(name, values)) for name in self.groups)])

    def _matrices(self, horizon: Horizon) -> np.ndarray:
        """K, G, rho and rho / (rho + soft), as `_names` names them."""
        found = horizon.programme
        mean = np.trace(found.H) / len(found.H)
        rho, soft = RHO * mean, SOFT * mean
        inverse = np.asarray(np.linalg.inv(found.H + rho * found.A.T @ found.A), float)
        by_known, by_motion = found.G[:, : horizon.known], found.G[:, horizon.known :]
        if self.ahead == "constant":
            by_motion = by_motion.sum(axis=1, keepdims=True)
        gradient = np.column_stack([by_known, by_motion])
        return np.concatenate([inverse.ravel(), gradient.ravel(), [rho, rho / (rho + soft)]])

    def matrix_names(self, name: str) -> tuple[list[str], list[str], list[str]]:
        """The names of a programme's K, G, and rho with rho / (rho + soft)."""
        horizon = self.horizon(name)
        n = len(horizon.movers) * self.stages
        width = horizon.known + (self.stages if self.ahead == "oracle" else 1)
        K = [f"{name}.K{i}_{j}" for i in range(n) for j in range(n)]
        G = [f"{name}.G{i}_{j}" for i in range(n) for j in range(width)]
        return K, G, [f"{name}.rho", f"{name}.yields"]

    # motion ahead

    def foreseen(self, rows: np.ndarray) -> np.ndarray:
        """With an oracle, beside each row the means of the motion over the stages ahead; the end stays."""
        if self.ahead == "constant":
            return rows
        edges = np.rint(self.length / self.dt * np.arange(self.stages + 1)).astype(int)
        longer = np.concatenate([rows, np.repeat(rows[-1:], edges[-1], axis=0)]) - rows[0]
        sums = np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(longer, axis=0)])
        at = np.arange(len(rows))[:, None] + edges
        means = np.diff(sums[at], axis=1) / np.diff(edges)[:, None] + rows[0]
        return np.ascontiguousarray(np.concatenate([rows, means.reshape(len(rows), -1)], axis=1))

    # the sample

    def build(self) -> Function:
        """Programme after programme."""
        return self._sample(solved=True)

    @cached_property
    def given(self) -> Function:
        """The sample with the first accelerations as another input, ``U``, as shares of their limits.

        Beside ``x_next`` it has the programmes' ``g`` and ``b``, one after the other. A programme depends on
        what those before it do.
        """
        return self._sample(solved=False)

    def _sample(self, *, solved: bool) -> Function:
        names = [
            *self.names,
            *(name for group in self.groups for kind in self.matrix_names(group) for name in kind),
        ]
        ahead = (
            [f"ahead{k}.{name}" for k in range(self.stages) for name in INPUTS]
            if self.ahead == "oracle"
            else []
        )
        sample = Sample(Draft(self, names, ahead), self, solved)
        for name in self.groups:
            sample.solve(name)
        return sample.function()
