"""Substitution of symbols, and the copying of expressions from one graph to another: one loop.

A node none of whose operands changed keeps its id, so substituting a symbol that does not occur
returns the identical expression and creates nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from biela.expr.dependency import dependents, mask_of
from biela.expr.expression import Expr, constant, expected, listed, owner
from biela.expr.graph import Graph

_REMEMBERED = 8  # substitutions whose results stay with the graph


def substitute(expressions: Sequence[Expr], values: Mapping[Expr, Expr | float]) -> list[Expr]:
    """Every symbol of ``values`` replaced, all at once, in all of ``expressions``."""
    expressions = listed(expressions, "expressions")
    if not expressions or not values:
        return expressions
    graph = owner(expressions)
    replaced = {_symbol(symbol, graph): _replacement(value, graph) for symbol, value in values.items()}
    known = _remembered(graph, replaced)
    refs = [expected(expression, "substitute").ref for expression in expressions]
    ids = dependents(graph, refs, mask_of(graph, replaced), known)
    for i in ids:
        if i not in known:
            known[i] = _rebuilt(graph, i, graph, known)
    return [Expr(graph, _mapped(ref, known)) for ref in refs]


def transfer(source: Graph, refs: Sequence[int], target: Graph, known: dict[int, int]) -> list[int]:
    """Expressions of ``source`` rebuilt in ``target``; ``known`` maps ids to references there.

    Symbols that ``known`` does not map keep their names.
    """
    for i in source.reachable(refs, known):
        node = source.nodes[i]
        if node[0] == "const":
            known[i] = target.constant(node[1])
        elif node[0] == "symbol":
            known[i] = target.symbol_ref(node[1])
        else:
            known[i] = _rebuilt(source, i, target, known)
    return [_mapped(ref, known) for ref in refs]


def _rebuilt(source: Graph, i: int, target: Graph, known: dict[int, int]) -> int:
    node = source.nodes[i]
    operands = source.operands(node)
    mapped = [_mapped(ref, known) for ref in operands]
    return target.apply(node[0], *mapped, payload=source.payload(node))


def _mapped(ref: int, known: dict[int, int]) -> int:
    return known.get(ref, ref) if ref > 0 else -known.get(-ref, -ref)


def _remembered(graph: Graph, replaced: dict[int, int]) -> dict[int, int]:
    memo: dict[frozenset[tuple[int, int]], dict[int, int]] = graph.memo.setdefault("substitutions", {})
    key = frozenset(replaced.items())
    known = memo.pop(key, None)
    memo[key] = dict(replaced) if known is None else known
    if len(memo) > _REMEMBERED:
        del memo[next(iter(memo))]
    return memo[key]


def _symbol(symbol: Expr, graph: Graph) -> int:
    if not isinstance(symbol, Expr) or symbol.ref < 0 or graph.nodes[symbol.ref][0] != "symbol":  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"Only symbols can be replaced; got '{symbol}'.")
    if symbol.graph is not graph:
        raise ValueError(f"Symbol '{symbol}' belongs to another graph than the expression.")
    return symbol.ref


def _replacement(value: Expr | float, graph: Graph) -> int:
    value = value if isinstance(value, Expr) else constant(graph, cast(float, value))
    if value.graph is not graph:
        raise ValueError(f"'{value}' belongs to another graph than the expression it goes into.")
    return value.ref
