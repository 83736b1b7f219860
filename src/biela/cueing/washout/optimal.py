"""The optimal washout (Sivan, Ish-Shalom and Huang, 1982): fixed filters from a Riccati equation.

Its numbers are weights: what a wrong sensation costs, and what it costs to be away from rest. For each
setting a regulator is solved beforehand (`biela.cueing.washout.riccati`), and its filters, sampled by
Tustin's rule, are what the native sample takes as ``p``. Angles are taken as small, and nothing limits the
rate of tilt but its weights: the filters are linear.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np

from biela.cueing.perception import CANALS, OTOLITHS
from biela.cueing.washout.channel import CHANNELS, Channel
from biela.cueing.washout.draft import SHOWN, Draft
from biela.cueing.washout.preset import Preset
from biela.cueing.washout.riccati import WEIGHTS, Regulator, Solution
from biela.cueing.washout.tunable import AXES, Tunable, plain, scaling
from biela.cueing.washout.washout import Washout, known
from biela.expr.expression import Expr
from biela.expr.function import Function

TOLD = {
    "force": ("s4/m2", "Raise it and {} keeps closer to the felt force; it needs more room.", (0.1, 10.0)),
    "turning": ("s2/rad2", "Raise it and {} keeps closer to the felt turning; tilt slows.", (1.0, 1e3)),
    "lean": ("1/rad2", "Raise it and {} leans over less.", (0.01, 100.0)),
    "turn": ("s2/rad2", "Raise it and {} turns more slowly, tilt with it.", (0.01, 100.0)),
    "bias": ("1/(m2 s2)", "Raise it and {} does not stay away from the middle for long.", (1e-3, 10.0)),
    "place": ("1/m2", "Raise it and {} keeps to less room.", (1e-3, 10.0)),
    "speed": ("s2/m2", "Raise it and {} is slower.", (1e-3, 10.0)),
    "effort": ("s4/m2", "Raise it and {} shows less of what begins suddenly.", (1e-3, 10.0)),
    "bandwidth": ("rad/s", "Raise it and {} expects motion that changes faster.", (0.1, 10.0)),
}  # fmt: skip
GROUPS = {"surge": CHANNELS[0], "sway": CHANNELS[1], "heave": CHANNELS[2], "yaw": CHANNELS[3]}
OF_PLACE, OF_ANGLE = ("force", "bias", "place", "speed", "effort"), ("turning", "lean", "turn")


def _weights(group: str) -> tuple[str, ...]:
    """The weights that a channel has."""
    channel = GROUPS[group]
    own = (*(OF_PLACE if channel.place else ()), *(OF_ANGLE if channel.angle else ()), "bandwidth")
    return tuple(name for name in WEIGHTS if name in own)


def _tunables() -> dict[str, Tunable]:
    told = scaling()
    for group, channel in GROUPS.items():
        what = " with ".join(filter(None, channel[:2]))
        for name in _weights(group):
            unit, words, usual = TOLD[name]
            told[f"{group}.{name}"] = Tunable(unit, words.format(what), usual)
    return told


def _preset() -> Preset:
    numbers = {
        "force": 1.0, "turning": 50.0, "lean": 1.0, "turn": 10.0, "bias": 0.01, "place": 0.2, "speed": 0.1,
        "effort": 0.02, "bandwidth": 1.0,
    }  # fmt: skip
    values = plain(dict.fromkeys(AXES, 0.6) | {"heave": 0.5})
    values |= {f"{group}.{name}": numbers[name] for group in GROUPS for name in _weights(group)}
    return Preset(values, "Our own, to begin with", recalled=True)


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class OptimalWashout(Washout):
    """Filters that make the driver feel what one in the vehicle does, as well as weights allow.

    ``otolith`` names one of `OTOLITHS`; the canals are `CANALS`.

    >>> OptimalWashout().solution("surge").residual < 1e-9
    True
    """

    kind: ClassVar[str] = "optimal"
    solves: ClassVar[bool] = True
    tunables: ClassVar[Mapping[str, Tunable]] = _tunables()
    presets: ClassVar[Mapping[str, Preset]] = {"begin": _preset()}
    values: Mapping[str, float] = field(default_factory=lambda: dict(OptimalWashout.presets["begin"].values))
    otolith: str = "young-meiry"

    def __post_init__(self) -> None:
        Washout.__post_init__(self)
        known(self.otolith, OTOLITHS, "otolith")

    def idle(self) -> frozenset[str]:
        """Middles without a width."""
        return frozenset(f"{axis}.centre" for axis in AXES if not self.values[f"{axis}.centre"])

    @property
    def groups(self) -> dict[str, Channel]:
        """The channels that move some wanted axis, without what is not wanted."""
        found: dict[str, Channel] = {}
        for group, channel in GROUPS.items():
            place, angle = (axis if axis in self.axes else None for axis in channel[:2])
            if place or angle:
                found[group] = Channel(place, angle, channel.sign)
        return found

    def solution(self, group: str) -> Solution:
        """The solved regulator of a channel: 'surge' (with pitch), 'sway' (with roll), 'heave' or 'yaw'."""
        return self._regulator(known(group, self.groups, "channel"), self.values).solution

    def _regulator(self, group: str, values: Mapping[str, float]) -> Regulator:
        channel, asked = self.groups[group], GROUPS[group]
        o, c = OTOLITHS[self.otolith], CANALS[SHOWN[channel.angle]] if channel.angle else None
        return Regulator(
            moves=bool(channel.place), turns=bool(channel.angle), sign=channel.sign,
            otolith=(o.gain, o.lead, o.long, o.short) if asked.place else (),
            canal=(c.long, c.short, c.adaptation) if c else (),
            weights=tuple(values.get(f"{group}.{name}", 1.0) for name in WEIGHTS),
        )  # fmt: skip

    def numbers(self, values: Mapping[str, float]) -> np.ndarray:
        """The scaling, and the sampled filters."""
        scaled = [min(values[name], 1e300) for name in scaling()]
        filters = [
            matrix.ravel()
            for group in self.groups
            for matrix in self._regulator(group, values).solution.sampled(self.dt)
        ]
        return np.concatenate([scaled, *filters])

    def build(self) -> Function:
        """Filter after filter."""
        names = [*scaling()]
        for group in self.groups:
            A, B = self.solution(group).filter
            names += [f"{group}.A{i}_{j}" for i in range(len(A)) for j in range(len(A))]
            names += [f"{group}.B{i}_{j}" for i in range(len(A)) for j in range(B.shape[1])]
        draft = Draft(self, names)
        pose: dict[str, Expr] = {}
        for group in self.groups:
            pose |= self._filtered(draft, group)
        return draft.function(pose)

    def _filtered(self, draft: Draft, group: str) -> dict[str, Expr]:
        """The pose that the filter of a channel makes of what the vehicle does."""
        channel, names = self.groups[group], self.solution(group).states
        inner = [name for name in names if name not in ("f", "q")]
        moved = {"f": GROUPS[group].place, "q": channel.angle}
        inputs = {name: draft.scaled(axis) for name, axis in moved.items() if axis and name in names}
        before = {name: draft.states.state(f"{group}.{name}") for name in inputs}
        now = {name: draft.states.state(f"{group}.{name}") for name in inner}
        after: dict[str, Expr] = {}
        for i, name in enumerate(inner):
            terms = [draft.p[f"{group}.A{i}_{j}"] * now[other] for j, other in enumerate(inner)]
            terms += [draft.p[f"{group}.B{i}_{j}"] * (inputs[other] + before[other])
                      for j, other in enumerate(inputs)]  # fmt: skip
            after[name] = sum(terms, start=draft.zero)
        for name, value in (*after.items(), *inputs.items()):
            draft.states.becomes(f"{group}.{name}", value)
        found: dict[str, Expr] = {}
        if channel.place:
            found[channel.place] = draft.centred(channel.place, after["x"], inputs["f"])
        if channel.angle:
            tilt = channel.sign * inputs["f"] if "f" in inputs else draft.zero
            found[channel.angle] = draft.centred(channel.angle, after["theta"], inputs["q"] + tilt)
        return found
