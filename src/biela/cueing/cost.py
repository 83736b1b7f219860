"""What a ride costs: the numbers of a `Trial` as one number for each candidate, smaller being better.

A cost is a name of `COSTS`, any name of `biela.cueing.trial.TOLD`, or a function of all of them. Named ones
are fined for what the platform cannot do: demands out of reach, and actuators that would be too fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from biela.cueing.trial import TOLD, Told
from biela.cueing.washout.washout import known

Cost = str | Callable[[Told], np.ndarray]
FINE = 10.0  # for all samples clipped, and for twice the speed or the acceleration there is


def fine(told: Told) -> np.ndarray:
    """What is out of reach, and what is faster than the actuators are."""
    over = [np.maximum(told[name] - 1.0, 0.0) for name in ("speed", "acceleration")]
    return FINE * (told["clipped"] + over[0] + over[1])


def felt_and_room(told: Told) -> np.ndarray:
    """The error of what is felt, and a little for room, so that no room is taken for nothing."""
    return told["felt"] + 0.1 * told["room"]


def unlike(told: Told) -> np.ndarray:
    """How far what is sensed is from alike."""
    return 1.0 - told["likeness"]


COSTS: dict[str, Callable[[Told], np.ndarray]] = {"felt and room": felt_and_room, "unlike": unlike}
NAMES = (*COSTS, *(name for name in TOLD if name != "likeness"))


def cost_of(cost: Cost) -> Callable[[Told], np.ndarray]:
    """The function that a cost stands for; raises ValueError for an unknown name."""
    if callable(cost):
        return cost
    name = known(cost, NAMES, "cost")
    plain = COSTS.get(name, lambda told: told[name])
    return lambda told: plain(told) + fine(told)


def label(cost: Cost) -> str:
    """What a cost is called."""
    return cost if isinstance(cost, str) else cast("str", getattr(cost, "__name__", "cost"))
