"""`Stage`: where the mechanism plays: how large it is, which way it stands, where the ground lies.

Everything a camera needs that does not change while a motion runs. ``right``, ``up`` and ``toward`` (the
viewer) are axes of the ground and right-handed in this order. A motion is *planar* when nothing leaves its
plane; the viewer then stands in front of that plane. It *travels* when it hangs on nothing and goes much
farther than it is long; the camera then goes with it, and its size is that of the mechanism alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biela.view.motion import Motion, matrices

FLAT = 1e-6  # of the size: what leaves the plane by less is in it
FAR = 1.2  # a way of so many sizes is a journey
NEAR = 0.4  # fixed things within so many sizes of what moves belong to the picture
SUNK = 0.04  # of the size: what is below zero by less stands on the ground at zero


@dataclass(frozen=True, eq=False)
class Stage:
    """Axes, middle and size of what is shown, in the ground's components."""

    right: np.ndarray
    up: np.ndarray
    toward: np.ndarray
    centre: np.ndarray
    half: np.ndarray  # of the box around it, along right, up and toward
    middle: np.ndarray  # of the moving places of the first motion, at its beginning
    moving: tuple[int, ...]  # those places
    size: float  # half the diagonal of what is shown
    floor: float  # along up; of a planar motion the place of the wall behind, along toward
    planar: bool
    travels: bool

    def plain(self) -> dict[str, Any]:
        """The same as JSON would have it."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in values.items()}


def set_for(motions: Sequence[Motion]) -> Stage:
    """The stage for motions that are shown together."""
    first = motions[0]
    travels = _travels(first)
    low, high = _box(motions, travels)
    size = float(np.linalg.norm(high - low)) / 2 or 1.0
    normal = _normal(motions, size)
    right, up, toward = _axes(first.scene.up, normal)
    spans = np.stack([low, high])
    if normal is not None:
        floor = float((spans @ toward).min()) - 0.03 * size
    else:
        floor = float((spans @ up).min())
        floor = 0.0 if -SUNK * size < floor < size else floor
    half = np.abs(np.stack([right, up, toward]) @ (high - low)) / 2
    moving = tuple(np.flatnonzero(~first.scene.fixed).tolist())
    middle = first.places[0, 0, list(moving)].astype(float).mean(axis=0) if moving else np.zeros(3)
    centre = (low + high) / 2
    return Stage(right, up, toward, centre, half, middle, moving, size, floor, normal is not None, travels)


def _travels(motion: Motion) -> bool:
    """Whether the middle of what moves goes much farther than it is long."""
    moving = motion.places[:, 0, ~motion.scene.fixed].astype(float)
    if motion.scene.pivots or not moving.shape[1]:
        return False
    low, high = _box([motion], True)
    length = float(np.linalg.norm(high - low))
    way = np.linalg.norm(np.nan_to_num(np.ptp(moving.mean(axis=1), axis=0)))
    return bool(way > FAR * length)


def _box(motions: Sequence[Motion], travels: bool) -> tuple[np.ndarray, np.ndarray]:
    """The corners of the box around all that moves, what it hangs on, and fixed things near it."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for motion in motions:
        for shape in (shape for shape in motion.scene.shapes if _moves(motion, shape)):
            below, above = _ends(motion, shape, travels)
            low, high = np.fmin(low, below), np.fmax(high, above)
    everything = not np.isfinite(low).all()
    margin = NEAR * float(np.linalg.norm(high - low)) if not everything else np.inf
    inner, outer = low.copy(), high.copy()
    for motion in motions:
        for shape in (shape for shape in motion.scene.shapes if not _moves(motion, shape)):
            below, above = _ends(motion, shape, True)
            if everything or ((below > inner - margin).all() and (above < outer + margin).all()):
                low, high = np.fmin(low, below), np.fmax(high, above)
    return low, high


def _moves(motion: Motion, shape: dict[str, Any]) -> bool:
    return not motion.scene.fixed[shape["places"]].all() or "turn" in shape


def _ends(motion: Motion, shape: dict[str, Any], beginning: bool) -> tuple[np.ndarray, np.ndarray]:
    """The corners of the box around a shape, at all moments or at the first."""
    moments = slice(1) if beginning else slice(None)
    places = motion.places[moments][:, :, shape["places"]].astype(float)
    around = _around(motion, shape, moments)
    flat = (places - around).reshape(-1, 3), (places + around).reshape(-1, 3)
    lost = np.full((1, 3), np.nan)
    low, high = (np.concatenate([side[np.isfinite(side).all(axis=1)], lost]) for side in flat)
    return np.fmin.reduce(low, axis=0), np.fmax.reduce(high, axis=0)


def _around(motion: Motion, shape: dict[str, Any], moments: slice) -> np.ndarray:
    """How far a shape extends from its places along the axes of the ground: (moment, lane, 1, component)."""
    if shape["kind"] != "solid":
        return np.full((1, 1, 1, 3), shape.get("radius", 0.0))
    if shape["form"] == "sphere":
        return np.full((1, 1, 1, 3), shape["size"][0])
    if shape["form"] == "mesh":
        return np.full((1, 1, 1, 3), float(np.linalg.norm(shape["points"], axis=1).max()))
    R = matrices(motion.turns[moments][:, :, shape["turn"]].astype(float))
    if shape["form"] == "box":
        return (np.abs(R) @ (np.array(shape["size"]) / 2))[:, :, None]
    along = R[..., "xyz".index(shape["axis"])]
    radius, length = shape["size"]
    return (np.abs(along) * length / 2 + radius * np.sqrt(np.maximum(0.0, 1 - along**2)))[:, :, None]


def _normal(motions: Sequence[Motion], size: float) -> int | None:
    """The axis of the ground square to the plane that everything stays in, if there is one."""
    level = int(np.argmax(np.abs(motions[0].scene.up)))
    for axis in sorted(motions[0].scene.plane, key=lambda k: (k == level, -k)):
        if all(axis in m.scene.plane and _in_plane(m, axis, FLAT * size) for m in motions):
            return axis
    return None


def _in_plane(motion: Motion, axis: int, thin: float) -> bool:
    heights = motion.places[..., axis]
    others = [1 + k for k in range(3) if k != axis]
    tilts = np.abs(motion.turns[..., others])
    return not np.nanmax(heights) - np.nanmin(heights) > thin and not np.nanmax(tilts, initial=0.0) > 1e-5


def _axes(up: np.ndarray, normal: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Right, up and toward the viewer: x is to the right, and y up where nothing falls across the plane."""
    if normal is not None and up[normal]:
        up = np.eye(3)[2 if normal == 1 else 1]
    vertical = int(np.argmax(np.abs(up)))
    free = [k for k in range(3) if k not in (vertical, normal)]
    right = np.eye(3)[free[0]]
    return right, up, np.cross(right, up)
