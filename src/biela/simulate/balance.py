"""`Balance`: the equations that hold at the end of an implicit step, and their exact Jacobian.

Unknown are the accelerations and the multipliers there. The motion's equations are
``M ddq + Phi_dq' lambda - delta = 0``; those of the constraints stand at the level of positions, velocities
or accelerations. An integrator says how positions and velocities follow from accelerations,
``q = ... + b ddq`` and ``dq = ... + c ddq``. Then every row has the Jacobian ``R_ddq + c R_dq + b R_q``; rows
of positions and velocities are divided by b and c, so that all are of the size of accelerations
whatever the step size is.

With ``softness`` s the multipliers' block of the Jacobian is ``-s`` instead of zero. That is the augmented
Lagrangian with the penalty 1/s: eliminating the change of the multipliers gives
``(M + ... + Phi_q' Phi_q / s) ddq = ...`` and ``lambda + Phi / (b s)``. It is regular where constraints
depend on each other, always or at one position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from biela.expr.derivative import jacobian
from biela.expr.expression import Expr, constant
from biela.expr.factorisation import Factorisation
from biela.expr.function import Function
from biela.expr.linear import lu
from biela.expr.matrix import Matrix, vector
from biela.expr.sparse import Sparse
from biela.mechanics.model import Model
from biela.mechanics.sample import Sample

SIZES = (1e-4, 1e-2)  # steps at which pivots must be safe, s


@dataclass(frozen=True)
class Balance:
    """Equations for (ddq, multipliers) in symbols of the model.

    ``levels`` has 'position', 'velocity' or 'acceleration' for every equation of constraint; ``projections``
    are the residuals of velocities and accelerations that are made to vanish after the step, if any;
    ``start`` computes accelerations and multipliers of a first state.
    """

    model: Model
    motion: Matrix
    constraints: Matrix
    levels: tuple[str, ...]
    multipliers: tuple[Expr, ...]
    states: Sequence[Sample]
    start: Function
    projections: tuple[Matrix, ...] = ()
    softness: float = 0.0

    @property
    def unknowns(self) -> list[Expr]:
        """The accelerations and multipliers, as symbols."""
        return [*self.model.ddq, *self.multipliers]

    def residual(self, b: Expr, c: Expr, known: Mapping[Expr, Any]) -> Matrix:
        """All equations, scaled, with symbols replaced."""
        scales = {"position": 1.0 / b, "velocity": 1.0 / c}
        rows = [value * scales[level] if level in scales else value
                for value, level in zip(self.constraints, self.levels, strict=True)]  # fmt: skip
        return vector([*self.motion, *rows], self.model.graph).substitute(dict(known))

    def jacobian(self, b: Expr, c: Expr) -> Sparse:
        """The exact derivative of the scaled residual by the unknowns, in symbols of the model."""
        graph, model = self.model.graph, self.model
        equations = [*self.motion, *self.constraints]
        levels = ("acceleration",) * len(self.motion) + self.levels
        entries = {place: slope.ref for place, slope in jacobian(equations, self.unknowns).items()}
        for symbols, factor in ((model.dq, c), (model.q, b)):
            for (i, j), slope in jacobian(equations, symbols).items():
                share = (slope * _weight(factor, levels[i], b, c)).ref
                entries[i, j] = graph.add(entries.get((i, j), graph.ZERO), share)
        if self.softness:
            for k in range(len(self.motion), len(equations)):
                entries[k, k] = constant(graph, -self.softness).ref
        return Sparse(graph, (len(equations), len(equations)), entries)

    def factored(self, b: Expr, c: Expr, h: Expr, known: Mapping[Expr, Any]) -> Factorisation:
        """The Jacobian with symbols replaced, factored with pivots that are safe at the sampled states.

        Raises ValueError where it is singular at all of them.
        """
        whole = self.jacobian(b, c)
        places = list(whole.entries)
        entries = vector([Expr(whole.graph, whole.entries[place]) for place in places])
        there = entries.substitute(dict(known))
        values = Sparse(whole.graph, whole.shape, dict(zip(places, there.refs, strict=True)))
        return lu(values, weights=self._sampled(whole, h))

    def _sampled(self, values: Sparse, h: Expr) -> list[Any]:
        inputs = self.model.ports("acceleration", multipliers=True) | {"h": h}
        matrix = Function("implicit_jacobian", inputs, {"values": values.dense()})
        count = len(self.model.multipliers)
        return [
            matrix.evaluate(
                **{
                    port.name: size
                    if port.name == "h"
                    else [0.0] * count
                    if port.name == "lambda_"
                    else getattr(state, port.name)
                    for port in matrix.inputs
                }
            )
            for state in self.states
            for size in SIZES
        ]


def _weight(factor: Expr, level: str, b: Expr, c: Expr) -> Any:
    """b or c, divided by the scale of the row."""
    scale = {"position": b, "velocity": c}.get(level)
    return factor if scale is None else factor / scale
