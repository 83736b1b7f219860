"""What a viewer draws of a mechanism: shapes on its points and bases, without any graphics.

A `Model` turns them into places and orientations as functions of the coordinates; see
`Model.functions["frames"]`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from biela.mechanics.space import Base, Point


@dataclass(frozen=True, eq=False)
class Bar:
    """A straight piece, or a polyline of them, through points."""

    points: tuple[Point, ...]
    radius: float = 0.01
    color: str = ""

    def __init__(self, *points: Point, radius: float = 0.01, color: str = "") -> None:
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "radius", radius)
        object.__setattr__(self, "color", color)


@dataclass(frozen=True, eq=False)
class Solid:
    """A box, cylinder or sphere with its centre at a point, turned as a base.

    ``size`` is (x, y, z) of a box, (radius, length) of a cylinder along ``axis``, (radius,) of a sphere.
    """

    form: str
    point: Point
    base: Base
    size: tuple[float, ...]
    axis: str = "z"
    color: str = ""


@dataclass(frozen=True, eq=False)
class Coil:
    """A spring between two points."""

    start: Point
    end: Point
    color: str = ""


@dataclass(frozen=True, eq=False)
class Trace:
    """A point whose path is drawn."""

    point: Point
    color: str = ""


Shape = Bar | Solid | Coil | Trace


def points_of(shapes: Iterable[Shape]) -> list[Point]:
    """Every point that shapes stand on, once, in order."""
    found: dict[int, Point] = {}
    for shape in shapes:
        used: tuple[Any, ...]
        if isinstance(shape, Bar):
            used = shape.points
        elif isinstance(shape, Coil):
            used = (shape.start, shape.end)
        else:
            used = (shape.point,)
        found |= {id(point): point for point in used}
    return list(found.values())


def bases_of(shapes: Iterable[Shape]) -> list[Base]:
    """Every base that shapes are turned by, once, in order."""
    return list({id(s.base): s.base for s in shapes if isinstance(s, Solid)}.values())
