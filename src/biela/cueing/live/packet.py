"""The packets, little-endian, without gaps; numbers are SI and radians.

Telemetry, 72 bytes, in:

    offset  type       field
    0       4 bytes    "BLTM"
    4       uint16     version, 1
    6       uint16     flags: 1 pause, 2 emergency stop, 4 reset after one; others are 0
    8       uint32     sequence number, one more with every packet; after 2^32 - 1 comes 0
    12      uint32     0
    16      float64    time of the sender's clock, s
    24      float64    specific force x, y, z, m/s2: at rest (0, 0, 9.80665)
    48      float64    body rates p, q, r, rad/s

Axes: x ahead, y left, z up; p, q, r about them. The pose, 32 + 8 (2 n + m) bytes, out:

    offset  type       field
    0       4 bytes    "BLPO"
    4       uint16     version, 1
    6       uint16     flags: 1 demand out of reach, 2 paused, 4 telemetry lost, 8 emergency stop,
                       16 a period was missed before this one
    8       uint32     sequence number
    12      uint32     sequence number of the telemetry that it answers
    16      float64    time since the loop began, s
    24      float32    latency, s: from that telemetry's arrival to this packet; -1 without telemetry
    28      uint8      state: 0 at rest, 1 moving with the vehicle, 2 going to rest, 3 stopped
    29      uint8      n, degrees of freedom
    30      uint8      m, actuators
    31      uint8      0
    32      float64    n of the pose that is asked of the platform, in its reach, rad or m
            float64    n of the pose that the platform's model has now
            float64    m positions of the actuators for the pose that is asked

What is none of these is refused with a reason; nothing is ever raised for what came from outside.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from math import isfinite

TELEMETRY = struct.Struct("<4sHHIId6d")
POSE = struct.Struct("<4sHHIIdfBBBB")
MAGICS, VERSION = (b"BLTM", b"BLPO"), 1
MOST_FORCE, MOST_RATE = 500.0, 100.0  # m/s2 and rad/s: more is no vehicle with somebody in it


class Order(IntFlag):
    """Flags of telemetry."""

    PAUSE = 1
    STOP = 2
    RESET = 4


NONE = Order(0)


class Sign(IntFlag):
    """Flags of a pose."""

    CLIPPED = 1
    PAUSED = 2
    LOST = 4
    STOPPED = 8
    MISSED = 16


class State(IntEnum):
    """What the platform does."""

    REST = 0
    RIDING = 1
    SETTLING = 2
    STOPPED = 3


@dataclass(frozen=True)
class Telemetry:
    """What a vehicle says of a moment.

    >>> packet = Telemetry(7, 0.5, (0.0, 0.0, 9.80665), (0.0, 0.0, 0.0)).packed()
    >>> len(packet), telemetry_of(packet).sequence
    (72, 7)
    """

    sequence: int
    time: float
    force: tuple[float, ...]
    rates: tuple[float, ...]
    orders: Order = NONE

    def packed(self) -> bytes:
        """The packet."""
        flags, number = int(self.orders), self.sequence & 0xFFFFFFFF
        return TELEMETRY.pack(MAGICS[0], VERSION, flags, number, 0, self.time, *self.force, *self.rates)


def telemetry_of(data: bytes) -> Telemetry | str:
    """The telemetry in a packet, or why there is none.

    >>> telemetry_of(b"hello")
    'size'
    """
    if len(data) != TELEMETRY.size:
        return "size"
    magic, version, flags, sequence, zero, time, *rest = TELEMETRY.unpack(data)
    values: list[float] = rest
    if magic != MAGICS[0]:
        return "magic"
    if version != VERSION:
        return "version"
    if zero or flags & ~int(Order.PAUSE | Order.STOP | Order.RESET):
        return "flags"
    if not (isfinite(time) and all(map(isfinite, values))):
        return "not finite"
    if max(map(abs, values[:3])) > MOST_FORCE or max(map(abs, values[3:])) > MOST_RATE:
        return "implausible"
    return Telemetry(sequence, time, tuple(values[:3]), tuple(values[3:]), Order(flags))


@dataclass(frozen=True)
class Pose:
    """What is asked of the platform at a moment."""

    sequence: int
    answered: int
    time: float
    state: State
    signs: Sign
    asked: tuple[float, ...]
    pose: tuple[float, ...]
    actuators: tuple[float, ...]
    latency: float = -1.0

    def packed(self, latency: float) -> bytes:
        """The packet, with the latency until now."""
        n, m = len(self.asked), len(self.actuators)
        head = POSE.pack(
            MAGICS[1], VERSION, int(self.signs), self.sequence & 0xFFFFFFFF, self.answered, self.time,
            latency, int(self.state), n, m, 0,
        )  # fmt: skip
        return head + struct.pack(f"<{2 * n + m}d", *self.asked, *self.pose, *self.actuators)


def pose_of(data: bytes) -> Pose | str:
    """The pose in a packet, or why there is none."""
    if len(data) < POSE.size:
        return "size"
    magic, version, signs, sequence, answered, time, latency, state, n, m, zero = POSE.unpack_from(data)
    if magic != MAGICS[1]:
        return "magic"
    if version != VERSION:
        return "version"
    if zero or signs >= 32 or state > max(State):
        return "flags"
    if len(data) != POSE.size + 8 * (2 * n + m):
        return "size"
    values: Sequence[float] = struct.unpack_from(f"<{2 * n + m}d", data, POSE.size)
    if not (isfinite(time) and isfinite(latency) and all(map(isfinite, values))):
        return "not finite"
    parts = tuple(values[:n]), tuple(values[n : 2 * n]), tuple(values[2 * n :])
    return Pose(sequence, answered, time, State(state), Sign(signs), *parts, latency)
