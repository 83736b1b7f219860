"""`Recursion`: a sampled system x_next = f(x, inputs, p), iterated natively, coefficients beforehand.

Filters compute their coefficients from parameters. Those are the same for all samples, so they are computed
once a run, or once a lane of a batch, beforehand.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.expression import Expr, constant
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.expr.hoist import hoist


class Recursion:
    """A Function whose inputs are the state, a row of inputs that moves, and the parameters ``p``."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.input = function.inputs[1].name

    @cached_property
    def _halves(self) -> tuple[Kernel, Kernel]:
        prepare, run = hoist(self.function, "p")
        return Kernel(prepare), Kernel(run)

    def prepare(self, p: Any) -> np.ndarray:
        """What the parameters decide; with a column for each lane if they have one."""
        kernel = self._halves[0]
        values = np.asarray(p, float)
        if values.ndim == 1:
            return np.atleast_1d(kernel(values))
        return kernel.batch(np.ascontiguousarray(values))

    def run(self, x: Any, rows: np.ndarray, p: Any, *, every: int = 1, threads: int = 1) -> np.ndarray:
        """The states after rows of inputs, the start first: one state, or a batch with lanes as last axis."""
        w = self.prepare(p)
        start = np.asarray(x, float)
        if w.ndim == 2 and start.ndim == 1:
            start = np.repeat(start[:, None], w.shape[1], axis=1)
        return self.go(start, rows, w, every=every, threads=threads)

    def go(
        self, x: np.ndarray, rows: np.ndarray, w: np.ndarray, *, every: int = 1, threads: int = 1
    ) -> np.ndarray:
        """The same with what `prepare` gave, where states have lanes if that has."""
        kernel, moving = self._halves[1], np.ascontiguousarray(rows)
        start, w = np.ascontiguousarray(x), np.ascontiguousarray(w)
        return kernel.iterate(start, len(rows), moving, w, every=every, series=[self.input], threads=threads)

    def sample(self, x: np.ndarray, row: Any, w: np.ndarray) -> np.ndarray:
        """The next state."""
        return np.atleast_1d(self._halves[1](x, row, w))


class States:
    """The states of a recursion in the making: symbols, and what becomes of them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.now: dict[str, Expr] = {}
        self.after: dict[str, Expr] = {}

    def state(self, name: str) -> Expr:
        """A new state, at rest 0."""
        self.now[name] = self.graph.symbol(name)
        return self.now[name]

    def becomes(self, name: str, value: Expr | float) -> None:
        """What a state is after the sample."""
        self.after[name] = value if isinstance(value, Expr) else constant(self.graph, value)

    def __getitem__(self, name: str) -> Expr:
        return self.now[name]
