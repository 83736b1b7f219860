"""Presets: sets of numbers for washouts, each with where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, radians
from typing import Any

from biela.cueing.washout.tunable import AXES, plain


@dataclass(frozen=True)
class Preset:
    """Values by name, options such as orders, and where they come from.

    ``recalled`` marks what was not seen in print: numbers to begin with, not to rely on.
    """

    values: Mapping[str, float]
    source: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    recalled: bool = False


def _classical(
    omegas: tuple[float, ...], bias: tuple[float, ...], gains: tuple[float, ...], tilt: tuple[float, ...],
) -> dict[str, float]:  # fmt: skip
    values = plain(dict(zip(AXES, gains, strict=True)))
    for k, axis in enumerate(AXES):
        values |= {f"{axis}.omega": omegas[k], f"{axis}.damping": 1.0, f"{axis}.omega_b": bias[k]}
    names = ("tilt.omega", "tilt.damping", "tilt.rate", "tilt.acceleration")
    return values | dict(zip(names, tilt, strict=True))


def _orders(heave: int) -> dict[str, dict[str, int]]:
    return {"orders": dict.fromkeys(AXES, 2) | {"heave": heave}}


PRESETS = {
    "delft": Preset(
        _classical(
            (0.8, 1.0, 1.0, 1.0, 0.8, 1.0), (0.0, 0.0, 0.2, 0.0, 0.0, 0.0),
            (0.6, 0.6, 0.5, 0.6, 0.6, 0.6), (2.0, 1.0, radians(3.0), inf),
        ),
        "A public parameter file that names Gouverneur (2003) and Stroosma (2006)", _orders(heave=3),
    ),
    "lively": Preset(
        _classical((2.5,) * 6, (0.0,) * 6, (1.0,) * 6, (5.0, 1.0, inf, inf)),
        "The defaults of a public washout library (shoarai/washout), without limits of the tilt",
        _orders(heave=2),
    ),
}  # fmt: skip
