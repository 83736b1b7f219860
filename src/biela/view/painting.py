"""A scene on paper: outlines of what one moment shows, from one side, the farthest first.

The same pieces as in the player's canvas: bars and springs are strokes, balls are circles, boxes their six
faces, cylinders a hull and the cap that faces the viewer, in quarters so that one sees them turn. An outline
is points in pixels with a fill or a stroke; `biela.view.picture` writes them as SVG or PNG.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import floor, log10, pi, tan
from typing import Any

import numpy as np

from biela.view.color import shade
from biela.view.motion import Motion, matrices
from biela.view.stage import Stage

VIEWS = {"front": (0.0, 0.0), "side": (pi / 2, 0.0), "top": (0.0, pi / 2 - 1e-4), "iso": (pi / 5, pi / 8)}
OPENING = 24 * pi / 180  # of the view, from bottom to top
MARGIN = 1.12
THIN, THICK = 0.007, 0.05  # of the size: bars are drawn no thinner and no thicker
FOOT, SPRING = 0.045, 0.03
PAPER = "#f4f6f9"
GRID, FAINT = "#ccd4dd", 0.9
PIECE = 0.25  # of the size: longer bars are cut, so that each piece is drawn at its own depth
UNDER = 1e9  # how deep layers lie
FACES = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))  # -z z -y y -x x
EDGES = (((0, 1), (3, 2)), ((0, 3), (1, 2)))  # of a face, along either way
CELL = 65.0  # pixels: larger faces are cut likewise
DULL = 0.8  # how bright a face is that looks past the light


@dataclass(frozen=True)
class Outline:
    """A polygon or, without a fill, a line, of points in pixels."""

    points: np.ndarray
    fill: str = ""
    stroke: str = ""
    width: float = 1.0
    depth: float = field(default=0.0)
    opacity: float = 1.0


class Eye:
    """A camera that sees the whole stage from one of the views."""

    def __init__(self, stage: Stage, view: str, width: float, height: float) -> None:
        azimuth, elevation = VIEWS[view]
        level = stage.right * np.sin(azimuth) + stage.toward * np.cos(azimuth)
        back = level * np.cos(elevation) + stage.up * np.sin(elevation)
        side = np.cross(stage.up, level)
        self.axes = np.stack([side, np.cross(back, side), back])
        self.width, self.height = width, height
        self.light = 0.2 * stage.up + 0.1 * stage.toward  # how much brighter faces are that look there
        tall = tan(OPENING / 2)
        signs = np.array([[1 if k >> j & 1 else -1 for j in range(3)] for k in range(8)])
        corners = (signs * stage.half) @ np.stack([stage.right, stage.up, stage.toward]) @ self.axes.T
        wide = np.maximum(np.abs(corners[:, 0]) * height / width, np.abs(corners[:, 1])) / tall
        self.place = stage.centre + MARGIN * float((corners[:, 2] + wide).max()) * back
        self.scale = height / 2 / tall

    def __call__(self, places: Any) -> tuple[np.ndarray, np.ndarray]:
        """Pixels and depths of places."""
        seen = (np.asarray(places, float) - self.place) @ self.axes.T
        depth = np.maximum(-seen[..., 2], 1e-9)
        zoom = self.scale / depth
        x, y = self.width / 2 + seen[..., 0] * zoom, self.height / 2 - seen[..., 1] * zoom
        return np.stack([x, y], axis=-1), depth


def painted(motion: Motion, stage: Stage, eye: Eye) -> list[Outline]:
    """The outlines of the last moment of a motion's first lane, in the order they are drawn."""
    found = [
        replace(outline, depth=outline.depth - shape.get("lift", 0.0))
        for shape in motion.scene.shapes
        for outline in _shape(shape, motion, stage, eye)
    ]
    if stage.planar:
        places = motion.places[-1, 0]
        found += [_foot(places[k].astype(float), stage, eye) for k in motion.scene.pivots]
    found.sort(key=lambda outline: -outline.depth)
    return [*_grid(stage, eye), *found]


