"""Two-wheeled robots: football (VSSS) presets of public simulators, and plain sumo robots of every class.

The football numbers are facts read from the simulators that the presets are named after; they disagree, so
that each is offered by its name and none is an average. `SUMO_ROBOTS` keep to footprint and mass of their
class; all else of them is ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from biela.arena.scene.body import Body
from biela.arena.scene.entity import Entity
from biela.arena.scene.joint import Joint, Motor
from biela.arena.scene.pose import Three
from biela.arena.sensor.sensor import Sensor

ACROSS = (math.pi / 2, 0.0, 0.0)


@dataclass(frozen=True)
class TwoWheeler:
    """A box on two driven wheels and skids; SI units. ``blade`` is how far a wedge in front reaches."""

    source: str
    length: float
    width: float
    height: float
    mass: float
    wheel_radius: float
    wheel_width: float
    wheel_mass: float
    track: float
    torque: float
    top_speed: float
    clearance: float = 0.003
    axle: float = 0.0
    blade: float = 0.0
    skids: tuple[float, ...] = (1.0, -1.0)
    sensors: tuple[Sensor, ...] = ()

    def entity(
        self, key: str, x: float = 0.0, y: float = 0.0, heading: float = 0.0, team: str = ""
    ) -> Entity:
        """The robot on a floor at z = 0; motors are ``left`` and ``right``."""
        parts = (self._bodies(), self._joints(), _motors(self.top_speed))
        entity = Entity(key, "robot", *parts, "shell", sensors=self.sensors)
        return entity.placed((x, y, entity.reference_body.position[2]), heading, key, team)

    @property
    def total_mass(self) -> float:
        """Of all its bodies, kg."""
        return sum(b.mass for b in self._bodies())

    def wheel_speeds(self, forward: float, turning: float) -> tuple[float, float]:
        """Wheel speeds (left, right) for a forward speed, m/s, and a turning rate, rad/s."""
        half = turning * self.track / 2
        return (forward - half) / self.wheel_radius, (forward + half) / self.wheel_radius

    def _bodies(self) -> tuple[Body, ...]:
        r, low = self.wheel_radius, self.clearance
        middle = (-self.blade / 2, 0.0, low + self.height / 2)
        size = (self.length - self.blade, self.width, self.height)
        parts = [Body("shell", "box", self.mass, middle, material="shell", size=size, colour="team")]
        for name, side in (("left", 1), ("right", -1)):
            at = (self.axle, side * self.track / 2, r)
            parts.append(
                Body(name, "wheel", self.wheel_mass, at, ACROSS, "tyre", r, self.wheel_width, colour="dark")
            )
        parts += [self._skid(n, share) for n, share in enumerate(self.skids)]
        return (*parts, self._wedge()) if self.blade else tuple(parts)

    def _skid(self, number: int, share: float) -> Body:
        radius = max(self.clearance, 1e-3)
        at = (share * (self.length / 2 - self.blade - radius), 0.0, radius)
        return Body(f"skid{number}", "sphere", 0.01 * self.mass, at, material="skid", radius=radius)

    def _wedge(self) -> Body:
        """A blade from a third of the height down to the floor, almost."""
        half, back, front = self.width / 2, self.length / 2 - self.blade, self.length / 2
        low, high = self.clearance / 3, self.clearance + self.height / 3
        middle = (back + front) / 2
        points = [
            (x - middle, y, z - low)
            for x, z in ((back, low), (front, low), (back, high))
            for y in (-half, half)
        ]
        corners: tuple[Three, ...] = tuple(points)
        return Body("blade", "mesh", 0.05 * self.mass, (middle, 0.0, low), material="shell", points=corners)

    def _joints(self) -> tuple[Joint, ...]:
        hubs = [
            Joint(n, "wheel", "shell", n, (0, 0, 1), (0, 1, 0), maximum_torque=self.torque)
            for n in ("left", "right")
        ]
        fixed = [f"skid{n}" for n in range(len(self.skids))] + (["blade"] if self.blade else [])
        return (*hubs, *(Joint(n, "fixed", "shell", n) for n in fixed))


def _motors(top: float) -> tuple[Motor, ...]:
    return tuple(Motor(n, n, top) for n in ("left", "right"))


VSSS_ROBOTS = {
    "rsim": TwoWheeler(
        "rSim vssconfig.h: cube side 0.075, height 0.056, wheels 0.026 x 0.0025, 0.0725 N m, 440 rpm",
        0.075, 0.075, 0.05, 0.120, 0.026, 0.0025, 0.015, 0.0775, 0.0725, 46.1, 0.006,
    ),
    "firasim": TwoWheeler(
        "FIRASim config/Parsian.ini: masses 1.0 + 2 x 0.2 (a real robot has 0.18 in all), 0.11 N m, no "
        "bound of speed (60 rad/s here is ours)",
        0.075, 0.075, 0.07, 1.0, 0.02, 0.005, 0.2, 0.08, 0.11, 60.0, 0.005,
    ),
    "travesim": TwoWheeler(
        "TraveSim README: 0.078 x 0.078 x 0.062, 0.180 in all, track 0.055, 0.073 N m, 650 rpm",
        0.078, 0.078, 0.058, 0.144, 0.025, 0.008, 0.018, 0.055, 0.073, 68.0, 0.004,
    ),
}  # fmt: skip


def _sumo(side: float, mass: float, speed: float) -> TwoWheeler:
    """A robot that fills its footprint: a wedge in front, and wheels so far behind that it does not rear up.

    Under full traction the whole weight is on the wheels if they are friction times height of the centre of
    mass behind it, 0.8 times 0.021 m for "mini"; they are 0.020 m behind.
    """
    radius = 0.16 * side
    shell = 0.84 * mass
    torque = 1.2 * mass * 9.81 * 0.8 * radius / 2  # enough to spin the wheels
    return TwoWheeler(
        "footprint and mass of the class; the rest is ours",
        0.98 * side, 0.80 * side, 0.4 * side, shell, radius, 0.08 * side, 0.045 * mass, 0.88 * side,
        torque, speed / radius, 0.03 * side, -0.30 * side, 0.2 * side, (1.0,),
    )  # fmt: skip


SUMO_ROBOTS = {
    "mega": _sumo(0.20, 3.0, 1.0),
    "mini": _sumo(0.10, 0.5, 0.6),
    "micro": _sumo(0.05, 0.1, 0.35),
    "nano": _sumo(0.025, 0.025, 0.2),
}
