"""Where a robot is, from encoders, gyro and a noisy camera: the filters of `biela.observe` in a match.

A `Track` is what a robot did, listened to in a match (`Watch`); `Senses` turn it into readings: wheel speeds
and turning rate at every step, the camera's place and heading now and then, all with noise. `localiser` is an
extended Kalman filter on a body that is free in the plane: nothing is known of its forces, so that its
velocity wanders, and wheels that roll tell its speed ahead, and that it does not slide sideways.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from biela.arena.agent import Agent
from biela.arena.broadcast import Broadcast
from biela.arena.message import Request
from biela.arena.preset.robot import TwoWheeler
from biela.expr.expression import Expr, cos, sin
from biela.mechanics.model import Model
from biela.mechanics.system import System
from biela.observe.filter import ExtendedKalman
from biela.observe.process import Process
from biela.observe.sensor import Sensor
from biela.simulate.assembly import assemble
from biela.simulate.record import Record

GRIP = 0.8 * 9.81  # m/s^2: tyres on the floor let nothing speed up faster


@dataclass(frozen=True)
class Senses:
    """Standard deviations and rates: rad/s of a wheel, rad/s of the gyro, m and rad of the camera, Hz.

    ``sliding`` is how fast wheels slide sideways and ``slipping`` along, m/s: what the filter allows for. It
    is much, for a robot that pushes spins its wheels; most of the time they hardly slip.
    """

    encoder: float = 0.5
    gyro: float = 0.05
    place: float = 0.005
    heading: float = 0.05
    camera_rate: float = 40.0
    sliding: float = 0.2
    slipping: float = 1.0


@dataclass(frozen=True)
class Track:
    """What a robot did: a row a step of x, y, heading (not wrapped), turning rate, left and right wheel."""

    step: float
    rows: np.ndarray

    @property
    def pose(self) -> np.ndarray:
        """x, y, heading."""
        return self.rows[:, :3]


@final
class Watch(Agent):
    """Listens to one robot from the moment the game is on until the referee first interrupts it."""

    type: ClassVar[str] = "gui"
    synchronous = False

    def __init__(self, robot: str) -> None:
        super().__init__(f"watch {robot}")
        self.robot = robot
        self.rows: list[tuple[float, ...]] = []
        self._step, self._over = 0.0, False

    def hear(self, broadcast: Broadcast) -> Iterable[Request]:
        """One row more."""
        playing = broadcast.notices.get("referee", {}).get("phase") == "play"
        self._over |= bool(self.rows) and not playing
        if playing and not self._over:
            seen = broadcast.entities[self.robot]
            x, y, _ = seen.position
            motors = (seen.motors["left"], seen.motors["right"])
            self._step = broadcast.mode["step"] * broadcast.mode["steps_per_iteration"]
            self.rows.append((x, y, seen.heading, seen.spin[2], *motors))
        return ()

    @property
    def track(self) -> Track:
        """All that was heard; raises ValueError if there was no play."""
        if len(self.rows) < 2:
            raise ValueError(f"Nothing was seen of '{self.robot}' in play.")
        table = np.array(self.rows)
        table[:, 2] = np.unwrap(table[:, 2])
        return Track(self._step, table)


@final
@dataclass(frozen=True)
class Wheels(Sensor):
    """Speeds of both wheels as they roll, rad/s."""

    robot: TwoWheeler
    unit: ClassVar[str] = "rad/s"

    def value(self, model: Model) -> list[Expr]:
        """Left and right."""
        ahead, half = _ahead(model), model.dq[2] * (self.robot.track / 2)
        return [(ahead - half) / self.robot.wheel_radius, (ahead + half) / self.robot.wheel_radius]


@final
@dataclass(frozen=True)
class Sideways(Sensor):
    """The speed across the wheels: a reading of zero says that they do not slide."""

    unit: ClassVar[str] = "m/s"

    def value(self, model: Model) -> list[Expr]:
        """To the left."""
        turn = model.q[2]
        return [cos(turn) * model.dq[1] - sin(turn) * model.dq[0]]


@final
@dataclass(frozen=True)
class Turning(Sensor):
    """The gyro: the turning rate, rad/s."""

    unit: ClassVar[str] = "rad/s"

    def value(self, model: Model) -> list[Expr]:
        """About the vertical."""
        return [model.dq[2]]


@final
@dataclass(frozen=True)
class Camera(Sensor):
    """Place and heading from above, m and rad; headings may jump by a turn."""

    unit: ClassVar[str] = "m"

    def value(self, model: Model) -> list[Expr]:
        """x, y, heading."""
        return list(model.q)

    def wraps(self, model: Model) -> list[bool]:
        """The heading does."""
        return [False, False, True]


def _ahead(model: Model) -> Expr:
    turn = model.q[2]
    return cos(turn) * model.dq[0] + sin(turn) * model.dq[1]


def localiser(robot: TwoWheeler, step: float, senses: Senses | None = None) -> ExtendedKalman:
    """The filter for a robot: readings are left and right wheel, gyro, zero, camera's x, y, heading."""
    given = senses or Senses()
    system = System("robot")
    body = system.body("robot", mass=robot.total_mass, inertia=[[0, 0, 0], [0, 0, 0], [0, 0, 1e-3]])
    system.planar(system.ground, body, axis="z")
    speed = math.hypot(given.encoder, given.slipping / robot.wheel_radius)
    sensors = [
        Wheels(robot, sigma=speed),
        Turning(sigma=given.gyro),
        Sideways(sigma=given.sliding),
        Camera(sigma=(given.place, given.place, given.heading)),
    ]
    unknown = (GRIP * step, 600.0 * step)
    velocity = (unknown[0], unknown[0], unknown[1])
    process = Process(system.model(), step, "euler", position=1e-6, velocity=velocity)
    return ExtendedKalman(process, sensors)


