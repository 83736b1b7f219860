"""Rates of the equations of position: by operators along the trees, or by differentiation.

Both are the same numbers. Operators carry velocities (`biela.mechanics.condition`) where differentiation
multiplies every edge by its own sine and speed; what is given as an expression can only be differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from biela.expr.derivative import jacobian
from biela.expr.expression import Expr
from biela.expr.matrix import Matrix
from biela.expr.program import Program
from biela.expr.sparse import Sparse

if TYPE_CHECKING:
    from biela.mechanics.model import Model

Rated = tuple[Matrix, Matrix]  # rates, and rates of these as if all accelerations were zero


def differentiated(model: Model) -> Rated:
    """The rates of the expressions."""
    rates = model.space.rate(model.phi)
    return rates, model.space.rate(rates, accelerations=False)


def by_operators(model: Model) -> Rated:
    """The rates along the trees, where the constraints know them."""
    plain = differentiated(model)
    found = [list(part.refs) for part in plain]
    known = [rates for c in model.constraints if c.level != "velocity" for rates in c.rates()]
    for row, rates in enumerate(known):
        if rates is not None:
            found[0][row], found[1][row] = rates.rate.ref, rates.bias.ref
    first, second = (
        Matrix(model.graph, part.shape, tuple(refs)) for part, refs in zip(plain, found, strict=True)
    )
    return first, second


def smaller(model: Model) -> Rated:
    """Whichever of the two is less work together with `phi` and its Jacobian."""

    def work(rated: Rated) -> int:
        refs = [*model.phi.refs, *model.phi_q.refs, *rated[0].refs, *rated[1].refs]
        nodes = model.graph.nodes
        symbols = [i for i in model.graph.reachable(refs) if nodes[i][0] == "symbol"]
        return Program.lower(model.graph, symbols, refs).count.total

    plain, along = differentiated(model), by_operators(model)
    return plain if along == plain or work(plain) < work(along) else along


WAYS: dict[str, Callable[[Model], Rated]] = {
    "smaller": smaller,
    "operators": by_operators,
    "differentiation": differentiated,
}


def slopes(rows: Matrix, symbols: Sequence[Expr]) -> Matrix:
    """The derivatives of expressions, a row each, by symbols, a column each."""
    shape = (len(rows), len(symbols))
    entries = jacobian(rows.expressions, symbols) if len(rows) else {}
    return Sparse(rows.graph, shape, {place: slope.ref for place, slope in entries.items()}).dense()
