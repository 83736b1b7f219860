"""`felt`: a ride judged by what is sensed in the vehicle and on the platform.

Errors and correlations are of sensed signals, in thresholds where a unit is needed; the delay of a channel
is the shift with which the platform's sensed signal is most like the vehicle's. What goes wrong is told as
`Cue`s, each with its channel and its interval:

    missing  the vehicle is felt, the platform is not;
    false    the platform is felt while the vehicle is not, or the other way round;
    scale    both are felt alike, but one less than `SCALE` times as strong as the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from biela.cueing.head import CENTER, LAG, Place, shown
from biela.cueing.perception import CHANNELS, Senses
from biela.cueing.ride import Ride

KINDS = ("missing", "false", "scale")
SCALE = 0.5
SHORTEST = 0.1  # s, of a cue that is told
LONGEST = 2.0  # s, of a delay that is looked for


@dataclass(frozen=True)
class Cue:
    """Something that goes wrong: its kind, channel, interval in s, and the largest error in thresholds."""

    kind: str
    channel: str
    begin: float
    end: float
    worst: float

    def __str__(self) -> str:
        span = f"{self.begin:.2f} to {self.end:.2f} s"
        return f"{self.channel:<2} {self.kind:<7} {span:<20} by {self.worst:.1f} thresholds"


@dataclass(frozen=True, eq=False)
class Felt:
    """What is sensed in the vehicle and on the platform, rows (fx, fy, fz, p, q, r), and how they compare."""

    vehicle: np.ndarray
    platform: np.ndarray
    dt: float = 0.02
    senses: Senses = field(default_factory=Senses)

    @property
    def errors(self) -> dict[str, float]:
        """Root mean squares of the differences, by channel, in thresholds."""
        rms = np.sqrt(((self.platform - self.vehicle) ** 2).mean(axis=0)) / self.senses.limits
        return _named(rms)

    @property
    def error(self) -> float:
        """The root mean square of all channels together, in thresholds."""
        return float(np.sqrt(np.mean(np.square(list(self.errors.values())))))

    @property
    def correlations(self) -> dict[str, float]:
        """By channel; nan where the vehicle or the platform is not felt to move at all."""
        return _named([_likeness(v, s) for v, s in zip(self.vehicle.T, self.platform.T, strict=True)])

    @property
    def delays(self) -> dict[str, float]:
        """In s, by channel, up to `LONGEST`; nan as in `correlations`."""
        pairs = zip(self.vehicle.T, self.platform.T, strict=True)
        return _named([_delay(v, s, self.dt) for v, s in pairs])

    @property
    def noticed(self) -> dict[str, tuple[float, float]]:
        """The seconds above the threshold in the vehicle and on the platform, by channel."""
        limits = self.senses.limits
        spent = [self.dt * (np.abs(rows) > limits).sum(axis=0) for rows in (self.vehicle, self.platform)]
        return {name: (float(spent[0][k]), float(spent[1][k])) for k, name in enumerate(CHANNELS)}

    @property
    def false(self) -> dict[str, float]:
        """The share of the ride with a false cue, by channel."""
        return _named(self.kinds()["false"].mean(axis=0))

    def kinds(self) -> dict[str, np.ndarray]:
        """For every kind of cue where it is, as rows of flags."""
        v, s = self.vehicle / self.senses.limits, self.platform / self.senses.limits
        meant, here, alike = np.abs(v) > 1.0, np.abs(s) > 1.0, v * s > 0.0
        small, large = np.minimum(np.abs(v), np.abs(s)), np.maximum(np.abs(v), np.abs(s))
        return {
            "missing": meant & ~here,
            "false": here & ~(meant & alike),
            "scale": here & meant & alike & (small < SCALE * large),
        }

    def cues(self, shortest: float = SHORTEST) -> list[Cue]:
        """All that goes wrong for ``shortest`` seconds or longer, in the order of time."""
        wrong = np.abs(self.platform - self.vehicle) / self.senses.limits
        found = [
            Cue(kind, name, begin * self.dt, end * self.dt, float(wrong[begin:end, k].max()))
            for kind, flags in self.kinds().items()
            for k, name in enumerate(CHANNELS)
            for begin, end in intervals(flags[:, k])
            if (end - begin) * self.dt >= shortest - 1e-9
        ]
        return sorted(found, key=lambda cue: (cue.begin, cue.channel))

    def __str__(self) -> str:
        head = f"{'':<3}{'error':>8}{'likeness':>10}{'delay':>8}{'felt':>8}{'shown':>8}"
        head += "".join(f"{kind:>9}" for kind in KINDS)
        lines, flags = [head], self.kinds()
        for k, name in enumerate(CHANNELS):
            meant, here = self.noticed[name]
            line = f"{name:<3}{self.errors[name]:>8.2f}{self.correlations[name]:>10.2f}"
            line += f"{self.delays[name]:>8.2f}{meant:>8.1f}{here:>8.1f}"
            lines.append(line + "".join(f"{self.dt * flags[kind][:, k].sum():>9.1f}" for kind in KINDS))
        return "\n".join([*lines, "errors in thresholds, the rest in s"])


def felt(ride: Ride, motion: Any, senses: Senses | None = None, head: Place = CENTER) -> Felt:
    """What is sensed of a motion in the vehicle, and of what the platform makes of it.

    The last `LAG` samples are left out, since their accelerations depend on what comes after. Raises
    ValueError for bad motions.
    """
    rows, senses, dt = ride.washout.motion(motion), senses or Senses(), ride.simulator.dt
    vehicle, platform = senses.run(rows, dt), senses.run(ridden(ride, rows, head), dt)
    return Felt(vehicle[:-LAG], platform[:-LAG], dt, senses)


def ridden(ride: Ride, motion: Any, head: Place = CENTER) -> np.ndarray:
    """Specific force and rates on the platform, rows (fx, fy, fz, p, q, r), for a ride."""
    run, platform = ride.run(motion), ride.simulator.platform
    poses = np.stack([run[name] for name in platform.dofs], axis=1)
    return shown(platform, poses, ride.simulator.dt, head)


def intervals(flags: np.ndarray) -> list[tuple[int, int]]:
    """Where flags are set without a break: (first, one behind the last).

    >>> intervals(np.array([0, 1, 1, 0, 1]))
    [(1, 3), (4, 5)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _named(values: Any) -> dict[str, float]:
    return {name: float(values[k]) for k, name in enumerate(CHANNELS)}


def _likeness(v: np.ndarray, s: np.ndarray) -> float:
    """The correlation of two signals; nan where one does not move."""
    a, b = v - v.mean(), s - s.mean()
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size > 1e-12 * max(len(v), 1) else float("nan")


def _delay(v: np.ndarray, s: np.ndarray, dt: float) -> float:
    """The shift with the largest correlation, to a fraction of a sample by a parabola."""
    most = min(round(LONGEST / dt), len(v) // 2)
    like = np.array([_likeness(v[: len(v) - k], s[k:]) for k in range(most + 1)])
    if not np.isfinite(like).all():
        return float("nan")
    k = int(np.argmax(like))
    if not 0 < k < most:
        return k * dt
    a, b, c = like[k - 1 : k + 2]
    bend = a - 2.0 * b + c
    return float((k + 0.5 * (a - c) / bend) * dt) if bend < 0.0 else k * dt
