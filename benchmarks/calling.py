"""What a call from Python costs, when there is next to nothing to compute."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks import four_bar
from benchmarks.line import Line
from benchmarks.timing import interleave
from biela.compile import Kernel
from biela.expr.function import Function
from biela.expr.graph import Graph

MICROSECONDS = 2.0


def lines(quick: bool) -> Iterator[Line]:
    """A function that does nothing, and a step of the four-bar."""
    calls, rounds = (200, 1) if quick else (20_000, 9)
    state = Graph().symbols("a b c d")
    shifted = Function("shifted", {"x": state}, {"y": [x + 1.0 for x in state]})
    for told, function in (("4 additions", shifted), ("the four-bar step", four_bar.function())):
        kernel = Kernel(function, cache=False)
        best = interleave({"ours": lambda k=kernel: _call(k, four_bar.start(), calls)}, rounds)["ours"]
        case = f"kernel(x) with 4 numbers in and out, {told}, peer is the bound"
        yield Line("calling", case, 1e6 * best / calls, MICROSECONDS, "us, less is better")


def _call(kernel: Kernel, x: np.ndarray, times: int) -> None:
    for _ in range(times):
        kernel(x)
