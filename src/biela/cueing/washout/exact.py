"""A predictive washout whose programmes are solved to the end, by OSQP (Stellato et al., 2020), row by row.

For comparison, and where time does not matter: it takes milliseconds a sample instead of microseconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse  # pyright: ignore

from biela.compile.kernel import Kernel
from biela.cueing.washout.horizon import Horizon
from biela.cueing.washout.predictive import SOFT, PredictiveWashout

TIGHT = {"eps_abs": 1e-9, "eps_rel": 1e-9, "max_iter": 100_000, "polishing": False, "verbose": False}


def exactly(washout: PredictiveWashout, motion: Any) -> np.ndarray:
    """The poses for rows (fx, fy, fz, p, q, r), as `PredictiveWashout.run` gives them approximately.

    Raises ImportError without OSQP, and RuntimeError where it does not solve a programme.
    """
    rows = washout.foreseen(washout.motion(motion))
    solvers = {name: Solver(washout.horizon(name)) for name in washout.groups}
    kernel, p = Kernel(washout.given), washout.p
    x = np.zeros(washout.given.inputs[0].size)
    poses = np.empty((len(rows), len(washout.axes)))
    for k, row in enumerate(rows):
        U = np.zeros(washout.given.input("U").size)
        g = b = done = 0
        for name, group in washout.groups.items():
            solver, asked = solvers[name], kernel(x, row, p, U)
            found = solver.solve(asked.g[g : g + solver.n], asked.b[b : b + solver.m])
            U[done : done + len(group.movers)] = found[:: washout.stages]
            g, b, done = g + solver.n, b + solver.m, done + len(group.movers)
        x = kernel(x, row, p, U).x_next
        poses[k] = x[: len(washout.axes)]
    return poses


class Solver:
    """OSQP for one horizon: only g and b change. Excesses of soft rows are variables of their own."""

    def __init__(self, horizon: Horizon) -> None:
        found = horizon.programme
        self.m, self.n = found.A.shape
        N = horizon.stages
        excess = np.array([row for k, row in enumerate(np.eye(self.m)) if k % (3 * N) >= N]).T
        price = SOFT * np.trace(found.H) / len(found.H)
        zero = np.zeros((self.n, excess.shape[1]))
        P: Any = np.block([[found.H, zero], [zero.T, price * np.eye(excess.shape[1])]])
        A: Any = sparse.csc_matrix(np.hstack([found.A, -excess]))
        self.q = np.zeros(self.n + excess.shape[1])
        self.osqp: Any = _osqp().OSQP()
        bounds = np.ones(self.m)
        self.osqp.setup(sparse.csc_matrix(np.triu(P)), self.q, A, -bounds, bounds, **TIGHT)

    def solve(self, g: np.ndarray, b: np.ndarray) -> np.ndarray:
        """U."""
        self.q[: self.n] = g
        self.osqp.update(q=self.q, l=-1.0 - b, u=1.0 - b)
        found = self.osqp.solve(raise_error=False)
        if found.info.status not in ("solved", "solved inaccurate"):
            raise RuntimeError(f"OSQP did not solve the programme: {found.info.status}.")
        return found.x[: self.n]


def _osqp() -> Any:
    try:
        return import_module("osqp")
    except ImportError as error:
        raise ImportError("Exact predictive washouts need OSQP: pip install 'biela[cueing]'.") from error
