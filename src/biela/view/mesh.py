"""Meshes: corners and faces of solids, for what neither a box nor a cylinder nor a ball is, or hangs on one.

Faces are lists of corners, counter-clockwise as seen from outside. What is flat has one side, which looks up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import pi
from typing import Any

import numpy as np

ROUND, RING = 12, 64  # corners of small round things, and of rings
# the strokes of a seven-segment digit, as x, y of either end in a box of width 1 and height 2
STROKES = {
    "a": (0, 2, 1, 2), "b": (1, 2, 1, 1), "c": (1, 1, 1, 0), "d": (1, 0, 0, 0), "e": (0, 0, 0, 1),
    "f": (0, 1, 0, 2), "g": (0, 1, 1, 1),
}  # fmt: skip
DIGITS = ("abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abfgcd")


@dataclass(frozen=True, eq=False)
class Mesh:
    """Corners, (corner, component), and faces."""

    points: np.ndarray
    faces: tuple[tuple[int, ...], ...]

    def at(self, place: Sequence[float] | np.ndarray, turn: np.ndarray | None = None) -> Mesh:
        """The same, turned by a matrix, at a place."""
        points = self.points if turn is None else self.points @ turn.T
        return Mesh(points + np.asarray(place, float), self.faces)


def joined(meshes: Iterable[Mesh]) -> Mesh:
    """Several as one."""
    points: list[np.ndarray] = [np.zeros((0, 3))]
    faces: list[tuple[int, ...]] = []
    for mesh in meshes:
        first = sum(map(len, points))
        points.append(mesh.points)
        faces += [tuple(first + k for k in face) for face in mesh.faces]
    return Mesh(np.concatenate(points), tuple(faces))


def box(size: Sequence[float]) -> Mesh:
    """A box about its middle.

    >>> len(box((1, 2, 3)).faces)
    6
    """
    signs = np.array([[1 if k >> j & 1 else -1 for j in range(3)] for k in range(8)])
    faces = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
    return Mesh(signs * np.asarray(size, float) / 2, faces)


def drum(radius: float, length: float, corners: int = RING) -> Mesh:
    """A cylinder about its middle, its axis along z."""
    ring = radius * _circle(corners)
    low, high = (np.column_stack([ring, np.full(corners, side * length)]) for side in (-0.5, 0.5))
    sides = [(k, (k + 1) % corners, corners + (k + 1) % corners, corners + k) for k in range(corners)]
    caps = (tuple(range(corners))[::-1], tuple(range(corners, 2 * corners)))
    return Mesh(np.concatenate([low, high]), (*sides, *caps))


def capsule(radius: float, length: float = 0.0, corners: int = ROUND) -> Mesh:
    """A ball of so many corners around, or two halves of it with a cylinder between them."""
    rows = np.linspace(-pi / 2, pi / 2, corners // 2 + 1)
    ring, count = _circle(corners), len(rows)
    heights = radius * np.sin(rows) + np.sign(rows.round(12)) * length / 2
    points = [np.column_stack([radius * np.cos(a) * ring, np.full(corners, z)])
              for a, z in zip(rows, heights, strict=True)]  # fmt: skip
    at = [[row * corners + k % corners for k in range(corners + 1)] for row in range(count)]
    faces = [
        (at[row][k], at[row][k + 1], at[row + 1][k + 1], at[row + 1][k])
        for row in range(count - 1)
        for k in range(corners)
    ]
    return Mesh(np.concatenate(points), tuple(faces))


def hull(points: Sequence[Sequence[float]] | np.ndarray) -> Mesh:
    """The convex hull of points, in triangles."""
    spatial: Any = import_module("scipy.spatial")

    corners = np.asarray(points, float)
    found: Any = spatial.ConvexHull(corners)
    faces: list[tuple[int, ...]] = []
    for (a, b, c), normal in zip(found.simplices.tolist(), found.equations[:, :3], strict=True):
        outside = np.cross(corners[b] - corners[a], corners[c] - corners[a]) @ normal > 0
        faces.append((a, b, c) if outside else (a, c, b))
    return Mesh(corners, tuple(faces))


def patch(x: tuple[float, float], y: tuple[float, float]) -> Mesh:
    """A flat rectangle at z = 0."""
    (a, b), (c, d) = sorted(x), sorted(y)
    return Mesh(np.array([[a, c, 0.0], [b, c, 0.0], [b, d, 0.0], [a, d, 0.0]]), ((0, 1, 2, 3),))


def line(x0: float, y0: float, x1: float, y1: float, *, width: float) -> Mesh:
    """A flat line along x or y, longer by its width."""
    half = width / 2
    return patch((min(x0, x1) - half, max(x0, x1) + half), (min(y0, y1) - half, max(y0, y1) + half))


def ring(outer: float, inner: float, corners: int = RING) -> Mesh:
    """A flat ring at z = 0, or a disc."""
    unit = np.column_stack([_circle(corners), np.zeros(corners)])
    faces = [(corners + k, k, (k + 1) % corners, corners + (k + 1) % corners) for k in range(corners)]
    return Mesh(np.concatenate([outer * unit, inner * unit]), tuple(faces))


def number(value: int, height: float) -> Mesh:
    """A number in flat strokes about the middle, its top towards +x: forward, as robots bear it."""
    scale, strokes, text = height / 2, list[Mesh](), str(value)
    for place, digit in enumerate(text):
        left = 1.6 * (place - (len(text) - 1) / 2) - 0.5
        for x0, y0, x1, y1 in (STROKES[name] for name in DIGITS[int(digit)]):
            ends = (y0 - 1.0, -(left + x0), y1 - 1.0, -(left + x1))
            strokes.append(line(*(scale * end for end in ends), width=0.3 * scale))
    return joined(strokes)


def _circle(corners: int) -> np.ndarray:
    angles = np.linspace(0, 2 * pi, corners, endpoint=False)
    return np.column_stack([np.cos(angles), np.sin(angles)])
