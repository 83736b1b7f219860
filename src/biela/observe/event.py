"""Events: readings at times of their own, which are not those of a filter's steps.

A filter's step takes any time h: the model moves over it, and noise adds what belongs to it. So a run may go
from one reading to the next instead of from tick to tick. `events` sorts packets into such moments, and puts
more between where the steps would become longer than those of the process. Where readings fall on the
ticks the moments are the ticks, and the estimates those of fixed steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from biela.observe.instrument import Instruments
from biela.observe.packet import Packet

NEAR = 1e-6  # of a step: times as near as that are the same


class Events(NamedTuple):
    """Moments, and a row of readings for each, NaN where there is none."""

    times: np.ndarray
    readings: np.ndarray


def events(
    packets: Iterable[Packet], instruments: Instruments, begin: float = 0.0, end: float | None = None
) -> Events:
    """The moments of packets after ``begin``, and of steps of the process, until the last packet or ``end``.

    Packets may come in any order; of two of one sensor and moment the first counts. Raises ValueError for a
    packet of another sensor, one that is not finite, or one from before the beginning.
    """
    dt, places = instruments.process.dt, instruments.places
    ordered = sorted(packets, key=lambda packet: packet.taken)
    for packet in ordered:
        _check(packet, instruments, begin)
    taken = [packet.taken for packet in ordered]
    last = end if end is not None else max(taken, default=begin)
    ticks = begin + dt * np.arange(1, int(np.floor((last - begin) / dt + NEAR)) + 1)
    times = _merged(np.sort(np.concatenate([ticks, [t for t in taken if t <= last + NEAR * dt]])), NEAR * dt)
    readings = np.full((len(times), len(instruments.channels)), np.nan)
    for packet in ordered:
        if packet.taken <= last + NEAR * dt:
            row = readings[min(int(np.searchsorted(times, packet.taken - NEAR * dt)), len(times) - 1)]
            place = places[packet.sensor]
            if not np.isfinite(row[place]).any():
                row[place] = packet.values
    return Events(times, readings)


def _check(packet: Packet, instruments: Instruments, begin: float) -> None:
    place = instruments.places.get(packet.sensor)
    if place is None:
        raise ValueError(f"There is no sensor {packet.sensor!r}: {', '.join(instruments.places)}.")
    if len(packet.values) != place.stop - place.start:
        wanted = place.stop - place.start
        raise ValueError(f"'{packet.sensor}' has {wanted} channels; got {len(packet.values)} values.")
    if not (np.isfinite(packet.taken) and np.isfinite(packet.values).all()):
        raise ValueError(f"'{packet.sensor}' is not finite: {packet.values} at t={packet.taken}.")
    if packet.taken <= begin:
        raise ValueError(f"'{packet.sensor}' at t={packet.taken:g} s is not after the start, {begin:g} s.")


def _merged(times: np.ndarray, near: float) -> np.ndarray:
    """The first of those that are as near as that."""
    keep = np.concatenate([[True], np.diff(times) > near]) if len(times) else np.zeros(0, bool)
    return times[keep]


def spans(times: Any, begin: float, count: int, dt: float) -> np.ndarray:
    """The length of the step to each moment; one of the process's length to a rounding has it exactly.

    Raises ValueError for moments that are too many or few, not finite, or run backwards.
    """
    t = np.asarray(times, float)
    if t.shape != (count,):
        raise ValueError(f"Give a time for each of the {count} rows of readings; got shape {t.shape}.")
    h = np.diff(t, prepend=begin)
    if not np.isfinite(h).all() or (h < 0.0).any():
        k = int(np.argmin(np.where(np.isfinite(h), h, -np.inf)))
        raise ValueError(
            f"Times run forwards from {begin:g} s: row {k} is at t={t[k]:g} s; sort them with events()."
        )
    return np.where(np.abs(h - dt) < NEAR * dt, dt, h)
