"""Goodness of fit: the normalised root mean square error, in both conventions of MATLAB.

With a reference r and y beside it,

    fit = 1 - ||r - y|| / ||r - mean(r)||,

1 for equality, 0 for a constant. `goodnessOfFit` of 2017 returned this number, which is also `compare` /
100; today's `goodnessOfFit` returns the complement, 0 for equality.
"""

from __future__ import annotations

from typing import Any

import numpy as np

CONVENTIONS = ("fit", "error")


def nrmse(reference: Any, values: Any, convention: str = "fit") -> float:
    """How well values follow a reference: 'fit' has 1 as its best, 'error' 0.

    >>> round(nrmse([1, 2, 3, 4, 5], [1.5, 2.5, 3.5, 4.5, 5.5]), 12)
    0.646446609407

    Raises ValueError for a constant reference, different lengths, values that are not finite, and an unknown
    convention.
    """
    r, y = np.asarray(reference, float), np.asarray(values, float)
    if convention not in CONVENTIONS:
        raise ValueError(f"Unknown convention {convention!r}. Known: {', '.join(CONVENTIONS)}.")
    if r.shape != y.shape or r.ndim != 1:
        raise ValueError(f"Reference and values have one length; got shapes {r.shape} and {y.shape}.")
    if not (np.isfinite(r).all() and np.isfinite(y).all()):
        raise ValueError("Reference and values must be finite numbers.")
    spread = float(np.linalg.norm(r - r.mean()))
    if not spread > 1e-12 * float(np.linalg.norm(r)):
        raise ValueError("The reference is constant, so no fit is defined. Record a motion.")
    error = float(np.linalg.norm(r - y)) / spread
    return 1.0 - error if convention == "fit" else error
