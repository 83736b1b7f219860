"""`Sensor`: what all sensors have: where they sit, and how their readings come out.

A sensor sits on a body, ``at`` a place in the body's own axes, and looks along its own x axis, turned by
``rotation`` (about the body's x, y, z). Its ideal reading is a table of numbers. That is taken ``rate`` times
a second (0: after every step), gets Gaussian noise of standard deviation ``sigma``, is lost with the
probability ``loss``, and arrives ``delay`` seconds later. Every sensor draws from a random stream of its own.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from biela.arena.scene import pose
from biela.arena.scene.fault import Faults, known
from biela.arena.scene.pose import Three

if TYPE_CHECKING:
    from biela.arena.scene.entity import Entity
    from biela.arena.sensor.world import World

Value = float | str
Array = np.ndarray


class Reading(NamedTuple):
    """What a sensor told, and the moment that it is about."""

    time: float
    values: dict[str, Value]


@dataclass(frozen=True)
class Station:
    """A sensor in the world: its place, its axes as columns, and how its body moves there."""

    world: World
    entity: Entity
    place: Array
    axes: Array
    velocity: Array
    spin: Array
    before: Array  # the velocity a step earlier

    @property
    def ahead(self) -> Array:
        """Where it looks."""
        return self.axes[:, 0]


@dataclass(frozen=True)
class Sensor(ABC):
    """The fields that all sensors share; ``body`` is the entity's reference body unless named."""

    kind: ClassVar[str]
    units: ClassVar[dict[str, str]]

    id: str
    body: str = ""
    at: Three = (0.0, 0.0, 0.0)
    rotation: Three = (0.0, 0.0, 0.0)
    rate: float = 0.0
    sigma: float = 0.0
    loss: float = 0.0
    delay: float = 0.0

    @abstractmethod
    def read(self, station: Station, random: np.random.Generator) -> dict[str, Value] | None:
        """The ideal reading; None if there is nothing to tell."""

    def disturbed(self, values: dict[str, Value], random: np.random.Generator) -> dict[str, Value]:
        """The reading with its noise."""
        noise = self.sigma * random.standard_normal(len(values)) if self.sigma else np.zeros(len(values))
        pairs = zip(values.items(), noise.tolist(), strict=True)
        return {name: v if isinstance(v, str) else v + gap for (name, v), gap in pairs}

    @cached_property
    def turn(self) -> Array:
        """Its axes in those of its body, as columns."""
        return pose.matrix(pose.from_angles(self.rotation))

    def check(self, entity: Entity, where: str, faults: Faults) -> None:
        """Add everything that is wrong with it."""
        if self.body:
            good = self.body in entity.body
            faults.check(good, where, f"there is no body '{self.body}'.", known(self.body, entity.body))
        for field in fields(self):
            self._check_number(field.name, getattr(self, field.name), where, faults)
        good = 0 <= self.loss <= 1
        faults.check(good, where, f"loss is {self.loss}; a probability is wanted.")

    def _check_number(self, name: str, value: Any, where: str, faults: Faults) -> None:
        if isinstance(value, tuple):
            good = bool(np.isfinite(np.array(value, float)).all())
            faults.check(good, where, f"{name} must be finite numbers.")
        elif isinstance(value, float | int):
            good = math.isfinite(value) and value >= 0
            faults.check(good, where, f"{name} is {value}; it must be finite and not negative.")

    def due(self, time: float, step: float) -> bool:
        """Whether a reading is taken at a time, a step after the last chance."""
        if self.rate == 0:
            return True
        return math.floor(time * self.rate + 1e-6) > math.floor((time - step) * self.rate + 1e-6)

    def station(self, world: World, entity: Entity) -> Station:
        """Where it is now."""
        index = world.index(entity.id, self.body or entity.reference_body.id)
        (middle, axes), row = world.place(index), world.things[index].row
        arm = axes @ np.asarray(self.at, float)
        velocity = spin = before = np.zeros(3)
        if row is not None:
            now, past = world.motion, world.before
            old = pose.matrix(past.turn[row]) @ np.asarray(self.at, float)
            velocity, spin = now.velocity[row] + np.cross(now.spin[row], arm), now.spin[row]
            before = past.velocity[row] + np.cross(past.spin[row], old)
        return Station(world, entity, middle + arm, axes @ self.turn, velocity, spin, before)
