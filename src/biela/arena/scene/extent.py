"""How far bodies reach: corners, lowest and highest points, and which of them are floors."""

from __future__ import annotations

import math

import numpy as np

from biela.arena.scene import pose
from biela.arena.scene.body import Body
from biela.arena.scene.scene import Scene


def floors(scene: Scene) -> list[Body]:
    """The immovable bodies under everything that moves when the scene begins."""
    moving = [b for e in scene.entities for b in e.bodies if not b.immovable]
    lowest = min((span(b)[0] for b in moving), default=math.inf) + 1e-3
    return [b for e in scene.entities for b in e.bodies if b.immovable and span(b)[1] <= lowest]


def span(body: Body) -> tuple[float, float]:
    """The lowest and the highest height of a body."""
    turn, z = pose.matrix(pose.from_angles(body.rotation)), body.position[2]
    if body.shape == "sphere":
        return z - body.radius, z + body.radius
    if body.shape in ("cylinder", "wheel", "capsule"):
        up = abs(float(turn[2, 2]))
        round_ = body.radius if body.shape == "capsule" else body.radius * math.sqrt(max(0.0, 1 - up * up))
        reach = body.length / 2 * up + round_
        return z - reach, z + reach
    heights = z + corners(body) @ turn[2]
    return float(heights.min()), float(heights.max())


def corners(body: Body) -> np.ndarray:
    """The corners of a box or mesh, or of a box around a round body, in its own axes."""
    if body.shape == "mesh":
        return np.asarray(body.points, float)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return signs * body.half_extent()
