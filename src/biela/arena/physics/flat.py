"""One of `Worlds` as a backend: what learning environments step, for matches and for the checks of backends.

Fixed and wheel joints only; bodies neither tip nor leave the plane. Snapshots are exact.
"""

from __future__ import annotations

from typing import Any, ClassVar, final

import numpy as np

from biela.arena.physics.backend import Motion, Physics, Placement
from biela.arena.physics.planar import check_joints
from biela.arena.physics.vehicle import Vehicle
from biela.arena.physics.worlds import Worlds, mj
from biela.arena.scene import pose

FULL = mj.mjtState.mjSTATE_FULLPHYSICS


@final
class Flat(Physics):
    """A world seen from above, in MuJoCo."""

    name: ClassVar[str] = "flat"

    def build(self) -> None:
        """Make the world; raises SceneError for joints it does not have."""
        check_joints(self.scene, self.name)
        self._worlds = Worlds(self.scene, self.step, 1)
        self._row = {name: n for n, name in enumerate(self._worlds.names)}
        self._data: Any = mj.MjData(self._worlds.model)

    def advance(self, steps: int = 1) -> None:
        """Move on by whole steps."""
        self._worlds.targets[0] = self.targets
        self._worlds.advance(steps)

    def motion(self, rows: np.ndarray | None = None) -> Motion:
        """Places and velocities now."""
        found = np.zeros((len(self.bodies), 13))
        for name in self._row:
            vehicle = self._vehicle(name)
            found[[self.bodies[(name, b.id)] for b in vehicle.bodies]] = vehicle.rows()
        speeds = self._worlds.speeds[0].copy()
        return Motion(found[:, :3], found[:, 3:7], found[:, 7:10], found[:, 10:], speeds).of(rows)

    def place(self, entity: str, placement: Placement) -> None:
        """Put an entity somewhere in the plane; raises ValueError for one that does not move."""
        if entity not in self._row:
            raise ValueError(f"Entity '{entity}' does not move: its reference body is part of the world.")
        vehicle = self._vehicle(entity)
        if placement.turn is not None:
            vehicle.turn_to(pose.heading(np.asarray(placement.turn, float)))
        if placement.position is not None:
            vehicle.move_to(placement.position[0], placement.position[1])
        vehicle.go(placement.velocity[0], placement.velocity[1], placement.spin[2])
        self._put(entity, vehicle)

    def push(self, entity: str, force: tuple[float, float, float]) -> None:
        """A force at the centre of mass, from now on."""
        self._worlds.pushes[0, self._row[entity]] = force[:2]

    def touching(self) -> set[tuple[str, str]]:
        """The pairs of entities that touch, floors included."""
        worlds = self._worlds
        mj.mj_setState(worlds.model, self._data, worlds.state[0], FULL)
        mj.mj_fwdPosition(worlds.model, self._data)
        contact, order = self._data.contact, [e.id for e in self.scene.entities]
        names = [worlds.model.geom(g).name.split("/")[0] for g in range(worlds.model.ngeom)]
        met = [(names[a], names[b]) for a, b in contact.geom[contact.dist <= 0].tolist()]
        met += [(n, under) for n, v in worlds.vehicles.items() for under in v.stands_on]
        return {(a, b) if order.index(a) < order.index(b) else (b, a) for a, b in met}

    def coordinates(self, entity: str) -> np.ndarray:
        """Place, angle, their rates and the push."""
        if entity not in self._row:
            return np.zeros(0)
        n, w = self._row[entity], self._worlds
        return np.concatenate([w.place[0, n], w.rate[0, n], w.pushes[0, n]])

    def put(self, entity: str, coordinates: np.ndarray) -> None:
        """Give an entity its coordinates back."""
        if entity in self._row:
            n, w = self._row[entity], self._worlds
            w.place[0, n], w.rate[0, n], w.pushes[0, n] = np.split(np.asarray(coordinates, float), [3, 6])

    def snapshot(self) -> np.ndarray:
        """Commands, speeds of wheels, pushes and the state."""
        w = self._worlds
        return np.concatenate([self.targets, w.speeds[0], w.pushes[0].ravel(), w.state[0]])

    def restore(self, snapshot: np.ndarray) -> None:
        """Go back to a snapshot."""
        w, many = self._worlds, len(self.targets)
        ends = [many, 2 * many, 2 * many + w.pushes[0].size]
        self.targets[:], w.speeds[0], pushes, w.state[0] = np.split(snapshot, ends)
        w.pushes[0] = pushes.reshape(-1, 2)

    def _vehicle(self, entity: str) -> Vehicle:
        """The vehicle where it is now."""
        n, worlds = self._row[entity], self._worlds
        vehicle, (x, y, angle) = worlds.vehicles[entity], worlds.place[0, n].tolist()
        vx, vy, spin = worlds.rate[0, n].tolist()
        speeds = [worlds.speeds[0, self.motors[m]] for m in vehicle.motors]
        vehicle.resume(np.array([x, y, angle, vx, vy, spin, *speeds, 0.0, 0.0]))
        return vehicle

    def _put(self, entity: str, vehicle: Vehicle) -> None:
        n, worlds, body = self._row[entity], self._worlds, vehicle.body
        worlds.place[0, n] = [*body.position, body.angle]
        worlds.rate[0, n] = [*body.velocity, body.angular_velocity]
