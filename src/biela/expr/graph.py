"""The graph: every expression of a model, each distinct value once.

A node is a tuple ``(operation, operand, ..., payload)`` kept in a list; its place in the list is its id.
A *reference* is an id with a sign: ``-ref`` is the negated value, so that e and -e share a node and
changing sign costs nothing. Operands exist before the node does, hence id order is topological
order and every pass over a graph is one loop.

Nodes are put in normal form at birth, so that equal values meet in one node:

* constants are folded; x + 0, 1 x, 0 x, x - x, x / x, (x / y) y and c (d x) are simplified;
* operands of commutative operations are ordered by id, signs are pulled out of products, quotients,
  and odd or even functions, a sum begins with a positive operand;
* a - b is ``add(a, -b)``, a / b is ``mul(a, inv(b))``, x**3 is ``mul(mul(x, x), x)``.

As symbolic algebra does, 0 x = 0 and x / x = 1 are applied without asking whether x is finite or zero.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, Final

from biela.expr.operation import OPERATIONS
from biela.expr.spline import Curve

Node = tuple[Any, ...]

_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_COMMUTATIVE = frozenset({"min", "max", "eq"})


class Graph:
    """An append-only, hash-consed graph of scalar operations.

    >>> g = Graph()
    >>> x, y = g.symbols("x y")
    >>> (x + y) is (y + x), x + y == y + x
    (False, True)
    """

    ZERO: Final = 1
    ONE: Final = 2

    __slots__ = ("__weakref__", "_constants", "_index", "memo", "nodes", "rates")

    def __init__(self) -> None:
        self.nodes: list[Node] = [("none",)]
        self._index: dict[Node, int] = {}
        self._constants: dict[int, float] = {}
        self.rates: dict[int, int] = {}  # symbol id -> reference of its time derivative
        self.memo: dict[Any, Any] = {}  # results of passes; nodes never change, so neither do these
        self.constant(0.0)
        self.constant(1.0)

    def __len__(self) -> int:
        return len(self.nodes) - 1

    def __repr__(self) -> str:
        return f"<Graph of {len(self)} nodes>"

    # leaves

    def constant(self, value: float) -> int:
        """The reference of a number. 0.0 and -0.0 differ: they are ZERO and -ZERO."""
        value = float(value)
        if value != value:
            value = math.nan
        negative = math.copysign(1.0, value) < 0.0
        key = ("const", -value if negative else value)
        ref = self._index.get(key)
        if ref is None:
            ref = self._append(key)
            self._constants[ref] = key[1]
            self._constants[-ref] = -key[1]
        return -ref if negative else ref

    def symbol_ref(self, name: str) -> int:
        """The reference of the symbol of that name, created when new."""
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"The name of a symbol is a str; got {type(name).__name__} {name!r}.")
        ref = self._index.get(("symbol", name))
        if ref is not None:
            return ref
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"Symbol name {name!r}: expected letters, digits and underscores, qualified with dots "
                "like 'leg3.q'."
            )
        return self._append(("symbol", name))

    def is_constant(self, ref: int) -> bool:
        """Whether a reference is a number."""
        return ref in self._constants

    def number(self, ref: int) -> float | None:
        """The number behind a reference, or None."""
        return self._constants.get(ref)

    # operations in normal form

    def add(self, a: int, b: int) -> int:
        """The sum."""
        if a in self._constants or b in self._constants:
            return self._add_constant(a, b)
        i = a if a > 0 else -a
        j = b if b > 0 else -b
        if i > j:
            a, b = b, a
        elif i == j:
            return self._mul_constant(self.constant(2.0), a) if a == b else 1
        key = ("add", a, b) if a > 0 else ("add", -a, -b)
        ref = self._index.get(key)
        if ref is None:
            ref = len(self.nodes)
            self.nodes.append(key)
            self._index[key] = ref
        return ref if a > 0 else -ref

    def mul(self, a: int, b: int) -> int:
        """The product."""
        if a in self._constants or b in self._constants:
            return self._mul_constant(a, b)
        i = a if a > 0 else -a
        j = b if b > 0 else -b
        if i > j:
            i, j = j, i
        key = ("mul", i, j)
        ref = self._index.get(key)
        if ref is None:
            simpler = self._simpler_product(i, j)
            if simpler:
                ref = simpler
            else:
                ref = len(self.nodes)
                self.nodes.append(key)
                self._index[key] = ref
        return ref if (a > 0) == (b > 0) else -ref

    def inv(self, a: int) -> int:
        """The reciprocal."""
        if a < 0:
            return -self.inv(-a)
        value = self._constants.get(a)
        if value is not None:
            if value == 0.0:
                raise ZeroDivisionError("An expression is divided by the constant 0.")
            if math.frexp(value)[0] == 0.5 and math.isfinite(1.0 / value):  # a power of two: exact
                return self.constant(1.0 / value)
        node = self.nodes[a]
        return node[1] if node[0] == "inv" else self._intern(("inv", a))

    def div(self, a: int, b: int) -> int:
        """The quotient."""
        x, y = self._constants.get(a), self._constants.get(b)
        if x is not None and y is not None and y != 0.0:
            return self.constant(x / y)
        return self.mul(a, self.inv(b))

    def pow(self, a: int, b: int) -> int:
        """The power; whole and half-integer constant exponents become products and square roots."""
        exponent = self._constants.get(b)
        if exponent is None or not math.isfinite(exponent) or 2.0 * exponent != math.floor(2.0 * exponent):
            return self.apply("pow", a, b)
        if abs(exponent) > 64.0:
            return self.apply("pow", a, b)
        if exponent < 0.0:
            return self.inv(self.pow(a, -b))
        whole, half = divmod(exponent, 1.0)
        power = self._integer_power(a, int(whole))
        return self.mul(power, self.apply("sqrt", a)) if half else power

    def apply(self, name: str, *operands: int, payload: Any = None) -> int:
        """Any operation of the table by name: the way every pass rebuilds nodes."""
        direct = _DIRECT.get(name)
        if direct is not None:
            return direct(self, *operands)
        row = OPERATIONS[name]
        if all(ref in self._constants for ref in operands):
            return self._fold(name, operands, payload)
        if row.parity and operands[0] < 0:
            ref = self.apply(name, -operands[0])
            return -ref if row.parity == "odd" else ref
        if row.condition is not None:
            simpler = self._simpler_selection(name, operands)
            if simpler:
                return simpler
        if name in _COMMUTATIVE:
            operands = tuple(sorted(operands, key=lambda ref: (abs(ref), ref)))
        if name == "abs" and self.nodes[operands[0]][0] == "abs":
            return operands[0]
        return self._intern((name, *operands) if payload is None else (name, *operands, payload))

    def differentiate_spline(self, ref: int) -> int:
        """The slope of a spline node, by its argument."""
        _, argument, curve = self.nodes[abs(ref)]
        slope = curve.derivative()
        return self.ZERO if slope is None else self.apply("spline", argument, payload=slope)

    # passes

    def operands(self, node: Node) -> tuple[int, ...]:
        """The operand references of a node; none for a leaf."""
        row = OPERATIONS.get(node[0])
        return node[1 : 1 + row.arity] if row is not None else ()

    def payload(self, node: Node) -> Any:
        """What a node carries besides its operands, or None."""
        row = OPERATIONS[node[0]]
        return node[1 + row.arity] if len(node) > 1 + row.arity else None

    def reachable(self, refs: Iterable[int], known: dict[int, Any] | None = None) -> list[int]:
        """The ids that ``refs`` depend on, in topological order, not going into ``known`` ones."""
        seen: set[int] = set()
        stack = [abs(ref) for ref in refs]
        nodes, known = self.nodes, known or {}
        while stack:
            i = stack.pop()
            if i in seen or i in known:
                continue
            seen.add(i)
            node = nodes[i]
            if node[0] in _BINARY:
                a, b = node[1], abs(node[2])
                if a not in seen:
                    stack.append(a)
                if b not in seen:
                    stack.append(b)
            else:
                stack.extend(map(abs, self.operands(node)))
        return sorted(seen)

    # the parts of the normal form

    def _append(self, key: Node) -> int:
        ref = len(self.nodes)
        self.nodes.append(key)
        self._index[key] = ref
        return ref

    def _intern(self, key: Node) -> int:
        ref = self._index.get(key)
        return self._append(key) if ref is None else ref

    def _add_constant(self, a: int, b: int) -> int:
        if a not in self._constants:
            a, b = b, a
        if abs(a) == self.ZERO and b not in self._constants:
            return b
        number = self._constants[a]
        other = self._constants.get(b)
        if other is not None:
            return self.constant(number + other)
        sign = 1 if b > 0 else -1
        node = self.nodes[abs(b)]
        if node[0] == "add":
            for inner, rest in ((node[1], node[2]), (node[2], node[1])):
                if inner in self._constants:  # c + (d + y)
                    return self.add(self.constant(number + sign * self._constants[inner]), sign * rest)
        first, second = (a, b) if abs(a) < abs(b) else (b, a)
        if first > 0:
            return self._intern(("add", first, second))
        return -self._intern(("add", -first, -second))

    def _mul_constant(self, a: int, b: int) -> int:
        if a not in self._constants:
            a, b = b, a
        number = self._constants[a]
        other = self._constants.get(b)
        if other is not None:
            return self.constant(number * other)
        if number == 0.0:
            return self.ZERO
        sign = -1 if (a < 0) != (b < 0) else 1
        a, b = abs(a), abs(b)
        if a == self.ONE:
            return sign * b
        node = self.nodes[b]
        if node[0] == "mul":
            for inner, rest in ((node[1], node[2]), (node[2], node[1])):
                if inner in self._constants:  # c (d y)
                    product = self.constant(abs(number) * self._constants[inner])
                    return sign * self._mul_constant(product, rest)
        return sign * self._intern(("mul", min(a, b), max(a, b)))

    def _simpler_product(self, i: int, j: int) -> int:
        """A product of positive references that needs no node of its own, or 0."""
        first, second = self.nodes[i], self.nodes[j]
        if i == j and first[0] == "sqrt":
            return first[1]
        if (first[0] == "inv" and first[1] == j) or (second[0] == "inv" and second[1] == i):
            return self.ONE
        if second[0] == "mul":
            rest = self._cancelled(second, i)
            if rest:
                return rest
        return self._cancelled(first, j) if first[0] == "mul" else 0

    def _cancelled(self, product: Node, factor: int) -> int:
        """What a factor that is the reciprocal of one of the two of a product leaves of it, or 0."""
        nodes, (_, a, b) = self.nodes, product
        node = nodes[factor]
        if node[0] == "inv" and (node[1] == a or node[1] == b):  # (a b) / a
            return b if node[1] == a else a
        for inner, rest in ((a, b), (b, a)):
            if nodes[inner][0] == "inv" and nodes[inner][1] == factor:  # (b / a) a
                return rest
        return 0

    def _simpler_selection(self, name: str, operands: tuple[int, ...]) -> int:
        """A selection whose outcome is known, or 0."""
        a, b = operands[-2:]
        if a == b:
            return a
        if name == "where" and operands[0] in self._constants:
            return a if self._constants[operands[0]] != 0.0 else b
        return 0

    def _integer_power(self, a: int, n: int) -> int:
        result, square = self.ONE, a
        while n:
            if n & 1:
                result = self.mul(square, result)
            n >>= 1
            if n:
                square = self.mul(square, square)
        return result

    def _fold(self, name: str, operands: tuple[int, ...], payload: Any) -> int:
        numbers = [self._constants[ref] for ref in operands]
        row = OPERATIONS[name]
        value = row.value(*numbers) if payload is None else row.value(*numbers, payload)
        if not math.isfinite(value) and all(map(math.isfinite, numbers)):
            called = f"{name}({', '.join(map(repr, numbers))})"
            raise ValueError(f"{called} is not a finite number; it appears as a constant expression.")
        return self.constant(value)

    # handles (Expr imports this module, so these import late)

    def symbol(self, name: str) -> Any:
        """One symbol as an `Expr`."""
        from biela.expr.expression import Expr

        return Expr(self, self.symbol_ref(name))

    def symbols(self, names: str) -> Any:
        """A list of symbols from names separated by blanks or commas."""
        if not isinstance(names, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            got = f"{type(names).__name__} {names!r}"
            raise TypeError(f"Names of symbols stand in one str, as in symbols('x y'); got {got}.")
        return [self.symbol(name) for name in names.replace(",", " ").split()]


def _neg(graph: Graph, a: int) -> int:
    return -a


def _sub(graph: Graph, a: int, b: int) -> int:
    return graph.add(a, -b)


_DIRECT: dict[str, Any] = {
    "add": Graph.add,
    "mul": Graph.mul,
    "inv": Graph.inv,
    "div": Graph.div,
    "neg": _neg,
    "sub": _sub,
}
_BINARY = frozenset({"add", "mul"})

__all__ = ["Curve", "Graph", "Node"]
