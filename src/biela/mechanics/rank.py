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

TOLERANCE = 1e-9
ATTEMPTS = 8
NEAR = 5e-3


def generic_rank(model: Model) -> int:
    """The largest rank of the velocity Jacobian over a few random states."""
    return max(_rank(J) for J in _samples(model))


def redundant(model: Model, q: Sequence[float] | np.ndarray | None = None) -> list[str]:
    """The names of equations that follow from those before them at every state, or at the positions ``q``.

    At positions, parameters have their default values and time is zero.
    """
    J = max(_samples(model), key=_rank) if q is None else _at(model, q)
    names: list[str] = []
    kept = np.zeros((0, J.shape[1]))
    for row, name in zip(J, model.equation_names, strict=True):
        tried = np.vstack([kept, row])
        if _rank(tried) == len(tried):
            kept = tried
        else:
            names.append(name)
    return names


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


def _rank(J: np.ndarray) -> int:
    scale = np.abs(J).max(axis=1, keepdims=True)
    scaled = J / np.where(scale > 0.0, scale, 1.0)
    return int(np.linalg.matrix_rank(scaled, tol=TOLERANCE * max(J.shape)))
