"""Observability along a motion: what the readings of a stretch of time determine, and what they do not.

The Gramian

    W = sum over k of  (F_k-1 ... F_0)' H_k' R^-1 H_k (F_k-1 ... F_0)

is the information that the readings bring about the start. Scaled by what is known beforehand, its small
eigenvalues belong to directions that stay unknown; they are named by the components of the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.expr.pattern import matrix_symbols
from biela.observe.filter.filter import Filter
from biela.simulate.record import Record

TOLERANCE = 1e-10  # of the largest eigenvalue: below, nothing is seen
SHARE = 1e-3  # of a quantity that lies in unseen directions: above, it cannot be told


@dataclass(frozen=True)
class Observability:
    """The Gramian of a motion in units of the deviations beforehand, its rank and what it leaves out."""

    names: list[str]
    gramian: np.ndarray
    values: np.ndarray
    vectors: np.ndarray

    @property
    def rank(self) -> int:
        """How many directions the readings determine."""
        return int((self.values > TOLERANCE * max(self.values.max(), 1e-300)).sum())

    @property
    def unobservable(self) -> list[dict[str, float]]:
        """Each unseen direction by its components, the largest first."""
        found: list[dict[str, float]] = []
        for vector in self.vectors[:, : len(self.names) - self.rank].T:
            order = np.argsort(-np.abs(vector))
            found.append({self.names[k]: float(vector[k]) for k in order if abs(vector[k]) > SHARE})
        return found

    def __repr__(self) -> str:
        told = "; ".join(", ".join(direction) for direction in self.unobservable) or "nothing"
        return f"<Observability rank {self.rank} of {len(self.names)}, not seen: {told}>"

    def require(self, *names: str) -> None:
        """Raise ValueError for a quantity that the readings do not determine."""
        for name in names:
            if name not in self.names:
                raise ValueError(f"'{name}' is no part of the error: {', '.join(self.names)}.")
            hidden = self.vectors[self.names.index(name), : len(self.names) - self.rank]
            if np.linalg.norm(hidden) > SHARE:
                raise ValueError(
                    f"'{name}' cannot be told from these readings along this motion: not seen is "
                    f"{self.unobservable}. Add a sensor, or let the mechanism move."
                )


def observability(
    observer: Filter, motion: Record, deviations: Any, readings: Any = None, jacobian: str = "exact"
) -> Observability:
    """What the observer's sensors determine along a motion, of a start known to ``deviations``.

    ``readings`` says by NaN which were missing; without it there is one of each at every step. ``jacobian``
    is 'exact' or 'euler', as the filter has it.
    """
    names = observer.process.manifold.names
    scale = np.broadcast_to(np.asarray(deviations, float), (len(names),))
    if not (np.isfinite(scale).all() and (scale > 0.0).all()):
        raise ValueError(
            f"The deviations beforehand are positive, one for each of {names}; got {deviations!r}."
        )
    F, all_H = slopes(observer, motion, jacobian)
    y = np.zeros((len(motion) - 1, all_H.shape[1])) if readings is None else np.asarray(readings, float)
    H = np.where(np.isfinite(y)[..., None], all_H[1:], 0.0)
    root = np.linalg.cholesky(np.linalg.inv(observer.instruments.covariance)).T
    n = len(names)
    x = np.concatenate([np.eye(n).ravel(), np.zeros(n * n)])
    kernel = Kernel(_gathering(n, H.shape[1]))
    rows = kernel.iterate(x, len(y), F=F[:-1], H=np.ascontiguousarray(root @ H), series=["F", "H"])
    gramian = scale[:, None] * rows[-1, n * n :].reshape(n, n) * scale
    values, vectors = np.linalg.eigh(gramian)
    return Observability(names, gramian, values, vectors)


def slopes(observer: Filter, motion: Record, jacobian: str = "exact") -> tuple[np.ndarray, np.ndarray]:
    """F and H at every moment of a motion, natively."""
    process = observer.process
    outputs = {"F": process.transition(jacobian), "H": observer.instruments.slopes}
    inputs = process.model.ports("force") | {"h": process.h}
    F, H = motion.value(
        Function(f"{process.model.name}_slopes", inputs, outputs), h=np.full(len(motion), process.dt)
    )
    return np.ascontiguousarray(F), np.ascontiguousarray(H)


def _gathering(n: int, m: int) -> Function:
    """(Phi, W), F, H -> (F Phi, W + Phi' F' H' H F Phi)."""
    graph = Graph()
    Phi, W, F = (matrix_symbols(graph, name, (n, n)) for name in ("Phi", "W", "F"))
    H = matrix_symbols(graph, "H", (m, n))
    after = F @ Phi
    seen = H @ after
    grown = W + seen.T @ seen
    state = [*Phi.expressions, *W.expressions]
    return Function(
        "gather", {"x": state, "F": F, "H": H}, {"x_next": [*after.expressions, *grown.expressions]}
    )
