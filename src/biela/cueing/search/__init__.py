"""Searches whose candidates are lanes of a batch; `SEARCHES` is the registry, name -> plan of a `Space`."""

from collections.abc import Callable

from biela.cueing.search.cma_es import cma_es
from biela.cueing.search.evolution import differential_evolution
from biela.cueing.search.grid import grid, lattice
from biela.cueing.search.nelder_mead import nelder_mead
from biela.cueing.search.nsga import front, nsga
from biela.cueing.search.plan import Found, Objective, Plan, Space, minimise

SEARCHES: dict[str, Callable[[Space], Plan]] = {
    "cma-es": cma_es,
    "differential-evolution": differential_evolution,
    "grid": grid,
    "nelder-mead": nelder_mead,
}

__all__ = ["SEARCHES", "Found", "Objective", "Plan", "Space", "front", "lattice", "minimise", "nsga"]
