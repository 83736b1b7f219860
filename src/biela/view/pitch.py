"""`Pitch`: what is drawn of a scene of robots: field with lines and goals, ring, walls, ball, robots.

Place 0 stands still, and whatever never moves is drawn from there; each of the others is a body that moves
by itself. Bodies that a fixed joint ties to it, or that the engine does not tell of, are drawn with it. Lines
are those of the field or ring that the scene is named after (``football ssl-b``, ``sumo mini``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from biela.arena.preset.field import FOOTBALL_FIELDS, SUMO_RINGS, FootballField, SumoRing
from biela.arena.scene import pose
from biela.arena.scene.body import Body
from biela.arena.scene.entity import Entity
from biela.arena.scene.scene import Scene
from biela.view import mesh
from biela.view.color import COLORS, known
from biela.view.mesh import Mesh
from biela.view.scene import BODIES, GROUND

Key = tuple[str, str]  # entity and body
TEAMS = {"left": "#3a78c9", "right": "#e3b41f"}
PAINTS = {
    "dark": "#343a42", "wall": "#a9a294", "ring": "#2c2f35", "ball": "#f2800d", "line": "#f4f6f8",
    "mark": "#8a5a3b", "carpet": "#3f7d4e", "board": "#39424d", "number": "#ffffff",
}  # fmt: skip
FLOOR, LINES = 1, 2  # layers that lie flat under everything, in this order
ABOVE = 3e-4  # of its size: so much does what lies flat on the floor lie above it
UNDRAWN = "ground"  # a colour: the grid of the page stands for it


@dataclass(frozen=True, eq=False)
class Pitch:
    """The shapes of a scene; the engine has ``told`` of some of its bodies."""

    arena: Scene
    told: tuple[Key, ...]

    @property
    def name(self) -> str:
        """That of the scene."""
        return self.arena.name

    @cached_property
    def up(self) -> np.ndarray:
        """Up is z."""
        return np.array([0.0, 0.0, 1.0])

    @cached_property
    def pivots(self) -> list[int]:
        """Nothing hangs on anything."""
        return []

    @cached_property
    def plane(self) -> list[int]:
        """Robots may tip over."""
        return []

    @cached_property
    def fixed(self) -> np.ndarray:
        """The first place alone stands still."""
        return np.arange(1 + len(self.moving)) == 0

    @cached_property
    def ground(self) -> FootballField | SumoRing | None:
        """The field or ring that the scene is named after."""
        game, _, name = self.arena.name.partition(" ")
        known_: dict[str, Any] = {"football": FOOTBALL_FIELDS, "sumo": SUMO_RINGS}.get(game, {})
        return known_.get(name)

    @cached_property
    def carriers(self) -> dict[Key, Key]:
        """By body that may move: the body that it is drawn with, itself where it moves by itself."""
        found: dict[Key, Key] = {}
        for entity in self.arena.entities:
            found |= {(entity.id, b): (entity.id, a) for b, a in _carriers(entity, set(self.told)).items()}
        return found

    @cached_property
    def moving(self) -> tuple[Key, ...]:
        """The bodies that move by themselves, from place 1 on."""
        return tuple(key for key in self.told if self.carriers.get(key) == key)

    @cached_property
    def shapes(self) -> list[dict[str, Any]]:
        """Everything as plain data."""
        place = {key: 1 + k for k, key in enumerate(self.moving)}
        found = [*self._still(), *self._lines()]
        for entity in self.arena.entities:
            for key in (key for key in self.moving if key[0] == entity.id):
                found += [
                    told | {"places": [place[key]], "turn": place[key], "body": "", "name": entity.id}
                    for told in self._carried(entity, key)
                ]
        return found

    def _still(self) -> Iterator[dict[str, Any]]:
        """What never moves, joined by colour."""
        groups: dict[tuple[str, int], list[Mesh]] = {}
        for entity in self.arena.entities:
            for body in (b for b in entity.bodies if b.immovable and b.colour != UNDRAWN):
                layer = FLOOR if body.colour in ("floor", "ring") else 0
                found = _top(body) if body.colour == "floor" and body.shape == "box" else _mesh(body)
                color = self._paint(body, entity)
                groups.setdefault((color, layer), []).append(found.at(body.position, _turn(body)))
        for (color, layer), meshes in groups.items():
            yield _standing(mesh.joined(meshes), color, "field", layer)

    def _lines(self) -> Iterator[dict[str, Any]]:
        if isinstance(self.ground, FootballField):
            yield _standing(_football_lines(self.ground), PAINTS["line"], "line", LINES)
            for sign, side in ((-1, "left"), (1, "right")):
                yield _standing(_goal(self.ground, sign), TEAMS[side], f"goal of {side}", LINES)
        elif isinstance(self.ground, SumoRing):
            radius, border = self.ground.diameter / 2, self.ground.border
            yield _standing(mesh.ring(radius, radius - border), PAINTS["line"], "border", LINES)
            yield _standing(_start_lines(self.ground), PAINTS["mark"], "start line", LINES)

    def _carried(self, entity: Entity, key: Key) -> Iterator[dict[str, Any]]:
        """A body that moves by itself, what goes along with it, and the marks of a robot."""
        root = entity.body[key[1]]
        near = 0.6 * root.radius if root.shape == "wheel" else 0.0
        yield {**_solid(root), "color": self._paint(root, entity), "layer": 0, "lift": near}
        groups: dict[str, list[Mesh]] = {}
        back = _turn(root).T
        along = [b for b in entity.bodies if b is not root and self.carriers.get((entity.id, b.id)) == key]
        for body in along:
            place = back @ (np.asarray(body.position) - np.asarray(root.position))
            groups.setdefault(self._paint(body, entity), []).append(_mesh(body).at(place, back @ _turn(body)))
        for color, meshes in groups.items():
            yield _meshed(mesh.joined(meshes), color, 0)
        if entity.type == "robot" and root is entity.reference_body:
            lift = float(np.linalg.norm(root.half_extent()))
            yield _meshed(_badge(entity, root), PAINTS["number"], 0) | {"lift": lift}

    def _paint(self, body: Body, entity: Entity) -> str:
        colour = body.colour
        if colour == "floor":
            return PAINTS["carpet" if " ssl" in self.arena.name else "board"]
        if colour == "team" or (not colour and entity.type == "robot" and body is entity.reference_body):
            return team_colour(entity.team)
        if colour in PAINTS:
            return PAINTS[colour]
        return known(colour) if colour.startswith("#") or colour.lower() in COLORS else GROUND


def team_colour(team: str) -> str:
    """The colour of a team."""
    return TEAMS.get(team, BODIES[sum(map(ord, team)) % len(BODIES)])


def _carriers(entity: Entity, told: set[Key]) -> dict[str, str]:
    """The bodies of an entity that may move, and what each is drawn with."""
    free = [b.id for b in entity.bodies if not b.immovable]
    reference = entity.reference_body.id
    carrier = {b: b if (entity.id, b) in told or b == reference else reference for b in free}
    for joint in (j for j in entity.joints if j.kind == "fixed"):
        one, other = (carrier.get(b) for b in (joint.body1, joint.body2))
        if one is None or other is None:
            continue  # tied to what stands still: the engine tells where it is
        keep, drop = (other, one) if other == reference else (one, other)
        carrier = {b: keep if c == drop else c for b, c in carrier.items()}
    return carrier


def _turn(body: Body) -> np.ndarray:
    return pose.matrix(pose.from_angles(body.rotation))


def _mesh(body: Body) -> Mesh:
    if body.shape == "box":
        return mesh.box(body.size)
    if body.shape == "mesh":
        return mesh.hull(body.points)
    if body.shape in ("sphere", "capsule"):
        return mesh.capsule(body.radius, body.length)
    return mesh.drum(body.radius, body.length)


def _top(body: Body) -> Mesh:
    """The upper side of a box, which is what one sees of a floor."""
    x, y, z = (side / 2 for side in body.size)
    return mesh.patch((-x, x), (-y, y)).at((0.0, 0.0, z))


def _solid(body: Body) -> dict[str, Any]:
    """A body as a form that pages know."""
    if body.shape == "box":
        return {"kind": "solid", "form": "box", "size": list(body.size), "axis": "z"}
    if body.shape == "sphere":
        return {"kind": "solid", "form": "sphere", "size": [body.radius], "axis": "z"}
    if body.shape in ("cylinder", "wheel"):
        return {"kind": "solid", "form": "cylinder", "size": [body.radius, body.length], "axis": "z"}
    return _meshed(_mesh(body), "", 0)


def _meshed(of: Mesh, color: str, layer: int) -> dict[str, Any]:
    points: Any = of.points.round(6).tolist()
    return {"kind": "solid", "form": "mesh", "points": points, "faces": [list(f) for f in of.faces],
            "color": color, "layer": layer}  # fmt: skip


def _standing(of: Mesh, color: str, name: str, layer: int) -> dict[str, Any]:
    lifted = of.at((0.0, 0.0, ABOVE * float(np.ptp(of.points)))) if layer == LINES else of
    return _meshed(lifted, color, layer) | {"places": [0], "turn": 0, "body": "", "name": name}


def _badge(entity: Entity, root: Body) -> Mesh:
    """The number of a robot on its top, or a bar where it has none, and a stripe in front."""
    half = root.half_extent()
    small = 2.0 * float(min(half[:2]))
    digits = re.search(r"\d+$", entity.id)
    front = mesh.patch((0.78 * half[0], 0.92 * half[0]), (-0.7 * half[1], 0.7 * half[1]))
    middle = mesh.number(int(digits[0]), 0.5 * small) if digits else mesh.ring(0.2 * small, 0.12 * small, 24)
    return mesh.joined([front, middle.at((-0.12 * half[0], 0.0, 0.0))]).at((0.0, 0.0, 1.02 * half[2]))


def _football_lines(field: FootballField) -> Mesh:
    half, side, wide = field.length / 2, field.width / 2, 0.003 * field.length
    lines = [(-half, s * side, half, s * side) for s in (-1, 1)]
    lines += [(x, -side, x, side) for x in (-half, 0.0, half)]
    for sign in (-1, 1):
        for width, depth in field.areas:
            goal, front, y = sign * half, sign * (half - depth), width / 2
            lines += [(front, -y, front, y), (goal, -y, front, -y), (goal, y, front, y)]
    spot, mark = 2.5 * wide, half - field.penalty_mark
    marks = [mesh.ring(spot, 0.0, 16).at((s * mark, 0.0, 0.0)) for s in (-1, 1)]
    circle = mesh.ring(field.circle + wide / 2, field.circle - wide / 2)
    return mesh.joined([*(mesh.line(*ends, width=wide) for ends in lines), circle, *marks])


def _goal(field: FootballField, sign: int) -> Mesh:
    near, far = field.length / 2 + 0.0015 * field.length, field.length / 2 + field.goal_depth
    return mesh.patch((sign * near, sign * far), (-field.goal_width / 2, field.goal_width / 2))


def _start_lines(ring: SumoRing) -> Mesh:
    long, wide = ring.start_line
    ends: Sequence[float] = (-ring.gap / 2, ring.gap / 2)
    return mesh.joined(mesh.line(x, -(long - wide) / 2, x, (long - wide) / 2, width=wide) for x in ends)
