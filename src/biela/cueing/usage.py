"""`used`: how much of what a platform can do a ride takes: room, speed, acceleration.

The share of a degree of freedom is its largest excursion by what it has in that direction with the others
at rest; that of an actuator its way from rest by what its limits leave. What is unlimited has the share 0,
and a share above 1 is more than the platform has.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from biela.cueing.platform import Platform
from biela.cueing.ride import Ride


@dataclass(frozen=True)
class Use:
    """Of one degree of freedom or actuator: what it did and the shares, speed and acceleration at most."""

    name: str
    low: float
    high: float
    speed: float
    acceleration: float
    room: float
    speed_share: float
    acceleration_share: float


@dataclass(frozen=True, eq=False)
class Usage:
    """The uses of all degrees of freedom, then of all actuators; in m, rad and s."""

    dofs: tuple[Use, ...]
    actuators: tuple[Use, ...]

    @property
    def room(self) -> float:
        """The largest share of the room."""
        return max(use.room for use in (*self.dofs, *self.actuators))

    @property
    def speed(self) -> float:
        """The largest share of the speed."""
        return max(use.speed_share for use in self.actuators)

    @property
    def acceleration(self) -> float:
        """The largest share of the acceleration."""
        return max(use.acceleration_share for use in self.actuators)

    def __str__(self) -> str:
        lines = [f"{'':<10}{'from':>9}{'to':>9}{'room':>8}{'speed':>9}{'':>8}{'acceleration':>14}"]
        for use in (*self.dofs, *self.actuators):
            shares = [f"{100.0 * x:.0f} %" for x in (use.room, use.speed_share, use.acceleration_share)]
            line = f"{use.name:<10}{use.low:>9.3f}{use.high:>9.3f}{shares[0]:>8}{use.speed:>9.3f}"
            lines.append(f"{line}{shares[1]:>8}{use.acceleration:>9.2f}{shares[2]:>8}")
        return "\n".join([*lines, "m, rad and s; shares of what the platform has"])


def used(ride: Ride, motion: Any) -> Usage:
    """What a ride takes of its platform."""
    run, platform, dt = ride.run(motion), ride.simulator.platform, ride.simulator.dt
    poses = np.stack([run[name] for name in platform.dofs], axis=1)
    low, high = ranges(platform)
    free = np.full(len(platform.dofs), inf)
    rest, _ = platform.positions(np.zeros(len(platform.dofs)))
    actuators, _ = platform.positions(poses)
    limits = platform.limits
    ends = np.asarray(limits.low) - rest, np.asarray(limits.high) - rest
    return Usage(
        _uses(platform.dofs, poses, (low, high), (free, free), dt),
        _uses(platform.actuators, actuators - rest, ends, (limits.speed, limits.acceleration), dt),
    )


def ranges(platform: Platform) -> tuple[np.ndarray, np.ndarray]:
    """How far each degree of freedom goes alone, downwards and upwards."""
    axes = np.eye(len(platform.dofs))
    return -platform.edge(-axes), platform.edge(axes)


def _uses(names: Any, rows: np.ndarray, ends: Any, limits: Any, dt: float) -> tuple[Use, ...]:
    speed = np.abs(np.diff(rows, axis=0, prepend=0.0 * rows[:1])).max(axis=0) / dt
    bend = np.diff(rows, n=2, axis=0, prepend=np.zeros((2, rows.shape[1])))
    acceleration = np.abs(bend).max(axis=0) / dt**2
    low, high = np.minimum(rows.min(axis=0), 0.0), np.maximum(rows.max(axis=0), 0.0)
    room = np.maximum(low / np.asarray(ends[0]), high / np.asarray(ends[1]))
    told = [low, high, speed, acceleration, room, speed / limits[0], acceleration / limits[1]]
    return tuple(Use(name, *(float(x[k]) for x in told)) for k, name in enumerate(names))
