"""What a rider senses: models of the otoliths and the semicircular canals.

    otoliths, of specific force:  K (Ta s + 1) / ((Tl s + 1)(Ts s + 1))
    canals, of the rate of turning:  Tl Ta s^2 / ((Tl s + 1)(Ts s + 1)(Ta s + 1))

The numbers are data: `SENSES` has some published sets, each with its source, and ``recalled`` where it was
not seen in print. A set of your own is a `Senses`. Thresholds differ between people, and rise with load;
`THRESHOLDS` are a beginning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from biela.cueing.gravity import GRAVITY
from biela.cueing.recursion import Recursion, States
from biela.cueing.washout.section import first, second
from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.expr.graph import Graph

FORCES, RATES = ("fx", "fy", "fz"), ("p", "q", "r")
CHANNELS = (*FORCES, *RATES)
REST = np.array([0.0, 0.0, GRAVITY, 0.0, 0.0, 0.0])


def _positive(model: Any, *names: str) -> None:
    for name in names:
        value = getattr(model, name)
        if not (np.isfinite(value) and value > 0.0):
            raise ValueError(f"{type(model).__name__}: {name} is a positive number; got {value!r}.")


@dataclass(frozen=True)
class Otolith:
    """Sensed for applied specific force; time constants in s."""

    gain: float
    lead: float
    long: float
    short: float
    source: str = ""
    recalled: bool = False

    def __post_init__(self) -> None:
        _positive(self, "gain", "long", "short")

    def respond(self, omega: Any) -> np.ndarray:
        """The complex gain at rates in rad/s."""
        s = 1j * np.asarray(omega, float)
        return self.gain * (self.lead * s + 1.0) / ((self.long * s + 1.0) * (self.short * s + 1.0))

    def filter(self, states: States, name: str, u: Expr, T: float) -> Expr:
        """What is sensed of ``u``, as an expression."""
        over = 1.0 / (self.long * self.short)
        gains = (self.gain * over, self.gain * self.lead * over, 0.0)
        return second(states, name, u, gains, (over, (self.long + self.short) * over), T)

    def run(self, signal: Any, dt: float = 0.02) -> np.ndarray:
        """What is sensed of a signal, from rest."""
        return _run(self, signal, dt)


@dataclass(frozen=True)
class Canal:
    """Sensed for actual rate of turning; time constants in s, ``short`` 0 where it is left out."""

    long: float
    short: float = 0.1
    adaptation: float = 30.0
    source: str = ""
    recalled: bool = False

    def __post_init__(self) -> None:
        _positive(self, "long", "adaptation", *(["short"] if self.short != 0.0 else []))

    def respond(self, omega: Any) -> np.ndarray:
        """The complex gain at rates in rad/s."""
        s = 1j * np.asarray(omega, float)
        below = (self.long * s + 1.0) * (self.short * s + 1.0) * (self.adaptation * s + 1.0)
        return self.long * self.adaptation * s * s / below

    def filter(self, states: States, name: str, u: Expr, T: float) -> Expr:
        """What is sensed of ``u``, as an expression."""
        over = 1.0 / (self.long * self.adaptation)
        high = second(states, name, u, (0.0, 0.0, 1.0), (over, (self.long + self.adaptation) * over), T)
        lag = 1.0 / self.short if self.short else 0.0
        return first(states, f"{name}.lag", high, (lag, 0.0), lag, T) if self.short else high

    def run(self, signal: Any, dt: float = 0.02) -> np.ndarray:
        """What is sensed of a signal, from rest."""
        return _run(self, signal, dt)


REVISED = "as in N. Murgovski's thesis (Chalmers); the numbers are those of the tradition of Reid and Nahon"
OTOLITHS = {
    "young-meiry": Otolith(0.4, 13.2, 5.33, 0.66, f"Young and Meiry's model, revised, {REVISED}"),
    "telban": Otolith(0.4, 10.0, 5.0, 0.016, "R. Telban and F. Cardullo", recalled=True),
}
CANALS = {
    "p": Canal(6.1, source=f"roll, {REVISED}"),
    "q": Canal(5.3, source=f"pitch, {REVISED}"),
    "r": Canal(10.2, source=f"yaw, {REVISED}"),
}
THRESHOLDS = {  # m/s2, and rad/s; recalled from Reid and Nahon (1985), not seen in print
    "fx": 0.17,
    "fy": 0.17,
    "fz": 0.28,
    **{name: float(np.radians(value)) for name, value in (("p", 3.0), ("q", 3.6), ("r", 2.6))},
}


@dataclass(frozen=True, eq=False)
class Senses:
    """The organs of a rider, and from where on they notice: one otolith for all axes, a canal for each.

    Raises ValueError for channels that are missing and thresholds that are not positive.
    """

    otolith: Otolith = OTOLITHS["young-meiry"]
    canals: Mapping[str, Canal] = field(default_factory=lambda: dict(CANALS))
    thresholds: Mapping[str, float] = field(default_factory=lambda: dict(THRESHOLDS))

    def __post_init__(self) -> None:
        for what, given, names in (("canals", self.canals, RATES), ("thresholds", self.thresholds, CHANNELS)):
            if set(given) != set(names):
                raise ValueError(f"Senses: {what} are for {', '.join(names)}; got {', '.join(given)}.")
        for name, value in self.thresholds.items():
            if not (np.isfinite(value) and value > 0.0):
                raise ValueError(f"Senses: the threshold of {name} is a positive number; got {value!r}.")

    @cached_property
    def limits(self) -> np.ndarray:
        """The thresholds in the order of the channels."""
        return np.array([self.thresholds[name] for name in CHANNELS])

    def organ(self, channel: str) -> Otolith | Canal:
        """What senses a channel."""
        return self.otolith if channel in FORCES else self.canals[channel]

    def run(self, rows: Any, dt: float) -> np.ndarray:
        """What is sensed of rows (fx, fy, fz, p, q, r), from rest; of fz what exceeds gravity."""
        moved = np.asarray(rows, float) - REST
        return np.stack([self.organ(name).run(moved[:, k], dt) for k, name in enumerate(CHANNELS)], axis=1)


SENSES = {
    "young-meiry": Senses(),
    "telban": Senses(
        OTOLITHS["telban"],
        {name: Canal(5.73, 0.0, 80.0, "R. Telban and F. Cardullo", recalled=True) for name in RATES},
    ),
}


def _run(organ: Otolith | Canal, signal: Any, dt: float) -> np.ndarray:
    """What an organ makes of a signal, from rest."""
    row = np.asarray(signal, float)
    if row.ndim != 1 or not np.isfinite(row).all():
        raise ValueError(f"A signal to be sensed is a row of finite numbers; got shape {row.shape}.")
    recursion = _recursion(organ, dt)
    x = np.zeros(recursion.function.inputs[0].size)
    return recursion.run(x, row[:, None], np.zeros(1))[1:, 0]


@lru_cache(maxsize=32)
def _recursion(organ: Otolith | Canal, dt: float) -> Recursion:
    graph = Graph()
    states, u = States(graph), graph.symbol("u")
    states.state("out")
    states.becomes("out", organ.filter(states, "organ", u, dt))
    x, after = list(states.now.values()), [states.after[name] for name in states.now]
    return Recursion(Function("sense", {"x": x, "u": [u], "p": [graph.symbol("none")]}, {"x_next": after}))