def _shape(shape: dict[str, Any], motion: Motion, stage: Stage, eye: Eye) -> Iterator[Outline]:
    places = motion.places[-1, 0, shape["places"]].astype(float)
    color = shape["color"]
    if not np.isfinite(places).all():
        return
    if shape["kind"] == "bar":
        radius = float(np.clip(shape["radius"], THIN * stage.size, THICK * stage.size))
        for start, end in pairwise(places):
            cuts = np.linspace(0, 1, 2 + int(np.linalg.norm(end - start) / (PIECE * stage.size)))[:, None]
            spots = start + cuts * (end - start)
            for piece in pairwise(spots):
                yield from _stroke(eye, np.stack(piece), color, radius, PIECE * stage.size)
        yield from (_ball(eye, place, 1.35 * radius, shade(color, 0.72)) for place in places)
    elif shape["kind"] == "coil":
        yield from _stroke(eye, _zigzag(places[0], places[1], SPRING * stage.size), color, 0.004 * stage.size)
    elif shape["kind"] == "trace":
        way = motion.places[:, 0, shape["places"][0]].astype(float)
        points, depth = eye(way[np.isfinite(way).all(axis=1)])
        if len(points) > 1:
            yield Outline(points, "", color, 1.6, float(depth.mean()), 0.8)
    elif shape["form"] == "sphere":
        yield _ball(eye, places[0], shape["size"][0], color)
    else:
        base = matrices(motion.turns[-1, 0, shape["turn"]].astype(float))
        paint = {"box": _box, "mesh": _mesh}.get(shape["form"], _drum)
        yield from paint(eye, places[0], base, shape)


def _stroke(eye: Eye, places: np.ndarray, color: str, radius: float, rim: float = 0.0) -> Iterator[Outline]:
    """A line with a darker rim, which lies farther back so as not to cross the next piece of the same bar."""
    points, depth = eye(places)
    width = max(1.5, 2 * radius * eye.scale / float(depth.mean()))
    yield Outline(points, "", shade(color, 0.6), width + 1.2, float(depth.mean()) + rim)
    yield Outline(points, "", color, width, float(depth.mean()) - 1e-9)


def _ball(eye: Eye, place: np.ndarray, radius: float, color: str) -> Outline:
    (centre, depth), angles = eye(place), np.linspace(0, 2 * pi, 24, endpoint=False)
    round_ = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    points = centre + round_ * radius * eye.scale / float(depth)
    return Outline(points, color, shade(color, 0.6), 0.8, float(depth) - radius)


