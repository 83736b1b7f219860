"""Ranks of constraint Jacobians at states in general position, and which equations are redundant there.

The states are random, not assembled: what is dependent there is dependent everywhere. Equations that
depend on each other only where all constraints hold, as in Bricard's linkage, are found at positions that
are assembled. Coordinates without inertia stay within millimetres of their start, for the surfaces on which
they locate contacts may end there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from biela.expr.program import Program

if TYPE_CHECKING:
    from biela.mechanics.model import Model

CUTOFF = 1e-9  # what is left of a row of length one, for each of its entries
ATTEMPTS = 8
NEAR = 5e-3


def generic_rank(model: Model) -> int:
    """The largest rank of the velocity Jacobian over a few random states."""
    return max(len(first_rows(J)) for J in _samples(model))


def redundant(model: Model, q: Sequence[float] | np.ndarray | None = None) -> list[str]:
    """The names of equations that follow from those before them at every state, or at the positions ``q``.

    At positions, parameters have their default values and time is zero.
    """
    J = max(_samples(model), key=lambda J: len(first_rows(J))) if q is None else _at(model, q)
    kept = set(first_rows(J))
    return [name for i, name in enumerate(model.equation_names) if i not in kept]


def first_rows(J: np.ndarray) -> list[int]:
    """The rows of a matrix that do not follow from those before them."""
    rows: list[int] = []
    basis = np.zeros((0, J.shape[1]))
    for i, row in enumerate(J / np.maximum(np.linalg.norm(J, axis=1, keepdims=True), 1e-300)):
        rest = row - basis.T @ (basis @ row)
        rest = rest - basis.T @ (basis @ rest)
        length = float(np.linalg.norm(rest))
        if length > CUTOFF * len(row):
            rows.append(i)
            basis = np.vstack([basis, rest / length])
    return rows


def _at(model: Model, q: Sequence[float] | np.ndarray) -> np.ndarray:
    """The velocity Jacobian at positions."""
    evaluate, symbols, values = _jacobian(model)
    values |= {symbol.ref: float(value) for symbol, value in zip(model.q, q, strict=True)}
    return evaluate([values.get(i, 0.0) for i in symbols])


def _jacobian(
    model: Model,
) -> tuple[Callable[[Sequence[float]], np.ndarray], list[int], dict[int, float]]:
    """The velocity Jacobian as a function of its symbols, these, and the values of parameters among them."""
    J, nodes = model.phi_dq, model.graph.nodes
    symbols = [i for i in J.graph.reachable(J.refs) if nodes[i][0] == "symbol"]
    program = Program.lower(model.graph, symbols, J.refs)

    def evaluate(state: Sequence[float]) -> np.ndarray:
        return np.reshape(program.evaluate(list(state)), J.shape)

    return evaluate, symbols, {quantity.symbol.ref: quantity.value for quantity in model.parameters}


def _samples(model: Model) -> list[np.ndarray]:
    evaluate, symbols, values = _jacobian(model)
    near = {p.symbols.position.ref: p.value for p in model.placements if not p.inertia}
    rng = np.random.default_rng(1)
    found: list[np.ndarray] = []
    for _ in range(ATTEMPTS):
        drawn = {i: float(rng.uniform(0.2, 1.2)) for i in symbols}
        drawn |= {i: start + NEAR * drawn[i] for i, start in near.items() if i in drawn}
        state = [values[i] if values.get(i, np.nan) == values.get(i, 0.0) else drawn[i] for i in symbols]
        sample = evaluate(state)
        if np.isfinite(sample).all():
            found.append(sample)
        if len(found) == 3:
            break
    return found or [np.zeros(model.phi_dq.shape)]
