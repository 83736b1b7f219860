"""pymunk as a backend: robots and balls seen from above.

Every connected part of an entity is one rigid body in the plane; walls are its outlines, floors are what lies
under everything at the start. What happens at the floor is ours, because the engine knows no third dimension:
`footing` spreads the weight over what stands on the floor, and wheels and skids are rows of velocity, slip
and friction, swept several times before each step of the engine (which then does the collisions).

Fixed and wheel joints only. Bodies neither tip nor leave the plane. A snapshot rebuilds the space it is taken
from, because the engine keeps contact impulses that cannot be read: what goes on and what is restored are
then the same, bit for bit.
"""

from __future__ import annotations

from typing import ClassVar, final

import numpy as np
import pymunk

from biela.arena.physics.backend import Motion, Physics, Placement
from biela.arena.physics.footing import Footing
from biela.arena.physics.vehicle import Vehicle, outline, vehicles
from biela.arena.scene import pose
from biela.arena.scene.extent import floors
from biela.arena.scene.fault import SceneError
from biela.arena.scene.scene import Scene

SWEEPS, FAST_SWEEPS = 12, 4


def check_joints(scene: Scene, backend: str) -> None:
    """Raises SceneError for joints that a world seen from above does not have."""
    odd = [
        f"entity '{e.id}', joint '{j.id}': backend {backend} has fixed and wheel joints; this is {j.kind}. "
        "Use the backend mujoco."
        for e in scene.entities
        for j in e.joints
        if j.kind not in ("fixed", "wheel")
    ]
    if odd:
        raise SceneError(f"Scene '{scene.name}'", odd)


@final
class Planar(Physics):
    """A world in pymunk."""

    name: ClassVar[str] = "pymunk"

    def build(self) -> None:
        """Make outlines, vehicles and their footing; raises SceneError for joints it does not have."""
        scene = self.scene
        check_joints(scene, self.name)
        self.vehicles: dict[str, Vehicle] = vehicles(scene)
        self._touching: set[tuple[str, str]] = set()
        footing = Footing(scene, self.step)
        for vehicle in self.vehicles.values():
            vehicle.stand(footing)
        self._space = self._made()

    def _made(self) -> pymunk.Space:
        """A new space with everything where it is."""
        space = pymunk.Space()
        space.iterations = 10 if self.fast else 30
        space.on_collision(pre_solve=self._meet)  # pyright: ignore[reportUnknownMemberType]
        for entity in self.scene.entities:
            for vehicle in (v for v in self.vehicles.values() if v.entity is entity):
                vehicle.enter(space)
        for group, shapes in self._walls(space):
            for shape in shapes:
                shape.filter = pymunk.ShapeFilter(group=group)
                space.add(shape)
        return space

    def _walls(self, space: pymunk.Space) -> list[tuple[int, list[pymunk.Shape]]]:
        lowest = floors(self.scene)
        found: list[tuple[int, list[pymunk.Shape]]] = []
        for number, entity in enumerate(self.scene.entities, 1):
            bodies = [b for b in entity.bodies if b.immovable and b not in lowest]
            shapes = [outline(b, space.static_body, (entity.id, b.material)) for b in bodies]
            found.append((number, shapes))
        return found

    def _meet(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: object) -> None:
        """Friction of a pair, and who touched whom."""
        (one, a), (other, b) = (shape.tag for shape in arbiter.shapes)  # pyright: ignore
        arbiter.friction = min(self.scene.materials.between(a, b).friction, 1e3)
        arbiter.restitution = 0.0
        order = {e.id: i for i, e in enumerate(self.scene.entities)}
        first, second = sorted((one, other), key=order.__getitem__)
        self._touching.add((first, second))

    def advance(self, steps: int = 1) -> None:
        """Move on by whole steps."""
        sweeps = FAST_SWEEPS if self.fast else SWEEPS
        for _ in range(steps):
            self._touching.clear()
            for vehicle in self.vehicles.values():
                speeds = [self.targets[self.motors[key]] for key in vehicle.motors]
                vehicle.ground(speeds, self.step, sweeps)
            self._space.step(self.step)

    def motion(self, rows: np.ndarray | None = None) -> Motion:
        """Places and velocities now."""
        found = np.zeros((len(self.bodies), 13))
        for vehicle in self.vehicles.values():
            places = [self.bodies[(vehicle.entity.id, b.id)] for b in vehicle.bodies]
            found[places] = vehicle.rows()
        motor = np.zeros(len(self.motors))
        for vehicle in self.vehicles.values():
            for key, speed in zip(vehicle.motors, vehicle.motor_speeds(), strict=True):
                motor[self.motors[key]] = speed
        motion = Motion(found[:, :3], found[:, 3:7], found[:, 7:10], found[:, 10:], motor)
        return motion.of(rows)

    def place(self, entity: str, placement: Placement) -> None:
        """Put an entity somewhere in the plane; raises ValueError for one that does not move."""
        if entity not in self.vehicles:
            raise ValueError(f"Entity '{entity}' does not move: its reference body is part of the world.")
        vehicle = self.vehicles[entity]
        if placement.turn is not None:
            vehicle.turn_to(pose.heading(np.asarray(placement.turn, float)))
        if placement.position is not None:
            vehicle.move_to(placement.position[0], placement.position[1])
        vehicle.go(placement.velocity[0], placement.velocity[1], placement.spin[2])
        self._space.reindex_shapes_for_body(vehicle.body)

    def push(self, entity: str, force: tuple[float, float, float]) -> None:
        """A force at the centre of the reference body, from now on."""
        self.vehicles[entity].force = (force[0], force[1])

    def touching(self) -> set[tuple[str, str]]:
        """The pairs of entities that touched in the last step, floors included."""
        order = [e.id for e in self.scene.entities]
        floor = {(v.entity.id, under) for v in self.vehicles.values() for under in v.stands_on}
        pairs = {(a, b) if order.index(a) < order.index(b) else (b, a) for a, b in floor}
        return self._touching | pairs

    def coordinates(self, entity: str) -> np.ndarray:
        """Place, angle, their rates, speeds of wheels and the force on it."""
        return self.vehicles[entity].state() if entity in self.vehicles else np.zeros(0)

    def put(self, entity: str, coordinates: np.ndarray) -> None:
        """Give an entity its coordinates back."""
        if entity in self.vehicles:
            self.vehicles[entity].resume(np.asarray(coordinates, float))
            self._space.reindex_shapes_for_body(self.vehicles[entity].body)

    def snapshot(self) -> np.ndarray:
        """Commands and coordinates; the space forgets its contacts."""
        states = [v.state() for v in self.vehicles.values()]
        self._fresh()
        return np.concatenate([self.targets, *states])

    def restore(self, snapshot: np.ndarray) -> None:
        """Go back to a snapshot."""
        count = len(self.targets)
        self.targets[:], rest = snapshot[:count], snapshot[count:]
        for vehicle in self.vehicles.values():
            size = len(vehicle.state())
            vehicle.resume(rest[:size])
            rest = rest[size:]
        self._fresh()

    def _fresh(self) -> None:
        """Another space without memory, everything in the same order."""
        for vehicle in self.vehicles.values():
            vehicle.renew()
        self._space = self._made()
