"""Which equations of a joint or a loop say something of their own.

A loop in a plane that is askew to the coordinates has three equations, of which any two imply the third,
and directions that stay parallel leave products that are zero but for rounding. With numbers like 2/3 in
them neither shows in the normal form, nor in exact arithmetic. So the equations are evaluated at random
values of all symbols: what is there a combination of others by the same factors everywhere, is so always.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biela.expr.expression import Expr
from biela.expr.program import Program

ROUNDING = 1e-12  # what counts as zero, relative to the largest value that goes into an equation
DEPENDENT = 1e-9  # the smallest singular value of equations of length one that are dependent
MORE = 3  # states than equations


def independent(equations: Sequence[Expr]) -> list[int]:
    """The places of equations that are no combination, by constant factors, of those before them."""
    values = _sampled(equations)
    if not np.isfinite(values).all():
        return list(range(len(equations)))
    kept: list[int] = []
    columns: list[np.ndarray] = []
    for k, column in enumerate(values.T):
        length = float(np.linalg.norm(column))
        if length > ROUNDING and _spread([*columns, column / length]) > DEPENDENT:
            kept.append(k)
            columns.append(column / length)
    return kept


def _spread(columns: Sequence[np.ndarray]) -> float:
    """The smallest singular value."""
    return float(np.linalg.svd(np.array(columns), compute_uv=False)[-1])


def _sampled(equations: Sequence[Expr]) -> np.ndarray:
    """The equations at random values of their symbols, a row each, relative to all that goes into them."""
    graph = equations[0].graph
    ids = graph.reachable([e.ref for e in equations])
    symbols = [i for i in ids if graph.nodes[i][0] == "symbol"]
    program = Program.lower(graph, symbols, ids)
    rng = np.random.default_rng(1)
    rows: list[list[float]] = []
    for _ in range(len(equations) + MORE):
        known = dict(zip(ids, program.evaluate(rng.uniform(0.3, 1.5, len(symbols)).tolist()), strict=True))
        size = max(map(abs, known.values()))
        rows.append([(known[e.ref] if e.ref > 0 else -known[-e.ref]) / size for e in equations])
    return np.array(rows)
