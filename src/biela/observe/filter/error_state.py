"""The error-state Kalman filter: the mechanism steps freely, and a filter beside it tracks its error.

The error of (z, dz) is small and zero before each reading; a correction is pushed through the position and
velocity problems, ``dq = R dz``, by two steps of Newton's method. ``disturbance`` adds what the model
lacks to the error:

* ``"force"``: an acceleration of each degree of freedom that walks at random, as an unknown force does;
* ``"coloured"``: the same, forgotten with the time constant ``memory`` (first-order Gauss-Markov).

``strength`` is its random walk, rad/s2/sqrt(s). What is estimated drives the mechanism in the next step.
``biases`` names channels whose bias is estimated too; it walks as their sensors say (``walk``).
``parameters`` names parameters of the model that are estimated, each with its random walk per square root of
a second: masses, lengths, stiffnesses; a length moves the constraints, and coordinates follow it.

They are errorEKF and errorEKF_FE of Sanjurjo, Naya, Blanco-Claraco, Torres-Moreno and Gimenez-Fernandez
(2017).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, final

from biela.expr.expression import Expr, constant, exp
from biela.expr.matrix import Matrix, matrix, vector
from biela.observe.filter.filter import Belief, Filter
from biela.observe.gaussian import Update, mirrored, propagated, update
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor

DISTURBANCES = ("", "force", "coloured")
SHARES = {(0, 0): 20.0, (0, 1): 8.0, (0, 2): 6.0, (1, 1): 3.0, (1, 2): 2.0, (2, 2): 1.0}


@final
class ErrorStateKalman(Filter):
    """The cheapest filter: no slope of the dynamics is needed with ``jacobian="euler"``, its default.

    Raises ValueError for an unknown disturbance, Jacobian, channel or parameter, or for a memory that is not
    positive.
    """

    key: ClassVar[str] = "error-state"

    def __init__(
        self,
        process: Process,
        sensors: Sequence[Sensor],
        disturbance: str = "",
        jacobian: str = "euler",
        *,
        strength: float = 1.0,
        memory: float = 1.0,
        biases: Sequence[str] = (),
        parameters: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(process, sensors)
        if disturbance not in DISTURBANCES:
            told = ", ".join(map(repr, DISTURBANCES))
            raise ValueError(f"Unknown disturbance {disturbance!r}: expected one of {told}.")
        if not (memory > 0.0 and strength >= 0.0):
            raise ValueError(f"Expected memory > 0 and strength >= 0; got {memory!r} and {strength!r}.")
        self.disturbance, self.strength, self.memory = disturbance, float(strength), float(memory)
        unknown = [name for name in biases if name not in self.instruments.channels]
        if unknown:
            told = ", ".join(self.instruments.channels)
            raise ValueError(f"There is no channel {unknown[0]!r} whose bias could be estimated: {told}.")
        self.biases = [self.instruments.channels.index(name) for name in biases]
        self.transition, self.walks = process.transition(jacobian), self._walks(parameters or {})

    def _walks(self, parameters: Mapping[str, float]) -> dict[Expr, float]:
        """The parameters that are estimated, by their symbols, and how they walk."""
        symbols = {quantity.name: quantity.symbol for quantity in self.model.parameters}
        for name, walk in parameters.items():
            if name not in symbols:
                told = ", ".join(symbols)
                raise ValueError(f"Model '{self.model.name}' has no parameter '{name}': {told}.")
            if not 0.0 <= walk < float("inf"):
                raise ValueError(f"The walk of parameter '{name}' is 0 or more, and finite; got {walk!r}.")
        return {symbols[name]: float(walk) for name, walk in parameters.items()}

    @property
    def learned(self) -> dict[Expr, int]:
        """The parameters, after disturbances and biases."""
        first = self._pushes + len(self.biases)
        return {symbol: first + k for k, symbol in enumerate(self.walks)}

    @cached_property
    def _aside(self) -> list[dict[Expr, Expr | float]]:
        """What a unit of each parameter moves."""
        return [self.process.manifold.tangent_of(symbol) for symbol in self.walks]

    @property
    def augmented(self) -> list[str]:
        """One unknown acceleration for each independent coordinate, the biases, the parameters."""
        names = self.process.manifold.names[: self._pushes]
        return [
            *(f"disturbance({name})" for name in names),
            *(f"bias({self.instruments.channels[k]})" for k in self.biases),
            *(str(symbol) for symbol in self.walks),
        ]

    @property
    def _pushes(self) -> int:
        """How many disturbances there are."""
        return len(self.process.manifold.free) if self.disturbance else 0

    def predicted(self, belief: Belief) -> Belief:
        """The free step, driven by what is known of the disturbance; the covariance of the error."""
        process, h = self.process, self.process.h
        moved = process.advance(**process.here)
        q, dq = moved.q_next, moved.dq_next
        if self.disturbance:
            a = list(belief.more[: self._pushes])
            push = vector([*(x * (0.5 * h * h) for x in a), *(x * h for x in a)], self.model.graph)
            q, dq = process.closed(*process.manifold.moved(q, dq, push), corrections=1)
        P = propagated(self._whole_transition(), belief.P, self._whole_noise())
        pushes, biases = belief.more[: self._pushes], belief.more[self._pushes :]
        return Belief(q, dq, P, (*(x * self._kept() for x in pushes), *biases))

    def _kept(self) -> Expr:
        """What is left of a disturbance after a step."""
        h = self.process.h
        return exp(h * (-1.0 / self.memory)) if self.disturbance == "coloured" else h * 0.0 + 1.0

    def _whole_transition(self) -> Matrix:
        """F of (z, dz), the disturbance and the biases."""
        g, h, graph, size = len(self.process.manifold.free), self.process.h, self.model.graph, self.size
        zero, one = constant(graph, 0.0), constant(graph, 1.0)
        rows: list[list[Any]] = [[zero] * size for _ in range(size)]
        for i in range(2 * g):
            rows[i][: 2 * g] = list(self.transition[i])
            if self.disturbance:
                rows[i][2 * g + i % g] = 0.5 * h * h if i < g else h
        if self._aside:
            moved = self.process.advance(**self.process.here)
            ends = [v[k] for v in (moved.q_next, moved.dq_next) for k in self.process.manifold.free]
            for row, slopes in zip(rows, self.process.manifold.derivative(ends, self._aside), strict=False):
                row[size - len(self._aside) :] = list(slopes)[2 * g :]
        for i in range(2 * g, size):
            rows[i][i] = self._kept() if i < 2 * g + self._pushes else one
        return matrix(rows, graph)

    def _whole_noise(self) -> Matrix:
        """Q: the noise of the process, and the walk of the disturbance brought to a step (Van Loan)."""
        g, h, n = len(self.process.manifold.free), self.process.h, self.process.manifold.size
        zero, added = constant(self.model.graph, 0.0), self.process.added
        rows: list[list[Any]] = [[zero] * self.size for _ in range(self.size)]
        for i in range(n):
            rows[i][:n] = list(added[i])
        for i in range(3 * g if self.disturbance else 0):
            for j in range(i, 3 * g):
                if i % g == j % g:
                    rows[i][j] = rows[i][j] + self._walked(i // g, j // g, h)
        walks = [s.walk for s in self.instruments.sensors for _ in s.channels(self.model)]
        for k, channel in enumerate(self.biases, n + self._pushes):
            rows[k][k] = h * walks[channel] ** 2
        for k, walk in enumerate(self.walks.values(), self.size - len(self.walks)):
            rows[k][k] = h * walk**2
        return mirrored(self.model.graph, rows)

    def _walked(self, i: int, j: int, h: Expr) -> Expr:
        """What the walk of an acceleration adds over h: to position, velocity and itself, 0, 1 and 2."""
        return h ** (5 - i - j) * (self.strength**2 / SHARES[i, j])

    def updated(self, belief: Belief, readings: Sequence[Expr]) -> tuple[Belief, Update]:
        """The error from the readings, pushed into the mechanism; the error is zero again."""
        instruments, graph = self.instruments, self.model.graph
        n, pushes = self.process.manifold.size, self._pushes
        zero, one = constant(graph, 0.0), constant(graph, 1.0)
        shown = [[one if i == k else zero for k in self.biases] for i in range(len(readings))]
        slopes = self.process.manifold.derivative(instruments.values, self._aside)
        rows = zip(map(list, slopes), shown, strict=True)
        H = matrix([[*row[:n], *[zero] * pushes, *bias, *row[n:]] for row, bias in rows], graph)
        expected = list(instruments.values)
        for k, bias in zip(self.biases, belief.more[pushes:], strict=False):
            expected[k] = expected[k] + bias
        gaps = instruments.gap(readings, expected)
        found = update(belief.P, H, gaps, self.noise(), instruments.present(readings))
        after = tuple(a + found.change[n + k] for k, a in enumerate(belief.more))
        aside = len(self.walks)
        change = vector([*found.change[:n], *list(found.change)[self.size - aside :]], graph)
        q, dq = self.process.manifold.moved(belief.q, belief.dq, change, self._aside)
        return Belief(*self._closed(q, dq, after), found.P, after), found

    def _closed(self, q: Matrix, dq: Matrix, after: Sequence[Expr]) -> tuple[Matrix, Matrix]:
        """Back to the constraints, which are those of the corrected parameters."""
        if not self.walks:
            return self.process.closed(q, dq, corrections=2)
        here, model = self.process.here, self.model
        known: dict[Any, Any] = dict(zip([*model.q, *model.dq], [*q, *dq], strict=True))
        known |= {symbol: after[place] for symbol, place in self.learned.items()}
        places, speeds = self.process.closed(here["q"], here["dq"], corrections=2)
        return places.substitute(known), speeds.substitute(known)
