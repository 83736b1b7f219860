"""`Sensing`: takes the readings of all sensors of a scene, step by step, and keeps what is on its way.

It runs between the engine's steps, whether anybody listens or not, so that readings are a part of the
simulation: saved, replayed and hashed with it, and the same however many steps an iteration has.
"""

from __future__ import annotations

from typing import Any, final

from biela.arena.physics.backend import Motion, Physics
from biela.arena.scene.entity import Entity
from biela.arena.sensor.sensor import Reading, Sensor
from biela.arena.sensor.world import Said, World
from biela.arena.stream import Streams

Waiting = tuple[float, str, str, Reading]  # when it arrives, entity, sensor


@final
class Sensing:
    """``readings`` has the last reading that has arrived, by entity and sensor."""

    def __init__(self, physics: Physics, streams: Streams) -> None:
        self.streams = streams
        self.readings: dict[str, dict[str, Reading]] = {}
        self.said: dict[str, Said] = {}
        self._angles: dict[tuple[str, str], float] = {}
        self._waiting: list[Waiting] = []
        self.mount(physics)

    def mount(self, physics: Physics) -> None:
        """Look at another built world; entities of both keep what they have read."""
        self.physics = physics
        entities = physics.scene.entities
        self.mounted: list[tuple[Entity, Sensor]] = [(e, s) for e in entities for s in e.sensors]
        names = {(e.id, s.id) for e, s in self.mounted}
        self._waiting = [w for w in self._waiting if w[1:3] in names]
        kept = {e: {s: r for s, r in of.items() if (e, s) in names} for e, of in self.readings.items()}
        self.readings = {e: of for e, of in kept.items() if of}
        self._angles = {key: self._angles.get(key, 0.0) for key in physics.motors}
        if self.mounted:
            self._world = World(physics)
            self._world.said, self._world.angles = self.said, self._angles

    def say(self, entity: str, text: str, time: float) -> None:
        """An entity says something; ears hear it, or not, at their next reading."""
        self.said[entity] = Said(time, entity, text)

    def advance(self, steps: int, time: float) -> None:
        """Move the engine on from a time by whole steps, and read."""
        if not self.mounted:
            self.physics.advance(steps)
            return
        step, motion = self.physics.step, self.physics.motion()
        for count in range(1, steps + 1):
            before = motion
            self.physics.advance(1)
            motion = self.physics.motion()
            self._read(motion, before, time + count * step)

    def _read(self, motion: Motion, before: Motion, time: float) -> None:
        world, step = self._world, self.physics.step
        for key, column in self.physics.motors.items():
            speed = float(motion.motor[column])
            world.speeds[key] = speed
            self._angles[key] += step * speed
        world.moved(motion, before, time)
        for entity, sensor in self.mounted:
            if sensor.due(time, step):
                self._take(entity, sensor, time)
        self._arrive(time)

    def _take(self, entity: Entity, sensor: Sensor, time: float) -> None:
        """One reading goes on its way, or is lost."""
        random = self.streams[f"sensor {entity.id}/{sensor.id}"]
        ideal = sensor.read(sensor.station(self._world, entity), random)
        if ideal is None:
            return
        values = sensor.disturbed(ideal, random)
        if not sensor.loss or random.random() >= sensor.loss:
            self._waiting.append((time + sensor.delay, entity.id, sensor.id, Reading(time, values)))

    def _arrive(self, time: float) -> None:
        late: list[Waiting] = []
        for due, entity, sensor, reading in self._waiting:
            if due <= time + 1e-9:
                self.readings.setdefault(entity, {})[sensor] = reading
            else:
                late.append((due, entity, sensor, reading))
        self._waiting = late

    def heard(self) -> dict[str, dict[str, Reading]]:
        """The readings as they are now."""
        return {entity: dict(of) for entity, of in self.readings.items()}

    # keeping

    def state(self) -> dict[str, Any]:
        """Everything that is remembered, as plain data."""
        return {
            "angles": [[*key, angle] for key, angle in self._angles.items()],
            "readings": [[e, s, *r] for e, of in self.readings.items() for s, r in of.items()],
            "waiting": [[due, e, s, *r] for due, e, s, r in self._waiting],
            "said": [[s.time, s.entity, s.text] for s in self.said.values()],
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Go back to a state; what it does not mention begins anew."""
        self._angles.clear()
        self._angles.update(dict.fromkeys(self.physics.motors, 0.0))
        self._angles.update({(e, m): angle for e, m, angle in state.get("angles", [])})
        self.readings = {}
        for entity, sensor, time, values in state.get("readings", []):
            self.readings.setdefault(entity, {})[sensor] = Reading(time, dict(values))
        self._waiting = [(due, e, s, Reading(t, dict(v))) for due, e, s, t, v in state.get("waiting", [])]
        self.said.clear()
        self.said.update({e: Said(t, e, text) for t, e, text in state.get("said", [])})