def readings(track: Track, senses: Senses, seed: int = 0) -> np.ndarray:
    """A row a step: both wheels, gyro, zero, camera; NaN where the camera has nothing."""
    random, many = np.random.default_rng(seed), len(track.rows)
    found = np.full((many, 7), np.nan)
    found[:, :2] = track.rows[:, 4:6] + senses.encoder * random.standard_normal((many, 2))
    found[:, 2] = track.rows[:, 3] + senses.gyro * random.standard_normal(many)
    found[:, 3] = 0.0
    every = max(1, round(1.0 / (senses.camera_rate * track.step)))
    noise = random.standard_normal((many, 3)) * [senses.place, senses.place, senses.heading]
    found[::every, 4:] = (track.pose + noise)[::every]
    found[::every, 6] = np.angle(np.exp(1j * found[::every, 6]))  # as cameras tell it
    return found


def estimated(observer: ExtendedKalman, taken: np.ndarray) -> tuple[np.ndarray, Record]:
    """x, y, heading at every step from the second on, and the filter's own record."""
    model = observer.process.model
    names = [place.name for place in model.placements]
    start = assemble(model, **dict(zip(names, taken[0, 4:].tolist(), strict=True)))
    record = observer.run(taken[1:], start, [0.01, 0.01, 0.1, 0.5, 0.5, 5.0])
    return np.stack([record[name][-len(taken) + 1 :] for name in names], axis=1), record


def reckoned(track: Track, taken: np.ndarray, robot: TwoWheeler) -> np.ndarray:
    """Dead reckoning: the true start, then encoders for the way and the gyro for the heading."""
    ahead = robot.wheel_radius * taken[1:, :2].mean(axis=1)
    heading = track.pose[0, 2] + np.cumsum(taken[1:, 2]) * track.step
    x = track.pose[0, 0] + np.cumsum(ahead * np.cos(heading)) * track.step
    y = track.pose[0, 1] + np.cumsum(ahead * np.sin(heading)) * track.step
    return np.stack([x, y, heading], axis=1)


def errors(track: Track, senses: Senses, robot: TwoWheeler, seed: int = 0) -> dict[str, tuple[float, float]]:
    """Root mean squares of distance (m) and heading (rad): filter, camera when it sees, dead reckoning."""
    taken = readings(track, senses, seed)
    filtered, _ = estimated(localiser(robot, track.step, senses), taken)
    seen = ~np.isnan(taken[1:, 4])
    truth = track.pose[1:]
    return {
        "filter": _apart(filtered, truth),
        "camera": _apart(taken[1:, 4:][seen], truth[seen]),
        "dead reckoning": _apart(reckoned(track, taken, robot), truth),
    }


def _apart(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    gap = one - other
    turn = np.angle(np.exp(1j * gap[:, 2]))
    return math.sqrt(float((gap[:, :2] ** 2).sum(axis=1).mean())), math.sqrt(float((turn**2).mean()))
