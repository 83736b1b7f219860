"""CMA-ES (Hansen and Ostermeier, 2001), by the package `cma` of N. Hansen and others."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from biela.cueing.search.plan import Plan, Space

STEP = 0.25  # of the first generation, as a share of the bounds


def cma_es(space: Space) -> Plan:
    """A normal distribution that learns which directions pay, between bounds."""
    space.needs(4, "CMA-ES")
    if space.count < 2:
        raise ValueError("CMA-ES searches two numbers or more; use 'nelder-mead' or 'grid' for one.")
    try:
        cma: Any = import_module("cma")
    except ImportError:
        raise ImportError("The search 'cma-es' needs the package cma: install biela[cueing].") from None
    return _adapt(space, cma)


def _adapt(space: Space, cma: Any) -> Plan:
    width = space.high - space.low
    begin = np.full(space.count, 0.5) if space.start is None else (space.start - space.low) / width
    options: dict[str, Any] = {
        "bounds": [0.0, 1.0], "popsize": min(space.size, space.budget), "verbose": -9, "seed": np.nan,
        "randn": partial(_normal, space.rng),
    }  # fmt: skip
    state = cma.CMAEvolutionStrategy(begin, STEP, options)
    while not state.stop():
        asked: list[np.ndarray] = state.ask()
        points = space.inside(space.low[:, None] + width[:, None] * np.stack(asked, axis=1))
        costs = yield points
        state.tell(asked, np.where(np.isfinite(costs), costs, 1e300).tolist())


def _normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Normal numbers of a shape: the package's own would come from everybody's generator."""
    return rng.standard_normal(shape)
