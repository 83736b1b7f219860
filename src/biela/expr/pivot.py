"""Which pivot next: the smallest new work, among those that are safe at sampled states.

The work of a pivot with r other entries in its row and c in its column is r c (Markowitz, 1957); on
a symmetric matrix this is the minimum degree order (Tinney and Walker, 1967). Ties go to a constant,
whose reciprocal is folded, then to the diagonal, then to the lowest index, so that equal matrices
get equal orders.

Structure alone cannot see that an entry is small. As circuit simulators do (Duff, Erisman and Reid,
Direct Methods for Sparse Matrices, 2017), numerical samples of the matrix are eliminated in step with
the symbols, and an entry below ``threshold`` times the largest of its column, in any sample, is
refused. The samples are first scaled to rows and columns of magnitude one (Ruiz, 2001), so that mixed
units mislead less.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from biela.expr.graph import Graph

Row = dict[int, int]
Place = tuple[int, int]
THRESHOLD = 0.1  # an entry grows by at most 1 + 1/0.1 in a step
SCALINGS = 10
ZERO = 1e-12  # of an equilibrated sample: rounding of what cancels


class Samples:
    """The values of a square matrix at sampled states, eliminated in step with its symbols.

    Raises ValueError when a sample has another shape than the matrix or is not finite.
    """

    def __init__(self, weights: Sequence[Any] | np.ndarray, n: int, threshold: float) -> None:
        values = np.array(weights, float, ndmin=3)
        if values.shape[1:] != (n, n) or not len(values):
            raise ValueError(
                f"weights are samples of the ({n}, {n}) matrix, of shape (samples, {n}, {n}); "
                f"got shape {np.shape(weights)}."
            )
        if not np.isfinite(values).all():
            bad = int(np.nonzero(~np.isfinite(values).all(axis=(1, 2)))[0][0])
            raise ValueError(f"weights: sample {bad} has entries that are not finite.")
        if not 0.0 < threshold <= 1.0:
            raise ValueError(f"The pivot threshold must be in (0, 1]; got {threshold}.")
        self.values = _equilibrated(values)
        self.threshold = threshold

    def safety(self) -> np.ndarray:
        """How large each entry is relative to its column, in the sample where that is worst."""
        size = np.abs(self.values)
        size[size < ZERO] = 0.0
        largest = size.max(axis=1, keepdims=True)
        return (size / np.where(largest > 0.0, largest, 1.0)).min(axis=0)

    def eliminate(self, row: int, column: int) -> None:
        """One step of elimination in every sample, with a pivot that is safe in all."""
        values = self.values
        multipliers = values[:, :, column] / values[:, row, column, None]
        values -= multipliers[:, :, None] * values[:, row, None, :]
        values[:, row, :] = 0.0
        values[:, :, column] = 0.0


def diagonal_pivot(
    graph: Graph, rows: Sequence[Row], allowed: Iterable[int], samples: Samples | None, done: int
) -> int:
    """The row of least degree, among those ``allowed``, whose diagonal is a safe pivot.

    Raises ValueError when there is none; ``done`` pivots were taken before.
    """
    rest = list(allowed)
    candidates = [(i, i) for i in rest if i in rows[i]]
    if not candidates:
        raise ValueError(
            f"No pivot is left on the diagonal after {done} of {len(rows)}: it is zero in row "
            f"{_listed(rest)}. Use lu, which also takes pivots off the diagonal."
        )
    safe = _safe(candidates, samples, done)
    return min((len(rows[i]), not graph.is_constant(rows[i][i]), i) for i, _ in safe)[2]


def any_pivot(
    graph: Graph,
    rows: Mapping[int, Row],
    columns: Mapping[int, set[int]],
    allowed: Iterable[Place],
    samples: Samples | None,
    done: int,
) -> Place:
    """The place of least Markowitz work, among those ``allowed``, that is a safe pivot.

    Raises ValueError when there is none: the matrix is singular, or the samples disagree.
    """
    rest = list(allowed)
    candidates = [(i, j) for i, j in rest if j in rows[i]]
    if not candidates:
        what = f"entry {rest[0]}, next in the order, is 0" if rest else "only zeros are left: it is singular"
        raise ValueError(f"After {done} pivots of the matrix {what}.")

    def work(place: Place) -> tuple[int, bool, bool, Place]:
        i, j = place
        product = (len(rows[i]) - 1) * (len(columns[j]) - 1)
        return product, not graph.is_constant(rows[i][j]), i != j, place

    return min(_safe(candidates, samples, done), key=work)


def _safe(candidates: list[Place], samples: Samples | None, done: int) -> list[Place]:
    """The candidates that no sample finds too small; raises ValueError when all are."""
    if samples is None:
        return candidates
    safety = samples.safety()
    safe = [place for place in candidates if safety[place] >= samples.threshold]
    if safe:
        return safe
    best = max(candidates, key=lambda place: float(safety[place]))
    raise ValueError(
        f"No safe pivot is left after {done} of {len(safety)}: the best, {best}, is {safety[best]:.1g} of "
        f"its column in the worst of {len(samples.values)} samples, threshold {samples.threshold:g}. "
        "Lower the threshold, leave out samples where the matrix is singular, or use lu instead of ldl."
    )


def _listed(rows: Sequence[int]) -> str:
    shown = ", ".join(map(str, rows[:8]))
    return shown if len(rows) <= 8 else f"{shown}, ... ({len(rows)} rows)"


def _equilibrated(values: np.ndarray) -> np.ndarray:
    for _ in range(SCALINGS):
        for axis in (1, 2):
            largest = np.abs(values).max(axis=axis, keepdims=True)
            values = values / np.sqrt(np.where(largest > 0.0, largest, 1.0))
    return values
