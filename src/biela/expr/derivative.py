"""Derivatives: by a symbol, along a direction, in time; sparse Jacobians and reverse-mode gradients.

Forward mode is one loop over the nodes that depend on a seeded symbol (`tangent`). What it finds is
kept with the graph under the symbol, so a second derivative, or the next entry of a matrix, starts
where the last one stopped. Reverse mode (`gradient`) is one loop backwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from biela.expr.dependency import dependents, mask_of
from biela.expr.expression import Expr, expected, listed, owner
from biela.expr.graph import Graph
from biela.expr.operation import OPERATIONS


def differentiate(expression: Expr, symbol: Expr) -> Expr:
    """The derivative of one expression by one symbol."""
    return differentiate_all([expression], symbol)[0]


def differentiate_all(expressions: Sequence[Expr], symbol: Expr) -> list[Expr]:
    """The derivatives of several expressions by one symbol."""
    expressions = listed(expressions, "expressions")
    if not expressions:
        return []
    graph, refs = _references(expressions)
    _check_symbol(symbol, graph)
    memo: dict[int, int] = graph.memo.setdefault(("derivative", symbol.ref), {})
    return _wrap(graph, tangent(graph, refs, {symbol.ref: graph.ONE}, memo))


def time_derivative(expression: Expr) -> Expr:
    """The total time derivative: every symbol with a rate (a coordinate, a velocity, time) moves."""
    return time_derivative_all([expression])[0]


def time_derivative_all(expressions: Sequence[Expr]) -> list[Expr]:
    """The total time derivatives of several expressions."""
    if not expressions:
        return []
    graph, refs = _references(expressions)
    memo: dict[int, int] = graph.memo.setdefault("rates", {})
    return _wrap(graph, tangent(graph, refs, graph.rates, memo))


def directional_derivative(expressions: Sequence[Expr], direction: Mapping[Expr, Expr | float]) -> list[Expr]:
    """How expressions change when each symbol moves at the rate ``direction`` gives it.

    >>> g = Graph()
    >>> x, y, v = g.symbols("x y v")
    >>> directional_derivative([x * y], {x: v, y: 1.0})
    [y*v + x]
    """
    expressions = listed(expressions, "expressions")
    if not expressions:
        return []
    graph, refs = _references(expressions)
    seeds: dict[int, int] = {}
    for symbol, rate in direction.items():
        _check_symbol(symbol, graph)
        seeds[symbol.ref] = (graph_zero(graph) + rate).ref
    return _wrap(graph, tangent(graph, refs, seeds, {}))


def jacobian(expressions: Sequence[Expr], symbols: Sequence[Expr]) -> dict[tuple[int, int], Expr]:
    """The entries of the Jacobian that are not identically zero, by (row, column), column after column.

    >>> from biela.expr.expression import sin
    >>> x, y = Graph().symbols("x y")
    >>> jacobian([x * y, sin(x)], [x, y])
    {(0, 0): y, (1, 0): cos(x), (0, 1): x}
    """
    entries: dict[tuple[int, int], Expr] = {}
    for column, symbol in enumerate(listed(symbols, "symbols")):
        for row, slope in enumerate(differentiate_all(expressions, symbol)):
            if abs(slope.ref) != Graph.ZERO:
                entries[row, column] = slope
    return entries


def gradient(expression: Expr, symbols: Sequence[Expr]) -> list[Expr]:
    """The derivatives of one expression by many symbols, in one backward loop.

    >>> x, y = Graph().symbols("x y")
    >>> gradient(x * x * y, [x, y])
    [2*(x*y), x*x]
    """
    graph = expected(expression, "gradient").graph
    for symbol in listed(symbols, "symbols"):
        _check_symbol(symbol, graph)
    ids = dependents(graph, [expression.ref], mask_of(graph, (s.ref for s in symbols)), {})
    within = set(ids)
    adjoint = {abs(expression.ref): graph.ONE if expression.ref > 0 else -graph.ONE}
    for i in reversed(ids):
        for operand, share in _shares(graph, i, adjoint.get(i, graph.ZERO)):
            j = abs(operand)
            if j in within:
                adjoint[j] = graph.add(adjoint.get(j, graph.ZERO), share if operand > 0 else -share)
    return [Expr(graph, adjoint.get(s.ref, graph.ZERO)) for s in symbols]


def tangent(graph: Graph, refs: Sequence[int], seeds: Mapping[int, int], memo: dict[int, int]) -> list[int]:
    """The derivatives of ``refs`` when each symbol id of ``seeds`` moves at its given rate.

    ``memo`` maps ids to derivatives already known for these seeds, and is extended.
    """
    for i in dependents(graph, refs, mask_of(graph, seeds), memo):
        memo[i] = seeds[i] if i in seeds else _slope(graph, i, memo)
    return [memo.get(ref, graph.ZERO) if ref > 0 else -memo.get(-ref, graph.ZERO) for ref in refs]


def _slope(graph: Graph, i: int, memo: dict[int, int]) -> int:
    node = graph.nodes[i]
    name, operands = node[0], graph.operands(node)
    rates = [memo.get(a, 1) if a > 0 else -memo.get(-a, 1) for a in operands]
    if name == "add":
        return graph.add(rates[0], rates[1])
    row = OPERATIONS[name]
    if row.condition is not None:
        return graph.apply("where", row.condition(graph, operands), rates[-2], rates[-1])
    assert row.partials is not None, f"operation {name!r} has no derivative"
    total = graph.ZERO
    for partial, rate in zip(row.partials(graph, i, operands), rates, strict=True):
        if rate not in (1, -1):
            total = graph.add(total, graph.mul(partial, rate))
    return total


def _shares(graph: Graph, i: int, adjoint: int) -> list[tuple[int, int]]:
    """What each operand of a node receives of the node's adjoint."""
    node = graph.nodes[i]
    operands = graph.operands(node)
    if not operands or abs(adjoint) == graph.ZERO:
        return []
    row = OPERATIONS[node[0]]
    if row.condition is not None:
        condition = row.condition(graph, operands)
        first = graph.apply("where", condition, adjoint, graph.ZERO)
        return [(operands[-2], first), (operands[-1], graph.apply("where", condition, graph.ZERO, adjoint))]
    assert row.partials is not None, f"operation {node[0]!r} has no derivative"
    partials = row.partials(graph, i, operands)
    return [(a, graph.mul(p, adjoint)) for a, p in zip(operands, partials, strict=True)]


def graph_zero(graph: Graph) -> Expr:
    """Zero, as an expression to add numbers and expressions to."""
    return Expr(graph, graph.ZERO)


def _references(expressions: Sequence[Expr]) -> tuple[Graph, list[int]]:
    graph = owner(expressions)
    for expression in expressions:
        if expected(expression, "diff").graph is not graph:
            raise ValueError(f"'{expression}' belongs to another graph than '{expressions[0]}'.")
    return graph, [expression.ref for expression in expressions]


def _wrap(graph: Graph, refs: Sequence[int]) -> list[Expr]:
    return [Expr(graph, ref) for ref in refs]


def _check_symbol(symbol: Expr, graph: Graph) -> None:
    if not isinstance(symbol, Expr):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"Derivatives are taken by symbols; got {type(symbol).__name__} {symbol!r}.")
    if symbol.graph is not graph:
        raise ValueError(f"Symbol '{symbol}' belongs to another graph than the expression.")
    if symbol.ref < 0 or graph.nodes[symbol.ref][0] != "symbol":
        raise TypeError(
            f"Derivatives are taken by symbols; got the expression '{symbol}'. "
            "Replace it by a symbol first, differentiate, then substitute it back."
        )
