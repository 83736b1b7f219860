"""What a rider feels: models of the otoliths and the semicircular canals, and rides compared by them.

    otoliths, of specific force:  K (Ta s + 1) / ((Tl s + 1)(Ts s + 1))
    canals, of the rate of turning:  Tl Ta s^2 / ((Tl s + 1)(Ts s + 1)(Ta s + 1))

The numbers are data: `OTOLITHS` and `CANALS` have some published sets, each with its source, and
``recalled`` where it was not seen in print. Thresholds differ between people, and rise with load;
`THRESHOLDS` are a beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation  # pyright: ignore[reportMissingTypeStubs]

from biela.cueing.gravity import GRAVITY
from biela.cueing.recursion import Recursion, States
from biela.cueing.ride import Ride
from biela.cueing.washout.section import first, second
from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.expr.graph import Graph

FORCES, RATES = ("fx", "fy", "fz"), ("p", "q", "r")


@dataclass(frozen=True)
class Otolith:
    """Sensed for applied specific force; time constants in s."""

    gain: float
    lead: float
    long: float
    short: float
    source: str = ""
    recalled: bool = False

    def respond(self, omega: Any) -> np.ndarray:
        """The complex gain at rates in rad/s."""
        s = 1j * np.asarray(omega, float)
        return self.gain * (self.lead * s + 1.0) / ((self.long * s + 1.0) * (self.short * s + 1.0))

    def run(self, signal: Any, dt: float = 0.02) -> np.ndarray:
        """What is sensed of a signal, from rest."""
        return _sense((self.gain, self.lead, self.long, self.short), signal, dt)


@dataclass(frozen=True)
class Canal:
    """Sensed for actual rate of turning; time constants in s."""

    long: float
    short: float = 0.1
    adaptation: float = 30.0
    source: str = ""
    recalled: bool = False

    def respond(self, omega: Any) -> np.ndarray:
        """The complex gain at rates in rad/s."""
        s = 1j * np.asarray(omega, float)
        below = (self.long * s + 1.0) * (self.short * s + 1.0) * (self.adaptation * s + 1.0)
        return self.long * self.adaptation * s * s / below

    def run(self, signal: Any, dt: float = 0.02) -> np.ndarray:
        """What is sensed of a signal, from rest."""
        return _sense((self.long, self.short, self.adaptation), signal, dt)


def _sense(numbers: tuple[float, ...], signal: Any, dt: float) -> np.ndarray:
    """What an otolith (four numbers) or a canal (three) makes of a signal, from rest."""
    rows = np.asarray(signal, float)
    if rows.ndim != 1 or not np.isfinite(rows).all():
        raise ValueError(f"A signal to be sensed is a row of finite numbers; got shape {rows.shape}.")
    recursion = _recursion(len(numbers), dt)
    x = np.zeros(recursion.function.inputs[0].size)
    return recursion.run(x, rows[:, None], numbers)[1:, 0]


@lru_cache(maxsize=16)
def _recursion(count: int, dt: float) -> Recursion:
    graph = Graph()
    states, u = States(graph), [graph.symbol("u")]
    p = [graph.symbol(f"p{k}") for k in range(count)]
    states.state("out")
    states.becomes("out", (_otolith if count == 4 else _canal)(states, u[0], p, dt))
    x, after = list(states.now.values()), [states.after[name] for name in states.now]
    return Recursion(Function("sense", {"x": x, "u": u, "p": p}, {"x_next": after}))


def _otolith(states: States, u: Expr, p: list[Expr], T: float) -> Expr:
    gain, lead, long, short = p
    over = 1.0 / (long * short)
    return second(
        states, "otolith", u, (gain * over, gain * lead * over, 0.0), (over, (long + short) * over), T
    )


def _canal(states: States, u: Expr, p: list[Expr], T: float) -> Expr:
    long, short, adaptation = p
    over = 1.0 / (long * adaptation)
    high = second(states, "canal", u, (0.0, 0.0, 1.0 + 0.0 * long), (over, (long + adaptation) * over), T)
    return first(states, "canal.lag", high, (1.0 / short, 0.0), 1.0 / short, T)


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
class Felt:
    """What is sensed in the vehicle and on the platform, rows (fx, fy, fz, p, q, r), and how they compare.

    ``errors`` are root mean squares of the differences in units of the thresholds, ``false`` the share of
    moments at which the platform is felt to go one way while the vehicle goes the other, or not at all.
    """

    vehicle: np.ndarray
    platform: np.ndarray

    @property
    def errors(self) -> dict[str, float]:
        """By name, in thresholds."""
        rms = np.sqrt(((self.platform - self.vehicle) ** 2).mean(axis=0))
        return {name: float(rms[k] / THRESHOLDS[name]) for k, name in enumerate((*FORCES, *RATES))}

    @property
    def false(self) -> dict[str, float]:
        """By name, as a share of the ride."""
        limits = np.array([THRESHOLDS[name] for name in (*FORCES, *RATES)])
        shown = np.abs(self.platform) > limits
        meant = (np.abs(self.vehicle) > limits) & (self.vehicle * self.platform > 0.0)
        share = (shown & ~meant).mean(axis=0)
        return {name: float(share[k]) for k, name in enumerate((*FORCES, *RATES))}


def felt(ride: Ride, motion: Any, otolith: Otolith = OTOLITHS["young-meiry"]) -> Felt:
    """What is sensed of a motion in the vehicle, and of what the platform makes of it."""
    rows = ride.washout.motion(motion)
    dt = ride.simulator.dt
    return Felt(_sensed(rows, dt, otolith), _sensed(shown(ride, rows), dt, otolith))


def shown(ride: Ride, motion: Any) -> np.ndarray:
    """Specific force and rates on the platform, rows (fx, fy, fz, p, q, r), by differences of its pose."""
    run, platform = ride.run(motion), ride.simulator.platform
    pose = {name: platform.senses.get(name, 1.0) * run[name] for name in platform.dofs}
    still = np.zeros(len(run))
    dt = ride.simulator.dt
    place = np.stack([pose.get(name, still) for name in ("surge", "sway", "heave")], axis=1)
    roll, pitch, yaw = (pose.get(name, still) for name in ("roll", "pitch", "yaw"))
    pushed = np.gradient(np.gradient(place, dt, axis=0), dt, axis=0) + np.array([0.0, 0.0, GRAVITY])
    turn = Rotation.from_euler("ZYX", np.stack([yaw, pitch, roll], axis=1))
    steps = (turn[:-1].inv() * turn[1:]).as_rotvec() / dt
    return np.concatenate([turn.inv().apply(pushed), np.concatenate([steps[:1], steps])], axis=1)


def _sensed(rows: np.ndarray, dt: float, otolith: Otolith) -> np.ndarray:
    rest = np.array([0.0, 0.0, GRAVITY])
    forces = [otolith.run(rows[:, k] - rest[k], dt) for k in range(3)]
    rates = [CANALS[name].run(rows[:, 3 + k], dt) for k, name in enumerate(RATES)]
    return np.stack([*forces, *rates], axis=1)
