"""Who carries the weight: springs under wheels, skids and corners, pressed by one rigid body.

The stiffness of a support is that of the source's contact, ``bounciness / (h hardness)``; a rigid one is
given `STIFFEST` times the weight. Unknown are the height and two tilts; supports push and never pull, which
is found by Newton's method over the set of those that touch. A force of the floor on the body's soles, below
its centre of mass, then shifts weight from one support to another: `shifts`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biela.arena.scene.scene import Scene

STIFFEST = 1e5  # 1/m: a rigid support gives way by 0.01 mm under the whole weight


@dataclass(frozen=True)
class Support:
    """A point that may stand on a floor: its place from the centre of mass, and its spring."""

    place: tuple[float, float, float]
    stiffness: float


class Footing:
    """Spreads weights in one scene."""

    def __init__(self, scene: Scene, step: float) -> None:
        self.scene = scene
        self.step = step

    def stiffness(self, one: str, floor: str, weight: float) -> float:
        """Of a contact of two materials, N/m."""
        given = self.scene.materials.between(one, floor)
        rigid = STIFFEST * weight
        return min(rigid, given.bounciness / (self.step * given.hardness)) if given.hardness > 0 else rigid

    def loads(self, supports: list[Support], weight: float) -> tuple[np.ndarray, float]:
        """The force on every support, N, and the height of the centre of mass above the floor."""
        return loads(supports, weight)


def loads(supports: list[Support], weight: float) -> tuple[np.ndarray, float]:
    """The force on every support, N, and the height of the centre of mass above the floor.

    >>> table = [Support((x, y, -1.0), 1e6) for x in (-1, 1) for y in (-1, 1)]
    >>> forces, height = loads(table, 8.0)
    >>> forces.round(9).tolist(), round(height, 5)
    ([2.0, 2.0, 2.0, 2.0], 1.0)
    """
    if not supports:
        return np.zeros(0), 0.0
    places = np.array([s.place for s in supports], float)
    k = np.array([s.stiffness for s in supports])
    arms = np.column_stack([np.ones(len(k)), places[:, 1], -places[:, 0]])  # height, roll, pitch
    x = np.array([-places[:, 2].min(), 0.0, 0.0])
    soft = 1e-9 * weight * np.diag([1.0, 1.0, 1.0])
    for _ in range(60):
        gap = arms @ x + places[:, 2]
        down = gap < 0
        force = np.where(down, -k * gap, 0.0)
        slope = (arms * (k * (down | (gap < 1e-6)))[:, None]).T @ arms + soft
        change = np.linalg.solve(slope, arms.T @ force - np.array([weight, 0.0, 0.0]))
        reach = min(1.0, 1e-3 / max(np.abs(change).max(), 1e-30))
        x = x + reach * change
        if np.abs(change).max() < 1e-12:
            break
    gap = arms @ x + places[:, 2]
    return np.where(gap < 0, -k * gap, 0.0), float(x[0])


def shifts(supports: list[Support], forces: np.ndarray, height: float) -> tuple[np.ndarray, np.ndarray]:
    """How a force of the floor (x, y) shifts the loads, and how far it does before a support lifts.

    Rows of the first are supports, N per N; the second has the greatest force towards -x, -y and +x, +y.

    >>> table = [Support((x, y, -1.0), 1e6) for x in (-1, 1) for y in (-1, 1)]
    >>> shift, most = shifts(table, np.full(4, 2.0), 1.0)  # speeding up towards +x, weight goes to -x
    >>> shift[:, 0].round(9).tolist(), most.round(9).tolist()
    ([0.25, 0.25, -0.25, -0.25], [[-8.0, -8.0], [8.0, 8.0]])
    """
    bear = forces > 0
    k = np.where(bear, [s.stiffness for s in supports], 0.0)
    arms = np.column_stack([np.ones(len(k)), np.array([s.place[:2] for s in supports], float)])
    stiffness = (arms * k[:, None]).T @ arms
    tilts = np.linalg.pinv(stiffness) @ np.array([[0.0, 0.0], [-height, 0.0], [0.0, -height]])
    shift = k[:, None] * (arms @ tilts)
    rates = shift[bear] / forces[bear, None]
    up, down = rates.max(axis=0, initial=1e-12), -rates.min(axis=0, initial=-1e-12)
    return shift, np.stack([-1.0 / up, 1.0 / down])
