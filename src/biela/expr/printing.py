"""Expressions as text that Python reads back, as LaTeX, and graphs as drawings.

`text` is what `repr` shows: Python operators and the functions of `biela`, with no parentheses that
Python can do without, so that evaluating the text rebuilds the very same node. A chain of sums or
products is therefore written flat only where it leans to the left, as Python reads it. What does not
fit is elided from the bottom: an expression is walked level by level, and beyond ``limit``
occurrences a part is an ellipsis, hence the cost is bounded whatever the size of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from biela.expr.expression import expected, listed
from biela.expr.latex import latex
from biela.expr.occurrence import Occurrences
from biela.expr.operation import CALL

if TYPE_CHECKING:
    from biela.expr.expression import Expr
    from biela.expr.graph import Graph, Node

LIMIT = 200
_COMPARISON, _SUM, _PRODUCT, _POWER = 0, 1, 2, 4  # precedences; CALL binds tightest
_INFIX = {"lt": " < ", "le": " <= "}
_LABEL = {"add": "+", "mul": "*", "inv": "1/"}
_FUNCTION = {"min": "minimum", "max": "maximum", "eq": "equal"}  # the public names that differ from the rows


def text(expression: Expr, limit: int = LIMIT) -> str:
    """The expression as Python writes it, elided beyond ``limit`` operations and operands.

    >>> from biela.expr.expression import sin, where
    >>> from biela.expr.graph import Graph
    >>> x, y = Graph().symbols("x y")
    >>> text(-(x - y) / (2 * sin(x))), text(where(x < 1, x**3, -y))
    ('(y - x)/(2*sin(x))', 'where(x < 1, x*x*x, -y)')
    """
    expected(expression, "text")
    return _Text(expression.graph, expression.ref, limit).written()


class _Text:
    """One writing: the occurrences of nodes, and the text of each with how it binds."""

    def __init__(self, graph: Graph, ref: int, limit: int) -> None:
        self.graph = graph
        self.tree = Occurrences(ref, limit, self._ordered)
        self.refs = self.tree.refs
        self.texts = ["..."] * len(self.refs)
        self.binding = [CALL] * len(self.refs)

    def written(self) -> str:
        for place, operands in self.tree.upwards():
            self._write(place, operands)
        return self.texts[0]

    # the order of operands, with the sign of the node moved to where it is read best

    def _ordered(self, ref: int) -> tuple[int, ...]:
        node = self.graph.nodes[abs(ref)]
        if node[0] == "add":
            return self._ordered_sum(*self._terms(ref))
        if node[0] == "mul":
            return self._ordered_product(ref, node[1], node[2])
        return self.graph.operands(node)

    def _terms(self, ref: int) -> tuple[int, int]:
        _, a, b = self.graph.nodes[abs(ref)]
        return (a, b) if ref > 0 else (-a, -b)

    def _ordered_sum(self, a: int, b: int) -> tuple[int, int]:
        """Python reads the first operand without parentheses, so a sum goes there; the second is unsigned."""
        chain_a, chain_b = self._is(a, "add"), self._is(b, "add")
        if chain_a != chain_b:
            chain, other = (a, b) if chain_a else (b, a)
            a, b = (other, chain) if other > 0 and self._all_negative(chain) else (chain, other)
        elif (a < 0) != (b < 0):
            a, b = max(a, b), min(a, b)
        elif self._rank(a) > self._rank(b):
            a, b = b, a
        return a, abs(b)

    def _ordered_product(self, ref: int, a: int, b: int) -> tuple[int, int]:
        """A coefficient, then a product, then the rest; a reciprocal last, to be a division."""
        number_a, number_b = self.graph.is_constant(a), self.graph.is_constant(b)
        if self._is(a, "inv") or self._is(b, "inv"):
            swap = self._is(a, "inv")
        elif number_a or number_b:
            swap = number_b
        elif self._is(a, "mul") or self._is(b, "mul"):
            swap = not self._is(a, "mul")
        else:
            swap = self._rank(a) > self._rank(b)
        if swap:
            a, b = b, a
        if ref < 0:  # -(x - y) z reads better as (y - x) z
            if self._is_difference(a):
                a = -a
            elif self._is_difference(b):
                b = -b
        return a, b

    def _rank(self, ref: int) -> int:
        """Operations stand before symbols, and symbols before numbers."""
        return {"symbol": 1, "const": 2}.get(self.graph.nodes[abs(ref)][0], 0)

    def _is(self, ref: int, name: str) -> bool:
        return self.graph.nodes[abs(ref)][0] == name

    def _all_negative(self, ref: int) -> bool:
        return ref < 0 and self.graph.nodes[-ref][2] > 0

    def _is_difference(self, ref: int) -> bool:
        return self._is(ref, "add") and self.graph.nodes[abs(ref)][2] < 0

    # writing

    def _write(self, place: int, operands: Sequence[int]) -> None:
        ref = self.refs[place]
        node = self.graph.nodes[abs(ref)]
        if node[0] == "const":
            value = node[1] if ref > 0 else -node[1]
            self._set(place, _number(value), _SUM if ref < 0 else CALL)
        elif node[0] == "add":
            self._write_sum(place, *operands)
        elif node[0] == "mul":
            self._write_product(place, *operands)
        else:
            self._write_operation(place, operands, node)
            if ref < 0:
                self._set(place, f"-{self._bound(place, _PRODUCT)}", _PRODUCT)

    def _write_sum(self, place: int, a: int, b: int) -> None:
        sign = "-" if -self.refs[b] in self._terms(self.refs[place]) else "+"
        self._set(place, f"{self._bound(a, _SUM)} {sign} {self._bound(b, _PRODUCT)}", _SUM)

    def _write_product(self, place: int, a: int, b: int) -> None:
        sign = "-" if self.refs[place] < 0 and min(self.refs[a], self.refs[b]) > 0 else ""
        left = self._bound(a, _PRODUCT)
        if self._is(self.refs[b], "inv") and self.texts[b] != "...":
            self._set(place, f"{sign}{left}{self.texts[b][1:]}", _PRODUCT)
        else:
            self._set(place, f"{sign}{left}*{self._bound(b, _POWER)}", _PRODUCT)

    def _write_operation(self, place: int, operands: Sequence[int], node: Node) -> None:
        name = node[0]
        if name == "symbol":
            self._set(place, node[1], CALL)
        elif name == "inv":
            self._set(place, f"1/{self._bound(operands[0], _POWER)}", _PRODUCT)
        elif name == "pow":
            self._set(place, "**".join(self._bound(o, CALL) for o in operands), _POWER)
        elif name in _INFIX:
            self._set(place, _INFIX[name].join(self._bound(o, _SUM) for o in operands), _COMPARISON)
        else:
            payload = self.graph.payload(node)
            arguments = [self.texts[o] for o in operands]
            arguments += [] if payload is None else [str(payload) if isinstance(payload, int) else "..."]
            self._set(place, f"{_FUNCTION.get(name, name)}({', '.join(arguments)})", CALL)

    def _set(self, place: int, written: str, binding: int) -> None:
        self.texts[place], self.binding[place] = written, binding

    def _bound(self, place: int, least: int) -> str:
        """The text of an occurrence, in parentheses when it binds less than ``least``."""
        return self.texts[place] if self.binding[place] >= least else f"({self.texts[place]})"


def _number(value: float) -> str:
    """A number as short as it reads back: 2.0 is written 2."""
    whole = value.is_integer() and abs(value) < 1e16 and repr(value) != "-0.0"
    return str(int(value)) if whole else repr(value)


def graphviz(expressions: Iterable[Expr]) -> str:
    """The graph of some expressions in the language of Graphviz; a dashed edge changes the sign.

    >>> from biela.expr.graph import Graph
    >>> x, y = Graph().symbols("x y")
    >>> print(graphviz([x - y]))
    digraph {
      n3 [label="x", shape=box]
      n4 [label="y", shape=box]
      n5 [label="+"]
      n5 -> n3
      n5 -> n4 [style=dashed]
      y0 [label="0", shape=plaintext]
      y0 -> n5
    }
    """
    roots = [expected(root, "graphviz") for root in listed(expressions, "expressions")]
    lines: list[str] = []
    for graph in {id(root.graph): root.graph for root in roots}.values():
        lines += _drawn(graph, [root.ref for root in roots if root.graph is graph])
    return "\n".join(["digraph {", *(f"  {line}" for line in lines), "}"])


def _drawn(graph: Graph, refs: Sequence[int]) -> list[str]:
    def edge(start: str, ref: int) -> str:
        return f"{start} -> n{abs(ref)}" + (" [style=dashed]" if ref < 0 else "")

    lines: list[str] = []
    for i in graph.reachable(refs):
        node = graph.nodes[i]
        label = {"symbol": str, "const": _number}.get(node[0])
        if label:
            lines.append(f'n{i} [label="{label(node[1])}", shape=box]')
        else:
            lines.append(f'n{i} [label="{_LABEL.get(node[0], node[0])}"]')
        lines += [edge(f"n{i}", ref) for ref in graph.operands(node)]
    for place, ref in enumerate(refs):
        lines += [f'y{place} [label="{place}", shape=plaintext]', edge(f"y{place}", ref)]
    return lines


__all__ = ["graphviz", "latex", "text"]
