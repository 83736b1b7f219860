"""`Worlds`: many copies of one scene seen from above, moved together by MuJoCo's rollout threads.

Every entity that moves is one body with three coordinates: x and y of its centre of mass, and its angle from
how it stands in the scene. The floor's part is the compiled `tread`; walls and robots that meet are MuJoCo's
contacts, with the numbers of the scene's materials. A robot touches with the rectangle around it, a ball with
its sphere; a ball rolls without slipping, so that it resists a push with 7/5 of its mass, and slows down at
its rate.

A world is one row of `state`, and nothing else is remembered: a row copied is a world copied, and it goes on
alike in a batch of any size on any number of threads, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import combinations
from typing import Any, NamedTuple, final

import numpy as np

from biela.arena.physics.footing import Footing
from biela.arena.physics.markup import label, numbers
from biela.arena.physics.softness import RATIO, softness
from biela.arena.physics.tread import alike, tread
from biela.arena.physics.vehicle import Vehicle, vehicles
from biela.arena.scene import pose
from biela.arena.scene.body import Body
from biela.arena.scene.extent import corners, floors, span
from biela.arena.scene.scene import Scene
from biela.compile.kernel import Kernel

mj: Any = import_module("mujoco")  # its bindings are compiled: their types are unknown
FORCES = mj.mjtState.mjSTATE_QFRC_APPLIED
ROLLING = 1.4  # of its mass, a solid sphere resists with when it rolls
HALF = 0.02  # of the height in which outlines meet, m


class Group(NamedTuple):
    """Vehicles that are alike: their kernel, their places among the entities, the columns of their motors."""

    kernel: Kernel
    entities: np.ndarray
    motors: np.ndarray


@final
class Worlds:
    """``count`` copies of a scene; ``touch`` names pairs of entities whose contact is watched.

    ``place`` and ``rate`` are views of the state: (world, entity, x y angle). ``targets`` has the speeds
    asked of every motor, ``pushes`` a force for every entity.
    """

    def __init__(
        self,
        scene: Scene,
        step: float,
        count: int,
        *,
        threads: int = 0,
        touch: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.scene, self.step, self.count = scene, step, count
        self.vehicles = vehicles(scene)
        footing = Footing(scene, step)
        for vehicle in self.vehicles.values():
            vehicle.stand(footing)
        self.names = list(self.vehicles)
        self._build(touch)
        many, size = len(self.names), mj.mj_stateSize(self.model, mj.mjtState.mjSTATE_FULLPHYSICS)
        self.state = np.zeros((count, size))
        self.place = self.state[:, 1 : 1 + 3 * many].reshape(count, many, 3)
        self.rate = self.state[:, 1 + 3 * many :].reshape(count, many, 3)
        for n, vehicle in enumerate(self.vehicles.values()):
            self.place[:, n, :2] = vehicle.centre[:2]
        self.motors = {(e.id, m.id): n for n, (e, m) in enumerate(_motors(scene))}
        self.targets, self.speeds = np.zeros((count, len(self.motors))), np.zeros((count, len(self.motors)))
        self.pushes, self.forces = np.zeros((count, many, 2)), np.zeros((count, many, 3))
        self.found = np.zeros((count, len(touch)), bool)
        self._next, self._sensed = np.zeros((count, 1, size)), np.zeros((count, 1, len(touch)))
        self._groups = list(self._grouped())
        self._balls = [n for n, v in enumerate(self.vehicles.values()) if v.rolls]
        self._frames()
        rollout: Any = import_module("mujoco.rollout")
        self._rollout = rollout.Rollout(nthread=threads)
        self._models = [self.model] * count
        self._data = [mj.MjData(self.model) for _ in range(max(1, threads))]

    def advance(self, steps: int = 1) -> None:
        """Move all worlds on."""
        for _ in range(steps):
            self._ground()
            self._rollout.rollout(
                self._models,
                self._data,
                self.state,
                self.forces.reshape(self.count, 1, -1),
                control_spec=int(FORCES),
                skip_checks=True,
                nstep=1,
                state=self._next,
                sensordata=self._sensed,
            )
            np.copyto(self.state, self._next[:, 0])
        self.found[:] = self._sensed[:, 0] > 0

    def poses(self) -> np.ndarray:
        """(world, entity, x y heading vx vy spin) of the reference bodies."""
        found = np.empty((*self.place.shape[:2], 6))
        x, y = self._turned()
        found[..., 0], found[..., 1] = self.place[..., 0] + x, self.place[..., 1] + y
        found[..., 2] = self.place[..., 2] + self._start
        found[..., 3] = self.rate[..., 0] - self.rate[..., 2] * y
        found[..., 4] = self.rate[..., 1] + self.rate[..., 2] * x
        found[..., 5] = self.rate[..., 2]
        return found

    def put(self, worlds: Any, entity: int, poses: np.ndarray) -> None:
        """Place the reference body of an entity in some worlds: rows of x, y, heading and their rates."""
        angle = poses[:, 2] - self._start[entity]
        c, s, (rx, ry) = np.cos(angle), np.sin(angle), self._offset[entity]
        x, y = c * rx - s * ry, s * rx + c * ry
        self.place[worlds, entity] = np.stack([poses[:, 0] - x, poses[:, 1] - y, angle], axis=1)
        spin = poses[:, 5]
        self.rate[worlds, entity] = np.stack([poses[:, 3] + spin * y, poses[:, 4] - spin * x, spin], axis=1)

    def close(self) -> None:
        """Let the threads go."""
        self._rollout.close()

    def _turned(self) -> tuple[np.ndarray, np.ndarray]:
        """From centres of mass to reference bodies now."""
        c, s = np.cos(self.place[..., 2]), np.sin(self.place[..., 2])
        rx, ry = self._offset.T
        return c * rx - s * ry, s * rx + c * ry

    def _ground(self) -> None:
        """The forces of the floor."""
        for kernel, entities, motors in self._groups:
            given = np.empty((6 + len(motors), self.count, len(entities)))
            given[:3] = self.rate[:, entities].transpose(2, 0, 1)
            given[3], given[4:6] = self.place[:, entities, 2], self.pushes[:, entities].transpose(2, 0, 1)
            given[6:] = self.targets[:, motors].transpose(1, 0, 2)
            found: np.ndarray = kernel.batch(given.reshape(len(given), -1))
            found = found.reshape(-1, self.count, len(entities))
            self.forces[:, entities] = found[:3].transpose(1, 2, 0)
            self.forces[:, entities, :2] += self.pushes[:, entities]
            self.speeds[:, motors] = found[3:].transpose(1, 0, 2)
        for ball in self._balls:
            self._roll(ball, self.vehicles[self.names[ball]])

    def _roll(self, ball: int, vehicle: Vehicle) -> None:
        """A rolling ball loses speed at its rate and stops."""
        vx, vy = self.rate[:, ball, 0], self.rate[:, ball, 1]
        speed = np.sqrt(vx * vx + vy * vy)
        pull = ROLLING * vehicle.mass * np.minimum(vehicle.rolling, speed / self.step)
        share = pull / np.maximum(speed, 1e-12)
        self.forces[:, ball, 0] = self.pushes[:, ball, 0] - share * vx
        self.forces[:, ball, 1] = self.pushes[:, ball, 1] - share * vy

    # building

    def _build(self, touch: Sequence[tuple[str, str]]) -> None:
        text, pairs = _markup(self.scene, self.step, self.vehicles, touch)
        self.model: Any = mj.MjModel.from_xml_string(text)
        m = self.model
        m.opt.tolerance = 1e-10
        for number, materials in enumerate(pairs):
            row = m.pair(str(number)).id
            bodies = [m.geom_bodyid[m.pair_geom1[row]], m.geom_bodyid[m.pair_geom2[row]]]
            given = self.scene.materials.between(*materials)
            s = softness(given, self.step, float(m.body_invweight0[bodies, 0].sum()))
            m.pair_dim[row] = 3 if given.friction > 0 else 1
            m.pair_solimp[row] = [s.impedance, s.impedance, 0.001, 0.5, 2.0]
            m.pair_solref[row] = [-s.stiffness, -s.damping]
            m.pair_solreffriction[row] = [0.0, -s.damping]
            m.pair_friction[row, :2] = [s.friction1, s.friction2]

    def _grouped(self) -> Iterator[Group]:
        rolling = {name for name, v in self.vehicles.items() if v.rolls}
        kinds: dict[tuple[object, ...], list[str]] = {}
        for name, vehicle in self.vehicles.items():
            if name not in rolling:
                kinds.setdefault(alike(vehicle), []).append(name)
        for names in kinds.values():
            kernel = Kernel(tread(self.vehicles[names[0]], self.step))
            columns = np.array([[self.motors[key] for key in self.vehicles[n].motors] for n in names], int)
            entities = np.array([self.names.index(n) for n in names])
            yield Group(kernel, entities, columns.T.reshape(-1, len(names)))

    def _frames(self) -> None:
        """How reference bodies lie to centres of mass, and where they point, in the scene."""
        bodies = [v.entity.reference_body for v in self.vehicles.values()]
        centres = [v.centre for v in self.vehicles.values()]
        self._offset = np.array(
            [np.asarray(b.position)[:2] - c[:2] for b, c in zip(bodies, centres, strict=True)]
        )
        self._start = np.array([pose.heading(pose.from_angles(b.rotation)) for b in bodies])


def _motors(scene: Scene) -> Iterator[tuple[Any, Any]]:
    return ((e, m) for e in scene.entities for m in e.motors)


def _markup(
    scene: Scene, step: float, moving: dict[str, Vehicle], touch: Sequence[tuple[str, str]]
) -> tuple[str, list[tuple[str, str]]]:
    """The text of the model, and the materials of its contact pairs by their numbers."""
    low = floors(scene)
    walls = [(e.id, b) for e in scene.entities for b in e.bodies if b.immovable and b not in low]
    outer = {n: v.entity.reference_body.material for n, v in moving.items()}
    pairs = [((a, b), (outer[a], outer[b])) for a, b in combinations(moving, 2)]
    pairs += [((n, label(e, b.id)), (m, b.material)) for n, m in outer.items() for e, b in walls]
    lines = [
        f'<mujoco><option timestep="{step!r}" gravity="0 0 0" cone="elliptic" impratio="{RATIO!r}"/><asset>',
        *(f'<mesh name="{label(e, b.id)}" vertex="{numbers(b.points)}"/>' for e, b in walls if b.points),
        "</asset><worldbody>",
        *(_wall(label(e, b.id), b) for e, b in walls),
        *(_moving(name, vehicle) for name, vehicle in moving.items()),
        "</worldbody><contact>",
        *(f'<pair name="{n}" geom1="{a}" geom2="{b}"/>' for n, ((a, b), _) in enumerate(pairs)),
        "</contact><sensor>",
        *(f'<contact geom1="{a}" geom2="{b}" data="found" num="1"/>' for a, b in touch),
        "</sensor></mujoco>",
    ]
    return "\n".join(lines), [materials for _, materials in pairs]


def _wall(name: str, body: Body) -> str:
    """What stands on the floor, brought to the height in which outlines meet."""
    low, high = span(body)
    x, y, z = body.position
    where = f'pos="{numbers((x, y, z - (low + high) / 2))}" quat="{numbers(pose.from_angles(body.rotation))}"'
    sizes = {"box": np.asarray(body.size) / 2, "sphere": [body.radius]}
    size = numbers(sizes.get(body.shape, [body.radius, body.length / 2]))
    what = f'mesh="{name}"' if body.shape == "mesh" else f'size="{size}"'
    shape = {"wheel": "cylinder"}.get(body.shape, body.shape)
    return f'<geom name="{name}" type="{shape}" {what} {where} contype="0" conaffinity="0"/>'


def _moving(name: str, vehicle: Vehicle) -> str:
    """A body with its three coordinates and its outline."""
    mass = vehicle.mass * (ROLLING if vehicle.rolls else 1.0)
    slides = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0"))
    inertia = numbers([vehicle.inertia] * 3)
    if vehicle.rolls:
        geom = f'type="sphere" size="{vehicle.bodies[0].radius!r}"'
    else:
        (x, y), half, turn = _rectangle(vehicle)
        geom = f'type="box" size="{numbers((*half, HALF))}" pos="{numbers((x, y, 0))}" quat="{numbers(turn)}"'
    return (
        f'<body name="{name}">{slides}<joint type="hinge" axis="0 0 1"/>'
        f'<inertial pos="0 0 0" mass="{mass!r}" diaginertia="{inertia}"/>'
        f'<geom name="{name}" {geom} contype="0" conaffinity="0"/></body>'
    )


def _rectangle(vehicle: Vehicle) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The middle, half sides and turn of the rectangle around it, along its reference body."""
    turn = pose.about([0, 0, 1], pose.heading(pose.from_angles(vehicle.entity.reference_body.rotation)))
    axes = pose.matrix(turn)[:2, :2]
    seen = [
        (np.asarray(b.position) - vehicle.centre + corners(b) @ pose.matrix(pose.from_angles(b.rotation)).T)
        for b in vehicle.bodies
    ]
    points = np.concatenate(seen)[:, :2] @ axes
    low, high = points.min(axis=0), points.max(axis=0)
    return axes @ ((low + high) / 2), (high - low) / 2, turn
