"""Spaces: the box around each entity, by which those that cannot touch are told apart (figures 12 to 14).

Engines have broad phases of their own; this is the source's, to look at a scene and to check files by.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from biela.arena.physics.backend import Physics
from biela.arena.scene import pose
from biela.arena.scene.body import Body
from biela.arena.scene.extent import corners
from biela.arena.scene.scene import Scene
from biela.arena.sensor import ray


def overlapping(physics: Physics) -> list[tuple[str, str]]:
    """The pairs of entities whose boxes along the world's axes overlap now."""
    motion, boxes = physics.motion(), dict[str, tuple[np.ndarray, np.ndarray]]()
    for entity in physics.scene.entities:
        ends: list[np.ndarray] = []
        for body in entity.bodies:
            row = physics.bodies.get((entity.id, body.id))
            at = np.asarray(body.position, float) if row is None else motion.position[row]
            turn = pose.from_angles(body.rotation) if row is None else motion.turn[row]
            reach = np.abs(corners(body) @ pose.matrix(turn).T).max(axis=0)
            ends += [at - reach, at + reach]
        boxes[entity.id] = (np.min(ends, axis=0), np.max(ends, axis=0))
    return [
        (a, b)
        for a, b in combinations(boxes, 2)
        if (boxes[a][0] <= boxes[b][1]).all() and (boxes[b][0] <= boxes[a][1]).all()
    ]


def buried(scene: Scene) -> list[str]:
    """Faults: bodies whose middle is inside a body of another entity."""
    found: list[str] = []
    for one in scene.entities:
        for a in (a for a in one.bodies if not a.immovable):
            for other in scene.entities:
                for b in other.bodies:
                    if other.id != one.id and _inside(np.asarray(a.position, float), b):
                        where = f"entity '{one.id}', body '{a.id}'"
                        found.append(
                            f"{where}: its middle is inside entity '{other.id}', body '{b.id}'. Move it."
                        )
    return found


def _inside(place: np.ndarray, body: Body) -> bool:
    axes = pose.matrix(pose.from_angles(body.rotation))
    o = (place - np.asarray(body.position, float)) @ axes
    steps = 1e-6 * np.concatenate([np.eye(3), -np.eye(3)])
    return all(float(ray.distances(body, o + step, -step[None])[0]) == 0.0 for step in steps)
