"""Channels: which degrees of freedom show a motion together."""

from typing import NamedTuple


class Channel(NamedTuple):
    """A displacement, an angle, or both, and the sign with which the angle shows force."""

    place: str | None
    angle: str | None
    sign: float = 0.0


CHANNELS = (
    Channel("surge", "pitch", -1.0),
    Channel("sway", "roll", 1.0),
    Channel("heave", None),
    Channel(None, "yaw"),
)
