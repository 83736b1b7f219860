"""`Tunable`: what one number of a washout means, as data: its unit, what raising it does, what it may be.

All washouts scale what the vehicle does before they show it, axis by axis; these numbers are `scaling`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite, pi

TRANSLATIONS, ROTATIONS = ("surge", "sway", "heave"), ("roll", "pitch", "yaw")
AXES = (*TRANSLATIONS, *ROTATIONS)
SENSES = {"any": -inf, "positive": 0.0, "not negative": 0.0}


@dataclass(frozen=True)
class Tunable:
    """A number of a washout.

    ``told`` says what happens when it is raised, ``usual`` is the range in which to look for it, ``sense``
    is 'any', 'positive' or 'not negative', and what is ``endless`` may be infinite: no limit at all.
    ``most`` is the largest number that makes sense.
    """

    unit: str
    told: str
    usual: tuple[float, float]
    sense: str = "positive"
    endless: bool = False
    most: float = inf

    def __str__(self) -> str:
        return f"[{self.unit}] {self.told}" if self.unit else self.told

    def check(self, name: str, value: float, dt: float) -> None:
        """Raise ValueError for a number that makes no sense."""
        if not (isfinite(value) or (self.endless and value == inf)):
            raise ValueError(f"Washout: {name} is {value!r}; it must be a finite number.")
        if value < SENSES[self.sense] or (value == 0.0 and self.sense == "positive"):
            raise ValueError(f"Washout: {name} is {value!r}; it must be {self.sense}.")
        if value > self.most and not (self.endless and value == inf):
            raise ValueError(f"Washout: {name} is {value!r}; it must be at most {self.most:g}.")
        if name.split(".")[1].startswith("omega") and not value < pi / dt:
            raise ValueError(
                f"Washout: {name} = {value:g} rad/s is not below half the sample rate, {pi / dt:g} rad/s."
            )


def scaling() -> dict[str, Tunable]:
    """The numbers by which the vehicle's motion is scaled, for each axis."""
    told: dict[str, Tunable] = {}
    for axis in AXES:
        linear = axis in TRANSLATIONS
        unit, large = ("m/s2", 10.0) if linear else ("rad/s", 1.0)
        place, width = ("m", 0.05) if linear else ("rad", 0.05)
        told |= {
            f"{axis}.gain": Tunable(
                "", f"Raise it to feel more of the vehicle's {axis}; the platform needs more room.",
                (0.0, 1.0), "any"),
            f"{axis}.limit": Tunable(
                unit, f"Raise it and less strong {axis} is cut off; it needs more room.",
                (0.2 * large, large), endless=True),
            f"{axis}.deadband": Tunable(
                unit, f"Raise it and weak {axis} no longer moves the platform.",
                (0.0, 0.05 * large), "not negative"),
            f"{axis}.begin": Tunable(
                "", f"Raise it and weak {axis} is shown more, as a multiple of the gain; needs a limit.",
                (0.5, 2.0), "not negative", most=3.0),
            f"{axis}.end": Tunable(
                "", f"Raise it and {axis} near the limit is still told apart, as a multiple of the gain.",
                (0.0, 1.0), "not negative", most=3.0),
            f"{axis}.centre": Tunable(
                place, f"Raise it and {axis} that is washed out no longer swings through the middle; "
                "around there the platform moves less.", (0.0, width), "not negative"),
        }  # fmt: skip
    return told


def plain(gains: Mapping[str, float]) -> dict[str, float]:
    """Values of `scaling`: gains and nothing else."""
    values: dict[str, float] = {}
    for axis in AXES:
        numbers = (gains[axis], inf, 0.0, 1.0, 1.0, 0.0)
        names = ("gain", "limit", "deadband", "begin", "end", "centre")
        values |= {f"{axis}.{name}": number for name, number in zip(names, numbers, strict=True)}
    return values
