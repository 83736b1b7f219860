"""What the kernel tells its agents after every iteration, and the filters that choose what each type hears.

`FILTERS` is the registry: agent type -> function of a broadcast and a random generator that returns what
agents of the type get. Two are built in, as in the source: ``gui`` hears everything, ``controller``
everything but the single bodies. A filter may hide, add noise or change units; a kernel keeps its own copy,
so that adding one is ``kernel.filters["mine"] = function``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from biela.arena.seen import Pose, Seen
from biela.arena.sensor.sensor import Reading


@dataclass(frozen=True)
class Broadcast:
    """The world after an iteration.

    ``bodies`` has (position, turn) by entity and body, ``readings`` the last `Reading` by entity and sensor.
    """

    iteration: int
    time: float
    mode: dict[str, Any]
    entities: Mapping[str, Seen]
    bodies: Mapping[str, Mapping[str, Pose]] = field(default_factory=dict[str, dict[str, Pose]])
    touching: Set[tuple[str, str]] = frozenset()
    notices: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    readings: Mapping[str, Mapping[str, Reading]] = field(default_factory=dict[str, dict[str, Reading]])


Filter = Callable[[Broadcast, np.random.Generator], Broadcast]


def everything(broadcast: Broadcast, random: np.random.Generator) -> Broadcast:
    """All there is."""
    return broadcast


def without_bodies(broadcast: Broadcast, random: np.random.Generator) -> Broadcast:
    """Entities only."""
    return replace(broadcast, bodies={}) if broadcast.bodies else broadcast


FILTERS: dict[str, Filter] = {"gui": everything, "controller": without_bodies, "referee": without_bodies}
