"""The Rao-Blackwellised filter: particles for the mechanism, a Kalman filter in each for biases of sensors.

Given the motion, a bias that walks is linear and Gaussian, so each particle carries its mean, and its
covariance is the same for all (Schon, Gustafsson and Nordlund, 2005). Particles need not spread over biases,
and far fewer will do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, final

import numpy as np

from biela.observe.instrument import Instruments
from biela.observe.particle.estimate import Estimate
from biela.observe.particle.filter import ParticleFilter
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor


@final
class RaoBlackwellised(ParticleFilter):
    """Estimates biases beside the state: ``biases`` has the standard deviation of each by its channel.

    They walk as the sensors say. Raises ValueError for an unknown channel.
    """

    key: ClassVar[str] = "rao-blackwellised"

    def __init__(
        self, process: Process, sensors: Sequence[Sensor], particles: int = 1000, *,
        biases: Mapping[str, float], **options: Any,
    ) -> None:  # fmt: skip
        names = Instruments(process, sensors).channels
        unknown = [name for name in biases if name not in names]
        if unknown:
            raise ValueError(f"There is no channel '{unknown[0]}' with a bias: {', '.join(names)}.")
        self._places = [k for k, name in enumerate(names) if name in biases]
        self.deviations = np.array([float(biases[names[k]]) for k in self._places])
        walks = [s.walk for s in sensors for _ in s.channels(process.model)]
        self.walks = np.array([walks[k] for k in self._places])
        self.covariance = np.diag(self.deviations**2)
        super().__init__(process, sensors, particles, **options)

    def _biased(self) -> list[int]:
        return self._places

    def start(self, where: Any = None, P: Any = None, t: float = 0.0) -> Any:
        """As other filters; biases begin at zero with their deviations."""
        self.covariance = np.diag(self.deviations**2)
        return super().start(where, P, t)

    def advance(self, y: np.ndarray) -> float:
        """Move, weigh by readings with uncertain biases, correct the biases."""
        self.covariance = self.covariance + np.diag(self.walks**2 * self.h)
        there = np.isfinite(y)
        H = np.eye(len(y))[:, self._places] * there[:, None]
        S = super()._noise_of_readings() + H @ self.covariance @ H.T
        self._gain = np.linalg.solve(S, H @ self.covariance).T
        self._spread_out = S
        top = self._moved(y)
        self.covariance = self.covariance - self._gain @ H @ self.covariance
        return top

    def _noise_of_readings(self) -> np.ndarray:
        return self._spread_out

    def _values(self, y: np.ndarray) -> dict[str, Any]:
        return super()._values(y) | {"gain": self._gain}

    def estimate(self) -> Estimate:
        """With the covariance of the biases within each particle added to that between them."""
        found = super().estimate()
        covariance, n = found.covariance.copy(), len(self._places)
        covariance[-n:, -n:] += self.covariance
        return replace(found, covariance=covariance)
