"""From a Function to a kernel that is ready: with the compiler, and from the cache on disk.

Lowering, writing IR, LLVM, linking and one call are all in the time; building the graph is not. The cache is
a folder of its own, made for the measurement.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks import four_bar, synthetic
from benchmarks.line import Line
from benchmarks.timing import seconds
from biela.compile import Kernel
from biela.expr.function import Function

SECONDS = 1.5  # for 10,000 operations
GROWTH = 6.0  # from 10,000 to 50,000 operations
CACHED_MS = 50.0
LANES = 64

Use = Callable[[Kernel], object]


def scalar(kernel: Kernel) -> object:
    """Have the scalar code."""
    return kernel(*(np.ones(port.shape) for port in kernel.function.inputs))


def batch(kernel: Kernel) -> object:
    """Have the code for a batch."""
    return kernel.batch(*(np.ones((*port.shape, LANES)) for port in kernel.function.inputs))


def lines(quick: bool) -> Iterator[Line]:
    """Scalar and batch kernels: compiled, growing, cached."""
    small, large = (300, 1500) if quick else (10_000, 50_000)
    rounds, cached_rounds = (1, 1) if quick else (6, 15)
    for kind, use in (("scalar", scalar), ("batch", batch)):
        times = {small: float("inf"), large: float("inf")}
        for _ in range(rounds):
            for operations, best in times.items():
                times[operations] = min(best, _compile(synthetic.function(operations), use))
        case = f"{kind} kernel of {small} operations, peer is the bound"
        yield Line("compiling", case, times[small], SECONDS, "s, less is better")
        case = f"{kind} kernel: time for {large} operations over time for {small}, peer is the bound"
        yield Line("compiling", case, times[large] / times[small], GROWTH, "1, less is better")
    made = (("the four-bar", four_bar.function), (f"{small} operations", lambda: synthetic.function(small)))
    for told, make in made:
        for kind, use in (("scalar", scalar), ("batch", batch)):
            time = _cached(make, use, cached_rounds)
            case = f"{kind} kernel of {told} ready from the cache, peer is the bound"
            yield Line("cached", case, 1e3 * time, CACHED_MS, "ms, less is better")


def _compile(function: Function, use: Use) -> float:
    with np.errstate(all="ignore"):
        return seconds(lambda: use(Kernel(function, cache=False)))


def _cached(make: Callable[[], Function], use: Use, rounds: int) -> float:
    """The time of a Function not yet lowered whose code is on disk."""
    before = os.environ.get("BIELA_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["BIELA_CACHE"] = folder
        try:
            use(Kernel(make()))
            functions = [make() for _ in range(rounds)]
            return min(seconds(lambda f=function: use(Kernel(f))) for function in functions)
        finally:
            os.environ.pop("BIELA_CACHE")
            if before is not None:
                os.environ["BIELA_CACHE"] = before
