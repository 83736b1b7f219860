"""`Played`: a match of the arena: robots and field; a pointer places robots and balls, keys drive one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

import numpy as np

from biela.arena.match import Match
from biela.arena.message import Request
from biela.view.live_page.control import choice
from biela.view.live_page.source import Actor, Column, Grip, Parts, Source
from biela.view.match import staged
from biela.view.motion import Motion
from biela.view.pitch import TEAMS, Pitch

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
        ((places, turns),) = self.parts()
        self.stage = staged(Motion(self.pitch, np.zeros(1), places[None], turns[None]), self.pitch).plain()
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
        self.pitch = Pitch(self.scene, tuple(self.kernel.physics.bodies))
        self._rows = [self.kernel.physics.bodies[key] for key in self.pitch.moving]
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
        for shape in self.pitch.shapes:
            shape["fixed"] = shape["places"] == [0]
        count = 1 + len(self.pitch.moving)
        return Actor("", self.pitch.shapes, [], count, count)

    def parts(self) -> Parts:
        """What stands still, then the bodies that move by themselves."""
        motion = self.kernel.physics.motion()
        places = np.concatenate([np.zeros((1, 3)), motion.position[self._rows]])
        turns = np.concatenate([[[1.0, 0.0, 0.0, 0.0]], motion.turn[self._rows]])
        return [(places[None], turns[None])]

    def values(self) -> Sequence[float]:
        """Speeds and scores."""
        seen = self.kernel.broadcast().entities
        speeds = [float(np.linalg.norm(seen[name].velocity)) for name in self.robots]
        return [*speeds, *map(float, self.match.referee.score)]

    # the pointer

    def grab(self, grip: Grip) -> None:
        """Take a robot or ball."""
        if grip.a:
            name = self.pitch.moving[grip.a - 1][0]
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
