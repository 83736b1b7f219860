"""`Vehicle`: what the planar backend makes of an entity: one rigid body, its outline, its feet.

A foot is a wheel or anything else that stands on the floor. Before each step of the engine, `ground` sweeps
over the feet and gives each the impulse that makes its sliding velocity ``-slip f`` (the source's law) within
Coulomb's bound. A motor holds its wheel's speed unless that takes more than its torque; then the wheel turns
as its own inertia lets it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pymunk

from biela.arena.physics.chain import chains
from biela.arena.physics.footing import Footing, Support, shifts
from biela.arena.scene import pose
from biela.arena.scene.body import Body
from biela.arena.scene.entity import Entity
from biela.arena.scene.extent import corners, floors, span
from biela.arena.scene.scene import Scene

GRAVITY = 9.81


@dataclass
class Foot:
    """A support on the floor, from the centre of mass in the body's own axes."""

    x: float
    y: float
    bound: float = 0.0  # friction times load, N
    slip1: float = 0.0
    slip2: float = 0.0
    wheel: int = -1  # among the vehicle's wheels
    shift: tuple[float, float] = (0.0, 0.0)  # of the bound, by a newton of the floor ahead and aside


@dataclass
class Wheel:
    """A wheel that spins: radius, inertia, where it rolls to, its speed and its motor."""

    body: str
    radius: float
    inertia: float
    forward: tuple[float, float]
    torque: float = 0.0
    motor: tuple[str, str] | None = None
    speed: float = 0.0


def outline(body: Body, owner: pymunk.Body, tag: tuple[str, str]) -> pymunk.Shape:
    """A body seen from above, in the axes of ``owner``."""
    turn, at = pose.matrix(pose.from_angles(body.rotation)), np.asarray(body.position)
    round_ = body.shape == "sphere" or (body.shape == "cylinder" and abs(turn[2, 2]) > 0.999)
    angle, offset = owner.angle, np.array([*owner.position])
    back = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    if round_:
        shape = pymunk.Circle(owner, body.radius, tuple(back @ (at[:2] - offset)))
    else:
        seen = (at + corners(body) @ turn.T)[:, :2] - offset
        shape = pymunk.Poly(owner, [tuple(p) for p in (seen @ back.T).tolist()])
    shape.tag = tag  # pyright: ignore[reportAttributeAccessIssue]
    return shape


