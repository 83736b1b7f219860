"""`Vision`: a filter of broadcasts that tells the world as a camera over the field would: late and noisy.

``kernel.filters["controller"] = Vision(REALISM["realistic"])``. Whatever is missed is told where it was seen
last, as trackers of teams do, or left out. Velocities stay true, and so do the readings of sensors, which
have noise of their own; who touches whom no camera sees.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import final

import numpy as np

from biela.arena.broadcast import Broadcast
from biela.arena.preset.realism import Realism
from biela.arena.scene import pose
from biela.arena.seen import Seen

NEAR, DRIBBLER = 0.14, 0.09  # m from a robot's middle: a ball at its front, and where the dribbler is


@final
class Vision:
    """A filter with a memory: one for each kind of agents. ``hold`` tells what is missed where it was."""

    def __init__(self, realism: Realism, hold: bool = True) -> None:
        self.realism, self.hold = realism, hold
        self._waiting: deque[tuple[float, dict[str, Seen]]] = deque()
        self._offsets: dict[str, np.ndarray] = {}
        self._told: dict[str, Seen] = {}

    def __call__(self, broadcast: Broadcast, random: np.random.Generator) -> Broadcast:
        """The newest picture that has arrived; its own time is that of the broadcast."""
        self._waiting.append((broadcast.time, self._picture(broadcast.entities, random)))
        time = self._waiting[0][0]
        while self._waiting and self._waiting[0][0] <= broadcast.time - self.realism.vision_delay + 1e-9:
            time, picture = self._waiting.popleft()
            self._told = self._told | picture if self.hold else picture
        return replace(broadcast, time=time, entities=self._told, bodies={}, touching=frozenset())

    def _picture(self, entities: Mapping[str, Seen], random: np.random.Generator) -> dict[str, Seen]:
        """What is seen of the world now."""
        given, found = self.realism, dict[str, Seen]()
        for seen in entities.values():
            missed = given.missing_ball if seen.type == "ball" else given.missing_robot
            lost, noise = random.random() < missed, random.standard_normal(3)
            if not lost:
                found[seen.id] = self._blurred(seen, noise, random)
        for seen in [s for s in found.values() if s.type == "ball"]:
            if random.random() < given.dribbler_ball:
                found[seen.id] = _dribbled(seen, entities)
        return found

    def _blurred(self, seen: Seen, noise: np.ndarray, random: np.random.Generator) -> Seen:
        if seen.id not in self._offsets:
            angle, far = random.uniform(0, 2 * np.pi), self.realism.offset * np.sqrt(random.random())
            self._offsets[seen.id] = far * np.array([np.cos(angle), np.sin(angle)])
        sigma = self.realism.ball if seen.type == "ball" else self.realism.robot
        x, y = (np.array(seen.position[:2]) + self._offsets[seen.id] + sigma * noise[:2]).tolist()
        turn = pose.product(pose.about([0, 0, 1], self.realism.heading * noise[2]), np.array(seen.turn))
        a, b, c, d = turn.tolist()
        return replace(seen, position=(x, y, seen.position[2]), turn=(a, b, c, d))


def _dribbled(ball: Seen, entities: Mapping[str, Seen]) -> Seen:
    """The ball where the dribbler of a robot next to it is, if there is one."""
    for robot in entities.values():
        gap = np.array(ball.position[:2]) - robot.position[:2]
        if robot.type == "robot" and float(np.hypot(*gap)) < NEAR:
            x = robot.position[0] + DRIBBLER * np.cos(robot.heading)
            y = robot.position[1] + DRIBBLER * np.sin(robot.heading)
            return replace(ball, position=(float(x), float(y), ball.position[2]))
    return ball
