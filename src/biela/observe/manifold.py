"""The constraint manifold as filters see it: independent coordinates z, and how everything else follows them.

A filter's error lives in (z, dz), as many numbers as there are degrees of freedom, twice. `Manifold` has
the tangents by which a small change of z or dz moves all coordinates and velocities, so that the derivative
of any expression along the manifold is one forward pass; and the closing that takes the independent values
back to a state on the constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from biela.expr.derivative import directional_derivative
from biela.expr.expression import Expr, constant
from biela.expr.factorisation import Factorisation
from biela.expr.linear import lu
from biela.expr.matrix import Matrix
from biela.mechanics.forward import independent_rows
from biela.mechanics.model import Model
from biela.mechanics.sample import with_start
from biela.simulate.formulation.independent import Split, choose


class Manifold:
    """Independent coordinates of a model, chosen or named, and their tangents.

    Raises ValueError for names that do not determine the rest.
    """

    def __init__(self, model: Model, independent: Sequence[str] = ()) -> None:
        self.model = model
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
