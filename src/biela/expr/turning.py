"""Turning: the sine and cosine of an angle near another follow from those of the other.

A step of a mechanism needs the sines of its angles at the start, after the motion, and after every step of
Newton's method: angles that differ by little. With d between two of them

    sin(a + d) = sin a cos d + cos a sin d,    cos(a + d) = cos a cos d - sin a sin d

where short series make sin d and cos d: half the operations of a sine of any angle, and without
the reduction that all must wait for. The sine of a sum of angles follows from theirs in the same way.

The series hold for |d| up to a bound. Whether all do is one more output, ``far``: where it is not zero the
original Function has to say. Two angles are near when one is the other and something added to it; how much
only shows when it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import NamedTuple

from biela.expr.expression import Expr
from biela.expr.function import Function, Port
from biela.expr.graph import Graph


class Series(NamedTuple):
    """How many terms of the sine and of the cosine, and up to which angle they leave less than 2**-54."""

    sine: int
    cosine: int
    bound: float


# by how often the other angle was turned itself: motion, and corrections of which each is the square of that
# before; what is left is at most d**11 / 11!, d**7 / 7!, d**4 / 4!
SERIES = (Series(5, 6, 5 / 32), Series(3, 4, 1 / 64), Series(2, 2, 2.0**-13))

Pair = tuple[int, int]  # references of a sine and a cosine
Terms = frozenset[tuple[int, int]]  # the nodes that a sum is made of, each with its sign


def turned(function: Function, angles: Sequence[Expr]) -> Function:
    """The Function with the sines of near angles turned, and the output ``far``; or itself, if it has none.

    ``angles`` are symbols: two arguments of sines that share them may be near.

    >>> from biela.expr.expression import cos, sin
    >>> a, v, h = Graph().symbols("a v h")
    >>> f = Function("f", [a, v, h], {"y": cos(a) + sin(a + v * h)})
    >>> near = turned(f, [a])
    >>> y, far = near.evaluate(1.0, 2.0, 0.05)
    >>> abs(y - f.evaluate(1.0, 2.0, 0.05)) < 1e-15, far, near.evaluate(1.0, 2.0, 0.5).far
    (True, 0.0, 1.0)
    """
    turner = _Turner(function.graph, {angle.ref for angle in angles})
    refs = turner.rebuilt([ref for port in function.outputs for ref in port.refs])
    if not turner.turns:
        return function
    made = iter(refs)
    ports = [Port(port.name, port.shape, tuple(next(made) for _ in port.refs)) for port in function.outputs]
    inputs = {port.name: function.value(port) for port in function.inputs}
    outputs = {port.name: function.value(port) for port in ports}
    return Function(f"{function.name}_turned", inputs, {**outputs, "far": turner.far()})


class _Turner:
    """The pairs made so far, by the terms of their angles, and how far each was turned."""

    def __init__(self, graph: Graph, angles: set[int]) -> None:
        self.graph, self.angles = graph, angles
        self.known: dict[int, int] = {}  # nodes that changed
        self.pairs: dict[Terms, Pair] = {}
        self.turns: dict[Terms, tuple[int, int]] = {}  # how far, and the row of `SERIES`

    def rebuilt(self, refs: Sequence[int]) -> list[int]:
        """The expressions with their sines turned."""
        graph = self.graph
        ids = graph.reachable(refs)
        sines = [i for i in ids if graph.nodes[i][0] in ("sin", "cos")]
        whole = {self._terms(graph.nodes[i][1]): graph.nodes[i][1] for i in sines}
        for terms in sorted(whole, key=len):
            if terms == self._base(terms):  # angles of the state and their sums
                self.pairs[terms] = self._sum(terms) or self._full(whole[terms])
        for i in ids:
            node = graph.nodes[i]
            if node[0] in ("sin", "cos"):
                self.known[i] = self._pair(node[1])[node[0] == "cos"]
            elif any(abs(ref) in self.known for ref in graph.operands(node)):
                mapped = map(self._mapped, graph.operands(node))
                self.known[i] = graph.apply(node[0], *mapped, payload=graph.payload(node))
        return [self._mapped(ref) for ref in refs]

    def far(self) -> Expr:
        """One where any turn is beyond its series, or no number, else zero."""
        graph, near = self.graph, Graph.ONE
        for turn, row in self.turns.values():
            within = graph.apply("le", graph.apply("abs", turn), graph.constant(SERIES[row].bound))
            near = graph.mul(near, within)
        return Expr(graph, graph.add(Graph.ONE, -near))

    def _mapped(self, ref: int) -> int:
        return self.known.get(ref, ref) if ref > 0 else -self.known.get(-ref, -ref)

    def _terms(self, ref: int) -> Terms:
        """What a sum is made of; nothing where a term occurs twice."""
        found: dict[int, int] = {}
        stack = [ref]
        while stack:
            term = stack.pop()
            node = self.graph.nodes[abs(term)]
            if node[0] == "add":
                sign = 1 if term > 0 else -1
                stack += [sign * node[1], sign * node[2]]
            elif abs(term) in found:
                return frozenset({(abs(ref), 1 if ref > 0 else -1)})
            else:
                found[abs(term)] = 1 if term > 0 else -1
        return frozenset(found.items())

    def _base(self, terms: Terms) -> Terms:
        return frozenset(term for term in terms if term[0] in self.angles)

    def _near(self, other: Terms, terms: Terms) -> bool:
        """Whether an angle is another with the same symbols and more, and the rest may be small: no number
        and no parameter, which are what they are.
        """
        base = self._base(terms)
        if not (base and base <= other < terms):
            return False
        return all(self.graph.nodes[node][0] not in ("const", "symbol") for node, _ in terms - other)

    def _pair(self, ref: int) -> Pair:
        """The sine and the cosine of an angle: known, turned from the nearest one, or computed."""
        terms = self._terms(ref)
        if terms not in self.pairs:
            near = [other for other in self.pairs if self._near(other, terms)]
            self.pairs[terms] = self._turn(max(near, key=len), terms) if near else self._full(ref)
        return self.pairs[terms]

    def _full(self, ref: int) -> Pair:
        mapped = self._mapped(ref)
        return self.graph.apply("sin", mapped), self.graph.apply("cos", mapped)

    def _sum(self, terms: Terms) -> Pair | None:
        """That of a sum of two angles whose pairs are known."""
        for first in self.pairs:
            if first < terms and terms - first in self.pairs:
                return self._added(self.pairs[first], self.pairs[terms - first])
        return None

    def _turn(self, near: Terms, terms: Terms) -> Pair:
        graph, turn = self.graph, Graph.ZERO
        for node, sign in sorted(terms - near):
            turn = graph.add(turn, sign * self._mapped(node))
        row = min(self.turns[near][1] + 1, len(SERIES) - 1) if near in self.turns else 0
        self.turns[terms], series = (turn, row), SERIES[row]
        square = graph.mul(turn, turn)
        sine = graph.mul(turn, self._series(square, range(1, 2 * series.sine, 2)))
        return self._added(self.pairs[near], (sine, self._series(square, range(0, 2 * series.cosine, 2))))

    def _series(self, square: int, powers: range) -> int:
        """Terms of alternating sign, of these powers, in the square of what one of them is taken out of."""
        graph, total = self.graph, Graph.ZERO
        for power in reversed(powers):
            sign = -1.0 if power // 2 % 2 else 1.0
            total = graph.add(graph.mul(total, square), graph.constant(sign / factorial(power)))
        return total

    def _added(self, one: Pair, other: Pair) -> Pair:
        """The sine and the cosine of a sum of angles."""
        graph = self.graph
        return (
            graph.add(graph.mul(one[0], other[1]), graph.mul(one[1], other[0])),
            graph.add(graph.mul(one[1], other[1]), -graph.mul(one[0], other[0])),
        )
