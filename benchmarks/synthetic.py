"""Graphs of any size to build, differentiate and compile: the same every time, mixed as mechanisms are.

A front of 50 values advances: each new one joins the oldest of the front to a neighbour. Sums and products
are about nine in ten operations, then quotients, square roots, and sines and cosines (3 %). Neighbours
come in groups of five, so that a value depends on five of the 50 symbols, as a leg's do on its own joints.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from biela.expr.expression import Expr, cos, sin, sqrt
from biela.expr.function import Function
from biela.expr.graph import Graph

WIDTH = 50
GROUP = 5
NODES_PER_OPERATION = 1.037  # a reciprocal used once is no operation of its own
SHARES: tuple[tuple[float, Callable[[Expr, Expr], Expr]], ...] = (
    (0.31, lambda a, b: a + b),
    (0.31, lambda a, b: a * b),
    (0.26, lambda a, b: a - b),
    (0.04, lambda a, b: a * 0.37),
    (0.04, lambda a, b: a / b),
    (0.01, lambda a, b: sqrt(a)),
    (0.015, lambda a, b: sin(a)),
    (0.015, lambda a, b: cos(a)),
)


def front(symbols: list[Expr], nodes: int) -> list[Expr]:
    """The last values of a graph that has grown by ``nodes`` nodes from ``symbols``."""
    random, graph = Random(1), symbols[0].graph
    operations = [operation for _, operation in SHARES]
    weights = [share for share, _ in SHARES]
    values, end = list(symbols), len(graph) + nodes
    while len(graph) < end:
        last = values[-WIDTH:]
        for k, operation in enumerate(random.choices(operations, weights, k=WIDTH)):
            values.append(operation(last[k], last[k - k % GROUP + (k + 1) % GROUP]))
    return values[-WIDTH:]


def function(operations: int) -> Function:
    """A Function of 50 inputs and 50 outputs, of about that many operations."""
    symbols = Graph().symbols(" ".join(f"x{i}" for i in range(WIDTH)))
    return Function("synthetic", {"x": symbols}, {"y": front(symbols, int(NODES_PER_OPERATION * operations))})
