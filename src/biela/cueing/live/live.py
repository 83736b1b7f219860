"""`Live`: the loop of washout and platform, without network and clock.

Packets are given to `Live.receive` with the moment of their arrival, and every period `Live.tick` gives a
pose. What moves the platform is a `Guard`: the washout of the vehicle's motion, with an order in every
period. When the motion falls silent it goes to rest and the washout begins anew; when there is motion again
it is faded in. So neither the demand nor its speed nor its acceleration ever jumps, at whatever moment
somebody pauses, pulls the plug, or goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from biela.cueing.gravity import GRAVITY
from biela.cueing.live.packet import Order, Pose, Sign, State, Telemetry, telemetry_of
from biela.cueing.ride import Ride
from biela.cueing.washout.guard import ORDERS, RIDING, SETTLED, STOPPED, Guard

TAKEN = "taken"
LEVEL = np.array([0.0, 0.0, GRAVITY, 0.0, 0.0, 0.0])
STATES = {SETTLED: State.SETTLING, RIDING: State.RIDING, STOPPED: State.STOPPED}
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
        simulator, platform = ride.simulator, ride.simulator.platform
        self.counts: Counter[str] = Counter()
        self.dt, self.ticks, self.state = simulator.dt, 0, State.REST
        self.last: Telemetry | None = None
        self.heard, self.sender, self.deaf = -np.inf, None, False
        self._senses = np.array([platform.senses.get(name, 1.0) for name in platform.dofs])
        self._guard = Guard(ride.washout, manners.settling, manners.fading, manners.stopping)
        self._w, self._p = self._guard.recursion.prepare(self._guard.p), simulator.p
        self._guarded, self._simulated = self._guard.rest, simulator.rest
        self._order = "ride"  # of the next period; what is wanted then counts, unless it is stop or reset
        self._move(LEVEL)  # compiled before the clock counts
        self._guarded, self._simulated = self._guard.rest, simulator.rest
        platform.positions(np.zeros(len(platform.dofs)))

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
            self._order = "reset"
        return TAKEN

    def _lost(self, now: float) -> bool:
        return now - self.heard > self.manners.patience

    # what goes out

    def tick(self, now: float, missed: bool = False) -> Pose:
        """The pose of the next period; ``missed`` says that one before it was left out."""
        lost = self._lost(now)
        paused = self.last is not None and bool(self.last.orders & Order.PAUSE)
        if self._order not in ("stop", "reset"):
            self._order = "pause" if lost or paused or self.deaf else "ride"
        self._advance(LEVEL if self.last is None else np.array([*self.last.force, *self.last.rates]))
        self._order = "ride"
        self.ticks += 1
        signs = Sign(0)
        for sign, holds in (
            (Sign.CLIPPED, self._simulated[2 * len(self._senses)] < 1.0), (Sign.PAUSED, paused),
            (Sign.LOST, lost), (Sign.STOPPED, self.state is State.STOPPED), (Sign.MISSED, missed),
        ):  # fmt: skip
            signs |= sign if holds else Sign(0)
        return self._pose(signs)

    def stop(self) -> None:
        """An emergency stop: to a stand, and there until reset."""
        self._order, self.state = "stop", State.STOPPED

    def _advance(self, row: np.ndarray) -> None:
        """One period further: what is asked now, and what the platform's model makes of it.

        A washout that diverges is an emergency.
        """
        kept = self._guarded, self._simulated
        self._move(row)
        if not (np.isfinite(self._guarded).all() and np.isfinite(self._simulated).all()):
            self._guarded, self._simulated = kept
            self.counts["diverged"] += 1
            self.stop()
            self._move(row)
        mode = self._guard.mode(self._guarded)
        rests = mode == SETTLED and self._guard.arrived(self._guarded)
        self.state = State.REST if rests else STATES[mode]

    def _move(self, row: np.ndarray) -> None:
        guarded = [*self._guard.washout.foreseen(row[None])[0], ORDERS[self._order]]
        self._guarded = self._guard.recursion.sample(self._guarded, guarded, self._w)
        asked = 0.0 + self._senses * self._guarded[: len(self._senses)]  # at rest 0.0, not -0.0
        self._simulated = self.ride.simulator.kernel(self._simulated, asked, self._p)

    def _pose(self, signs: Sign) -> Pose:
        n = len(self._senses)
        pose, asked = self._simulated[:n], self._simulated[n : 2 * n]
        actuators = self.ride.simulator.platform.positions(asked)[0]
        answered = 0 if self.last is None else self.last.sequence
        now, model, places = (tuple(map(float, values)) for values in (asked, pose, actuators))
        return Pose(self.ticks, answered, self.ticks * self.dt, self.state, signs, now, model, places)
