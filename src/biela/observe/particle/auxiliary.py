"""The auxiliary filter: particles are chosen by how well they would explain the next reading, then moved.

Each is looked at one step ahead without noise; those that promise most get most offspring, and the weights
undo what the promise was worth (Pitt and Shephard, 1999). It pays where readings are precise and noise is
small, and costs a second pass and a resampling each step.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, final

import numpy as np

from biela.compile.sweep import Sweep
from biela.observe.particle.filter import LOST, ParticleFilter


@final
class Auxiliary(ParticleFilter):
    """Looks ahead before it chooses; ``threshold`` has no meaning, since it chooses at every reading."""

    key: ClassVar[str] = "auxiliary"

    @cached_property
    def _look(self) -> Sweep:
        return Sweep(self.transition.look, tops=["top"])

    def _due(self, ess: float) -> bool:
        return False

    def advance(self, y: np.ndarray) -> float:
        """Choose by the promise, move, weigh by what is more or less than promised."""
        if np.isnan(y).all():
            return self._moved(y)
        swarm, ahead = self.swarm, np.empty(len(self.swarm))
        top = self._look(len(swarm), self._values(y), {"ahead": ahead}, self.threads)["top"]
        if not top > LOST:
            return float(top)
        values = {"logw": ahead, "top": top}
        w = np.empty(len(swarm))
        total = self.summary.weights(len(swarm), values, {"w": w}, self.threads)["total"]
        places = self.choose(w, self.count, self._generator())
        owed = swarm.logw[places] - swarm.shift - ahead[places]
        self._gather(places)
        swarm.logw[:] = owed
        self._log_total += float(np.log(len(places)) - np.log(total) - top)
        self.resamplings += 1
        return self._moved(y)
