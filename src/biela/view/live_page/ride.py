"""`Driven`: a motion platform with washout; somebody drives, and the settings change while it rides.

The vehicle is driven by keys, or follows a recorded drive. Washout, combination and channels are the native
sample of a `Ride`; the washout's numbers are its run-time parameters, so a slider changes the next sample.
The platform is drawn by its multibody model, whose other coordinates are closed by Newton's method.

By keys the vehicle is a point: it accelerates as asked after `LAG`, is slowed by what it runs against, and
turns by a yaw rate, which pulls it sideways by its speed times that rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from biela.compile.kernel import Kernel
from biela.cueing.drive import DRIVES
from biela.cueing.gravity import GRAVITY
from biela.cueing.platform import Platform
from biela.cueing.ride import Ride
from biela.simulate.assembly import assemble
from biela.view.live_page.control import Control, choice, slider
from biela.view.live_page.pull import Frames
from biela.view.live_page.simulation import actor_of
from biela.view.live_page.source import Column, Parts, Source, whole
from biela.view.motion import of_state
from biela.view.scene import Scene
from biela.view.stage import set_for

VEHICLE, KEYS = "vehicle", "keys"
THRUST, YAW, DRAG = 4.0, 0.5, 0.12  # m/s2, rad/s and 1/s: a car in town
LAG = 0.25  # s
NAMES = {"surge": "x", "sway": "y", "heave": "z"}  # in models that count from the ground
ROOM = 1.25  # of the stage, since a platform is drawn at rest


@final
class Driven(Source):
    """A ride that goes on."""

    drives = "arrows: throttle, brake, steer"

    def __init__(self, ride: Ride, vehicle: str = KEYS, title: str = "") -> None:
        self.ride, self.dt = ride, ride.simulator.dt
        platform = ride.simulator.platform
        self.title = title or f"{platform.name}: {ride.washout.kind} washout"
        self.figure = Figure(platform)
        self.actors = (actor_of(self.figure.scene, self.figure.frames),)
        self.stage = self.figure.stage()
        self._numbers = dict(ride.washout.values)
        names = (KEYS, *DRIVES)
        self.controls = [choice(VEHICLE, names, names.index(vehicle), group="vehicle"), *self._settings()]
        self.columns = self._curves()
        self.first = (
            "ahead",
            "ahead felt",
            "aside",
            "aside felt",
            *[d for d in ("pitch", "roll") if d in platform.dofs],
        )
        self._rows = {name: make() for name, make in DRIVES.items()}
        self._vehicle = vehicle
        self._tune()
        self.reset()
        self.advance(self.dt)  # compiled before anybody waits
        self.reset()

    def _settings(self) -> list[Control]:
        """A slider for every number that has an effect and is finite, under the name of its axis."""
        washout = self.ride.washout
        left_out = washout.idle()
        return [
            slider(
                name, value, row.unit, (min(row.usual[0], value), max(row.usual[1], value)),
                group=f"washout: {name.partition('.')[0]}", told=row.told,
            )
            for name, row in washout.tunables.items()
            if np.isfinite(value := washout.values[name]) and name not in left_out and self._felt(name)
        ]  # fmt: skip

    def _felt(self, name: str) -> bool:
        """Whether the platform has the axis of a number; surge and sway are shown by pitch and roll too."""
        axis = name.partition(".")[0]
        dofs = self.ride.simulator.platform.dofs
        return axis in dofs or axis not in ("surge", "sway", "heave", "roll", "pitch", "yaw") or (
            axis in ("surge", "sway") and bool({"pitch", "roll"} & set(dofs))
        )  # fmt: skip

    def _curves(self) -> list[Column]:
        dofs = self.ride.simulator.platform.dofs
        linear = ("surge", "sway", "heave")
        return [
            *(Column(name, "m/s2") for name in ("ahead", "ahead felt", "aside", "aside felt")),
            *(Column(name, "m" if name in linear else "rad") for name in dofs),
            Column("speed", "m/s"), Column("scale", ""),
        ]  # fmt: skip

    # the motion

    def advance(self, seconds: float) -> None:
        """Samples: what the vehicle does, and what the platform makes of it."""
        washout = self.ride.washout
        for _ in range(whole(seconds, self.dt)):
            self.row = self._moved()
            self.x = self.ride.recursion.sample(self.x, washout.foreseen(self.row[None])[0], self._w)
            self.t += self.dt
        if not np.isfinite(self.x).all():
            raise ValueError(f"The washout diverges at t={self.t:.3g} s. Reset it, with smaller numbers.")

    def _moved(self) -> np.ndarray:
        """Specific force and rates of the vehicle in the next sample."""
        if self._vehicle != KEYS:
            rows = self._rows[self._vehicle]
            return rows[round(self.t / self.dt) % len(rows)]
        ahead, aside = self._way
        share = self.dt / LAG
        self._thrust += share * (THRUST * ahead - self._thrust)
        self._yaw += share * (YAW * aside - self._yaw)
        acceleration = self._thrust - DRAG * self.speed
        self.speed += self.dt * acceleration
        return np.array([acceleration, self.speed * self._yaw, GRAVITY, 0.0, 0.0, self._yaw])

    def reset(self) -> None:
        """Vehicle and platform at rest."""
        self.t, self.x = 0.0, self.ride.rest
        self._way, self._thrust, self._yaw, self.speed = (0.0, 0.0), 0.0, 0.0, 0.0
        self.row = np.array([0.0, 0.0, GRAVITY, 0.0, 0.0, 0.0])
        self.figure.rest()

    def drive(self, ahead: float, aside: float) -> None:
        """Throttle or brake, and steering."""
        self._way = (ahead, aside)

    def change(self, name: str, value: float) -> None:
        """Another vehicle, or another number of the washout, from the next sample on."""
        if name == VEHICLE:
            self._vehicle = (KEYS, *DRIVES)[int(value)]
            return
        self.ride.washout.check(name, value)
        before = self._numbers[name]
        self._numbers[name] = value
        try:
            self._tune()
        except ValueError:
            self._numbers[name] = before
            raise

    def _tune(self) -> None:
        washout, simulator = self.ride.washout, self.ride.simulator
        self._w = self.ride.recursion.prepare(np.concatenate([washout.numbers(self._numbers), simulator.p]))

    # what there is to see

    @property
    def pose(self) -> np.ndarray:
        """Where the platform is."""
        return self.x[: len(self.ride.simulator.platform.dofs)]

    def parts(self) -> Parts:
        """The platform."""
        return [self.figure.at(self.pose)]

    def values(self) -> Sequence[float]:
        """The specific force of the vehicle and what the tilt shows of it, the pose, speed and scale."""
        platform, n = self.ride.simulator.platform, len(self.pose)
        angle = {k: platform.senses.get(k, 1.0) * v for k, v in zip(platform.dofs, self.pose, strict=True)}
        pitch, roll = angle.get("pitch", 0.0), angle.get("roll", 0.0)
        felt = GRAVITY * np.sin(pitch), GRAVITY * np.cos(pitch) * np.sin(roll)
        return [
            float(self.row[0]), -float(felt[0]), float(self.row[1]), float(felt[1]), *map(float, self.pose),
            self.speed, float(self.x[2 * n]),
        ]  # fmt: skip


class Figure:
    """A platform's multibody model, put into poses."""

    def __init__(self, platform: Platform) -> None:
        system = platform.mechanism()
        if system is None:
            raise ValueError(f"{platform.name} has no multibody model to draw it by.")
        self.platform, self.model = platform, system.model()
        self.start = assemble(self.model)
        self.scene = Scene(self.model)
        self.frames = Frames(self.scene)
        names = [c.name for c in self.model.placements]
        self.led = [names.index(n) for n in (
            k if k in names else NAMES.get(k, k) for k in platform.dofs
        ) if n in names]  # fmt: skip
        self.by_pose = len(self.led) == len(platform.dofs)
        self.free = [k for k in range(len(names)) if k not in self.led]
        self._gap = Kernel(self.model.functions["Phi"]) if len(self.model.phi) else None
        self._slopes = Kernel(self.model.functions["Phi_q"]) if len(self.model.phi) else None
        self.rest()

    def rest(self) -> None:
        """As it is at rest."""
        self.q = self.start.q.copy()

    def stage(self) -> dict[str, Any]:
        """A stage for it, with room to move."""
        told = set_for([of_state(self.start)]).plain()
        return told | {"half": [ROOM * h for h in told["half"]], "size": ROOM * told["size"], "planar": False}

    def at(self, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places and turns in a pose; where it does not close, as it was."""
        if not self.by_pose:
            self.q = np.asarray(self.platform.positions(pose)[0], float)
        else:
            q = self.q.copy()
            q[self.led] = self.start.q[self.led] + pose
            self.q = self._closed(q)
        return self.frames.parts(self.q[:, None], self.start.t, self.start.p)

    def _closed(self, q: np.ndarray) -> np.ndarray:
        if self._gap is None or self._slopes is None:
            return q
        for _ in range(8):
            gap = self._called(self._gap, q)
            if np.abs(gap).max() < 1e-9:
                return q
            J = self._called(self._slopes, q)[:, self.free]
            q[self.free] -= np.linalg.lstsq(J, gap, rcond=1e-9)[0]
        return q if np.abs(self._called(self._gap, q)).max() < 1e-6 else self.q

    def _called(self, kernel: Kernel, q: np.ndarray) -> np.ndarray:
        have = {"q": q, "p": self.start.p, "t": self.start.t}
        return np.asarray(kernel(*(have[port.name] for port in kernel.function.inputs)))
