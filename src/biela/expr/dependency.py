"""Which symbols a node depends on: one bit mask a node, kept up to date as the graph grows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from biela.expr.graph import Graph


def support(graph: Graph) -> list[int]:
    """The masks of all nodes by id; bit ``i`` of a mask stands for the symbol of id ``i``'s rank.

    Equal masks are one object, so a million nodes over a few symbols cost a million pointers.
    """
    masks: list[int] = graph.memo.setdefault("support", [])
    bits: dict[int, int] = graph.memo.setdefault("support.bits", {})
    shared: dict[int, int] = graph.memo.setdefault("support.shared", {0: 0})
    for node in graph.nodes[len(masks) :]:
        name = node[0]
        if name == "symbol":
            mask = bits[len(masks)] = 1 << len(bits)
        else:
            mask = 0
            for ref in graph.operands(node):
                mask |= masks[abs(ref)]
        masks.append(shared.setdefault(mask, mask))
    return masks


def mask_of(graph: Graph, symbols: Iterable[int]) -> int:
    """The joint mask of some symbols, given by id."""
    masks, mask = support(graph), 0
    for i in symbols:
        mask |= masks[i]
    return mask


def dependents(graph: Graph, refs: Iterable[int], mask: int, known: Mapping[int, Any]) -> list[int]:
    """The ids below ``refs`` that depend on a symbol of ``mask`` and are not ``known``, operands first."""
    masks, nodes = support(graph), graph.nodes
    seen: set[int] = set()
    stack = [abs(ref) for ref in refs]
    while stack:
        i = stack.pop()
        if i in seen or i in known or not masks[i] & mask:
            continue
        seen.add(i)
        stack.extend(abs(ref) for ref in graph.operands(nodes[i]))
    return sorted(seen)