def _box(eye: Eye, place: np.ndarray, base: np.ndarray, shape: dict[str, Any]) -> Iterator[Outline]:
    signs = np.array([[0.5 if k >> j & 1 else -0.5 for j in range(3)] for k in range(8)])
    points, depth = eye(place + (signs * shape["size"]) @ base.T)
    for k, face in enumerate(FACES):
        rows = list(face)
        outward = base[:, 2 - k // 2] * (1 if k % 2 else -1)
        if outward @ (eye.place - place) < shape["size"][2 - k // 2] / 2:
            continue  # it is turned away
        fill, edge = shade(shape["color"], DULL + float(outward @ eye.light)), shade(shape["color"], 0.55)
        yield from _face(points[rows], depth[rows], fill, edge)


def _mesh(eye: Eye, place: np.ndarray, base: np.ndarray, shape: dict[str, Any]) -> Iterator[Outline]:
    """The faces of a mesh that are turned to the eye; those of a layer lie under everything else."""
    spots = place + np.asarray(shape["points"]) @ base.T
    points, depth = eye(spots)
    for face in shape["faces"]:
        rows = list(face)
        a, b, c = spots[rows[:3]]
        normal = np.cross(b - a, c - a)
        if normal @ (eye.place - a) <= 0 or depth[rows].min() <= 1e-6:
            continue
        light = float(normal @ eye.light) / float(np.linalg.norm(normal))
        fill = shade(shape["color"], DULL + light)
        far = UNDER - shape["layer"] if shape["layer"] else float(depth[rows].mean())
        yield Outline(points[rows], fill, fill, 0.6, far)


def _face(points: np.ndarray, depth: np.ndarray, fill: str, edge: str) -> Iterator[Outline]:
    """A side of a box in cells, so that a large one is not wholly before or behind what is near it."""
    lengths = [max(np.linalg.norm(np.diff(points[list(pair)], axis=0)) for pair in ends) for ends in EDGES]
    counts = [1 + int(length / CELL) for length in lengths]

    def at(s: float, t: float) -> np.ndarray:
        corners = np.column_stack([points, depth])
        weights = np.array([(1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t])
        return weights @ corners

    for i in range(counts[0]):
        for j in range(counts[1]):
            spots = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            cell = np.stack([at(a / counts[0], b / counts[1]) for a, b in spots])
            yield Outline(cell[:, :2], fill, fill, 1.2, float(cell[:, 2].mean()))
            border = (j == 0, i == counts[0] - 1, j == counts[1] - 1, i == 0)
            for k in (k for k in range(4) if border[k]):
                rim = cell[[k, (k + 1) % 4]]
                yield Outline(rim[:, :2], "", edge, 0.8, float(cell[:, 2].mean()) * (1 - 1e-6))


def _drum(eye: Eye, place: np.ndarray, base: np.ndarray, shape: dict[str, Any]) -> Iterator[Outline]:
    radius, length = shape["size"]
    k = "xyz".index(shape["axis"])
    axis, u, v = (base[:, (k + j) % 3] for j in range(3))
    angles = np.linspace(0, 2 * pi, 32, endpoint=False)[:, None]
    ring = place + radius * (np.cos(angles) * u + np.sin(angles) * v)
    caps = [eye(ring + side * length * axis) for side in (-0.5, 0.5)]
    middles = [eye(place + side * length * axis)[0] for side in (-0.5, 0.5)]
    near = int(caps[1][1].mean() < caps[0][1].mean())
    depth, edge, dark = float(eye(place)[1]), shade(shape["color"], 0.55), shade(shape["color"], 0.72)
    yield Outline(_hull(np.concatenate([points for points, _ in caps])), dark, edge, 0.8, depth)
    points = caps[near][0]
    yield Outline(points, shape["color"], edge, 0.8, depth - 1e-9)
    for start in (0, 16):
        quarter = np.concatenate([points[start : start + 9], middles[near][None]])
        yield Outline(quarter, dark, "", 0, depth - 2e-9)


def _foot(place: np.ndarray, stage: Stage, eye: Eye) -> Outline:
    radius = FOOT * stage.size
    base = place - 1.5 * radius * stage.up
    points, depth = eye([place, base - 0.87 * radius * stage.right, base + 0.87 * radius * stage.right])
    return Outline(points, "#7d838c", "#565b63", 0.8, float(depth[0]) + radius)


def _grid(stage: Stage, eye: Eye) -> Iterator[Outline]:
    a, b, normal = (
        (stage.right, stage.up, stage.toward) if stage.planar else (stage.right, stage.toward, stage.up)
    )
    step = rounded(stage.size / 3)
    count = int(1.6 * stage.size / step) + 1
    middle = [round(float(stage.centre @ axis) / step) * step * axis for axis in (a, b)]
    start = normal * stage.floor + middle[0] + middle[1]
    for k in range(-count, count + 1):
        for one, other in ((a, b), (b, a)):
            ends = [start + k * step * one + side * count * step * other for side in (-1, 1)]
            points, depth = eye(ends)
            if depth.min() > 1e-6:
                yield Outline(points, "", GRID, 0.8, opacity=FAINT)


def _zigzag(start: np.ndarray, end: np.ndarray, radius: float) -> np.ndarray:
    span = end - start
    side = np.cross(np.eye(3)[np.argmin(np.abs(span))], span)
    side *= radius / (np.linalg.norm(side) or 1.0)
    inner = [start + k / 20 * span + (side if k % 2 else -side) for k in range(1, 20)]
    return np.stack([start, *inner, end])


def _hull(points: np.ndarray) -> np.ndarray:
    """The convex hull of points (Andrew's monotone chain, 1979)."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    return np.array([*_half(ordered), *_half(ordered[::-1])])


def _half(points: np.ndarray) -> list[np.ndarray]:
    chain: list[np.ndarray] = []
    for p in points:
        while len(chain) > 1:
            one, other = chain[-1] - chain[-2], p - chain[-2]
            if one[0] * other[1] - one[1] * other[0] > 0:
                break
            chain.pop()
        chain.append(p)
    return chain[:-1]


def rounded(x: float) -> float:
    """1, 2 or 5 times a power of ten, not above x."""
    power = 10.0 ** floor(log10(x))
    return power * next(step for step in (5, 2, 1) if step * power <= x * 1.0000001)
