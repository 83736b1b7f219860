"""`Played`: a match of the arena: robots and field; a pointer places robots and balls, keys drive one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np

from biela.arena.match import Match
from biela.arena.message import Request
from biela.arena.scene import pose
from biela.arena.scene.body import Body
from biela.arena.scene.entity import Entity
from biela.view.live_page.control import choice
from biela.view.live_page.source import Actor, Column, Grip, Parts, Source
from biela.view.stage import Stage

TEAMS = {"left": "#3f77c9", "right": "#e0933a"}
COLORS = {
    "floor": "#3f7d4f", "wall": "#d7dbe0", "ring": "#26292e", "ground": "#8b939c", "ball": "#f07828",
    "dark": "#33373d", "": "#b9bec5",
}  # fmt: skip
NOBODY = "nobody"
DRIVE = "keys drive"
TURNING = 6.0  # rad/s that the keys ask for
LIFT = 0.002  # m, above where it stood, that something is put down


@final
class Played(Source):
    """A match that goes on; ``again`` makes another one to begin with anew."""

    holds, drives = "place", "arrows drive the chosen robot"

    def __init__(self, match: Match, again: Callable[[], Match] | None = None, title: str = "") -> None:
        self.again, self.title = again, title or match.kernel.scene.name
        self._take(match)
        self.actors = (self._drawn(),)
        self.stage = _stage(match).plain()
        robots = [e.id for e in self.scene.entities if e.type == "robot"]
        self.robots = robots
        self.columns = [
            *(Column(f"{name}.speed", "m/s") for name in robots),
            *(Column(f"score.{side}", "") for side in TEAMS),
        ]
        self.controls = [choice(DRIVE, (NOBODY, *robots), group="keys", told="Its strategy waits meanwhile.")]
        self._driven, self._way = "", (0.0, 0.0)
        self._held: tuple[str, np.ndarray] | None = None

    def _take(self, match: Match) -> None:
        self.match, self.kernel = match, match.kernel
        self.scene = match.kernel.scene
        self.dt = self.kernel.settings.step * self.kernel.settings.steps_per_iteration
        self.t = self.kernel.time

    # the match

    def advance(self, seconds: float) -> None:
        """Iterations until the time has gone, or the match is over."""
        end = self.t + max(seconds, self.dt) - 0.5 * self.dt
        while self.kernel.time < end and not self.match.referee.over:
            self.kernel.attend()
            self._steered()
            self.kernel.iterate()
        self.t = self.kernel.time

    def _steered(self) -> None:
        """What the keys ask for, in the place of what the strategy did."""
        if not self._driven:
            return
        kind = next(t.robot for t in self.match.teams if t.key == self.scene.entity[self._driven].team)
        ahead, aside = self._way
        left, right = kind.wheel_speeds(ahead * kind.top_speed * kind.wheel_radius, aside * TURNING)
        for motor, speed in (("left", left), ("right", right)):
            self.kernel.physics.drive(self._driven, motor, speed)

    def reset(self) -> None:
        """Another match.

        Raises ValueError where there is no way to make one.
        """
        if self.again is None:
            raise ValueError("This match cannot begin again: give live(match, again=...) what makes another.")
        self._take(self.again())

    def change(self, name: str, value: float) -> None:
        """The keys drive another robot, or none."""
        self._driven = "" if not value else self.robots[int(value) - 1]
        self._way = (0.0, 0.0)

    def drive(self, ahead: float, aside: float) -> None:
        """Where the chosen robot is to go."""
        self._way = (ahead, aside)

    @property
    def told(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The score, and who has won."""
        referee = self.match.referee
        won = f"{referee.winner or 'nobody'} wins" if referee.over else referee.phase
        return f"{referee.score[0]} : {referee.score[1]}, {won}"

    # what there is to see

    def _drawn(self) -> Actor:
        moving = list(self.kernel.physics.bodies)
        still = [(e, b) for e in self.scene.entities for b in e.bodies if b.immovable]
        bodies = [(self.scene.entity[e], self.scene.entity[e].body[b]) for e, b in moving] + still
        self._still = (
            np.array([b.position for _, b in still], float).reshape(-1, 3),
            np.array([pose.from_angles(b.rotation) for _, b in still]).reshape(-1, 4),
        )
        self._entities = [e for e, _ in moving]
        shapes = [_shape(k, e, b) for k, (e, b) in enumerate(bodies)]
        return Actor("", shapes, [], len(bodies), len(bodies))

    def parts(self) -> Parts:
        """Bodies that move, then those that stand."""
        motion = self.kernel.physics.motion()
        places, turns = (
            np.concatenate([moving, still])[None]
            for moving, still in zip((motion.position, motion.turn), self._still, strict=True)
        )
        return [(places, turns)]

    def values(self) -> Sequence[float]:
        """Speeds and scores."""
        seen = self.kernel.broadcast().entities
        speeds = [float(np.linalg.norm(seen[name].velocity)) for name in self.robots]
        return [*speeds, *map(float, self.match.referee.score)]

    # the pointer

    def grab(self, grip: Grip) -> None:
        """Take a robot or ball."""
        if grip.a < len(self._entities):
            name = self._entities[grip.a]
            self._held = name, np.array(self._place(name)) - grip.at

    def drag(self, to: np.ndarray) -> None:
        """Put it there, on the height it has."""
        if self._held is None:
            return
        name, offset = self._held
        x, y, _ = to + offset
        z = self._place(name)[2]
        lift = LIFT if self.scene.entity[name].type == "ball" else 0.0
        reply = self.kernel.ask(Request("set_entity_position", {"position": [x, y, z + lift]}, name))
        if not reply.ok:
            raise ValueError(reply.error)

    def release(self) -> None:
        """It is let go."""
        self._held = None

    def _place(self, name: str) -> tuple[float, float, float]:
        return self.kernel.broadcast().entities[name].position

    def held(self) -> np.ndarray | None:
        """Where what is held is."""
        if self._held is None:
            return None
        place = np.array(self._place(self._held[0]))
        return np.concatenate([place, place])


def _shape(k: int, entity: Entity, body: Body) -> dict[str, Any]:
    form, size = _form(body)
    color = TEAMS.get(entity.team, COLORS[""]) if body.colour == "team" else COLORS.get(body.colour, COLORS[""])
    return {
        "kind": "solid", "name": entity.id, "body": entity.id, "color": color, "places": [k], "turn": k,
        "form": form, "size": size, "axis": "z", "fixed": body.immovable,
    }  # fmt: skip


def _form(body: Body) -> tuple[str, list[float]]:
    """How a body is drawn: a capsule as a cylinder, a mesh as a box around it."""
    if body.shape == "sphere":
        return "sphere", [body.radius]
    if body.shape in ("cylinder", "wheel", "capsule"):
        return "cylinder", [body.radius, body.length + 2.0 * body.radius * (body.shape == "capsule")]
    return "box", [2.0 * float(half) for half in body.half_extent()]


def _stage(match: Match) -> Stage:
    """The field from in front, a bit from above."""
    length, width, _ = match.teams[0].size
    half = np.array([0.55 * length, 0.05 * length, 0.55 * width])
    x, y, z = np.eye(3)
    return Stage(
        x, z, -y, np.zeros(3), half, np.zeros(3), (), float(np.linalg.norm(half)), 0.0, planar=False, travels=False
    )
