"""Making nodes from Python, and differentiating large graphs: both must take a constant time a node."""

from __future__ import annotations

import gc
from collections.abc import Iterator

from benchmarks import synthetic
from benchmarks.line import Line
from benchmarks.timing import interleave, seconds
from biela.expr.derivative import jacobian
from biela.expr.expression import Expr
from biela.expr.graph import Graph

NODES_PER_SECOND = 300_000


def lines(quick: bool) -> Iterator[Line]:
    """Building, then the Jacobian."""
    nodes = 5000 if quick else 100_000
    yield building(nodes, rounds=1 if quick else 7)
    yield differentiating(nodes // 4, nodes, rounds=1 if quick else 5)


def building(nodes: int, rounds: int) -> Line:
    """How fast expressions become nodes."""
    best = interleave({"ours": lambda: synthetic.front(_symbols(), nodes)}, rounds)["ours"]
    case = f"{nodes} nodes through Python's operators, peer is the bound"
    return Line("building", case, nodes / best, NODES_PER_SECOND, "nodes/s, more is better")


def differentiating(small: int, large: int, rounds: int) -> Line:
    """The time of a node of the Jacobian in a large graph against that in a small one."""
    best = {small: float("inf"), large: float("inf")}
    made = dict.fromkeys(best, 0)
    for _ in range(rounds):
        for nodes in best:
            gc.collect()
            symbols = _symbols()
            values = synthetic.front(symbols, nodes)
            before = len(symbols[0].graph)
            time = seconds(lambda v=values, s=symbols: jacobian(v, s))
            made[nodes] = len(symbols[0].graph) - before
            best[nodes] = min(best[nodes], time / made[nodes])
    case = (
        f"Jacobian by {synthetic.WIDTH} symbols of {large} nodes ({made[large]} new nodes), "
        f"peer is ours on {small} nodes ({made[small]} new nodes)"
    )
    unit = "us per new node; a ratio of 1 is linear"
    return Line("differentiating", case, 1e6 * best[large], 1e6 * best[small], unit)


def _symbols() -> list[Expr]:
    return Graph().symbols(" ".join(f"x{i}" for i in range(synthetic.WIDTH)))
