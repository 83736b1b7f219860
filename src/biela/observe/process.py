"""`Process`: the model that a filter predicts with: a step on the manifold, and noise it does not know.

The step is that of `biela.simulate`: any integrator on independent coordinates. Noise enters at positions and
velocities, each step by a standard deviation, as it does in the filters of Torres-Moreno et al. (2016);
or as white noise of a spectral density, through accelerations or through forces at inputs of the model,
brought to the length of a step (`Diffusion`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.expr.matrix import Matrix, matrix
from biela.mechanics.model import Model, expected
from biela.observe.diffusion import Diffusion
from biela.observe.manifold import Manifold
from biela.simulate.flow import Place
from biela.simulate.step import Step, step


class Process:
    """A model stepped by ``dt`` with unknown noise.

    ``position`` and ``velocity`` are standard deviations a step; ``acceleration`` is the square root of a
    spectral density, rad/s2/sqrt(Hz) or m/s2/sqrt(Hz). Each is one number or one for each independent
    coordinate. ``forces`` are densities of noise at inputs by name: {"torque": 0.5} is 0.5 N m/sqrt(Hz).
    After a step ``iterations`` close the loops, after a correction ``corrections``, since that
    goes farther. ``formulation`` is the name of another than that in independent coordinates.

    Raises ValueError for noise that is negative, of a wrong size, or at an unknown input.
    """

    def __init__(
        self,
        model: Model,
        dt: float = 1e-3,
        integrator: str = "euler",
        *,
        independent: Sequence[str] = (),
        position: Any = 1e-4,
        velocity: Any = 1e-2,
        acceleration: Any = 0.0,
        forces: Mapping[str, float] | None = None,
        iterations: int = 2,
        corrections: int = 4,
        formulation: str = "",
    ) -> None:
        self.model, self.dt, self.corrections = expected(model, "Process"), dt, corrections
        self.manifold = Manifold(model, independent)
        self.noise = tuple(
            self._checked(v, n)
            for v, n in ((position, "position"), (velocity, "velocity"), (acceleration, "acceleration"))
        )
        names = tuple(self.manifold.names[: len(self.manifold.free)])
        tied = len(model.phi_dot) > 0
        options: dict[str, Any] = {"independent": names, "iterations": iterations} if tied else {}
        self.step: Step = step(
            model, formulation or ("independent" if tied else "tree"), integrator, **options
        )
        self.diffusion = Diffusion(model, dt, self.noise, self.rates, forces or {})

    def rates(self) -> list[Expr]:
        """The accelerations of z in the model's symbols."""
        rate = self.step.flow.rate
        ddq = rate(**{port.name: rate.value(port) for port in rate.inputs})
        return [ddq[k] for k in self.manifold.free]

    def _checked(self, value: Any, what: str) -> np.ndarray:
        given = np.broadcast_to(np.asarray(value, float), (len(self.manifold.free),))
        if not (np.isfinite(given).all() and (given >= 0.0).all()):
            raise ValueError(f"The {what} noise is not negative and finite; got {value!r}.")
        return given

    @property
    def covariance(self) -> np.ndarray:
        """Q: the covariance of (z, dz) that one step adds, without that of ``forces``."""
        return self.diffusion.over(self.dt)

    @property
    def added(self) -> Matrix:
        """Q as expressions: what a step of h adds at the model's state."""
        return self.diffusion.covariance(self.h)

    @cached_property
    def _ports(self) -> dict[str, Any]:
        return self.model.ports("force")

    def given(self, *names: str) -> dict[str, Any]:
        """The model's input ports of these names, as far as it has them: 't', 'p', 'u'."""
        return {name: self._ports[name] for name in names if name in self._ports}

    @property
    def h(self) -> Expr:
        """The symbol of the step size."""
        return self.model.graph.symbol("step.h")

    @cached_property
    def advance(self) -> Function:
        """(q, dq, t, h, p, u) -> the state one step later, on the constraints."""
        q, dq = (self._vector(s) for s in (self.model.q, self.model.dq))
        place = Place(q, dq, self.model.time)
        moved = self.step.integrator.advance(self.step.flow, place, self.h, self.step.iterations).place
        if self.step.flow.closing is not None:
            moved, _ = self.step.flow.closed(moved, self.step.iterations)
        inputs = {"q": q, "dq": dq, **self.given("t"), "h": self.h, **self.given("p", "u")}
        return Function(f"{self.model.name}_advance", inputs, {"q_next": moved.q, "dq_next": moved.dq})

    @cached_property
    def jacobian(self) -> Matrix:
        """F: how (z, dz) after a step depends on that before it, exactly."""
        moved = self.advance(**self.here)
        ends = [
            *(moved.q_next[k] for k in self.manifold.free),
            *(moved.dq_next[k] for k in self.manifold.free),
        ]
        return self.manifold.derivative(ends)

    def transition(self, kind: str = "exact") -> Matrix:
        """F: "exact" as `jacobian`, "euler" as [[I, h I], [0, I]], which leaves out how forces change.

        Raises ValueError for another kind.
        """
        if kind not in ("exact", "euler"):
            raise ValueError(f"Unknown jacobian {kind!r}: expected 'exact' or 'euler'.")
        if kind == "exact":
            return self.jacobian
        g, h = len(self.manifold.free), self.h
        rows = [[1.0 if i == j else h if j == i + g else 0.0 for j in range(2 * g)] for i in range(2 * g)]
        return matrix(rows, self.model.graph)

    @property
    def here(self) -> dict[str, Any]:
        """The inputs of `advance` as the model's own symbols."""
        ports = {"q": self._vector(self.model.q), "dq": self._vector(self.model.dq), "h": self.h}
        return ports | self.given("t", "p", "u")

    def closed(self, q: Matrix, dq: Matrix, corrections: int = 0) -> tuple[Matrix, Matrix]:
        """The state on the constraints with the same independent values, by full steps of Newton's method."""
        flow = self.step.flow
        if flow.closing is None:
            return q, dq
        place = Place(q, dq, self.model.time)
        for _ in range(corrections or self.corrections):
            place, _ = flow.closed(place, 1)
        return place.q, place.dq

    def _vector(self, symbols: Sequence[Expr]) -> Matrix:
        return Matrix(self.model.graph, (len(symbols),), tuple(s.ref for s in symbols))
