"""`Diffusion`: what unknown noise adds to (z, dz) in a time h, as expressions: a covariance and a root of it.

Noise given a step is that of the process's own step; over another time its variance is in proportion. White
noise on accelerations, straight or through forces at inputs, adds over h to each direction b of (ddz)

    b b' x [[h^3/3, h^2/2], [h^2/2, h]] = C C',    C = b x [[h^(3/2)/sqrt(3), 0], [sqrt(3 h)/2, sqrt(h)/2]]

exactly for a free mass (Van Loan, 1978). A force acts along b = d(ddz)/du, which depends on the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import sqrt as root
from typing import Any

import numpy as np

from biela.expr.derivative import directional_derivative
from biela.expr.expression import Expr, constant, sqrt
from biela.expr.matrix import Matrix, matrix
from biela.mechanics.model import Model
from biela.observe.gaussian import mirrored


class Diffusion:
    """The noise of a process: standard deviations a step, and square roots of spectral densities.

    ``rates`` are the accelerations of z in the model's symbols; ``forces`` the densities of noisy inputs.
    Raises ValueError for an unknown input or a density that is negative.
    """

    def __init__(
        self, model: Model, dt: float, noise: Sequence[np.ndarray], rates: Any, forces: Mapping[str, float]
    ) -> None:
        self.model, self.dt, self.forces = model, dt, dict(forces)
        self.position, self.velocity, self.acceleration = noise
        self._rates = rates
        names = [quantity.name for quantity in model.inputs]
        for name, density in self.forces.items():
            if name not in names:
                raise ValueError(f"Model '{model.name}' has no input '{name}': {', '.join(names) or 'none'}.")
            if not (np.isfinite(density) and density >= 0.0):
                raise ValueError(f"The noise of input '{name}' is not negative and finite; got {density!r}.")

    def over(self, h: float) -> np.ndarray:
        """The covariance that a time h adds, without that of forces, as numbers."""
        g, share = len(self.position), h / self.dt
        Q, at, ab = np.zeros((2 * g, 2 * g)), np.arange(g), np.arange(g) + g
        Q[at, at] = self.position**2 * share + self.acceleration**2 * h**3 / 3
        Q[at, ab] = Q[ab, at] = self.acceleration**2 * h**2 / 2
        Q[ab, ab] = self.velocity**2 * share + self.acceleration**2 * h
        return Q

    @cached_property
    def directions(self) -> list[list[Expr]]:
        """The directions b of accelerations that are white noise of density one."""
        graph, g = self.model.graph, len(self.position)
        zero = constant(graph, 0.0)
        found = [
            [constant(graph, float(s)) if i == k else zero for i in range(g)]
            for k, s in enumerate(self.acceleration)
            if s > 0.0
        ]
        symbols = {quantity.name: quantity.symbol for quantity in self.model.inputs}
        for name, density in self.forces.items():
            along: dict[Expr, Expr | float] = {symbols[name]: float(density)}
            found.append(list(directional_derivative(self._rates(), along)))
        return found

    @property
    def _steady(self) -> list[float]:
        """The variances of (z, dz) that are given a step."""
        return [*(self.position**2).tolist(), *(self.velocity**2).tolist()]

    def covariance(self, h: Expr) -> Matrix:
        """What a time h adds."""
        graph, g = self.model.graph, len(self.position)
        zero, share = constant(graph, 0.0), h * (1.0 / self.dt)
        rows: list[list[Any]] = [[zero] * (2 * g) for _ in range(2 * g)]
        for k, variance in enumerate(self._steady):
            rows[k][k] = share * variance
        for b in self.directions:
            for i in range(g):
                for j in range(g):
                    both = b[i] * b[j]
                    rows[i][j] = rows[i][j] + both * (h * h * h * (1.0 / 3.0))
                    rows[i][g + j] = rows[i][g + j] + both * (h * h * 0.5)
                    rows[g + i][g + j] = rows[g + i][g + j] + both * h
        return mirrored(graph, rows)

    def root(self, h: Expr) -> Matrix:
        """Columns whose outer products sum up to the covariance; one of zeros where there is no noise."""
        graph, g = self.model.graph, len(self.position)
        zero, share, once = constant(graph, 0.0), sqrt(h * (1.0 / self.dt)), sqrt(h)
        columns: list[list[Any]] = []
        for k, variance in enumerate(self._steady):
            if variance > 0.0:
                columns.append([share * root(variance) if i == k else zero for i in range(2 * g)])
        for b in self.directions:
            far, fast = once * h * root(1.0 / 3.0), once * root(0.75)
            columns.append([*(x * far for x in b), *(x * fast for x in b)])
            columns.append([zero] * g + [x * (once * 0.5) for x in b])
        return matrix(columns or [[zero] * (2 * g)], graph).T

    def density(self) -> Matrix:
        """The covariance a second."""
        graph, g = self.model.graph, len(self.position)
        zero = constant(graph, 0.0)
        rows: list[list[Any]] = [[zero] * (2 * g) for _ in range(2 * g)]
        for k, variance in enumerate(self._steady):
            rows[k][k] = constant(graph, variance / self.dt)
        for b in self.directions:
            for i in range(g):
                for j in range(g):
                    rows[g + i][g + j] = rows[g + i][g + j] + b[i] * b[j]
        return mirrored(graph, rows)
