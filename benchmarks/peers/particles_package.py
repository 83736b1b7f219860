"""`particles` of N. Chopin, the package of its field, with the four-bar as its own state-space model.

The model is vectorised as its examples are, with the motion of `numpy_particles`.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def load(quick: bool) -> Any:
    """What makes the filter, an iterator of steps, of (start, readings, kind); ImportError without it."""
    import particles
    from particles import distributions as law

    class Filter(particles.FeynmanKac):  # type: ignore[misc]
        """The bootstrap filter of the four-bar: rows are angle, speed, and what `kind` keeps beside them."""

        def __init__(self, start: np.ndarray, readings: np.ndarray, kind: Any, integrator: str) -> None:
            super().__init__(len(readings))
            self.start, self.readings, self.kind, self.integrator = start, readings, kind, integrator
            self.rng = np.random.default_rng(1)

        def M0(self, N: int) -> np.ndarray:  # noqa: N802
            return self.start.copy()

        def M(self, t: int, xp: np.ndarray) -> np.ndarray:  # noqa: N802
            one = self.kind(*np.ascontiguousarray(xp.T), self.integrator)
            one.move()
            return np.stack([one.theta, one.omega, one.other], axis=1)

        def logG(self, t: int, xp: np.ndarray, x: np.ndarray) -> np.ndarray:  # noqa: N802
            return law.Normal(loc=x[:, 1], scale=0.1).logpdf(self.readings[t])  # pyright: ignore[reportArgumentType]

    def made(start: np.ndarray, readings: np.ndarray, kind: Any, integrator: str) -> Any:
        model = Filter(start, readings, kind, integrator)
        return particles.SMC(fk=model, N=len(start), resampling="systematic", ESSrmin=0.5)

    return made
