"""What every backend must get right before anybody asks how fast it is.

Six experiments with known outcomes: drive straight, spin, roll out, slip in proportion to force, settle,
push. A backend that drives its wheels through the floor, or brakes on its skids, runs as fast as one that
does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from biela.arena.physics.backend import Physics, Placement
from biela.arena.scene.body import Body
from biela.arena.scene.entity import Entity
from biela.arena.scene.joint import Joint, Motor
from biela.arena.scene.material import Interaction, Materials
from biela.arena.scene.scene import Scene

RADIUS, TRACK, SPEED = 0.02, 0.08, 10.0
MATERIALS = Materials(
    {"floor": "floor", "tyre": "tyre", "skid": "skid", "shell": "shell", "puck": "puck"},
    {
        ("floor", "tyre"): Interaction(1e-5, 0.2, 1.0),
        ("floor", "skid"): Interaction(1e-5, 0.2, 0.0),
        ("floor", "puck"): Interaction(1e-4, 0.2, 100.0, 0.02, 0.05),
        ("shell", "shell"): Interaction(1e-4, 0.2, 0.2),
    },
)
FLOOR = Entity(
    "floor", "field", (Body("top", "box", size=(8, 8, 0.1), position=(0, 0, -0.05), material="floor"),)
)


@dataclass(frozen=True)
class Check:
    """The outcome of an experiment: what came, what should have come, how far off it may be."""

    name: str
    got: float
    wanted: float
    tolerance: float

    @property
    def ok(self) -> bool:
        """Whether it is near enough."""
        return math.isfinite(self.got) and abs(self.got - self.wanted) <= self.tolerance

    def __str__(self) -> str:
        verdict = "ok" if self.ok else "FAILS"
        return f"{self.name}: {self.got:.5g}, wanted {self.wanted:.5g} within {self.tolerance:.2g}: {verdict}"


def cart(name: str = "cart", x: float = 0.0) -> Entity:
    """A box on two wheels and two frictionless skids, 0.25 kg."""
    shell = Body("shell", "box", 0.2, (x, 0, 0.03), size=(0.08, 0.07, 0.04), material="shell")
    turn = (math.pi / 2, 0.0, 0.0)
    wheels = tuple(
        Body(n, "wheel", 0.02, (x, y, RADIUS), turn, "tyre", radius=RADIUS, length=0.008)
        for n, y in (("left", TRACK / 2), ("right", -TRACK / 2))
    )
    skids = tuple(
        Body(n, "sphere", 0.005, (x + d, 0, 0.005), material="skid", radius=0.005)
        for n, d in (("front", 0.03), ("back", -0.03))
    )
    hubs = tuple(
        Joint(w.id, "wheel", "shell", w.id, (0, 0, 1), (0, 1, 0), maximum_torque=0.02) for w in wheels
    )
    ties = tuple(Joint(s.id, "fixed", "shell", s.id) for s in skids)
    motors = (Motor("left", "left"), Motor("right", "right"))
    return Entity(name, "robot", (shell, *wheels, *skids), hubs + ties, motors)


def _world(kind: type[Physics], step: float, *entities: Entity) -> Physics:
    return kind(Scene("conformance", MATERIALS, (FLOOR, *entities)).checked(), step)


def _run(world: Physics, seconds: float) -> None:
    world.advance(round(seconds / world.step))


def _settled(kind: type[Physics], step: float, left: float, right: float) -> Physics:
    world = _world(kind, step, cart())
    _run(world, 0.5)
    world.drive("cart", "left", left)
    world.drive("cart", "right", right)
    _run(world, 1.0)
    return world


def drive_straight(kind: type[Physics], step: float) -> Check:
    """Both wheels at one speed: the radius times it, m/s."""
    world = _settled(kind, step, SPEED, SPEED)
    before = world.motion().position[0].copy()
    _run(world, 1.0)
    way = float(np.linalg.norm(world.motion().position[0] - before))
    return Check("drive straight", way, RADIUS * SPEED, 0.02 * RADIUS * SPEED)


def spin(kind: type[Physics], step: float) -> Check:
    """Wheels against each other: 2 r w / b, rad/s; wide wheels scrub, which slows it a little."""
    world = _settled(kind, step, -SPEED, SPEED)
    wanted = 2 * RADIUS * SPEED / TRACK
    return Check("spin", float(world.motion().spin[0, 2]), wanted, 0.06 * wanted)


def roll_out(kind: type[Physics], step: float) -> Check:
    """A ball that slows down at a known rate: v^2 / 2a, m."""
    body = Body("ball", "sphere", 0.046, (0, 0, 0.0215), radius=0.0215, rolling=0.35, material="tyre")
    world = _world(kind, step, Entity("ball", "ball", (body,)))
    _run(world, 0.5)
    v, start = 0.7, world.motion().position[0].copy()
    world.place("ball", Placement(velocity=(v, 0, 0), spin=(0, v / 0.0215, 0)))
    _run(world, 4.0)
    way = float((world.motion().position[0] - start)[0])
    return Check("roll out", way, v**2 / 0.7, 0.05 * v**2 / 0.7)


def slip(kind: type[Physics], step: float, along: int = 0) -> Check:
    """A puck on four feet pulled sideways: slides at slip/4 times the force, m/s."""
    feet = [(x, y) for x in (-0.04, 0.04) for y in (-0.04, 0.04)]
    plate = Body("plate", "box", 0.4, (0, 0, 0.02), size=(0.1, 0.1, 0.02), material="shell")
    soles = tuple(
        Body(f"foot{n}", "sphere", 0.025, (x, y, 0.01), radius=0.01, material="puck")
        for n, (x, y) in enumerate(feet)
    )
    ties = tuple(Joint(f"tie{n}", "fixed", "plate", f"foot{n}") for n in range(4))
    world = _world(kind, step, Entity("puck", "free", (plate, *soles), ties))
    _run(world, 0.5)
    world.push("puck", (2.0, 0, 0) if along == 0 else (0, 2.0, 0))
    _run(world, 1.0)
    wanted = (0.02, 0.05)[along] * 2.0 / 4
    return Check("slip " + "xy"[along], float(world.motion().velocity[0, along]), wanted, 0.03 * wanted)


def settle(kind: type[Physics], step: float) -> Check:
    """A cart dropped from 1 cm stands still on its wheels: the height of its shell, m."""
    world = _world(kind, step, cart())
    _run(world, 2.0)
    still = float(np.abs(world.motion().velocity[0]).max())
    height = float(world.motion().position[0, 2])
    return Check("settle", height if still < 1e-3 else math.nan, 0.03, 1e-3)


def push(kind: type[Physics], step: float) -> Check:
    """A cart pushes another that stands with free wheels: both go at nearly the cart's speed, m/s."""
    other = replace(cart("other", 0.2), motors=())
    world = _world(kind, step, cart(), other)
    _run(world, 0.5)
    world.drive("cart", "left", SPEED)
    world.drive("cart", "right", SPEED)
    _run(world, 3.0)
    row = world.bodies[("other", "shell")]
    return Check("push", float(world.motion().velocity[row, 0]), RADIUS * SPEED, 0.05 * RADIUS * SPEED)


CHECKS: dict[str, Callable[[type[Physics], float], Check]] = {
    "drive straight": drive_straight,
    "spin": spin,
    "roll out": roll_out,
    "slip x": slip,
    "slip y": lambda kind, step: slip(kind, step, 1),
    "settle": settle,
    "push": push,
}


def conformance(kind: type[Physics], step: float = 0.005) -> list[Check]:
    """The outcome of every experiment."""
    return [check(kind, step) for check in CHECKS.values()]
