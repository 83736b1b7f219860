"""Turns as unit quaternions (w, x, y, z), and poses made of a place and a turn."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Three = tuple[float, float, float]
Array = np.ndarray


def product(a: Array, b: Array) -> Array:
    """The turn b, then the turn a."""
    w, v = a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return np.array([w, *v])


def after(b: Array) -> Array:
    """The matrix that makes ``product(a, b)`` of a.

    >>> a, b = np.array([0.8, 0.6, 0, 0]), np.array([0.6, 0, 0, 0.8])
    >>> bool(np.allclose(after(b) @ a, product(a, b)))
    True
    """
    return np.stack([product(e, b) for e in np.eye(4)], axis=1)


def inverse(a: Array) -> Array:
    """The turn back."""
    return a * np.array([1.0, -1.0, -1.0, -1.0])


def turned(a: Array, v: Array) -> Array:
    """A vector after a turn."""
    return v + 2.0 * np.cross(a[1:], np.cross(a[1:], v) + a[0] * v)


def about(axis: Sequence[float] | Array, angle: float) -> Array:
    """The turn about an axis of length one.

    >>> turned(about([0, 0, 1], math.pi / 2), np.array([1.0, 0, 0])).round(12)
    array([0., 1., 0.])
    """
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * np.asarray(axis, float))])


def from_angles(angles: Sequence[float]) -> Array:
    """Rotation_X, Rotation_Y, Rotation_Z of the source: about the fixed axes x, then y, then z."""
    x, y, z = (about(axis, angle) for axis, angle in zip(np.eye(3), angles, strict=True))
    return product(z, product(y, x))


def heading(a: Sequence[float] | Array) -> float:
    """The angle about z of what points forward, the x axis."""
    w, x, y, z = a
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def matrix(a: Array) -> Array:
    """The rotation matrix."""
    return np.stack([turned(a, e) for e in np.eye(3)], axis=1)
