"""A scene in MuJoCo's own language: bodies, joints, sites and one contact pair for every two geoms that may
meet.

Contacts are listed pair by pair because the numbers of an `Interaction` belong to pairs; an engine that mixes
numbers of single geoms takes the larger friction of the two, and a frictionless skid would brake.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from biela.arena.physics.chain import Link, chains
from biela.arena.scene import pose
from biela.arena.scene.body import Body
from biela.arena.scene.entity import Entity
from biela.arena.scene.scene import Scene

GEOMS = {"wheel": "cylinder", "mesh": "mesh"}
SHAFT = "/shaft"  # no id of a part has a slash
Pair = tuple[tuple[str, str], tuple[str, str]]


def label(entity: str, part: str) -> str:
    """The name of a part in the engine."""
    return f"{entity}/{part}"


def numbers(values: Any) -> str:
    """Values as the text of an attribute."""
    return " ".join(repr(float(v)) for v in np.ravel(values))


def _frame(body: Body) -> tuple[np.ndarray, np.ndarray]:
    return np.asarray(body.position, float), pose.from_angles(body.rotation)


def _inside(frame: tuple[np.ndarray, np.ndarray], outer: tuple[np.ndarray, np.ndarray]) -> str:
    """Attributes that place a frame in another."""
    back = pose.inverse(outer[1])
    at = pose.turned(back, frame[0] - outer[0])
    return f'pos="{numbers(at)}" quat="{numbers(pose.product(back, frame[1]))}"'


def markup(scene: Scene, step: float) -> tuple[str, list[Pair]]:
    """The text of a model, and the pairs of bodies by the numbers that name its contact pairs."""
    pairs = list(meeting(scene))
    lines = [
        f'<mujoco><option timestep="{step!r}" gravity="{numbers(scene.gravity)}" cone="elliptic" '
        'integrator="implicitfast" impratio="0.1"><flag multiccd="enable"/></option>',
        "<asset>",
        *_meshes(scene),
        "</asset><worldbody>",
        *(line for e in scene.entities for root in chains(e) for line in _link(e, root, None)),
        *(_shaft(e) for e in scene.entities if e.motors),
        "</worldbody><tendon>",
        *_motors(scene),
        "</tendon><contact>",
        *(f'<pair name="{n}" geom1="{label(*a)}" geom2="{label(*b)}"/>' for n, (a, b) in enumerate(pairs)),
        "</contact></mujoco>",
    ]
    return "\n".join(lines), pairs


def _meshes(scene: Scene) -> Iterator[str]:
    for entity in scene.entities:
        for body in entity.bodies:
            if body.shape == "mesh":
                yield f'<mesh name="{label(entity.id, body.id)}" vertex="{numbers(body.points)}"/>'


def _link(entity: Entity, link: Link, parent: Link | None) -> Iterator[str]:
    frame = _frame(link.bodies[0])
    outer = _frame(parent.bodies[0]) if parent else (np.zeros(3), np.array([1.0, 0, 0, 0]))
    yield f'<body name="{label(entity.id, link.bodies[0].id)}" {_inside(frame, outer)}>'
    if link.joint:
        yield from _joint(entity, link, frame)
    elif not link.immovable:
        yield "<freejoint/>"
    for body in link.bodies:
        yield _geom(entity, body, _inside(_frame(body), frame))
    for child in link.children:
        yield from _link(entity, child, link)
    yield "</body>"


def _joint(entity: Entity, link: Link, frame: tuple[np.ndarray, np.ndarray]) -> Iterator[str]:
    joint = link.joint
    assert joint is not None
    back, sign = pose.inverse(frame[1]), -1.0 if link.reversed else 1.0
    at = np.asarray(joint.at if joint.at is not None else entity.body[joint.body2].position, float)
    where = f'pos="{numbers(pose.turned(back, at - frame[0]))}"'
    if joint.kind == "ball":
        yield f'<joint name="{label(entity.id, joint.id)}" type="ball" {where}/>'
        return
    kind = "slide" if joint.kind == "slider" else "hinge"
    axes = [np.asarray(joint.axis1), np.asarray(joint.axis2)] if joint.kind == "universal" else [joint.axis]
    for number, axis in enumerate(axes[::-1] if link.reversed else axes):
        name = label(entity.id, joint.id) + (f"/{number}" if number else "")
        turned = numbers(sign * pose.turned(back, axis))
        yield f'<joint name="{name}" type="{kind}" axis="{turned}" {where}/>'


def _geom(entity: Entity, body: Body, place: str) -> str:
    name = label(entity.id, body.id)
    sizes = {
        "box": np.asarray(body.size) / 2,
        "sphere": [body.radius],
        "mesh": [],
    }.get(body.shape, [body.radius, body.length / 2])
    size = f'mesh="{name}"' if body.shape == "mesh" else f'size="{numbers(sizes)}"'
    mass = 0.0 if body.immovable else body.mass
    shape = GEOMS.get(body.shape, body.shape)
    return (
        f'<geom name="{name}" type="{shape}" {size} mass="{mass!r}" contype="0" conaffinity="0" {place}/>'
        f'<site name="{name}" {place}/>'
    )


def _shaft(entity: Entity) -> str:
    return (
        f'<body><joint name="{label(entity.id, SHAFT)}" type="hinge" axis="0 0 1"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1e6 1e6 1e6"/></body>'
    )


def _motors(scene: Scene) -> Iterator[str]:
    """A motor is a dry clutch between its joint and a shaft that turns at 1 rad/s however it is loaded.

    Every entity has a shaft of its own, so that the engine solves those that do not touch one by one.

    The tendon's length is the joint's angle less ``target`` times the shaft's; the clutch holds its rate at
    zero with no more than the torque limit. That is the motor of the source's engine, solved with the
    contacts.
    """
    for entity in scene.entities:
        for motor in entity.motors:
            torque = entity.joint[motor.joint].maximum_torque
            yield (
                f'<fixed name="{label(entity.id, motor.id)}" frictionloss="{max(torque, 1e-12)!r}">'
                f'<joint joint="{label(entity.id, motor.joint)}" coef="1"/>'
                f'<joint joint="{label(entity.id, SHAFT)}" coef="1e-9"/></fixed>'
            )


def meeting(scene: Scene) -> Iterator[Pair]:
    """Every two bodies that may touch: of two entities, or of one entity that wants it."""
    for one, other in combinations(scene.entities, 2):
        for a in one.bodies:
            yield from (
                ((one.id, a.id), (other.id, b.id)) for b in other.bodies if not (a.immovable and b.immovable)
            )
    for entity in scene.entities:
        if entity.self_collision:
            yield from (((entity.id, a.id), (entity.id, b.id)) for a, b in _apart(entity))


def _apart(entity: Entity) -> Iterator[tuple[Body, Body]]:
    """Bodies of one entity that are neither fixed nor jointed to each other."""
    links = [link for root in chains(entity) for link in root.walk()]
    near = [{id(link), *(id(child) for child in link.children)} for link in links]
    for (one, close), (other, others) in combinations(zip(links, near, strict=True), 2):
        if id(other) not in close and id(one) not in others and not (one.immovable and other.immovable):
            yield from ((a, b) for a in one.bodies for b in other.bodies)
