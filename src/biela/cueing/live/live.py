"""`Live`: the loop of washout and platform, without network and clock.

Packets are given to `Live.receive` with the moment of their arrival, and every period `Live.tick` gives a
pose. What moves the platform is a sum: the washout of the vehicle's motion, and a `Course` that brings what
was there before to rest. When the motion falls silent the washout begins anew, and its last pose goes, with
its speed, into a course; when there is motion again it is faded in. So the demand never jumps, and neither
does its speed, at whatever moment somebody pauses, pulls the plug, or goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from biela.cueing.gravity import GRAVITY
from biela.cueing.live.course import Course, smooth
from biela.cueing.live.packet import Order, Pose, Sign, State, Telemetry, telemetry_of
from biela.cueing.ride import Ride

TAKEN = "taken"
LEVEL = np.array([0.0, 0.0, GRAVITY, 0.0, 0.0, 0.0])
HALF = 1 << 31  # of the sequence numbers: what is more than this ahead is behind


@dataclass(frozen=True)
class Manners:
    """Times in s: ``patience`` until telemetry that stays away is lost, ``settling`` to rest, ``fading`` in
    of motion, ``stopping`` in an emergency.

    Raises ValueError unless all are positive.
    """

    patience: float = 0.2
    settling: float = 2.0
    fading: float = 1.0
    stopping: float = 0.3

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0.0 < value < np.inf:
                raise ValueError(f"Manners: {name} is a positive number of seconds; got {value!r}.")


class Live:
    """A ride that is fed by packets.

    ``counts`` tells how many packets were taken, and why others were not. What is ``deaf`` goes to rest,
    whatever comes, but for emergency stops.
    """

    def __init__(self, ride: Ride, manners: Manners = Manners()) -> None:
        self.ride, self.manners = ride, manners
        simulator, washout = ride.simulator, ride.washout
        platform = simulator.platform
        self.counts: Counter[str] = Counter()
        self.dt, self.ticks, self.state = simulator.dt, 0, State.REST
        self.last: Telemetry | None = None
        self.heard, self.sender, self.deaf = -np.inf, None, False
        self._senses = np.array([platform.senses.get(name, 1.0) for name in platform.dofs])
        self._w, self._p = washout.recursion.prepare(washout.p), simulator.p
        self._washed, self._simulated = washout.rest, simulator.rest
        still = np.zeros(len(platform.dofs))
        self._before, self._now = still, still
        self._course, self._since, self._faded = Course.still(still), 0.0, 0.0
        self._step(LEVEL, still)  # compiled before the clock counts
        self._washed, self._simulated = washout.rest, simulator.rest
        platform.positions(still)

    # what comes in

    def receive(self, data: bytes, now: float, sender: Hashable = None) -> str:
        """Take a packet, or leave it: 'taken', or why not. Nothing is raised, whatever the bytes."""
        told = self._received(data, now, sender)
        self.counts[told] += 1
        return told

    def _received(self, data: bytes, now: float, sender: Hashable) -> str:
        found = telemetry_of(data)
        if isinstance(found, str):
            return found
        if found.orders & Order.STOP:
            self.stop()  # from whomever and however late
        lost = self._lost(now)
        if not lost and sender != self.sender:
            return "foreign"
        if self.last is not None and not lost:
            ahead = (found.sequence - self.last.sequence) % (2 * HALF)
            if ahead == 0:
                return "duplicate"
            if ahead >= HALF or found.time < self.last.time:
                return "late"
        self.last, self.heard, self.sender = found, now, sender
        if found.orders & Order.RESET and not found.orders & Order.STOP and self.state is State.STOPPED:
            self._settle()
        return TAKEN

    def _lost(self, now: float) -> bool:
        return now - self.heard > self.manners.patience

    # what goes out

    def tick(self, now: float, missed: bool = False) -> Pose:
        """The pose of the next period; ``missed`` says that one before it was left out."""
        lost = self._lost(now)
        paused = self.last is not None and bool(self.last.orders & Order.PAUSE)
        if self.state is not State.STOPPED:
            self._turn(wanted=not (lost or paused or self.deaf))
        row = LEVEL if self.last is None else np.array([*self.last.force, *self.last.rates])
        self._advance(row)
        self.ticks += 1
        signs = Sign(0)
        for sign, holds in (
            (Sign.CLIPPED, self._simulated[2 * len(self._now)] < 1.0), (Sign.PAUSED, paused),
            (Sign.LOST, lost), (Sign.STOPPED, self.state is State.STOPPED), (Sign.MISSED, missed),
        ):  # fmt: skip
            signs |= sign if holds else Sign(0)
        return self._pose(signs)

    def stop(self) -> None:
        """An emergency stop: to a stand, and there until reset."""
        if self.state is not State.STOPPED:
            time = self.manners.stopping
            speed = (self._now - self._before) / self.dt
            self._leave(self._now + 0.5 * time * speed, time)
            self.state = State.STOPPED

    def _turn(self, wanted: bool) -> None:
        """Begin to ride, or to settle, where the one is to become the other."""
        if wanted and self.state is not State.RIDING:
            self._faded, self.state = 0.0, State.RIDING
        elif not wanted and self.state is State.RIDING:
            self._settle()
        elif self.state is State.SETTLING and self._since >= self._course.duration:
            self.state = State.REST

    def _settle(self) -> None:
        self._leave(np.zeros_like(self._now), self.manners.settling)
        self.state = State.SETTLING

    def _leave(self, end: np.ndarray, duration: float) -> None:
        """From here, as fast as it is going now, to another place; the washout begins anew."""
        speed = (self._now - self._before) / self.dt
        self._course, self._since = Course(self._now, speed, end, duration), 0.0
        self._washed = self.ride.washout.rest

    def _advance(self, row: np.ndarray) -> None:
        """One period further: what is asked now, and what the platform's model makes of it.

        A washout that diverges is an emergency.
        """
        kept = self._before, self._now, self._simulated
        self._move(row)
        if not (np.isfinite(self._now).all() and np.isfinite(self._simulated).all()):
            self._before, self._now, self._simulated = kept
            self.counts["diverged"] += 1
            self.stop()
            self._move(row)

    def _move(self, row: np.ndarray) -> None:
        self._since += self.dt
        self._before = self._now
        rest = self._course.at(self._since)
        if self.state is State.RIDING:
            self._faded += self.dt
            row = LEVEL + smooth(self._faded / self.manners.fading) * (row - LEVEL)
            self._now = rest + self._step(row, rest)
        else:
            self._now = rest
            self._simulated = self.ride.simulator.kernel(self._simulated, rest, self._p)

    def _step(self, row: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """What the washout asks; the model takes that and what is left of the way to rest."""
        washout = self.ride.washout
        self._washed = washout.recursion.sample(self._washed, washout.foreseen(row[None])[0], self._w)
        asked = self._senses * self._washed[: len(rest)]
        self._simulated = self.ride.simulator.kernel(self._simulated, rest + asked, self._p)
        return asked

    def _pose(self, signs: Sign) -> Pose:
        n = len(self._now)
        pose, asked = self._simulated[:n], self._simulated[n : 2 * n]
        actuators = self.ride.simulator.platform.positions(asked)[0]
        answered = 0 if self.last is None else self.last.sequence
        now, model, places = (tuple(map(float, values)) for values in (asked, pose, actuators))
        return Pose(self.ticks, answered, self.ticks * self.dt, self.state, signs, now, model, places)
