"""The adaptive filter: as many particles as the belief is wide (KLD sampling).

With k occupied cells of a grid over (z, dz), so many particles keep the Kullback-Leibler distance to the true
belief below ``error`` with a probability whose normal quantile is ``quantile`` (Fox, 2003, eq. 13). A swarm
all over a turn takes thousands, one that has found the mechanism a few hundred.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, final

import numpy as np

from biela.observe.particle.filter import ParticleFilter

CELL = 0.1  # rad, m, and their rates


@final
class Adaptive(ParticleFilter):
    """``particles`` is how many it begins with and the most; ``cells`` are sizes of cells by name."""

    key: ClassVar[str] = "adaptive"

    def __init__(
        self, *arguments: Any, error: float = 0.05, quantile: float = 2.33, least: int = 100,
        cells: Mapping[str, float] | None = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(*arguments, **options)
        if not (error > 0.0 and 1 <= least <= self.count):
            raise ValueError(f"Give an error above 0 and least in 1..{self.count}; got {error!r}, {least!r}.")
        self.error, self.quantile, self.least = error, quantile, least
        names = self.process.manifold.names
        unknown = [name for name in cells or {} if name not in names]
        if unknown:
            raise ValueError(f"There is no cell for '{unknown[0]}': there are {', '.join(names)}.")
        self.cells = np.array([float((cells or {}).get(name, CELL)) for name in names])

    def advance(self, y: np.ndarray) -> float:
        """Move, then weigh."""
        return self._moved(y)

    def _size(self, w: np.ndarray, rng: np.random.Generator) -> int:
        """The bound for the cells that a swarm chosen by the weights occupies."""
        d = self.process.manifold.size
        chosen = self.swarm.x[:, self.choose(w, self.count, rng)][self.summary.varying[:d]]
        angles = self.summary.angles[self.summary.varying[:d]]
        chosen = np.where(angles[:, None], chosen % (2.0 * np.pi), chosen)
        cell = np.floor(chosen / self.cells[:, None]).astype(np.int64)
        cell -= cell.min(axis=1, keepdims=True)
        k = len(np.unique(np.ravel_multi_index(tuple(cell), tuple(cell.max(axis=1) + 1))))
        return int(np.clip(enough(k, self.error, self.quantile), self.least, self.count))


def enough(cells: int, error: float, quantile: float) -> int:
    """How many particles a belief over so many cells takes.

    >>> enough(2, 0.05, 2.33), enough(100, 0.05, 2.33)
    (67, 1348)
    """
    if cells < 2:
        return 1
    a = 2.0 / (9.0 * (cells - 1))
    return int(np.ceil((cells - 1) / (2.0 * error) * (1.0 - a + np.sqrt(a) * quantile) ** 3))
