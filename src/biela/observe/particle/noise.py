"""Covariances as what draws and weights need: a factor of what is drawn, a whitening of what is read."""

from __future__ import annotations

import numpy as np

LOG_TURN = float(np.log(2.0 * np.pi))


def factor(covariance: np.ndarray) -> np.ndarray:
    """A lower triangular factor of a covariance that may be singular: a zero pivot has a zero column."""
    L, size = np.zeros_like(covariance), len(covariance)
    for k in range(size):
        pivot = covariance[k, k] - L[k, :k] @ L[k, :k]
        if pivot > 1e-14 * max(covariance[k, k], 1e-300):
            L[k:, k] = (covariance[k:, k] - L[k:, :k] @ L[k, :k]) / np.sqrt(pivot)
    return L


def whitening(R: np.ndarray, there: np.ndarray) -> tuple[np.ndarray, float]:
    """The inverse Cholesky factor of those readings that are there, and the log of the top density."""
    whole, places = np.zeros(R.shape), np.flatnonzero(there)
    if not len(places):
        return whole, 0.0
    white = np.linalg.inv(np.linalg.cholesky(R[np.ix_(places, places)]))
    whole[np.ix_(places, places)] = white
    return whole, float(np.log(np.diag(white)).sum()) - 0.5 * LOG_TURN * len(places)
