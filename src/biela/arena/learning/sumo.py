"""Sumo for learners: an episode is a round, and ends as `SumoReferee` ends it.

A robot whose middle is over the border loses, both at once is a draw; so is standing still together, being
entangled without getting anywhere, and the time. A robot that alone stands still loses.
"""

from __future__ import annotations

from typing import ClassVar, final

import numpy as np

from biela.arena.learning.game import Change, Game, Memory, Sight, Verdict, facing, own, relative
from biela.arena.preset.field import SUMO_RINGS
from biela.arena.preset.material import MATERIALS
from biela.arena.preset.robot import SUMO_ROBOTS, TwoWheeler
from biela.arena.referee.sumo import SumoRules
from biela.arena.scene.scene import Scene

POINT, PUSH = 10.0, 2.0  # of the reward


@final
class Sumo(Game):
    """A ring of SUMO_RINGS with two robots."""

    name: ClassVar[str] = "sumo"
    players = 1
    touch = (("left", "right"),)
    entities = ("left", "right")

    def __init__(
        self,
        size: str = "mini",
        *,
        robot: str | TwoWheeler = "",
        seconds: float = 20.0,
        rules: SumoRules | None = None,
    ) -> None:
        self.ring, self.rules, self.seconds = SUMO_RINGS[size], rules or SumoRules(), seconds
        self.robot = robot if isinstance(robot, TwoWheeler) else SUMO_ROBOTS[robot or size]
        self.radius = self.ring.diameter / 2
        self.extent = (self.ring.diameter, self.ring.diameter, 0.0)
        robots = [
            self.robot.entity(side, sign * self.radius / 2, 0.0, 0.0, side)
            for side, sign in (("left", -1), ("right", 1))
        ]
        self.scene = Scene(f"sumo {size}", MATERIALS, (*self.ring.entities(), *robots))

    def start(self, random: np.random.Generator, kind: str) -> np.ndarray:
        """ "kick-off": on the start lines, a little scattered; "random": anywhere inside, apart."""
        poses = np.zeros((2, 6))
        if kind == "kick-off":
            for n, sign in enumerate((-1, 1)):
                along, off = random.uniform(-1, 1, 2) * self.rules.scatter
                x = sign * self.rules.start_radius * self.radius
                poses[n, :3] = x, along * self.radius, (0.0 if sign < 0 else np.pi) + off
            return poses
        while np.hypot(*(poses[0, :2] - poses[1, :2])) < 1.6 * self.robot.length:
            far, angle = self.radius * np.sqrt(random.uniform(0, 0.6, 2)), random.uniform(-np.pi, np.pi, 2)
            poses[:, 0], poses[:, 1] = far * np.cos(angle), far * np.sin(angle)
        poses[:, 2] = random.uniform(-np.pi, np.pi, 2)
        return poses

    def begin(self, memory: Memory, worlds: np.ndarray, poses: np.ndarray) -> None:
        """Progress counts from here."""
        for name, size in (("place", (len(poses), 3, 2)), ("time", (len(poses), 3))):
            memory.values.setdefault(name, np.zeros(size))
        memory.values["place"][worlds] = _places(poses)[worlds]
        memory.values["time"][worlds] = 0.0

    def judge(self, poses: np.ndarray, found: np.ndarray, time: np.ndarray, memory: Memory) -> Verdict:
        """Out, no progress, time."""
        out = np.hypot(poses[:, :, 0], poses[:, :, 1]) > self.radius
        still, tangled = self._stuck(poses, found[:, 0], time, memory)
        alone = ~found[:, 0] & (still[:, 0] != still[:, 1])
        lost = np.where(out.any(axis=1, keepdims=True), out, alone[:, None] & still)
        point = lost[:, 1].astype(int) - lost[:, 0].astype(int)
        draw = ~out.any(axis=1) & (still.all(axis=1) | tangled)
        over = lost.any(axis=1) | draw
        late = ~over & (time >= min(self.seconds, self.rules.round_time) - 1e-9)
        told = [out.any(axis=1), draw, lost.any(axis=1), late]
        return Verdict(point, over, late, np.select(told, ["out", "no progress", "stands still", "time"], ""))

    def _stuck(
        self, poses: np.ndarray, tied: np.ndarray, time: np.ndarray, memory: Memory
    ) -> tuple[np.ndarray, np.ndarray]:
        """Which robots have stood still for too long, and which pairs are entangled."""
        places, marks, since = _places(poses), memory.values["place"], memory.values["time"]
        gap = places - marks
        moved = np.hypot(gap[..., 0], gap[..., 1]) > self.rules.progress * self.radius
        moved[:, 2] |= ~tied
        marks[moved] = places[moved]
        since[:] = np.where(moved, time[:, None], since)
        long = time[:, None] - since >= self.rules.stall
        return long[:, :2], long[:, 2] & tied

    def reward(self, change: Change) -> np.ndarray:
        """The point, pushing the opponent outwards, staying inside."""
        after, before = _outward(change.after), _outward(change.before)
        pushed = PUSH * ((after[1] - before[1]) - (after[0] - before[0])) / self.radius
        return (POINT * change.point + pushed)[:, None]

    def observe(self, sight: Sight, left: np.ndarray, view: str) -> np.ndarray:
        """By "robot" (in its own axes) or by "field" (in those of its side)."""
        me, other = sight.mine, sight.theirs
        far, fast, spin = self.extent[0], 2 * self.top_speed, 2 * self.top_spin
        scale = np.array([far, far, fast, fast])
        if view == "field":
            rows = np.concatenate([me, other], axis=1)
            turned = np.stack([np.cos(rows[..., 2]), np.sin(rows[..., 2])], axis=-1)
            speeds = np.concatenate([rows[..., 3:5] / fast, rows[..., 5:] / spin], axis=-1)
            parts = [np.concatenate([rows[..., :2] / far, turned, speeds], axis=-1)]
        else:
            middle = relative(np.zeros((len(me), 1, 6)), me)[..., :2] / far
            edge = 1.0 - np.hypot(me[..., 0], me[..., 1]) / self.radius
            parts = [own(me) / [fast, fast, spin], middle, edge, relative(other, me) / scale]
            parts += [facing(other, me), other[..., 5:] / spin]
        rows = [p.reshape(len(me), 1, -1) for p in (*parts, left)]
        return np.clip(np.concatenate(rows, axis=-1), -1.0, 1.0).astype(np.float32)

    def features(self, view: str) -> list[str]:
        """What each number of an observation is."""
        if view == "field":
            parts = ("x", "y", "cos", "sin", "vx", "vy", "spin")
            return [*(f"{who}.{p}" for who in ("me", "opponent") for p in parts), "left"]
        mine = ("me.ahead", "me.aside", "me.spin", "middle.x", "middle.y", "edge")
        return [*mine, *(f"opponent.{p}" for p in ("x", "y", "vx", "vy", "cos", "sin", "spin")), "left"]


def _places(poses: np.ndarray) -> np.ndarray:
    """Of both robots and of their middle."""
    return np.concatenate([poses[:, :, :2], poses[:, :, :2].mean(axis=1, keepdims=True)], axis=1)


def _outward(sight: Sight) -> tuple[np.ndarray, np.ndarray]:
    """How far we and they are from the middle."""
    me, other = sight.mine[:, 0], sight.theirs[:, 0]
    return np.hypot(me[:, 0], me[:, 1]), np.hypot(other[:, 0], other[:, 1])
