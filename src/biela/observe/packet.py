"""`Packet`: a reading of one sensor with its times, as a bench, a file or the network deliver it."""

from __future__ import annotations

from typing import NamedTuple


class Packet(NamedTuple):
    """A reading of one sensor: when it was taken, when it arrived, and its channels."""

    taken: float
    arrived: float
    sensor: str
    values: tuple[float, ...]
