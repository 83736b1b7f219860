"""Robots of the RoboCup small size league (SSL): omnidirectional, with dribbler and kicker in a flat front.

The body stands on skids without friction; what its wheels do is the velocity that `biela.arena.crew` gives it
within the accelerations below, because a wheel of rollers is none of the joints of a scene. Dribbler and
kicker act on a ball at the flat front. The numbers are facts read from the simulators and teams that the
presets are named after; ``grip`` is ours, and so are what a preset's source leaves out and its name does not
say.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from biela.arena.scene.body import Body
from biela.arena.scene.entity import Entity
from biela.arena.scene.joint import Joint
from biela.arena.scene.pose import Three

CLEARANCE = 0.005
CORNERS = 24


@dataclass(frozen=True)
class OmniRobot:
    """A robot that drives in any direction; SI units. ``front`` is from its middle to its flat front.

    ``speed_up`` and ``brake`` bound the acceleration, ``turn_up`` and ``turn_brake`` that of the spin. A
    dribbler moves the ball with ``grip`` m/s^2 at most. ``wheels`` are where the wheels are, rad from ahead:
    front right, back right, back left, front left.
    """

    source: str
    radius: float
    height: float
    mass: float
    front: float
    mouth: float
    top_speed: float
    top_spin: float
    speed_up: float
    brake: float
    turn_up: float
    turn_brake: float
    kick: float
    chip: float
    grip: float = 6.0
    wheels: tuple[float, ...] = tuple(math.radians(a) for a in (300, 225, 135, 60))

    def entity(
        self, key: str, x: float = 0.0, y: float = 0.0, heading: float = 0.0, team: str = ""
    ) -> Entity:
        """The robot on a floor at z = 0."""
        middle = CLEARANCE + self.height / 2
        shell = Body(
            "shell",
            "mesh",
            0.9 * self.mass,
            (0, 0, middle),
            material="shell",
            points=self._hull(),
            colour="team",
        )
        skids = [self._skid(n, math.radians(a)) for n, a in enumerate((60, 135, 225, 300))]
        ties = tuple(Joint(s.id, "fixed", "shell", s.id) for s in skids)
        entity = Entity(key, "robot", (shell, *skids), ties)
        return entity.placed((x, y, middle), heading, key, team)

    def _hull(self) -> tuple[Three, ...]:
        """A cylinder whose front is cut off."""
        cut = math.acos(self.front / self.radius)
        angles = np.linspace(cut, 2 * math.pi - cut, CORNERS).tolist()
        rim = [(self.radius * math.cos(a), self.radius * math.sin(a)) for a in angles]
        half = self.height / 2
        return tuple((x, y, z) for x, y in rim for z in (-half, half))

    def _skid(self, number: int, angle: float) -> Body:
        far = self.radius - 2 * CLEARANCE
        at = (min(far * math.cos(angle), self.front - CLEARANCE), far * math.sin(angle), CLEARANCE)
        return Body(f"skid{number}", "sphere", 0.025 * self.mass, at, material="skid", radius=CLEARANCE)

    def motion(self, wheels: tuple[float, ...]) -> tuple[float, float, float]:
        """(forward, left, turning) of wheels that run at these speeds, m/s, as nearly as four can agree.

        >>> robot = SSL_ROBOTS["grsim"]
        >>> forward, left, turning = robot.motion(robot.rims(1.0, 0.5, 3.0))
        >>> round(forward, 9), round(left, 9), round(turning, 9)
        (1.0, 0.5, 3.0)
        """
        found = np.linalg.lstsq(self._rows(), np.asarray(wheels, float), rcond=None)[0]
        forward, left, turning = found.tolist()
        return forward, left, turning

    def rims(self, forward: float, left: float, turning: float) -> tuple[float, ...]:
        """The speeds of its wheels, m/s, for a motion."""
        return tuple((self._rows() @ [forward, left, turning]).tolist())

    def _rows(self) -> np.ndarray:
        return np.array([[-math.sin(a), math.cos(a), self.radius] for a in self.wheels])


SSL_ROBOTS = {
    "tigers": OmniRobot(
        "TIGERs, robot-specs.yaml of ssl-simulation-controller",
        0.09, 0.143, 2.7, 0.078, 0.065, 3.7, 26.2, 4.7, 5.9, 50.8, 51.6, 8.0, 8.0,
    ),
    "grsim": OmniRobot(
        "grSim config/Parsian.ini; 2 kg and four wheels of 0.2 kg",
        0.09, 0.147, 2.8, 0.073, 0.08, 5.0, 20.0, 4.0, 4.0, 50.0, 50.0, 10.0, 10.0,
    ),
    "erforce": OmniRobot(
        "ER-Force generation_2020.txt; its accelerations ahead, and as brakes (it names none)",
        0.089, 0.15, 1.5, 0.067, 0.07, 3.0, 6.0, 7.0, 7.0, 60.0, 60.0, 6.5, 3.0,
    ),
}  # fmt: skip
