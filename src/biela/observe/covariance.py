"""Covariances as numbers: checked, repaired, and unpacked from the triangles in which filters keep them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

ROUNDING = 1e-9  # of the largest eigenvalue: a negative one this small is repaired
FLOOR = 1e-12  # of the largest eigenvalue: what repaired ones become


def whole(entries: np.ndarray, n: int) -> np.ndarray:
    """Symmetric matrices from rows of upper triangles: (time, entry, ...) -> (time, n, n, ...)."""
    place = np.zeros((n, n), int)
    place[np.triu_indices(n)] = np.arange(n * (n + 1) // 2)
    place = np.triu(place) + np.triu(place, 1).T
    return entries[:, place]


def checked(given: Any, names: Sequence[str], what: str) -> np.ndarray:
    """A covariance from itself or from standard deviations.

    Raises ValueError naming what is wrong; warns where a rounding error was repaired.
    """
    size, P = len(names), _squared(np.asarray(given, float), len(names))
    if P.shape != (size, size):
        told = ", ".join(names)
        raise ValueError(
            f"The covariance of the {what} is that of ({told}): expected {size} deviations or "
            f"{size}x{size} numbers; got shape {P.shape}."
        )
    if not np.isfinite(P).all():
        raise ValueError(f"The covariance of the {what} is not finite.")
    if not np.allclose(P, P.T, rtol=1e-9, atol=0.0):
        i, j = divmod(int(np.argmax(np.abs(P - P.T))), size)
        raise ValueError(f"The covariance of the {what} is not symmetric at ({names[i]}, {names[j]}).")
    return _definite((P + P.T) / 2.0, names, what)


def _squared(given: np.ndarray, size: int) -> np.ndarray:
    """Deviations as a diagonal of variances; a negative one stays negative, to be refused."""
    return np.diag(given * np.abs(given)) if given.shape == (size,) else given


def _definite(P: np.ndarray, names: Sequence[str], what: str) -> np.ndarray:
    worst = int(np.argmin(np.diag(P)))
    if P[worst, worst] <= 0.0:
        raise ValueError(
            f"The covariance of the {what} is not positive definite: the variance of '{names[worst]}' is "
            f"{P[worst, worst]:.3g}. Give it a positive standard deviation."
        )
    scale = np.sqrt(np.diag(P))
    values, vectors = np.linalg.eigh(P / np.outer(scale, scale))
    if values[0] >= FLOOR * values[-1]:
        return P
    if values[0] < -ROUNDING * values[-1]:
        along = names[int(np.argmax(np.abs(vectors[:, 0])))]
        raise ValueError(
            f"The covariance of the {what} is not positive definite: it has the eigenvalue {values[0]:.3g} "
            f"(scaled), mostly along '{along}'."
        )
    warnings.warn(
        f"The covariance of the {what} was not positive definite by rounding: repaired.", stacklevel=4
    )
    mended = (vectors * np.maximum(values, FLOOR * values[-1])) @ vectors.T
    return mended * np.outer(scale, scale)
