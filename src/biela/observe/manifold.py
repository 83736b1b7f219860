"""The constraint manifold as filters see it: independent coordinates z, and how everything else follows them.

A filter's error lives in (z, dz), as many numbers as there are degrees of freedom, twice. `Manifold` has
the tangents by which a small change of z or dz moves all coordinates and velocities, so that the derivative
of any expression along the manifold is one forward pass; and the closing that takes the independent values
back to a state on the constraints.

With states as numbers it has the three operations of an estimator on a manifold: `retract` goes from a state
by an error, `local` is the error between two states, `mean` the state from which errors average to zero.
Angles go the short way round, loops are closed, quaternions have length one, velocities follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from biela.expr.derivative import directional_derivative
from biela.expr.expression import Expr, constant
from biela.expr.factorisation import Factorisation
from biela.expr.linear import lu
from biela.expr.matrix import Matrix
from biela.mechanics.forward import independent_rows
from biela.mechanics.model import Model
from biela.mechanics.quantity import TURN
from biela.mechanics.sample import with_start
from biela.simulate.assembly import assemble
from biela.simulate.formulation.independent import Split, choose
from biela.simulate.state import State

TURNS = 20  # of the mean; the second finds what the first has left


class Manifold:
    """Independent coordinates of a model, chosen or named, and their tangents.

    Raises ValueError for names that do not determine the rest.
    """

    def __init__(self, model: Model, independent: Sequence[str] = ()) -> None:
        self.model = model
        independent = (independent,) if isinstance(independent, str) else independent
        if len(model.phi_dot):
            states = with_start(model, 3)
            rows = independent_rows(model, states)
            self.split = choose(model, rows, states[:1], independent)
            weights = [s.evaluate(model.functions["Phi_dq"])[rows] for s in states[:1]]
            self._weights = [J[:, self.split.dependent] for J in weights]
        else:
            self.split = Split([], [], list(range(len(model.q))))
            self._weights = list[np.ndarray]()

    @property
    def free(self) -> list[int]:
        """The places of the independent coordinates among all."""
        return self.split.free

    @property
    def size(self) -> int:
        """How many numbers the error has: twice the degrees of freedom."""
        return 2 * len(self.free)

    @property
    def names(self) -> list[str]:
        """What the components of the error belong to."""
        z = [self.model.placements[k].name for k in self.free]
        return [*z, *(f"{name}'" for name in z)]

    # states as numbers

    def retract(self, state: State, change: Any) -> State:
        """The state that a change of (z, dz) leads to, on the constraints.

        Raises ValueError for a change of another size, AssemblyError where the mechanism does not close.
        """
        given, g = np.asarray(change, float), len(self.free)
        if given.shape != (self.size,) or not np.isfinite(given).all():
            raise ValueError(f"A change is one of ({', '.join(self.names)}), finite; got {change!r}.")
        dq = state.dq.copy()
        dq[self.free] += given[g:]
        locked = dict(zip(self.names[:g], (state.q[self.free] + given[:g]).tolist(), strict=True))
        return assemble(self.model, state.q, velocities=dq, p=state.p, u=state.u, t=state.t, **locked)

    def local(self, state: State, other: State) -> np.ndarray:
        """The change of (z, dz) that leads from a state to another, angles the short way round."""
        z, dz = ((b - a)[self.free] for a, b in ((state.q, other.q), (state.dq, other.dq)))
        angles = np.array([self.model.placements[k].unit == "rad" for k in self.free], bool)
        return np.concatenate([np.where(angles, z - TURN * np.round(z / TURN), z), dz])

    def mean(self, states: Sequence[State], weights: Any = None) -> State:
        """The state from which the weighted changes to all others sum up to zero.

        Raises ValueError without states, or for weights that do not fit or have no positive sum.
        """
        w = np.full(len(states), 1.0) if weights is None else np.asarray(weights, float)
        if not len(states) or w.shape != (len(states),) or not (w >= 0.0).all() or not w.sum() > 0.0:
            raise ValueError(
                f"A mean has a weight for each of its states; got {len(states)} and {weights!r}."
            )
        middle = states[int(np.argmax(w))]
        for _ in range(TURNS):
            change = w @ np.array([self.local(middle, state) for state in states]) / w.sum()
            middle = self.retract(middle, change)
            if np.abs(change).max() < 1e-12:
                break
        return middle

    @cached_property
    def factor(self) -> Factorisation:
        """The Jacobian of the dependent coordinates, factored."""
        J, graph = self.model.phi_dq, self.model.graph
        refs = tuple(J[i, k].ref for i in self.split.rows for k in self.split.dependent)
        size = len(self.split.rows)
        return lu(Matrix(graph, (size, size), refs), weights=self._weights)

    def _following(self, residual: list[Expr]) -> dict[int, Expr]:
        """The change of the dependent coordinates that undoes a residual, by place."""
        if not self.split.rows:
            return {}
        refs = tuple(residual[i].ref for i in self.split.rows)
        solved = self.factor.solve(-Matrix(self.model.graph, (len(refs),), refs))
        return dict(zip(self.split.dependent, solved, strict=True))

    @cached_property
    def tangents(self) -> list[dict[Expr, Expr | float]]:
        """For each independent coordinate, then each of their velocities: what a unit of it moves."""
        model = self.model
        made: list[dict[Expr, Expr | float]] = []
        speeds: list[dict[Expr, Expr | float]] = []
        for k in self.free:
            steady: dict[Expr, Expr | float] = {model.dq[k]: 1.0}
            followed = self._following([self.model.phi_dq[i, k] for i in range(len(model.phi_dot))])
            speeds.append(steady | {model.dq[j]: v for j, v in followed.items()})
            along: dict[Expr, Expr | float] = {model.q[k]: 1.0}
            along |= {model.q[j]: v for j, v in followed.items()}
            turned = (
                self._following(directional_derivative(model.phi_dot.expressions, along)) if followed else {}
            )
            made.append(along | {model.dq[j]: v for j, v in turned.items()})
        return [*made, *speeds]

    def tangent_of(self, parameter: Expr) -> dict[Expr, Expr | float]:
        """What a unit of a parameter moves, the independent coordinates and velocities staying."""
        model, along = self.model, dict[Expr, Expr | float]({parameter: 1.0})
        if not self.split.rows:
            return along
        rolling = [constant(model.graph, 0.0)] * (len(model.phi_dot) - len(model.phi))
        followed = self._following([*directional_derivative(model.phi.expressions, along), *rolling])
        along |= {model.q[j]: v for j, v in followed.items()}
        turned = self._following(directional_derivative(model.phi_dot.expressions, along))
        return along | {model.dq[j]: v for j, v in turned.items()}

    def derivative(self, values: Sequence[Expr], more: Sequence[Mapping[Expr, Expr | float]] = ()) -> Matrix:
        """How expressions of a state on the manifold change with (z, dz): a row each, exactly.

        ``more`` are tangents beside those of (z, dz), each a column at the end.
        """
        tangents = [*self.tangents, *more]
        columns = [directional_derivative(list(values), dict(tangent)) for tangent in tangents]
        refs = tuple(columns[j][i].ref for i in range(len(values)) for j in range(len(tangents)))
        return Matrix(self.model.graph, (len(values), len(tangents)), refs)

    def moved(
        self, q: Matrix, dq: Matrix, change: Matrix, more: Sequence[Mapping[Expr, Expr | float]] = ()
    ) -> tuple[Matrix, Matrix]:
        """A state moved along the tangents at the model's symbols by a change of (z, dz); not yet closed.

        ``more`` are tangents of what ``change`` has after (z, dz).
        """
        graph, n = self.model.graph, len(self.model.q)
        moves = [*q.refs, *dq.refs]
        place = {s: i for i, s in enumerate([*self.model.q, *self.model.dq])}
        for j, tangent in enumerate([*self.tangents, *more]):
            for symbol, slope in tangent.items():
                i = place.get(symbol, -1)
                if i < 0:  # the parameter itself
                    continue
                moves[i] = graph.add(moves[i], (change[j] * slope).ref)
        return Matrix(graph, (n,), tuple(moves[:n])), Matrix(graph, (n,), tuple(moves[n:]))

    def followed(self, q: Matrix, change: Sequence[Expr]) -> Matrix:
        """Positions of which the dependent ones follow a change of z, along the tangents at the symbols."""
        refs, graph = list(q.refs), self.model.graph
        for j in self.split.dependent:
            for slopes, moved in zip(self.tangents[: len(change)], change, strict=True):
                refs[j] = graph.add(refs[j], (moved * slopes[self.model.q[j]]).ref)
        return Matrix(graph, q.shape, tuple(refs))

    def minimal(self, q: Matrix, dq: Matrix) -> Matrix:
        """(z, dz) of a state."""
        refs = [part.refs[k] for part in (q, dq) for k in self.free]
        return Matrix(self.model.graph, (self.size,), tuple(refs))

    def placed(self, q: Matrix, dq: Matrix, values: Matrix) -> tuple[Matrix, Matrix]:
        """A state with other independent values; not yet closed."""
        half, parts = len(self.free), list[Matrix]()
        for part, new in ((q, values.refs[:half]), (dq, values.refs[half:])):
            refs = list(part.refs)
            for k, ref in zip(self.free, new, strict=True):
                refs[k] = ref
            parts.append(Matrix(part.graph, part.shape, tuple(refs)))
        return parts[0], parts[1]
