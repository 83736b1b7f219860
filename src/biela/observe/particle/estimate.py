"""What a swarm of particles knows, as Functions to be summed up over all: weights, means, spread, branches.

An angle's mean is that of its points on the circle, ``atan2(sum w sin, sum w cos)``: the mean of angles that
straddle the end of a turn would lie opposite to all of them (Mardia and Jupp, 2000). Weights are given as
logarithms relative to the largest one.

The branch of an assembly is told by the sign of the determinant of the constraints' Jacobian by the
dependent coordinates: a mechanism cannot move from one sign to the other without passing a singularity.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.compile.sweep import Sweep
from biela.expr.expression import Expr, constant, cos, exp, floor, sin, where
from biela.expr.function import Function
from biela.mechanics.quantity import TURN
from biela.observe.particle.transition import Transition


@dataclass
class Estimate:
    """What a filter knows: means by component, covariance of (z, dz, biases), and how well it fares.

    ``branch`` is the weight of the particles whose assembly has the positive sign.
    """

    names: list[str]
    mean: np.ndarray
    covariance: np.ndarray
    ess: float
    branch: float

    def __getitem__(self, name: str) -> float:
        return float(self.mean[self.names.index(name)])


class Summary:
    """The sums over a swarm that estimates are made of."""

    def __init__(self, transition: Transition) -> None:
        self.transition, self.model = transition, transition.model
        self._w = self._counted()

    def _counted(self) -> Expr:
        """The weight of a particle: 1 for the heaviest, 0 for one that is impossible."""
        logw, top = self.transition.symbol("logw"), self.transition.symbol("top")
        return where(logw > -np.inf, exp(logw - top), 0.0)

    @property
    def _inputs(self) -> dict[str, Any]:
        t = self.transition
        return {"logw": t.symbol("logw"), "top": t.symbol("top")}

    @cached_property
    def weights(self) -> Sweep:
        """``w`` of each, with its sum and the sum of its squares."""
        w = self._w
        function = Function("weights", self._inputs, {"w": w, "total": w, "square": w * w})
        return Sweep(function, ["total", "square"])

    @cached_property
    def totals(self) -> Sweep:
        """The two sums alone."""
        w = self._w
        return Sweep(Function("totals", self._inputs, {"total": w, "square": w * w}), ["total", "square"])

    @cached_property
    def angles(self) -> np.ndarray:
        """Which components of a particle are angles."""
        units = [placement.unit == "rad" for placement in self.model.placements]
        return np.array([*units, *[False] * (len(self.transition.x) - len(units))])

    @cached_property
    def moments(self) -> Sweep:
        """Beside the sums, those of each component (sine and cosine of angles) and of the positive branch."""
        w, x = self._w, self.transition.x
        parts: list[Expr] = []
        for value, turns in zip(x, self.angles, strict=True):
            parts += [sin(value), cos(value)] if turns else [value]
        first = [where(w > 0.0, w * part, 0.0) for part in parts]
        branch = where(self.branch > 0.0, w, 0.0)
        sums = {"total": w, "square": w * w, "first": first, "branch": branch}
        used = {symbol.ref for value in [*first, branch] for symbol in value.symbols}
        inputs: dict[str, Any] = {"x": x, **self._inputs}
        if any(s.ref in used for port in self._parameters.values() for s in port):
            inputs |= self._parameters
        return Sweep(Function(f"{self.model.name}_moments", inputs, sums), list(sums))

    @property
    def _parameters(self) -> dict[str, Any]:
        return self.transition.process.given("p")

    @cached_property
    def branch(self) -> Expr:
        """The determinant whose sign tells the branch; one where nothing closes."""
        manifold, found = self.transition.process.manifold, constant(self.model.graph, 1.0)
        if manifold.split.rows:
            for pivot in manifold.factor.pivots:
                found = found * pivot
        return found

    @cached_property
    def _sign(self) -> Kernel:
        branch = self.branch
        used = {symbol.ref for symbol in branch.symbols}
        inputs: dict[str, Any] = {"x": self.transition.x}
        if any(s.ref in used for port in self._parameters.values() for s in port):
            inputs |= self._parameters
        return Kernel(Function(f"{self.model.name}_branch", inputs, {"branch": branch}))

    def signs(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """The sign of the branch of each particle."""
        given: dict[str, Any] = {"x": x, "p": p}
        found = self._sign.batch(**{port.name: given[port.name] for port in self._sign.function.inputs})
        return np.where(np.broadcast_to(found, x.shape[1]) > 0.0, 1, -1)

    @cached_property
    def second(self) -> Sweep:
        """The sums of products of deviations from the mean of (z, dz) and biases; angles the short way."""
        t, w = self.transition, self._w
        means = t.vector("mean", len(t.x))
        gaps: list[Expr] = []
        for k in self.varying:
            gap = t.x[k] - means[k]
            gaps.append(gap - TURN * floor(gap / TURN + 0.5) if self.angles[k] else gap)
        products = [
            where(w > 0.0, w * gaps[i] * gaps[j], 0.0) for i in range(len(gaps)) for j in range(i + 1)
        ]
        inputs = {"x": t.x, **self._inputs, "mean": means}
        return Sweep(Function(f"{self.model.name}_second", inputs, {"second": products}), ["second"])

    @cached_property
    def varying(self) -> list[int]:
        """The components of a particle that a covariance is about: z, dz, biases."""
        t, n = self.transition, len(self.model.q)
        free = t.process.manifold.free
        return [*free, *(n + k for k in free), *range(len(t.x) - len(t.biased), len(t.x))]

    # numbers

    def mean(self, first: np.ndarray, total: float) -> np.ndarray:
        """The mean particle from the sums."""
        mean, place = np.empty(len(self.angles)), 0
        for k, turns in enumerate(self.angles):
            mean[k] = np.arctan2(*first[place : place + 2]) if turns else first[place] / total
            place += 2 if turns else 1
        return mean

    def covariance(self, second: np.ndarray, total: float) -> np.ndarray:
        """The covariance from the sums."""
        size = len(self.varying)
        P = np.zeros((size, size))
        P[np.tril_indices(size)] = second / total
        return P + np.tril(P, -1).T
