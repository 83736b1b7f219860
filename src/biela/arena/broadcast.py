"""What the kernel tells its agents after every iteration, and the filters that choose what each type hears.

`FILTERS` is the registry: agent type -> function of a broadcast and a random generator that returns what
agents of the type get. Two are built in, as in the source: ``gui`` hears everything, ``controller``
everything but the single bodies. A filter may hide, add noise or change units; a kernel keeps its own copy,
so that adding one is ``kernel.filters["mine"] = function``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from biela.arena.scene import pose
from biela.arena.scene.pose import Three

Four = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Seen:
    """An entity as it is now: the pose and velocity of its reference body, the speeds of its motors."""

    id: str
    type: str
    team: str
    position: Three
    turn: Four
    velocity: Three
    spin: Three
    motors: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def heading(self) -> float:
        """Where it points, rad about z."""
        return pose.heading(self.turn)

    @property
    def upright(self) -> float:
        """The cosine of its tilt: 1 upright, 0 on its side, -1 on its head."""
        _, x, y, _ = self.turn
        return 1.0 - 2.0 * (x * x + y * y)


@dataclass(frozen=True)
class Broadcast:
    """The world after an iteration; ``bodies`` has (position, turn) by entity and body."""

    iteration: int
    time: float
    mode: dict[str, Any]
    entities: dict[str, Seen]
    bodies: dict[str, dict[str, tuple[Three, Four]]] = field(
        default_factory=dict[str, dict[str, tuple[Three, Four]]]
    )
    touching: frozenset[tuple[str, str]] = frozenset()
    notices: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])


Filter = Callable[[Broadcast, np.random.Generator], Broadcast]


def everything(broadcast: Broadcast, random: np.random.Generator) -> Broadcast:
    """All there is."""
    return broadcast


def without_bodies(broadcast: Broadcast, random: np.random.Generator) -> Broadcast:
    """Entities only."""
    return replace(broadcast, bodies={})


FILTERS: dict[str, Filter] = {"gui": everything, "controller": without_bodies, "referee": without_bodies}
