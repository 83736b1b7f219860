"""Published numbers for the classical washout, and what each number does, in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, radians

TRANSLATIONS, ROTATIONS = ("surge", "sway", "heave"), ("roll", "pitch", "yaw")


@dataclass(frozen=True)
class Preset:
    """Values by name, orders by axis, and where they come from."""

    values: dict[str, float]
    orders: dict[str, int]
    source: str


def _explained() -> dict[str, str]:
    told: dict[str, str] = {}
    for axis in (*TRANSLATIONS, *ROTATIONS):
        unit = "m/s2" if axis in TRANSLATIONS else "rad/s"
        told |= {
            f"{axis}.gain": f"Raise it to feel more of the vehicle's {axis}; the platform needs more room.",
            f"{axis}.limit": f"[{unit}] Raise it and less strong {axis} is cut off; it needs more room.",
            f"{axis}.deadband": f"[{unit}] Raise it and weak {axis} no longer moves the platform.",
            f"{axis}.omega": f"[rad/s] Raise it and {axis} fades sooner: less room, more phase error.",
            f"{axis}.damping": f"Raise it and the platform comes back from {axis} without overshoot, slowly.",
            f"{axis}.omega_b": f"[rad/s] Raise it and lasting {axis} is washed out sooner; used by order 3.",
        }
    return told | {
        "tilt.omega": "[rad/s] Raise it and lasting forces are shown sooner by tilt; jolts then tilt too.",
        "tilt.damping": "Raise it and the tilt follows more slowly, without overshoot.",
        "tilt.rate": "[rad/s] Raise it and tilt comes faster; above about 3 deg/s it is felt as turning.",
        "tilt.acceleration": "[rad/s2] Raise it and tilt starts and stops more abruptly.",
    }


EXPLAINED = _explained()


def _values(
    omegas: tuple[float, ...], bias: tuple[float, ...], gains: tuple[float, ...], tilt: tuple[float, ...],
    damping: float = 1.0, limits: tuple[float, ...] = (inf,) * 6,
) -> dict[str, float]:  # fmt: skip
    values: dict[str, float] = {}
    for k, axis in enumerate((*TRANSLATIONS, *ROTATIONS)):
        numbers = (gains[k], limits[k], 0.0, omegas[k], damping, bias[k])
        names = ("gain", "limit", "deadband", "omega", "damping", "omega_b")
        values |= {f"{axis}.{name}": number for name, number in zip(names, numbers, strict=True)}
    return values | dict(
        zip(("tilt.omega", "tilt.damping", "tilt.rate", "tilt.acceleration"), tilt, strict=True)
    )


PRESETS = {
    "delft": Preset(
        _values(
            (0.8, 1.0, 1.0, 1.0, 0.8, 1.0), (0.0, 0.0, 0.2, 0.0, 0.0, 0.0),
            (0.6, 0.6, 0.5, 0.6, 0.6, 0.6), (2.0, 1.0, radians(3.0), inf),
        ),
        {"surge": 2, "sway": 2, "heave": 3, "roll": 2, "pitch": 2, "yaw": 2},
        "A public parameter file that names Gouverneur (2003) and Stroosma (2006)",
    ),
    "lively": Preset(
        _values((2.5,) * 6, (0.0,) * 6, (1.0,) * 6, (5.0, 1.0, inf, inf)),
        {"surge": 2, "sway": 2, "heave": 2, "roll": 2, "pitch": 2, "yaw": 2},
        "The defaults of a public washout library (shoarai/washout), without limits of the tilt",
    ),
}  # fmt: skip
