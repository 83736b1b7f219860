"""The bootstrap filter: particles move as the model says and are weighed by the readings."""

from __future__ import annotations

from typing import ClassVar, final

import numpy as np

from biela.observe.particle.filter import ParticleFilter


@final
class Bootstrap(ParticleFilter):
    """Gordon, Salmond and Smith (1993), with resampling when it is due."""

    key: ClassVar[str] = "bootstrap"

    def advance(self, y: np.ndarray) -> float:
        """Move, then weigh."""
        return self._moved(y)
