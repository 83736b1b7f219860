"""`Physics`: what the kernel asks of an engine. A backend is one final class in one file.

A backend is built from a scene and a step size; nothing of it is shared with the scene afterwards. It moves
only in `advance`, by whole steps, and everything it remembers is in `snapshot`: restored into a backend of
the same scene and step, the run goes on bit for bit. Building again (more entities, another step size)
carries the coordinates of every entity over by `coordinates`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from biela.arena.scene.scene import Scene


@dataclass(frozen=True)
class Motion:
    """Where everything is: a row for each body that moves, as in ``bodies``.

    ``position`` and ``velocity`` are of the bodies' centres, ``turn`` is a quaternion (w, x, y, z), ``spin``
    the angular velocity; all in the world. ``motor`` has the speeds of the driven joints.
    """

    position: np.ndarray
    turn: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    motor: np.ndarray

    def of(self, rows: np.ndarray | None) -> Motion:
        """Some rows of it."""
        if rows is None:
            return self
        return Motion(self.position[rows], self.turn[rows], self.velocity[rows], self.spin[rows], self.motor)


@dataclass(frozen=True)
class Placement:
    """Where an entity is put; what is None stays as it is, but a new place without velocity is at rest."""

    position: tuple[float, ...] | None = None
    turn: tuple[float, ...] | None = None
    velocity: tuple[float, ...] = (0.0, 0.0, 0.0)
    spin: tuple[float, ...] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Motors:
    """The motors of one entity: their names and top speeds, and where their targets begin."""

    names: tuple[str, ...]
    tops: tuple[float, ...]
    begin: int


class Physics(ABC):
    """An engine with a world in it."""

    name: ClassVar[str]

    def __init__(self, scene: Scene, step: float, fast: bool = False) -> None:
        self.scene = scene
        self.step = step
        self.fast = fast
        moving = [(e, b) for e in scene.entities for b in e.bodies if not b.immovable]
        self.bodies = {(e.id, b.id): row for row, (e, b) in enumerate(moving)}
        motors = [(e.id, m.id) for e in scene.entities for m in e.motors]
        self.motors = {key: column for column, key in enumerate(motors)}
        self.targets = np.zeros(len(motors))
        self.motors_of = {
            e.id: Motors(
                tuple(e.motor), tuple(m.top_speed for m in e.motors), self.motors[(e.id, e.motors[0].id)]
            )
            for e in scene.entities
            if e.motors
        }
        self.build()

    @abstractmethod
    def build(self) -> None:
        """Make the world from ``scene``, ``step`` and ``fast``."""

    @abstractmethod
    def advance(self, steps: int = 1) -> None:
        """Move on by whole steps."""

    @abstractmethod
    def motion(self, rows: np.ndarray | None = None) -> Motion:
        """Places and velocities now, of all that moves or of some rows."""

    @abstractmethod
    def place(self, entity: str, placement: Placement) -> None:
        """Put an entity somewhere, its parts as they were relative to its reference body."""

    @abstractmethod
    def push(self, entity: str, force: tuple[float, float, float]) -> None:
        """A force (N, world) at the centre of the reference body, from now on; zero ends it."""

    @abstractmethod
    def touching(self) -> Set[tuple[str, str]]:
        """The pairs of entities that touched in the last step, each in the order of the scene."""

    @abstractmethod
    def coordinates(self, entity: str) -> np.ndarray:
        """What places and moves an entity, in an order of the backend's own."""

    @abstractmethod
    def put(self, entity: str, coordinates: np.ndarray) -> None:
        """Give an entity its coordinates back."""

    @abstractmethod
    def snapshot(self) -> np.ndarray:
        """Everything that is remembered between steps."""

    @abstractmethod
    def restore(self, snapshot: np.ndarray) -> None:
        """Go back to a snapshot of the same scene, step and mode."""

    def drive(self, entity: str, motor: str, speed: float) -> None:
        """Command a motor (rad/s, m/s of a slider), within its top speed."""
        top = self.scene.entity[entity].motor[motor].top_speed
        self.targets[self.motors[(entity, motor)]] = min(top, max(-top, speed))

    def drive_all(self, motors: Motors, speeds: Iterable[float]) -> None:
        """Command all motors of an entity in their order, each within its top speed."""
        for column, (speed, top) in enumerate(zip(speeds, motors.tops, strict=True), motors.begin):
            self.targets[column] = min(top, max(-top, speed))

    def again(self, **changes: Any) -> Physics:
        """The same world with another ``scene``, ``step`` or ``fast``; entities of both go on as they are."""
        kept: dict[str, Any] = {"scene": self.scene, "step": self.step, "fast": self.fast}
        made = type(self)(**(kept | changes))
        for entity in made.scene.entities:
            if self.scene.entity.get(entity.id) == entity:
                made.put(entity.id, self.coordinates(entity.id))
        for key in self.motors.keys() & made.motors.keys():
            made.targets[made.motors[key]] = self.targets[self.motors[key]]
        return made
