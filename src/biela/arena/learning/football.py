"""Football for learners: an episode ends with a goal, a free ball, or the time.

Rules are those of `FootballReferee`: all of the ball behind the line between the posts is a goal; a ball
slower than 0.1 m/s for 5 s, or off the field, is for the referee to set free, which cuts the episode.
"""

from __future__ import annotations

from typing import ClassVar, final

import numpy as np

from biela.arena.learning.game import Change, Game, Memory, Sight, Verdict, facing, others, own, relative
from biela.arena.preset.field import BALLS, FOOTBALL_FIELDS
from biela.arena.preset.material import MATERIALS
from biela.arena.preset.robot import VSSS_ROBOTS, TwoWheeler
from biela.arena.referee.football import FootballRules
from biela.arena.scene.scene import Scene

GOAL, PROGRESS, APPROACH = 10.0, 4.0, 0.4  # of the reward


@final
class Football(Game):
    """A field of FOOTBALL_FIELDS, both teams with the same robots."""

    name: ClassVar[str] = "football"

    def __init__(
        self,
        field: str = "vsss-3v3",
        players: int = 3,
        *,
        robot: str | TwoWheeler = "rsim",
        seconds: float = 30.0,
        rules: FootballRules | None = None,
    ) -> None:
        self.field, self.players, self.seconds = FOOTBALL_FIELDS[field], players, seconds
        self.robot = VSSS_ROBOTS[robot] if isinstance(robot, str) else robot
        self.rules = rules or FootballRules()
        self.ball = BALLS["ssl" if field.startswith("ssl") else "vsss"]
        self.extent = (self.field.length, self.field.width, self.field.goal_width)
        robots = [
            self.robot.entity(f"{side}{n}", sign * (0.2 + 0.12 * n), 0.0, 0.0, side)
            for side, sign in (("left", -1), ("right", 1))
            for n in range(players)
        ]
        self.entities = (*(r.id for r in robots), "ball")
        self.scene = Scene(f"football {field}", MATERIALS, (self.field.entity(), *robots, self.ball.entity()))

    def start(self, random: np.random.Generator, kind: str) -> np.ndarray:
        """ "random": anywhere, apart; "kick-off": as the referee puts them, blue or yellow by lot."""
        poses = np.zeros((2 * self.players + 1, 6))
        if kind == "kick-off":
            return self._kick_off(poses, random)
        half = np.array(self.extent[:2]) / 2 - 0.08
        for n in range(len(poses)):
            while True:
                poses[n, :2] = random.uniform(-half, half)
                if n == 0 or np.hypot(*(poses[:n, :2] - poses[n, :2]).T).min() > 0.13:
                    break
            poses[n, 2] = random.uniform(-np.pi, np.pi)
        poses[-1, 3:5] = random.uniform(-0.3, 0.3, 2)
        return poses

    def _kick_off(self, poses: np.ndarray, random: np.random.Generator) -> np.ndarray:
        length, kicks = self.field.length, int(random.integers(2))
        for team, sign in enumerate((-1, 1)):
            near = self.field.circle * (0.6 if team == kicks else 1.3)
            for n in range(self.players):
                away = length / 2 - 0.08 if n == 0 else near if n == 1 else length / 4
                aside = 0.0 if n < 2 else 0.25 * self.field.width * (-1) ** n
                if n > 3:
                    away *= 0.6
                heading = 0.0 if sign < 0 else np.pi
                poses[team * self.players + n, :3] = sign * away, aside + random.uniform(-0.01, 0.01), heading
        return poses

    def begin(self, memory: Memory, worlds: np.ndarray, poses: np.ndarray) -> None:
        """The ball has just moved."""
        if "moved" not in memory.values:
            memory.values["moved"] = np.zeros(len(poses))
        memory.values["moved"][worlds] = 0.0

    def judge(self, poses: np.ndarray, found: np.ndarray, time: np.ndarray, memory: Memory) -> Verdict:
        """Goal, free ball, time."""
        x, y, _, vx, vy, _ = poses[:, -1].T
        moved = memory.values["moved"]
        moved[:] = np.where(np.hypot(vx, vy) > self.rules.stuck_speed, time, moved)
        behind = np.abs(x) - self.ball.radius - self.field.length / 2 > 0
        goal = behind & (np.abs(y) < self.field.goal_width / 2)
        a, b = self.field.length / 2 + self.field.margin[1], self.field.width / 2 + self.field.margin[0]
        lost = (np.abs(x) > a + self.field.goal_depth) | (np.abs(y) > b)
        free = ~goal & ((time - moved >= self.rules.stuck_time) | lost)
        late = ~goal & ~free & (time >= self.seconds - 1e-9)
        why = np.select([goal, free, late], ["goal", "free ball", "time"], "")
        return Verdict(np.where(goal, np.where(x > 0, 1, -1), 0), goal, free | late, why)

    def reward(self, change: Change) -> np.ndarray:
        """Goals, the ball's way from the own goal to theirs, and each robot's way to the ball."""
        team = GOAL * change.point + PROGRESS * (self._field(change.after) - self._field(change.before))
        nearer = _away(change.before) - _away(change.after)
        return team[:, None] + APPROACH * nearer

    def _field(self, sight: Sight) -> np.ndarray:
        """How good the place of the ball is: nearer to their goal, farther from ours."""
        x, y, a = sight.ball[:, 0, 0], sight.ball[:, 0, 1], self.field.length / 2
        return (np.hypot(x + a, y) - np.hypot(x - a, y)) / self.field.length

    def observe(self, sight: Sight, left: np.ndarray, view: str) -> np.ndarray:
        """By "robot" (in the axes of each robot) or by "field" (in those of the team)."""
        far, fast = self.diagonal, 2 * self.top_speed
        many = sight.mine.shape[1]
        clock = np.broadcast_to(left[:, None, None], (len(left), many, 1))
        scale = np.array([far, far, fast, fast])
        if view == "field":
            return _packed(self._plain(sight, scale), clock)
        mine, half = sight.mine, self.field.length / 2
        goals = np.zeros((len(mine), 2, 6))
        goals[:, 0, 0], goals[:, 1, 0] = half, -half
        mates, place = others(relative(mine, mine) / scale), mine[..., :2] / (self.extent[0] / 2 + 0.1)
        heading = np.stack([np.cos(mine[..., 2]), np.sin(mine[..., 2])], axis=-1)
        parts = [
            own(mine) / [fast, fast, 2 * self.top_spin],
            relative(sight.ball, mine) / scale,
            relative(goals, mine)[..., :2] / far,
            place,
            heading,
            np.concatenate([mates[..., :2], others(facing(mine, mine))], axis=-1),
            relative(sight.theirs, mine) / scale,
        ]
        return _packed(parts, clock)

    def _plain(self, sight: Sight, scale: np.ndarray) -> list[np.ndarray]:
        """Ball, this robot, mates, theirs: places, headings and velocities on the field."""
        many, half = int(sight.mine.shape[1]), np.array([self.extent[0] / 2 + 0.1] * 2)
        rows = np.concatenate([sight.mine, sight.theirs], axis=1)
        robots = np.concatenate(
            [
                rows[..., :2] / half,
                np.cos(rows[..., 2:3]),
                np.sin(rows[..., 2:3]),
                rows[..., 3:5] / scale[2],
                rows[..., 5:] / (2 * self.top_spin),
            ],
            axis=-1,
        )
        ball = np.concatenate([sight.ball[..., :2] / half, sight.ball[..., 3:5] / scale[2]], axis=-1)
        order = np.add.outer(np.arange(many), np.arange(many)) % many
        spread = (len(rows), many, -1)
        theirs = robots[:, many:].reshape(len(rows), 1, -1)
        return [
            np.broadcast_to(ball, (len(rows), many, 4)),
            robots[:, :many][:, order].reshape(spread),
            np.broadcast_to(theirs, (len(rows), many, theirs.shape[-1])),
        ]

    def features(self, view: str) -> list[str]:
        """What each number of an observation is."""
        mates = [f"mate{n}" for n in range(1, self.players)]
        theirs = [f"opponent{n}" for n in range(self.players)]
        if view == "field":
            parts = ("x", "y", "cos", "sin", "vx", "vy", "spin")
            robots = [f"{who}.{p}" for who in ("me", *mates, *theirs) for p in parts]
            return [*(f"ball.{p}" for p in ("x", "y", "vx", "vy")), *robots, "left"]
        return [
            *(f"me.{p}" for p in ("ahead", "aside", "spin")),
            *(f"ball.{p}" for p in ("x", "y", "vx", "vy")),
            *(f"{goal}.{p}" for goal in ("goal", "own goal") for p in ("x", "y")),
            *(f"me.{p}" for p in ("x", "y", "cos", "sin")),
            *(f"{m}.{p}" for m in mates for p in ("x", "y", "cos", "sin")),
            *(f"{o}.{p}" for o in theirs for p in ("x", "y", "vx", "vy")),
            "left",
        ]


def _packed(parts: list[np.ndarray], clock: np.ndarray) -> np.ndarray:
    """One row a robot, within -1 and 1."""
    rows = [p.reshape(*p.shape[:2], -1) for p in (*parts, clock)]
    return np.clip(np.concatenate(rows, axis=-1), -1.0, 1.0).astype(np.float32)


def _away(sight: Sight) -> np.ndarray:
    """How far each robot is from the ball."""
    gap = sight.mine[..., :2] - sight.ball[:, :1, :2]
    return np.hypot(gap[..., 0], gap[..., 1])
