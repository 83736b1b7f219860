"""Independent coordinates: as many as there are degrees of freedom, the others follow.

With the constraints' Jacobian split into its dependent and independent columns, ``dq = R dz + ...`` and the
equations of motion are projected on R: ``R' M R ddz = R' (delta - M S)``, where S are the accelerations when
``ddz`` is zero (de Jalon and Bayo, 1994, section 5.2). The dependent coordinates are found by
Newton's method at every stage of the integrator.

Which coordinates are independent is chosen by a rank-revealing factorisation at the start, unless it is
said; where their Jacobian becomes singular, another choice must take over, and where only its pivots become
small, other pivots (`biela.simulate.watch`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from biela.expr.factorisation import Factorisation
from biela.expr.linear import ldl, lu
from biela.expr.matrix import Matrix
from biela.expr.sparse import Sparse, sparse
from biela.mechanics.forward import independent_rows
from biela.mechanics.model import Model
from biela.mechanics.sample import Sample, with_start
from biela.simulate.flow import Flow, Options
from biela.simulate.formulation.closing import closing
from biela.simulate.formulation.formulation import Formulation, needs_loops
from biela.simulate.formulation.multiplier import smallest_pivot

STATES = 3
WORSE = 10.0  # than the best state: pivots need not be safe there
THRESHOLDS = (0.1, 1e-2, 1e-3)  # of pivots, relative to their column, that several states can agree on


class Split(NamedTuple):
    """Independent equations, and the coordinates that depend and those that do not."""

    rows: list[int]
    dependent: list[int]
    free: list[int]


def flow(model: Model, options: Options, here: Sample | None = None) -> Flow:
    """Accelerations by the projection, positions and velocities of what depends by Newton's method.

    Pivots are safe ``here``, or at the states that suit the chosen coordinates, the start among them: pivots
    that are good at random states may vanish in a symmetric one.
    """
    states = with_start(model, STATES)
    if not states:
        raise ValueError(f"Model '{model.name}': no state fulfils its constraints. Check its geometry.")
    rows = independent_rows(model, states)
    split = choose(model, rows, states[:1], options.independent)
    states = [here] if here else _suiting(model, split, states)
    J = Matrix(model.graph, (len(rows), len(model.q)), tuple(r for i in rows for r in model.phi_dq[i].refs))
    factor = _factored(model, split, _columns(J, split.dependent), states)
    rate = model.function(
        "independent_rate", {"ddq": _accelerations(model, split, J, factor, states)}, "force"
    )
    return Flow(
        model,
        rate,
        partial(closing, model, rows, partial(_spread, model, split, factor)),
        stages=True,
        pivot=model.function("independent_pivot", {"pivot": smallest_pivot(model, factor, states)}, "force"),
        independent=tuple(model.placements[k].name for k in split.free),
    )


def _suiting(model: Model, split: Split, states: Sequence[Sample]) -> list[Sample]:
    """The states that suit the chosen coordinates not much worse than the best, that one first."""
    ranked = sorted(((_quality(model, split, state), k) for k, state in enumerate(states)), reverse=True)
    return [states[k] for quality, k in ranked if quality * WORSE > ranked[0][0]]


def _factored(model: Model, split: Split, columns: Sparse, states: Sequence[Sample]) -> Factorisation:
    """The dependent columns factored with pivots as safe as the states can agree on, or the first alone."""
    samples = [state.evaluate(model.functions["Phi_dq"]) for state in states]
    weights = [J[np.ix_(split.rows, split.dependent)] for J in samples]
    for threshold in THRESHOLDS:
        try:
            return lu(columns, weights=weights, threshold=threshold)
        except ValueError:
            continue  # no pivot is that safe at all states
    return lu(columns, weights=weights[:1])


def _quality(model: Model, split: Split, state: Sample) -> float:
    """How far the dependent columns are from singular at a state."""
    J = state.evaluate(model.functions["Phi_dq"])[np.ix_(split.rows, split.dependent)]
    sizes = np.linalg.svd(J, compute_uv=False)
    return float(sizes[-1] / sizes[0])


def choose(model: Model, rows: list[int], states: Sequence[Sample], names: Sequence[str]) -> Split:
    """Which coordinates are independent: those named, or the best at a state.

    Raises ValueError for a wrong number of names, an unknown one, or a set that does not determine the rest.
    """
    n = len(model.q)
    known = [placement.name for placement in model.placements]
    if names:
        missing = [name for name in names if name not in known]
        if missing:
            raise ValueError(f"There is no coordinate '{missing[0]}'. Known: {', '.join(known)}.")
        if len(names) != n - len(rows):
            raise ValueError(
                f"Model '{model.name}' has {n - len(rows)} independent coordinates; got {len(names)}: "
                f"{', '.join(names)}."
            )
        free = sorted(known.index(name) for name in names)
    else:
        J = states[0].evaluate(model.functions["Phi_dq"])[rows]
        order = np.asarray(qr(J, pivoting=True, mode="r")[-1], int)
        free = sorted(order[len(rows) :].tolist())
    return Split(rows, [k for k in range(n) if k not in free], free)


def _spread(model: Model, split: Split, factor: Factorisation, residual: Matrix) -> Matrix:
    """A change of the dependent coordinates, with zeros for the independent ones."""
    refs = [model.graph.ZERO] * len(model.q)
    for k, ref in zip(split.dependent, factor.solve(residual).refs, strict=True):
        refs[k] = ref
    return Matrix(model.graph, (len(refs),), tuple(refs))


def _accelerations(
    model: Model, split: Split, J: Matrix, factor: Factorisation, states: Sequence[Sample]
) -> Matrix:
    graph, n, free = model.graph, len(model.q), split.free
    followers = factor.solve(-_columns(J, free).dense())
    R = _placed(model, {k: followers[i].refs for i, k in enumerate(split.dependent)}, free)
    gamma = Matrix(graph, (len(split.rows),), tuple(model.gamma.refs[i] for i in split.rows))
    rest = _spread(model, split, factor, gamma)
    M = sparse(model.mass_matrix)
    forces = model.delta - M @ rest
    reduced = _symmetric(R.T @ (M @ R))
    right = R.T @ forces
    weights = [_reduced(model, split, state) for state in states]
    ddz = ldl(reduced, weights=weights).solve(right)
    refs = list((R @ ddz).refs)
    return Matrix(graph, (n,), tuple(graph.add(a, b) for a, b in zip(refs, rest.refs, strict=True)))


def _placed(model: Model, rows: dict[int, tuple[int, ...]], free: list[int]) -> Sparse:
    """R: the identity for the independent coordinates, the followers' rows for the others."""
    graph = model.graph
    entries = {(k, j): graph.ONE for j, k in enumerate(free)}
    entries |= {
        (k, j): ref for k, refs in rows.items() for j, ref in enumerate(refs) if abs(ref) != graph.ZERO
    }
    return Sparse(graph, (len(model.q), len(free)), entries)


def _columns(J: Matrix, columns: Sequence[int]) -> Sparse:
    whole = sparse(J)
    place = {k: j for j, k in enumerate(columns)}
    entries = {(i, place[k]): ref for (i, k), ref in whole.entries.items() if k in place}
    return Sparse(J.graph, (len(J), len(columns)), entries)


def _symmetric(values: Sparse) -> Sparse:
    entries = {(i, j): ref for (i, j), ref in values.entries.items() if i <= j}
    entries |= {(j, i): ref for (i, j), ref in entries.items()}
    return Sparse(values.graph, values.shape, entries)


def _reduced(model: Model, split: Split, state: Sample) -> np.ndarray:
    M, whole = state.evaluate(model.functions["M|Phi_dq"])
    J = whole[split.rows]
    R = np.zeros((len(model.q), len(split.free)))
    R[split.free, range(len(split.free))] = 1.0
    R[split.dependent] = -np.linalg.solve(J[:, split.dependent], J[:, split.free])
    return R.T @ M @ R


INDEPENDENT = Formulation(
    "independent",
    "as many equations as degrees of freedom; the other coordinates by Newton's method",
    flow,
    needs_loops,
)
