"""`Motion`: where everything in a scene is at the moments of a record, in single precision.

Moments are thinned to what a screen shows, lanes to what an eye tells apart; both ends are kept. Arrays are
(moment, lane, place or turn, component). A turn is a quaternion (w, x, y, z) whose sign does not jump, so
that a page may interpolate it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from biela.simulate.record import Record
from biela.simulate.state import State
from biela.view.drawn import Drawn
from biela.view.scene import Scene

RATE = 60.0  # frames a second, of a screen
NUMBERS = 600_000  # of places and turns in all; as base64 3.2 MB
FEWEST = 240  # moments that are kept even when there are very many things to draw
SMOOTH = 600  # moments that are kept of a short record, which is played slowly


@dataclass(frozen=True, eq=False)
class Motion:
    """A scene with times, places and turns."""

    scene: Drawn
    t: np.ndarray
    places: np.ndarray
    turns: np.ndarray

    @property
    def lanes(self) -> int:
        """How many of the mechanism are drawn."""
        return self.places.shape[1]


def of_record(record: Record, lanes: int = 20, rate: float = RATE) -> Motion:
    """The motion of a record; raises ValueError for an empty one or one without a model."""
    if record.model is None:
        raise ValueError("The record belongs to no model, so nothing can be drawn: record.attached(model).")
    if not len(record):
        raise ValueError("The record is empty: it has no moment to show.")
    scene = Scene(record.model)
    chosen = fewer(record, lanes)
    thin = chosen.taken(_moments(chosen, scene, rate))
    found = thin.value(scene.frames)
    places, turns = _parts(scene, found)
    if not thin.lanes:
        places, turns = places[..., None], turns[..., None]
    turns = np.moveaxis(turns, -1, 1)
    q = quaternions(turns.reshape(*turns.shape[:3], 3, 3))
    return Motion(scene, thin.t, np.moveaxis(places, -1, 1).astype(np.float32), q.astype(np.float32))


def of_state(state: State) -> Motion:
    """The motion of one state, which stands still."""
    scene = Scene(state.model)
    have = {"q": state.q, "t": state.t, "p": state.p}
    found = scene.frames.evaluate(**{port.name: have[port.name] for port in scene.frames.inputs})
    places, turns = _parts(scene, found)
    q = quaternions(turns.reshape(1, 1, -1, 3, 3))
    return Motion(scene, np.array([state.t]), places[None, None].astype(np.float32), q.astype(np.float32))


def fewer(record: Record, most: int) -> Record:
    """The record with some of its lanes, evenly chosen; the first is among them."""
    if record.lanes <= most:
        return record
    keep = spread(record.lanes, most)
    columns = {name: column[:, keep] for name, column in record.columns.items()}
    sizes = (0, 0) if record.model is None else (len(record.model.parameters), len(record.model.inputs))
    p, u = (
        values[..., keep] if values is not None and values.shape[-2:] == (size, record.lanes) else values
        for values, size in zip((record.p, record.u), sizes, strict=True)
    )
    return record.replaced(columns=columns, p=p, u=u)


def spread(count: int, most: int) -> np.ndarray:
    """At most so many of the numbers from 0 to count - 1, evenly spread, with both ends."""
    return np.unique(np.round(np.linspace(0, count - 1, min(count, max(most, 2)))).astype(int))


def _moments(record: Record, scene: Scene, rate: float) -> np.ndarray:
    """Frames at a rate, or as many as fit, but no more than there are."""
    each = sum(port.size for port in scene.frames.outputs) * max(1, record.lanes)
    wanted = max(SMOOTH, int(np.ceil((record.t[-1] - record.t[0]) * rate)) + 1)
    return spread(len(record), min(wanted, max(FEWEST, NUMBERS // each)))


def _parts(scene: Scene, found: Any) -> tuple[np.ndarray, np.ndarray]:
    """Places and turns of what the Function gave: it has one output where nothing turns."""
    outputs = [port.name for port in scene.frames.outputs]
    values: dict[str, Any] = dict(zip(outputs, found if len(outputs) > 1 else (found,), strict=True))
    places = np.asarray(values["places"])
    none = np.zeros((len(places), 0, 9, *places.shape[3:])) if places.ndim > 2 else np.zeros((0, 9))
    return places, np.asarray(values.get("turns", none))


def quaternions(R: np.ndarray) -> np.ndarray:
    """Unit quaternions (w, x, y, z) of rotation matrices, continuous along the first axis.

    By the largest of its components (Shepperd, 1978), so that none is lost to cancellation.
    """
    d = [R[..., k, k] for k in range(3)]
    four = [1 + d[0] + d[1] + d[2], 1 + d[0] - d[1] - d[2], 1 - d[0] + d[1] - d[2], 1 - d[0] - d[1] + d[2]]
    less = [R[..., k, j] - R[..., j, k] for j, k in ((1, 2), (2, 0), (0, 1))]
    more = [R[..., k, j] + R[..., j, k] for j, k in ((1, 2), (2, 0), (0, 1))]
    rows = [
        [four[0], less[0], less[1], less[2]],
        [less[0], four[1], more[2], more[1]],
        [less[1], more[2], four[2], more[0]],
        [less[2], more[1], more[0], four[3]],
    ]
    table = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    largest = np.argmax(np.stack(four, axis=-1), axis=-1)[..., None, None]
    q = np.take_along_axis(table, largest, axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    turned = np.sign((q[1:] * q[:-1]).sum(axis=-1, keepdims=True))
    q[1:] *= np.cumprod(np.where(turned < 0, -1.0, 1.0), axis=0)
    return q


def matrices(q: np.ndarray) -> np.ndarray:
    """Rotation matrices of unit quaternions (w, x, y, z)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
