"""The regularised filter: after resampling each particle is moved by a draw from a kernel: no two are alike.

The kernel is Gaussian in (z, dz), shaped like the weighted covariance and as wide as is best for a Gaussian
density of that dimension (Silverman, 1986; Musso, Oudjane and Le Gland, 2001). Where particles form several
groups the covariance is that of all, and a smaller ``bandwidth`` is better.
"""

from __future__ import annotations

from typing import Any, ClassVar, final

import numpy as np

from biela.observe.particle.filter import ParticleFilter
from biela.observe.particle.noise import factor


@final
class Regularised(ParticleFilter):
    """As the bootstrap filter, with a kernel after resampling; ``bandwidth`` is relative to the best one."""

    key: ClassVar[str] = "regularised"

    def __init__(self, *arguments: Any, bandwidth: float = 1.0, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if not bandwidth > 0.0:
            raise ValueError(f"The bandwidth is a positive number; got {bandwidth!r}.")
        self.bandwidth = bandwidth

    def advance(self, y: np.ndarray) -> float:
        """Move, then weigh."""
        return self._moved(y)

    def _shaking(self) -> np.ndarray:
        d = self.process.manifold.size
        width = self.bandwidth * (4.0 / (self.count * (d + 2.0))) ** (1.0 / (d + 4.0))
        return width * factor(self.estimate().covariance[:d, :d])
