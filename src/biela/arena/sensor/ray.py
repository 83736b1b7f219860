"""Rays against bodies: where a straight line enters a convex shape, for many rays and bodies at once.

A shape is an intersection of intervals along the ray: between two planes, within a cylinder, within a sphere;
a capsule is the union of three such. A ray that begins inside meets the body at distance zero. Rows of
`SHAPES` of the scene have a function here; a shape without one is met as the box around it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial import ConvexHull  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from biela.arena.scene.body import Body

Array = np.ndarray
Span = tuple[Array, Array]  # where rays enter and leave; entering after leaving is a miss
NEVER = np.inf


def _between(o: Array, d: Array, half: Array | float) -> Span:
    """Within ``half`` of zero along one axis; parallel rays are inside all the time, or never."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (-half - o) / d, (half - o) / d
    low, high = np.minimum(one, other), np.maximum(one, other)
    inside = np.abs(o) <= half
    still = np.asarray(d == 0)
    low = np.where(still, np.where(inside, -NEVER, NEVER), low)
    return low, np.where(still, np.where(inside, NEVER, -NEVER), high)


def _round(a: Array, b: Array, c: Array) -> Span:
    """Where a t^2 + 2 b t + c is not positive."""
    inner = b * b - a * c
    root = np.sqrt(np.maximum(inner, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = (-b - root) / a, (-b + root) / a
    still = a < 1e-18
    low = np.where(still, np.where(c <= 0, -NEVER, NEVER), low)
    high = np.where(still, np.where(c <= 0, NEVER, -NEVER), high)
    return np.where(inner < 0, NEVER, low), np.where(inner < 0, -NEVER, high)


def _both(one: Span, other: Span) -> Span:
    return np.maximum(one[0], other[0]), np.minimum(one[1], other[1])


def _met(span: Span) -> Array:
    """The distance to the entry; infinity for a miss."""
    low, high = span
    return np.where((low <= high) & (high >= 0), np.maximum(low, 0.0), NEVER)


def _dot(a: Array, b: Array) -> Array:
    return (a * b).sum(axis=-1)


def sphere(body: Body, o: Array, d: Array) -> Array:
    """Distances of rays from ``o`` along ``d``, in the body's own axes."""
    return _met(_round(_dot(d, d), _dot(o, d), _dot(o, o) - body.radius**2))


def box(body: Body, o: Array, d: Array) -> Array:
    """The same for a box, or for the box around anything."""
    half = body.half_extent()
    x, y, z = (_between(o[..., k], d[..., k], half[k]) for k in range(3))
    return _met(_both(_both(x, y), z))


def _tube(body: Body, o: Array, d: Array) -> Span:
    flat, along = o[..., :2], d[..., :2]
    around = _round(_dot(along, along), _dot(flat, along), _dot(flat, flat) - body.radius**2)
    return _both(around, _between(o[..., 2], d[..., 2], body.length / 2))


def cylinder(body: Body, o: Array, d: Array) -> Array:
    """The same for a cylinder or wheel."""
    return _met(_tube(body, o, d))


def capsule(body: Body, o: Array, d: Array) -> Array:
    """The same for a cylinder with round ends."""
    end = np.array([0.0, 0.0, body.length / 2])
    ends = [sphere(body, o - shift, d) for shift in (-end, end)]
    return np.minimum(np.minimum(*ends), _met(_tube(body, o, d)))


def mesh(body: Body, o: Array, d: Array) -> Array:
    """The same for the convex hull of points."""
    planes = _planes(body)
    gap, slope = -(o @ planes[:, :3].T + planes[:, 3]), d @ planes[:, :3].T
    with np.errstate(divide="ignore", invalid="ignore"):
        at = gap / slope
    low = np.where(slope < 0, at, np.where((slope == 0) & (gap < 0), NEVER, -NEVER)).max(axis=-1)
    high = np.where(slope > 0, at, np.where((slope == 0) & (gap < 0), -NEVER, NEVER)).min(axis=-1)
    return _met((low, high))


_HULLS: dict[tuple[tuple[float, float, float], ...], Array] = {}


def _planes(body: Body) -> Array:
    """Normals and offsets of the hull's faces: a point is inside where n x + k <= 0."""
    if body.points not in _HULLS:
        _HULLS[body.points] = ConvexHull(np.asarray(body.points, float)).equations
    return _HULLS[body.points]


RAYS: dict[str, Callable[[Body, Array, Array], Array]] = {
    "sphere": sphere,
    "box": box,
    "cylinder": cylinder,
    "wheel": cylinder,
    "capsule": capsule,
    "mesh": mesh,
}


def distances(body: Body, o: Array, d: Array) -> Array:
    """How far rays go until they meet a body; all in its own axes."""
    return RAYS.get(body.shape, box)(body, o, d)


def nearest(body: Body, o: Array) -> Array:
    """The point of a body, or of a box around a mesh, that is nearest to a place, in its own axes."""
    if body.shape == "sphere":
        return o * min(1.0, body.radius / max(float(np.linalg.norm(o)), 1e-12))
    if body.shape == "capsule":
        core = np.array([0.0, 0.0, np.clip(o[2], -body.length / 2, body.length / 2)])
        return core + (o - core) * min(1.0, body.radius / max(float(np.linalg.norm(o - core)), 1e-12))
    if body.shape in ("cylinder", "wheel"):
        share = min(1.0, body.radius / max(float(np.hypot(o[0], o[1])), 1e-12))
        height = float(np.clip(o[2], -body.length / 2, body.length / 2))
        return np.array([share * o[0], share * o[1], height])
    half = body.half_extent()
    return np.clip(o, -half, half)
