"""Prescribed motion: positions of some coordinates over time, with their rates.

A motion is given by its positions at the moments of a study, as an array or as a function of the array of
times, or by three of those: positions, velocities and accelerations. Rates that are not given are those of
the spline of fifth degree through the positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from scipy.interpolate import make_interp_spline  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from biela.mechanics.model import Model
from biela.simulate.assembly import index_of

DEGREE = 5


def prescribed(model: Model, drives: Mapping[str, Any], times: np.ndarray) -> tuple[list[int], np.ndarray]:
    """The places of the driven coordinates, and positions, velocities and accelerations at the times.

    The array has a row for each time, then the three, then the coordinates. Raises KeyError for an unknown
    name, and ValueError for a wrong length or values that are not finite.
    """
    places = [index_of(model, name) for name in drives]
    if len(set(places)) < len(places):
        raise ValueError(f"Model '{model.name}': a coordinate is driven twice in {', '.join(drives)}.")
    values = np.zeros((len(times), 3, len(places)))
    for j, (name, motion) in enumerate(drives.items()):
        values[:, :, j] = _motion(name, motion, times)
    return places, values


def _motion(name: str, motion: Any, times: np.ndarray) -> np.ndarray:
    if isinstance(motion, tuple):
        parts = cast("tuple[Any, ...]", motion)
        if len(parts) != 3:
            raise ValueError(
                f"The drive of '{name}' has {len(parts)} parts; expected its positions, or three: "
                "positions, velocities and accelerations."
            )
        return np.stack([_sampled(name, part, times) for part in parts], axis=1)
    positions = _sampled(name, motion, times)
    degree = min(DEGREE, len(times) - 1)
    odd = degree if degree % 2 else max(degree - 1, 1)
    spline = cast(Any, make_interp_spline(times, positions, k=odd))
    return np.stack([positions, spline(times, 1), spline(times, 2) if degree > 1 else 0.0 * times], axis=1)


def _sampled(name: str, given: Any, times: np.ndarray) -> np.ndarray:
    values = np.asarray(given(times) if callable(given) else given, float)
    values = np.broadcast_to(values, times.shape) if values.ndim == 0 else values
    if values.shape != times.shape:
        raise ValueError(
            f"The drive of '{name}' has shape {values.shape}; expected one value for each of the "
            f"{len(times)} moments, the start included."
        )
    if not np.isfinite(values).all():
        k = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"The drive of '{name}' is not finite at t={times[k]:g} s.")
    return values