@dataclass
class Vehicle:
    """An entity in the plane. ``centre`` is its centre of mass when the scene begins, in the world."""

    entity: Entity
    bodies: list[Body]
    centre: np.ndarray
    mass: float
    inertia: float
    number: int
    wheels: list[Wheel] = field(default_factory=list[Wheel])
    feet: list[Foot] = field(default_factory=list[Foot])
    stands_on: set[str] = field(default_factory=set[str])
    height: float = 0.0
    lean: np.ndarray = field(default_factory=lambda: np.zeros((2, 2)))  # see `shifts`
    rolling: float = 0.0
    force: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        self.body = pymunk.Body(self.mass, self.inertia)
        self.body.position = (float(self.centre[0]), float(self.centre[1]))
        self.frames = self._frames()
        self.order = {b.id: row for row, b in enumerate(self.bodies)}

    @property
    def rolls(self) -> bool:
        """Whether it is a ball: the floor turns it and does not hold it."""
        return len(self.bodies) == 1 and self.bodies[0].shape == "sphere"

    @property
    def motors(self) -> list[tuple[str, str]]:
        """The keys of its motors."""
        return [w.motor for w in self.wheels if w.motor]

    def motor_speeds(self) -> list[float]:
        """The speeds of its driven wheels."""
        return [w.speed for w in self.wheels if w.motor]

    def enter(self, space: pymunk.Space) -> None:
        """Put body and outlines into a space."""
        x, y, angle = *self.body.position, self.body.angle
        self.body.position, self.body.angle = (float(self.centre[0]), float(self.centre[1])), 0.0
        shapes = [outline(b, self.body, (self.entity.id, b.material)) for b in self.bodies]
        self.body.position, self.body.angle = (x, y), angle
        for shape in shapes:
            shape.filter = pymunk.ShapeFilter(group=self.number)
        space.add(self.body, *shapes)

    def renew(self) -> None:
        """Another engine's body in the same state."""
        state = self.state()
        self.body = pymunk.Body(self.mass, self.inertia)
        self.resume(state)

    # standing

    def stand(self, footing: Footing) -> None:
        """Find its feet and what each of them carries."""
        under = floors(footing.scene)
        if not under:
            return
        top = max(under, key=lambda b: span(b)[1])
        weight = self.mass * GRAVITY
        candidates = [(b, p) for b in self.bodies for p in _soles(b, self._wheel_of(b) >= 0)]
        supports = [
            Support(tuple(p - self.centre), footing.stiffness(b.material, top.material, weight))
            for b, p in candidates
        ]
        forces, height = footing.loads(supports, weight)
        shift, self.lean = shifts(supports, forces, height)
        self.height = span(top)[1] + height
        self.feet = []
        for (b, p), load, moved in zip(candidates, forces, shift, strict=True):
            given = footing.scene.materials.between(b.material, top.material)
            if load > 0 and given.friction > 0 and not self.rolls:
                x, y = (p - self.centre)[:2]
                bound, per = given.friction * float(load), given.friction * moved
                foot = Foot(x, y, bound, given.slip1, given.slip2, self._wheel_of(b), (per[0], per[1]))
                self.feet.append(foot)
        owners = [e for e in footing.scene.entities if top in e.bodies]
        self.stands_on = {owners[0].id}

    def _wheel_of(self, body: Body) -> int:
        return next((i for i, w in enumerate(self.wheels) if w.body == body.id), -1)

    def ground(self, targets: list[float], step: float, sweeps: int) -> None:
        """The impulses of the floor over one step, and the spin of its wheels after it."""
        body, rest = self.body, iter(targets)
        wanted = [next(rest) if w.motor else w.speed for w in self.wheels]
        c, s = math.cos(body.angle), math.sin(body.angle)
        vx, vy = body.velocity.x + self.force[0] / self.mass * step, body.velocity.y
        vy, w = vy + self.force[1] / self.mass * step, body.angular_velocity
        speeds, start = [o.speed for o in self.wheels], [o.speed for o in self.wheels]
        loads = [0.0] * len(self.wheels)  # impulse along the rolling direction
        impulses = [[0.0, 0.0] for _ in self.feet]
        arms = [(c * f.x - s * f.y, s * f.x + c * f.y) for f in self.feet]
        ahead = [
            (c * o.forward[0] - s * o.forward[1], s * o.forward[0] + c * o.forward[1]) for o in self.wheels
        ]
        for _ in range(sweeps if self.feet else 0):
            for foot, impulse, (rx, ry) in zip(self.feet, impulses, arms, strict=True):
                n, free, fx, fy, spin = foot.wheel, 0.0, 0.0, 0.0, 0.0
                if n >= 0:
                    o, (fx, fy) = self.wheels[n], ahead[n]
                    need = o.inertia * (wanted[n] - start[n]) + o.radius * loads[n]
                    most = o.torque * step
                    held = o.motor is not None and abs(need) < most
                    free = 0.0 if held else o.radius**2 / o.inertia
                    drive = need if held else (math.copysign(most, need) if o.motor else 0.0)
                    speeds[n] = start[n] + (drive - o.radius * loads[n]) / o.inertia
                    spin = o.radius * speeds[n]
                old = (impulse[0], impulse[1])
                ax = 1 / self.mass + ry * ry / self.inertia + free * fx * fx
                ay = 1 / self.mass + rx * rx / self.inertia + free * fy * fy
                sx, sy = foot.slip1 / step, foot.slip2 / step
                nx = old[0] - (vx - w * ry - spin * fx + sx * old[0]) / (ax + sx)
                ny = old[1] - (vy + w * rx - spin * fy + sy * old[1]) / (ay + sy)
                size, bound = math.hypot(nx, ny), self._bound(foot, impulses, (c, s), step)
                if size > bound:
                    nx, ny = nx * bound / size, ny * bound / size
                dx, dy = nx - old[0], ny - old[1]
                impulse[0], impulse[1] = nx, ny
                vx, vy = vx + dx / self.mass, vy + dy / self.mass
                w += (rx * dy - ry * dx) / self.inertia
                if n >= 0:
                    loads[n] += dx * fx + dy * fy
        self._spun(wanted, start, loads, step)
        if self.rolling and (speed := math.hypot(vx, vy)) > 0:
            left = max(0.0, 1.0 - self.rolling * step / speed)
            vx, vy = vx * left, vy * left
        body.velocity, body.angular_velocity = (vx, vy), w

    def _bound(
        self, foot: Foot, impulses: list[list[float]], turn: tuple[float, float], step: float
    ) -> float:
        """Of the impulse of a foot: friction times its load, which the floor's own forces shift."""
        (c, s), ix, iy = turn, sum(i[0] for i in impulses), sum(i[1] for i in impulses)
        (low_x, low_y), (high_x, high_y) = self.lean.tolist()
        ahead = min(max(c * ix + s * iy, low_x * step), high_x * step)
        aside = min(max(c * iy - s * ix, low_y * step), high_y * step)
        return max(0.0, foot.bound * step + foot.shift[0] * ahead + foot.shift[1] * aside)

    def _spun(self, wanted: list[float], start: list[float], loads: list[float], step: float) -> None:
        """The speeds of the wheels at the end of the step."""
        for o, target, before, load in zip(self.wheels, wanted, start, loads, strict=True):
            need = o.inertia * (target - before) + o.radius * load
            drive = max(-o.torque * step, min(o.torque * step, need)) if o.motor else 0.0
            o.speed = before + (drive - o.radius * load) / o.inertia

    # state

    def state(self) -> np.ndarray:
        """Place, angle, rates, speeds of wheels, force."""
        b = self.body
        spins = [w.speed for w in self.wheels]
        return np.array([*b.position, b.angle, *b.velocity, b.angular_velocity, *spins, *self.force])

    def resume(self, state: np.ndarray) -> None:
        """The same state again."""
        values = [float(v) for v in state]
        self.body.position, self.body.angle = (values[0], values[1]), values[2]
        self.body.velocity, self.body.angular_velocity = (values[3], values[4]), values[5]
        for wheel, speed in zip(self.wheels, values[6:], strict=False):
            wheel.speed = speed
        self.force = (values[-2], values[-1])

    def _reference(self) -> np.ndarray:
        """From the centre of mass to the reference body, in the plane now."""
        at = np.asarray(self.entity.reference_body.position)[:2] - self.centre[:2]
        c, s = math.cos(self.body.angle), math.sin(self.body.angle)
        return np.array([c * at[0] - s * at[1], s * at[0] + c * at[1]])

    def turn_to(self, heading: float) -> None:
        """Turn about the reference body to a heading of it."""
        here = np.array([*self.body.position]) + self._reference()
        start = pose.heading(pose.from_angles(self.entity.reference_body.rotation))
        self.body.angle = heading - start
        self.move_to(*here)

    def move_to(self, x: float, y: float) -> None:
        """Bring the reference body to a place."""
        dx, dy = self._reference()
        self.body.position = (float(x - dx), float(y - dy))

    def go(self, vx: float, vy: float, spin: float) -> None:
        """Move with the reference body at a velocity, wheels at rest."""
        rx, ry = self._reference()
        self.body.velocity, self.body.angular_velocity = (vx + spin * ry, vy - spin * rx), spin
        for wheel in self.wheels:
            wheel.speed = 0.0

    def _frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Places from the centre of mass and turns of its bodies, when the scene begins."""
        places = np.array([np.asarray(b.position) - self.centre for b in self.bodies])
        return places, np.array([pose.from_angles(b.rotation) for b in self.bodies])

    def rows(self) -> np.ndarray:
        """Position, turn, velocity and spin of every body that moves, a row each."""
        b, (places, turns) = self.body, self.frames
        c, s, w = math.cos(b.angle), math.sin(b.angle), b.angular_velocity
        found = np.zeros((len(places), 13))
        found[:, 0] = b.position.x + c * places[:, 0] - s * places[:, 1]
        found[:, 1] = b.position.y + s * places[:, 0] + c * places[:, 1]
        found[:, 2] = self.height + places[:, 2]
        half, whole = math.sin(b.angle / 2), math.cos(b.angle / 2)
        found[:, 3] = whole * turns[:, 0] - half * turns[:, 3]
        found[:, 4] = whole * turns[:, 1] - half * turns[:, 2]
        found[:, 5] = whole * turns[:, 2] + half * turns[:, 1]
        found[:, 6] = whole * turns[:, 3] + half * turns[:, 0]
        found[:, 7] = b.velocity.x - w * (found[:, 1] - b.position.y)
        found[:, 8] = b.velocity.y + w * (found[:, 0] - b.position.x)
        found[:, 12] = w
        for wheel in self.wheels:
            row, (fx, fy) = self.order[wheel.body], wheel.forward
            found[row, 10] = -wheel.speed * (s * fx + c * fy)
            found[row, 11] = wheel.speed * (c * fx - s * fy)
        return found


def _soles(body: Body, wheel: bool) -> list[np.ndarray]:
    """The points of a body that may stand on a floor."""
    at, turn = np.asarray(body.position, float), pose.matrix(pose.from_angles(body.rotation))
    if wheel or body.shape in ("sphere", "wheel"):
        return [at - np.array([0.0, 0.0, body.radius])]
    points = at + corners(body) @ turn.T
    return [p for p in points if p[2] < points[:, 2].min() + 1e-6]


def vehicles(scene: Scene) -> dict[str, Vehicle]:
    """A vehicle for every entity with a part that moves, the one of its reference body."""
    found: dict[str, Vehicle] = {}
    for number, entity in enumerate(scene.entities, 1):
        for root in chains(entity):
            if not root.immovable and entity.reference_body in [b for k in root.walk() for b in k.bodies]:
                found[entity.id] = _vehicle(entity, [b for k in root.walk() for b in k.bodies], number)
    return found


def _vehicle(entity: Entity, bodies: list[Body], number: int) -> Vehicle:
    mass = sum(b.mass for b in bodies)
    at = np.array([b.position for b in bodies], float)
    centre = np.array([b.mass for b in bodies]) @ at / mass
    inertia = sum(_about_z(b) + b.mass * float(((b.position - centre)[:2] ** 2).sum()) for b in bodies)
    made = Vehicle(entity, bodies, centre, mass, inertia, number, rolling=max(b.rolling for b in bodies))
    for joint in entity.joints:
        if joint.kind == "wheel":
            body = entity.body[joint.body2]
            motor = next(((entity.id, m.id) for m in entity.motors if m.joint == joint.id), None)
            ahead = np.cross(joint.axis, [0.0, 0.0, 1.0])
            spin = body.mass * body.radius**2 / 2
            forward = (float(ahead[0]), float(ahead[1]))
            made.wheels.append(Wheel(body.id, body.radius, spin, forward, joint.maximum_torque, motor))
    order = [(entity.id, m.id) for m in entity.motors]
    made.wheels.sort(key=lambda w: order.index(w.motor) if w.motor else len(order))
    return made


def _about_z(body: Body) -> float:
    """The moment of inertia of a body about the vertical through its centre."""
    m, half = body.mass, body.half_extent()
    if body.shape == "sphere":
        return 0.4 * m * body.radius**2
    if body.shape in ("cylinder", "wheel", "capsule"):
        local = np.diag([m * (3 * body.radius**2 + body.length**2) / 12] * 2 + [m * body.radius**2 / 2])
    else:
        local = m / 3 * (np.sum(half**2) * np.eye(3) - np.diag(half**2))
    turn = pose.matrix(pose.from_angles(body.rotation))
    return float((turn @ local @ turn.T)[2, 2])
