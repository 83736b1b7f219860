"""What sharing saves when equations are evaluated: M and delta by one call, by two, and without atoms.

As kernels, for one state and for a batch on one core; and in plain Python, the closest to the thesis's
MATLAB, where a third way has every expression written out in full (its table 6.8). There is no C without
atoms to be measured, because a compiler finds them again. ``ratio`` is the time over that of two calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks import published
from benchmarks.figure import Figure
from benchmarks.generating import modelled, models
from benchmarks.timing import Job, interleave
from biela.compile import Kernel
from biela.expr.exchange import to_sympy
from biela.expr.function import Function
from biela.mechanics.model import Model

PARTS = ("M", "delta")
JOINT, SEPARATE, WRITTEN_OUT = "one call", "two calls", "two calls, without atoms"
LANES = 4096
LARGEST = (
    2_000_000  # characters of an expression written out in full; the thesis's 250 MB did not load, either
)


def lines(quick: bool) -> Iterator[Figure]:
    """Kernels, then plain Python."""
    for name in models(quick):
        model = modelled(name)
        calls, rounds = (2, 1) if quick else (200, 15)
        yield from _compared(model, "kernel, one state", _scalar, calls, rounds)
        yield from _compared(model, f"kernel, batch of {LANES}, one core", _batch, 1, rounds)
        reason = _obstacle(model)
        if reason:
            yield Figure("evaluation", name, "M|delta").adding(way="plain Python", skipped=reason)
        else:
            yield from _compared(model, "plain Python", _python, 1 if quick else 100, 1 if quick else 5)


def _obstacle(model: Model) -> str:
    length = _length(model.functions["M|delta"])
    if length > LARGEST:
        return f"without atoms, M and delta are {length:.1e} characters"
    return "" if find_spec("sympy") else "SymPy is not installed"


def _compared(
    model: Model, told: str, wrap: Callable[[Function], Job], calls: int, rounds: int
) -> Iterator[Figure]:
    functions = {name: model.functions[name] for name in ("M|delta", *PARTS)}
    ways = {JOINT: [wrap(functions["M|delta"])], SEPARATE: [wrap(functions[part]) for part in PARTS]}
    ops = {
        JOINT: functions["M|delta"].operations.total,
        SEPARATE: sum(functions[part].operations.total for part in PARTS),
    }
    if wrap is _python:
        ways[WRITTEN_OUT] = [_without_atoms(functions[part]) for part in PARTS]
    jobs: dict[str, Job] = {way: lambda ran=ran: _repeat(ran, calls) for way, ran in ways.items()}
    best = interleave(jobs, rounds)
    for way in jobs:
        yield Figure("evaluation", model.name, "M|delta", ops.get(way)).adding(
            way=f"{told}, {way}", seconds_of_call=best[way] / calls, ratio=best[way] / best[SEPARATE],
            source_ratio=published.EVALUATION[model.name] if way == JOINT else None,
        )  # fmt: skip


def _repeat(jobs: list[Job], calls: int) -> None:
    for _ in range(calls):
        for job in jobs:
            job()


def _inputs(function: Function, lanes: int = 0) -> list[Any]:
    """Random numbers, many of each but for the parameters, which all states share."""
    random = np.random.default_rng(1)
    shapes = [(*port.shape, lanes) if lanes and port.name != "p" else port.shape for port in function.inputs]
    return [random.uniform(0.5, 1.5, shape) for shape in shapes]


def _scalar(function: Function) -> Job:
    kernel, inputs = Kernel(function, cache=False), _inputs(function)
    return lambda: kernel(*inputs)


def _batch(function: Function) -> Job:
    kernel, inputs = Kernel(function, cache=False), _inputs(function, LANES)
    made = kernel.batch(*inputs)
    out = [made] if len(function.outputs) == 1 else list(made)
    return lambda: kernel.batch(*inputs, out=out)


def _python(function: Function) -> Job:
    """Assignments and outputs, as SymPy writes them."""
    return _written(function, atoms=True)


def _without_atoms(function: Function) -> Job:
    return _written(function, atoms=False)


def _written(function: Function, atoms: bool) -> Job:
    import sympy

    values, symbols = (
        [entry for port in ports for entry in to_sympy(function.value(port))]
        for ports in (function.outputs, function.inputs)
    )
    call = sympy.lambdify(symbols, values, modules="math", cse=atoms)
    inputs = [float(x) for array in _inputs(function) for x in array]
    return lambda: call(*inputs)


def _length(function: Function) -> int:
    """About how many characters a Function has when every use of a value is written out."""
    graph, length = function.graph, dict[int, int]()
    for i in graph.reachable([ref for port in function.outputs for ref in port.refs]):
        length[i] = 8 + sum(length[abs(ref)] for ref in graph.operands(graph.nodes[i]))
    return sum(length[abs(ref)] for port in function.outputs for ref in port.refs)
