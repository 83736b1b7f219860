"""What happens to one particle, as Functions: move, look ahead, jitter. A `Sweep` runs them over all.

`move` is a whole filter step of a particle: the model's step, noise, assembly, the readings it would give
and its log weight. Noise is drawn in place from counters (seed, step, lane), so a particle draws the same
numbers whoever computes it. A particle whose loops do not close has weight zero.

The state ``x`` of a particle is (q, dq), the time where the model has one, and the means of the biases that
are estimated beside it. Noise enters at the independent values (z, dz) through a lower triangular factor,
the others follow by Newton's method, and through the model's inputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from biela.expr.expression import Expr, constant, exp, normal, where
from biela.expr.function import Function
from biela.expr.matrix import Matrix
from biela.observe.instrument import Instruments
from biela.observe.process import Process
from biela.simulate.flow import Place

CLOSED = 1e-6  # largest gap, in the units of the constraints, of a particle that counts
FAR = 7  # steps back to the constraints after a jitter, which may go farther and happens seldom
FORCE, JITTER = 64, 128  # the first draws of these two; motion has those before


class Transition:
    """The Functions of one particle of a filter.

    ``pattern`` marks the entries of the noise factor that may be other than zero; ``forces`` names the
    inputs with noise; ``biased`` are the channels whose bias is estimated.

    Raises ValueError for an unknown input.
    """

    def __init__(
        self, process: Process, instruments: Instruments, pattern: np.ndarray,
        forces: Mapping[str, float] | None = None, biased: Sequence[int] = (),
    ) -> None:  # fmt: skip
        self.process, self.model, self.instruments = process, process.model, instruments
        self.pattern, self.biased = np.tril(pattern.astype(bool)), list(biased)
        names = [quantity.name for quantity in self.model.inputs]
        unknown = [name for name in forces or {} if name not in names]
        if unknown:
            raise ValueError(f"Model '{self.model.name}' has no input '{unknown[0]}': {', '.join(names)}.")
        self.forces = {names.index(name): float(value) for name, value in (forces or {}).items()}

    # symbols

    def symbol(self, name: str) -> Expr:
        """A symbol of the filter."""
        return self.model.graph.symbol(f"particle.{name}")

    def vector(self, name: str, size: int) -> list[Expr]:
        """Several of them."""
        return [self.symbol(f"{name}{k}") for k in range(size)]

    @cached_property
    def names(self) -> list[str]:
        """What the components of a particle are."""
        q = [placement.name for placement in self.model.placements]
        time = [] if self.model.time is None else ["t"]
        return [*q, *(f"{name}'" for name in q), *time, *self._biases]

    @property
    def _biases(self) -> list[str]:
        return [f"bias({self.instruments.channels[k]})" for k in self.biased]

    @cached_property
    def x(self) -> list[Expr]:
        """The state of a particle, in symbols."""
        time = [] if self.model.time is None else [self.model.time]
        return [*self.model.q, *self.model.dq, *time, *self.vector("bias", len(self.biased))]

    @property
    def draws(self) -> dict[str, Expr]:
        """The key of the draws."""
        return {name: self.symbol(name) for name in ("seed", "step", "lane")}

    def normal(self, index: int) -> Expr:
        """Draw number ``index`` of this step of this particle."""
        seed, step, lane = self.draws.values()
        return normal(seed, step, lane, index)

    # Functions

    def move(self, closings: int) -> Function:
        """``x`` and ``logw`` one step later, and what is gathered of the weights: the top, and two sums.

        After noise ``closings`` steps of Newton's method go back to the constraints.
        """
        place, gap = self._moved(closings)
        x, fit = self._weighed(place)
        weight = where(gap < CLOSED, self.symbol("logw") - self.symbol("shift") + fit, -np.inf)
        weight = where(weight > -np.inf, weight, -np.inf)  # NaN is no weight
        inputs = {"x": self.x, "logw": self.symbol("logw"), "shift": self.symbol("shift")}
        inputs |= self._readings() | self._given() | self._noise() | self.draws
        w = exp(weight)
        outputs = {"x_next": x, "logw_next": weight, "top": weight, "total": w, "square": w * w}
        return Function(f"{self.model.name}_move", inputs, outputs)

    @cached_property
    def drift(self) -> Function:
        """``x`` one step later without noise: what a step is made of when it has several."""
        n, moved = len(self.model.q), self.process.advance(**self.process.here)
        time = [] if self._later is None else [self._later]
        x = [*moved.q_next, *moved.dq_next, *time, *self.x[2 * n + len(time) :]]
        return Function(f"{self.model.name}_drift", {"x": self.x, **self._given()}, {"x_next": x})

    @cached_property
    def look(self) -> Function:
        """``ahead``: the log weight that a particle would have after a step without noise."""
        here = self.process.here
        moved = self.process.advance(**here)
        place = Place(moved.q_next, moved.dq_next, self._later)
        _, fit = self._weighed(place)
        ahead = self.symbol("logw") - self.symbol("shift") + fit
        ahead = where(ahead > -np.inf, ahead, -np.inf)
        inputs = {"x": self.x, "logw": self.symbol("logw"), "shift": self.symbol("shift")}
        inputs |= self._readings() | self._given()
        return Function(f"{self.model.name}_look", inputs, {"ahead": ahead, "top": ahead})

    @cached_property
    def jitter(self) -> Function:
        """``x`` moved by noise with the factor ``spread`` of (z, dz), closed, or left where it does not."""
        return self._jittered(0, FAR)

    @cached_property
    def jolt(self) -> Function:
        """The same for a ``spread`` that leaves positions alone: they are closed already."""
        return self._jittered(self.process.manifold.size // 2, 1)

    def _jittered(self, first: int, steps: int) -> Function:
        """Noise at the components of (z, dz) from ``first`` on."""
        n, size, graph = len(self.model.q), self.process.manifold.size, self.model.graph
        spread = [self.vector(f"spread{i}_", size) for i in range(size)]
        draw = {k: self.normal(JITTER + k) for k in range(first, size)}
        zero = constant(graph, 0.0)
        change = [sum((spread[i][k] * draw[k] for k in range(first, i + 1)), start=zero) for i in range(size)]
        here = self.process.here
        moved = self._shifted(here["q"], here["dq"], change)
        place, gap = self._closed(*moved, self.model.time, steps)
        whole = Matrix(graph, (size, size), tuple(e.ref for row in spread for e in row))
        inputs = {"x": self.x, "spread": whole, **self.process.given("p", "u"), **self.draws}
        closes, after = gap < CLOSED, [*place.q, *place.dq]
        x = [where(closes, new, old) for new, old in zip(after, self.x, strict=False)]
        return Function(f"{self.model.name}_jitter{first}", inputs, {"x_next": [*x, *self.x[2 * n :]]})

    # parts

    @property
    def _later(self) -> Expr | None:
        return None if self.model.time is None else self.model.time + self.process.h

    def _moved(self, closings: int) -> tuple[Place, Expr]:
        """A state after a step with noise, closed."""
        process, here = self.process, self.process.here
        if self.forces:
            u = list(here["u"])
            for j, k in enumerate(self.forces):
                u[k] = u[k] + self.symbol(f"force{j}") * self.normal(FORCE + j)
            here["u"] = Matrix(self.model.graph, (len(u),), tuple(e.ref for e in u))
        start = Place(here["q"], here["dq"], self.model.time)
        step = process.step
        moved = step.integrator.advance(step.flow, start, process.h, step.iterations).place
        q, dq = self._known(moved.q, here), self._known(moved.dq, here)
        change = self._change()
        q = self.process.manifold.followed(q, change[: len(change) // 2])
        return self._closed(*self._shifted(q, dq, change), self._later, closings)

    def _known(self, values: Matrix, here: Mapping[str, Any]) -> Matrix:
        """The model's inputs replaced by the noisy ones."""
        if not self.forces:
            return values
        known: dict[Any, Any] = dict(zip(self.process.given("u")["u"], here["u"], strict=True))
        return values.substitute(known)

    def _change(self) -> list[Expr]:
        """What the noise adds to (z, dz)."""
        zero = constant(self.model.graph, 0.0)
        size = self.process.manifold.size
        used = {k: j for j, k in enumerate(np.flatnonzero(self.pattern.any(0)).tolist())}
        change = [zero] * size
        for j, (i, k) in enumerate(np.argwhere(self.pattern).tolist()):
            change[i] = change[i] + self.symbol(f"noise{j}") * self.normal(used[k])
        return change

    def _shifted(self, q: Matrix, dq: Matrix, change: Sequence[Expr]) -> tuple[Matrix, Matrix]:
        """A state with the independent values changed."""
        free, graph = self.process.manifold.free, self.model.graph
        places, speeds = list(q), list(dq)
        for j, k in enumerate(free):
            places[k] = places[k] + change[j]
            speeds[k] = speeds[k] + change[len(free) + j]
        n = len(places)
        return (
            Matrix(graph, (n,), tuple(e.ref for e in places)),
            Matrix(graph, (n,), tuple(e.ref for e in speeds)),
        )

    def _closed(self, q: Matrix, dq: Matrix, t: Expr | None, steps: int) -> tuple[Place, Expr]:
        """The dependent values by full steps of Newton's method, velocities once at the end; and the gap."""
        flow, place = self.process.step.flow, Place(q, dq, t)
        if flow.closing is None:
            return place, constant(self.model.graph, 0.0)
        for _ in range(steps - 1):
            place = flow.closed(place, 1)[0]._replace(dq=dq)
        return flow.closed(place, 1)

    def _weighed(self, place: Place) -> tuple[list[Expr], Expr]:
        """The particle at a place, its biases corrected, and the log likelihood of the readings there."""
        model, m = self.model, len(self.instruments.channels)
        known: dict[Any, Any] = dict(zip([*model.q, *model.dq], [*place.q, *place.dq], strict=True))
        if model.time is not None:
            known[model.time] = place.t
        graph = model.graph
        ideal = Matrix(graph, (m,), tuple(e.ref for e in self.instruments.values)).substitute(known)
        bias = self.x[len(self.x) - len(self.biased) :] if self.biased else []
        expected = list(ideal)
        for b, k in zip(bias, self.biased, strict=True):
            expected[k] = expected[k] + b
        gaps = self.instruments.gap(self.vector("y", m), expected)
        fit = zero = constant(graph, 0.0)
        for i in range(m):
            part = sum((self.symbol(f"white{i}_{j}") * gaps[j] for j in range(i + 1)), start=zero)
            fit = fit - 0.5 * part * part
        corrected = [
            sum((self.symbol(f"gain{i}_{j}") * gaps[j] for j in range(m)), start=b)
            for i, b in enumerate(bias)
        ]
        time = [] if place.t is None else [place.t]
        return [*place.q, *place.dq, *time, *corrected], fit

    def _given(self) -> dict[str, Any]:
        return {"h": self.process.h, **self.process.given("p", "u")}

    def _readings(self) -> dict[str, Any]:
        m, graph = len(self.instruments.channels), self.model.graph
        white = tuple(self.symbol(f"white{i}_{j}").ref for i in range(m) for j in range(m))
        given: dict[str, Any] = {"y": self.vector("y", m), "white": Matrix(graph, (m, m), white)}
        if self.biased:
            gain = tuple(self.symbol(f"gain{i}_{j}").ref for i in range(len(self.biased)) for j in range(m))
            given["gain"] = Matrix(graph, (len(self.biased), m), gain)
        return given

    def _noise(self) -> dict[str, Any]:
        noise, forces = self.vector("noise", int(self.pattern.sum())), self.vector("force", len(self.forces))
        return ({"noise": noise} if noise else {}) | ({"force": forces} if forces else {})
