"""`World`: what sensors look at: every body where it is now, marks, gravity, wheels, and what was said.

It is made of the scene and of the engine's motion alone, so that sensors read the same on every engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from biela.arena.physics.backend import Motion, Physics
from biela.arena.scene import pose
from biela.arena.scene.body import Body
from biela.arena.scene.entity import Entity
from biela.arena.scene.extent import floors
from biela.arena.sensor import ray

Array = np.ndarray


@dataclass(frozen=True)
class Said:
    """Something an entity has said, and when."""

    time: float
    entity: str
    text: str


@dataclass(frozen=True)
class Thing:
    """A body in the world; ``row`` is its row of the motion, None if it never moves."""

    entity: Entity
    body: Body
    row: int | None
    floor: bool


@final
class World:
    """All bodies now. ``time`` is the moment, ``before`` the motion one step earlier."""

    def __init__(self, physics: Physics) -> None:
        scene = physics.scene
        low = floors(scene)
        self.scene, self.step = scene, physics.step
        self.gravity = np.asarray(scene.gravity, float)
        self.things: list[Thing] = [
            Thing(e, b, physics.bodies.get((e.id, b.id)), any(b is f for f in low))
            for e in scene.entities
            for b in e.bodies
        ]
        self._fixed = {
            i: (np.asarray(t.body.position, float), pose.matrix(pose.from_angles(t.body.rotation)))
            for i, t in enumerate(self.things)
            if t.row is None
        }
        self._index = {(t.entity.id, t.body.id): i for i, t in enumerate(self.things)}
        self._places: dict[int, tuple[Array, Array]] = dict(self._fixed)
        self.angles: dict[tuple[str, str], float] = {}
        self.speeds: dict[tuple[str, str], float] = {}
        self.said: dict[str, Said] = {}
        self.time = 0.0
        self.motion: Motion = physics.motion()
        self.before: Motion = self.motion

    def moved(self, motion: Motion, before: Motion, time: float) -> None:
        """The next moment."""
        self.motion, self.before, self.time = motion, before, time
        self._places = dict(self._fixed)

    def place(self, index: int) -> tuple[Array, Array]:
        """Where a thing is, and its axes as columns."""
        if index not in self._places:
            row = self.things[index].row
            assert row is not None
            self._places[index] = (self.motion.position[row], pose.matrix(self.motion.turn[row]))
        return self._places[index]

    def index(self, entity: str, body: str) -> int:
        """The number of a body."""
        return self._index[(entity, body)]

    def others(self, entity: str, *, floor: bool) -> list[int]:
        """The bodies of all other entities, floors among them or not."""
        return [i for i, t in enumerate(self.things) if t.entity.id != entity and (floor or not t.floor)]

    def cast(self, origin: Array, along: Array, among: list[int]) -> tuple[Array, Array]:
        """How far rays go (infinity if for ever), and the number of the thing that each meets (or -1)."""
        best, who = np.full(len(along), np.inf), np.full(len(along), -1)
        for index in among:
            at, axes = self.place(index)
            found = ray.distances(self.things[index].body, (origin - at) @ axes, along @ axes)
            nearer = found < best
            best[nearer], who[nearer] = found[nearer], index
        return best, who

    def nearest(self, origin: Array, index: int) -> Array:
        """The point of a thing that is nearest to a place."""
        at, axes = self.place(index)
        return at + axes @ ray.nearest(self.things[index].body, (origin - at) @ axes)
