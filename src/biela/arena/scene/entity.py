"""Entities: robots, fields, balls and what is unrestricted: bodies, joints, motors, sensors under one id.

`ENTITIES` is the registry: type -> its structural restriction, which adds faults (the source's table 3.2: a
field has no joints; a ball is one sphere; a robot is free).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from biela.arena.scene import pose
from biela.arena.scene.body import Body
from biela.arena.scene.fault import Faults, known
from biela.arena.scene.joint import Joint, Motor
from biela.arena.scene.mark import Mark
from biela.arena.scene.pose import Three
from biela.arena.sensor.sensor import Sensor


@dataclass(frozen=True)
class Entity:
    """A group of bodies and joints with a unique id.

    ``reference`` is the body whose pose is the entity's; the first unless another is named. Bodies of one
    entity do not touch each other unless ``self_collision`` is on.
    """

    id: str
    type: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...] = ()
    motors: tuple[Motor, ...] = ()
    reference: str = ""
    self_collision: bool = False
    team: str = ""
    sensors: tuple[Sensor, ...] = ()
    marks: tuple[Mark, ...] = ()

    @cached_property
    def body(self) -> dict[str, Body]:
        """Bodies by id."""
        return {b.id: b for b in self.bodies}

    @cached_property
    def joint(self) -> dict[str, Joint]:
        """Joints by id."""
        return {j.id: j for j in self.joints}

    @cached_property
    def motor(self) -> dict[str, Motor]:
        """Motors by id."""
        return {m.id: m for m in self.motors}

    @property
    def reference_body(self) -> Body:
        """The body that stands for the entity."""
        return self.body[self.reference] if self.reference else self.bodies[0]

    @property
    def mass(self) -> float:
        """Of all that moves, kg."""
        return sum(b.mass for b in self.bodies if not b.immovable)

    def placed(self, position: Three, angle: float = 0.0, key: str = "", team: str = "") -> Entity:
        """A copy whose reference body is at ``position``, all turned by ``angle`` about z."""
        start, turn = np.asarray(self.reference_body.position), pose.about([0, 0, 1], angle)

        def moved(p: Three) -> Three:
            x, y, z = pose.turned(turn, np.asarray(p) - start) + np.asarray(position)
            return (float(x), float(y), float(z))

        def aimed(v: Three) -> Three:
            x, y, z = pose.turned(turn, np.asarray(v))
            return (float(x), float(y), float(z))

        bodies = tuple(replace(b, position=moved(b.position), rotation=_yawed(b, angle)) for b in self.bodies)
        joints = tuple(
            replace(j, axis1=aimed(j.axis1), axis2=aimed(j.axis2), at=None if j.at is None else moved(j.at))
            for j in self.joints
        )
        marks = tuple(replace(m, start=moved(m.start), end=moved(m.end)) for m in self.marks)
        parts = {"bodies": bodies, "joints": joints, "marks": marks}
        return replace(self, id=key or self.id, team=team or self.team, **parts)

    def check(self, faults: Faults) -> None:
        """Add everything that is wrong with it."""
        where = f"entity '{self.id}'"
        if not faults.check(bool(self.bodies), where, "has no bodies."):
            return
        _check_unique([self.id], where, "entities", faults)
        for what in ("bodies", "joints", "motors", "sensors", "marks"):
            _check_unique((part.id for part in getattr(self, what)), where, what, faults)
        for b in self.bodies:
            b.check(f"{where}, body '{b.id}'", faults)
        for j in self.joints:
            j.check(f"{where}, joint '{j.id}'", {b.id: b.immovable for b in self.bodies}, faults)
        for m in self.motors:
            m.check(f"{where}, motor '{m.id}'", {j.id: j.kind for j in self.joints}, faults)
        for s in self.sensors:
            s.check(self, f"{where}, sensor '{s.id}'", faults)
        for mark in self.marks:
            mark.check(f"{where}, mark '{mark.id}'", faults)
        good = not self.reference or self.reference in self.body
        faults.check(good, where, f"reference body '{self.reference}'.", known(self.reference, self.body))
        if faults.check(self.type in ENTITIES, where, f"type '{self.type}'.", known(self.type, ENTITIES)):
            ENTITIES[self.type](self, where, faults)
        self._check_tree(where, faults)

    def _check_tree(self, where: str, faults: Faults) -> None:
        """Joints must not close loops: the backends count coordinates along them."""
        root = {b.id: b.id for b in self.bodies}

        def find(one: str) -> str:
            while root[one] != one:
                one = root[one]
            return one

        for j in self.joints:
            if j.body1 in root and j.body2 in root and j.body1 != j.body2:
                a, b = find(j.body1), find(j.body2)
                faults.check(a != b, f"{where}, joint '{j.id}'", "closes a loop.", "Joints must form trees.")
                root[b] = a


def _yawed(body: Body, angle: float) -> Three:
    """Fixed-axis angles after one more turn about z: it comes last, so that it adds."""
    x, y, z = body.rotation
    return (x, y, z + angle)


def _check_unique(ids: Iterable[str], where: str, what: str, faults: Faults) -> None:
    for key, count in Counter(ids).items():
        plain = bool(key) and key.isprintable() and not set(key) & set('/"<>&')
        faults.check(plain, where, f"id {key!r} of {what}.", 'Leave out / " < > &.')
        faults.check(count == 1, where, f"{count} {what} have the id '{key}'.", "Ids are unique.")


def _robot(entity: Entity, where: str, faults: Faults) -> None:
    movable = [b for b in entity.bodies if not b.immovable]
    faults.check(bool(movable), where, "a robot has no body that moves.", "Give masses.")


def _field(entity: Entity, where: str, faults: Faults) -> None:
    faults.check(not entity.joints, where, f"a field has no joints; this one has {len(entity.joints)}.")


def _ball(entity: Entity, where: str, faults: Faults) -> None:
    shapes = [b.shape for b in entity.bodies]
    faults.check(shapes == ["sphere"], where, f"a ball is exactly one sphere; this one is {shapes}.")


def _free(entity: Entity, where: str, faults: Faults) -> None:
    """Anything goes."""


ENTITIES: dict[str, Callable[[Entity, str, Faults], None]] = {
    "robot": _robot,
    "field": _field,
    "ball": _ball,
    "free": _free,
}
