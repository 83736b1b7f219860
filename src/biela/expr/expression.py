"""`Expr`: a light handle on one value of a graph, with Python's operators.

Handles are made and dropped freely; the graph keeps the nodes. Two handles are equal when they are
the same value of the same graph. ``<``, ``<=``, ``>``, ``>=`` make expressions worth 1 or 0, to be used
in `where`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

from biela.expr.graph import Graph
from biela.expr.spline import interpolate

Number = float | int
ExprLike = "Expr | float | int"


class Expr:
    """A scalar symbolic value.

    >>> x = Graph().symbol("x")
    >>> (x + x) * x
    2*x*x
    """

    __slots__ = ("graph", "ref")
    __array_ufunc__ = None  # numpy scalars give way to our operators

    def __init__(self, graph: Graph, ref: int) -> None:
        self.graph = graph
        self.ref = ref

    # arithmetic: the constructor is inlined, this is the hot path of every model

    def __add__(self, other: Expr | Number) -> Expr:
        graph = self.graph
        if other.__class__ is Expr and other.graph is graph:  # type: ignore[union-attr]
            return Expr(graph, graph.add(self.ref, other.ref))  # type: ignore[union-attr]
        ref = reference(graph, other)
        return NotImplemented if ref is None else Expr(graph, graph.add(self.ref, ref))

    def __sub__(self, other: Expr | Number) -> Expr:
        graph = self.graph
        ref = reference(graph, other)
        return NotImplemented if ref is None else Expr(graph, graph.add(self.ref, -ref))

    def __mul__(self, other: Expr | Number) -> Expr:
        graph = self.graph
        if other.__class__ is Expr and other.graph is graph:  # type: ignore[union-attr]
            return Expr(graph, graph.mul(self.ref, other.ref))  # type: ignore[union-attr]
        ref = reference(graph, other)
        return NotImplemented if ref is None else Expr(graph, graph.mul(self.ref, ref))

    def __truediv__(self, other: Expr | Number) -> Expr:
        ref = reference(self.graph, other)
        return NotImplemented if ref is None else Expr(self.graph, self.graph.div(self.ref, ref))

    def __pow__(self, other: Expr | Number) -> Expr:
        ref = reference(self.graph, other)
        return NotImplemented if ref is None else Expr(self.graph, self.graph.pow(self.ref, ref))

    def __rsub__(self, other: Number) -> Expr:
        ref = reference(self.graph, other)
        return NotImplemented if ref is None else Expr(self.graph, self.graph.add(ref, -self.ref))

    def __rtruediv__(self, other: Number) -> Expr:
        ref = reference(self.graph, other)
        return NotImplemented if ref is None else Expr(self.graph, self.graph.div(ref, self.ref))

    def __rpow__(self, other: Number) -> Expr:
        ref = reference(self.graph, other)
        return NotImplemented if ref is None else Expr(self.graph, self.graph.pow(ref, self.ref))

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Expr:
        return Expr(self.graph, -self.ref)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return _apply("abs", self)

    # comparisons are expressions; equality is identity of the value

    def __lt__(self, other: Expr | Number) -> Expr:
        return _apply("lt", self, other)

    def __le__(self, other: Expr | Number) -> Expr:
        return _apply("le", self, other)

    def __gt__(self, other: Expr | Number) -> Expr:
        return _apply("lt", other, self)

    def __ge__(self, other: Expr | Number) -> Expr:
        return _apply("le", other, self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Expr):
            return self.ref == other.ref and self.graph is other.graph
        return isinstance(other, Real) and self.number == float(other)

    def __hash__(self) -> int:
        return hash(self.ref) if self.number is None else hash(self.number)

    def __bool__(self) -> bool:
        raise TypeError(
            f"The truth of '{self}' is known only when it is evaluated: use where(condition, a, b) "
            "instead of 'if', and min/max instead of comparing."
        )

    # what it is

    @property
    def name(self) -> str:
        """The name of a symbol; raises TypeError for anything else."""
        node = self.graph.nodes[abs(self.ref)]
        if node[0] != "symbol" or self.ref < 0:
            raise TypeError(f"'{self}' is not a symbol, so it has no name.")
        return node[1]

    @property
    def number(self) -> float | None:
        """The value of a constant; None for anything else."""
        return self.graph.number(self.ref)

    @property
    def symbols(self) -> list[Expr]:
        """The symbols it depends on, in order of creation."""
        nodes = self.graph.nodes
        ids = self.graph.reachable([self.ref])
        return [Expr(self.graph, i) for i in ids if nodes[i][0] == "symbol"]

    # calculus and algebra

    def diff(self, *symbols: Expr) -> Expr:
        """The derivative by one symbol after another.

        >>> x, y = Graph().symbols("x y")
        >>> (x**2 * y).diff(x, y)
        2*x
        """
        from biela.expr.derivative import differentiate

        result = self
        for symbol in symbols:
            result = differentiate(result, symbol)
        return result

    def dt(self) -> Expr:
        """The total time derivative, through the rates of coordinates and time."""
        from biela.expr.derivative import time_derivative

        return time_derivative(self)

    def substitute(self, values: Mapping[Expr, Expr | Number]) -> Expr:
        """Every symbol of ``values`` replaced, all at once.

        >>> x, y = Graph().symbols("x y")
        >>> (x - y).substitute({x: y, y: x})
        y - x
        """
        from biela.expr.substitution import substitute

        return substitute([self], values)[0]

    def value(self, values: Mapping[Expr, float] | None = None) -> float:
        """The number it is worth when its symbols have the given values.

        >>> x = Graph().symbol("x")
        >>> sqrt(x).value({x: 9})
        3.0
        """
        from biela.expr.program import Program

        return Program.of_expression(self).evaluate_symbols(values or {})[0]

    def __repr__(self) -> str:
        from biela.expr.printing import text

        return text(self)

    def latex(self) -> str:
        """The expression in LaTeX, without delimiters."""
        from biela.expr.printing import latex

        return latex(self)

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"


class Coordinate(NamedTuple):
    """A coordinate with its velocity and acceleration: time derivatives follow the chain."""

    position: Expr
    velocity: Expr
    acceleration: Expr


def coordinate(graph: Graph, name: str) -> Coordinate:
    """The triple q, dq, ddq of symbols; ``leg.q`` has the velocity ``leg.dq``.

    >>> q = coordinate(Graph(), "q")
    >>> sin(q.position).dt()
    cos(q)*dq
    """
    graph.symbol_ref(name)
    place, _, last = name.rpartition(".")
    prefix = f"{place}." if place else ""
    refs = [graph.symbol_ref(f"{prefix}{d}{last}") for d in ("", "d", "dd")]
    graph.rates[refs[0]], graph.rates[refs[1]] = refs[1], refs[2]
    graph.memo.pop("rates", None)
    return Coordinate(*(Expr(graph, ref) for ref in refs))


def time(graph: Graph, name: str = "t") -> Expr:
    """The symbol of time, whose rate is one."""
    ref = graph.symbol_ref(name)
    graph.rates[ref] = graph.ONE
    graph.memo.pop("rates", None)
    return Expr(graph, ref)


def constant(graph: Graph, value: float) -> Expr:
    """A number as an expression of a graph."""
    ref = None if isinstance(value, Expr) else reference(graph, value)  # pyright: ignore[reportUnnecessaryIsInstance]
    if ref is None:
        raise TypeError(f"Expected a real number; got {type(value).__name__} {value!r}.")
    return Expr(graph, ref)


def reference(graph: Graph, value: Any) -> int | None:
    """The reference of an operand in ``graph``; None when it is no scalar of ours."""
    if isinstance(value, Expr):
        if value.graph is not graph:
            raise ValueError(f"'{value}' belongs to another graph: build both expressions from one Graph.")
        return value.ref
    if isinstance(value, (bool, complex)) or not isinstance(value, Real):
        return None
    return graph.constant(float(value))


def listed(values: Any, what: str) -> list[Any]:
    """The items of a list of ``what``; raises TypeError for one expression or number alone."""
    if isinstance(values, (Expr, int, float)):
        raise TypeError(f"Expected a list of {what}, got '{values}' alone: write [{values}].")
    return list(values)


def expected(value: Any, verb: str) -> Expr:
    """An expression as it is; raises TypeError for anything else."""
    if not isinstance(value, Expr):
        raise TypeError(f"{verb}() takes expressions; got {type(value).__name__} {value!r}.")
    return value


def owner(values: Sequence[Any]) -> Graph:
    """The graph of the first expression among ``values``."""
    for value in values:
        if isinstance(value, Expr):
            return value.graph
    raise TypeError("Expected at least one expression among the operands.")


def _apply(name: str, *operands: Expr | Number, payload: Any = None) -> Expr:
    graph = owner(operands)
    refs: list[int] = []
    for operand in operands:
        ref = reference(graph, operand)
        if ref is None:
            raise TypeError(
                f"{name}() takes expressions and real numbers; got {type(operand).__name__} {operand!r}."
            )
        refs.append(ref)
    return Expr(graph, graph.apply(name, *refs, payload=payload))


def _call(name: str, *operands: Expr | Number) -> Any:
    """An operation on expressions, or on plain numbers, which stay plain."""
    if any(isinstance(operand, Expr) for operand in operands):
        return _apply(name, *operands)
    from biela.expr.operation import OPERATIONS

    numbers: list[float] = []
    for operand in operands:
        if isinstance(operand, (bool, Expr)) or not isinstance(operand, Real):
            raise TypeError(
                f"{name}() takes expressions and real numbers; got {type(operand).__name__} {operand!r}."
            )
        numbers.append(float(operand))
    value = OPERATIONS[name].value(*numbers)
    if math.isnan(value) and not any(map(math.isnan, numbers)):
        called = f"{name}({', '.join(map(repr, operands))})"
        raise ValueError(f"{called} is not a real number.")
    return value


def sqrt(x: Expr | Number) -> Any:
    """Square root."""
    return _call("sqrt", x)


def sin(x: Expr | Number) -> Any:
    """Sine of an angle in radians."""
    return _call("sin", x)


def cos(x: Expr | Number) -> Any:
    """Cosine of an angle in radians."""
    return _call("cos", x)


def tan(x: Expr | Number) -> Any:
    """Tangent of an angle in radians."""
    return _call("tan", x)


def asin(x: Expr | Number) -> Any:
    """Arcsine, in [-pi/2, pi/2]."""
    return _call("asin", x)


def acos(x: Expr | Number) -> Any:
    """Arccosine, in [0, pi]."""
    return _call("acos", x)


def atan(x: Expr | Number) -> Any:
    """Arctangent, in [-pi/2, pi/2]."""
    return _call("atan", x)


def atan2(y: Expr | Number, x: Expr | Number) -> Any:
    """Angle of the point (x, y), in [-pi, pi]."""
    return _call("atan2", y, x)


def exp(x: Expr | Number) -> Any:
    """Exponential."""
    return _call("exp", x)


def log(x: Expr | Number) -> Any:
    """Natural logarithm."""
    return _call("log", x)


def sinh(x: Expr | Number) -> Any:
    """Hyperbolic sine."""
    return _call("sinh", x)


def cosh(x: Expr | Number) -> Any:
    """Hyperbolic cosine."""
    return _call("cosh", x)


def tanh(x: Expr | Number) -> Any:
    """Hyperbolic tangent."""
    return _call("tanh", x)


def sign(x: Expr | Number) -> Any:
    """-1, 0 or 1."""
    return _call("sign", x)


def floor(x: Expr | Number) -> Any:
    """The largest whole number not above x."""
    return _call("floor", x)


def minimum(a: Expr | Number, b: Expr | Number) -> Any:
    """The smaller of two; nan when either is."""
    return _call("min", a, b)


def maximum(a: Expr | Number, b: Expr | Number) -> Any:
    """The larger of two; nan when either is."""
    return _call("max", a, b)


def equal(a: Expr | Number, b: Expr | Number) -> Any:
    """1 where two values are equal, else 0 (``==`` compares expressions, not values)."""
    return _call("eq", a, b)


def where(condition: Expr | Number, a: Expr | Number, b: Expr | Number) -> Any:
    """``a`` where the condition is not zero, else ``b``.

    >>> x = Graph().symbol("x")
    >>> where(x < 0, -x, x).value({x: -2})
    2.0
    """
    return _call("where", condition, a, b)


def spline(
    x: Expr, knots: Sequence[float], values: Sequence[float], slopes: tuple[float, float] | None = None
) -> Expr:
    """A cubic spline curve through (knots, values) at ``x``; natural ends unless end ``slopes`` are given.

    >>> x = Graph().symbol("x")
    >>> spline(x, [0, 1, 2], [0, 1, 4], slopes=(0, 4)).diff(x).value({x: 1.5})
    3.0
    """
    return _apply("spline", x, payload=interpolate(knots, values, slopes))


def uniform(seed: Expr | Number, step: Expr | Number, particle: Expr | Number, index: int = 0) -> Expr:
    """Draw number ``index`` of a step of a particle, uniform in (0, 1): always the same for one key.

    The key is made of whole numbers: seed and step below 2**53, particle below 2**32.
    """
    index = _checked_index(index)
    for what, part, end in (("seed", seed, 2**53), ("step", step, 2**53), ("particle", particle, 2**32)):
        number = part.number if isinstance(part, Expr) else part
        if isinstance(number, Real) and not (0 <= number < end and number == int(number)):
            raise ValueError(f"The {what} of a draw must be a whole number in [0, {end}): got {number}.")
    return _apply("uniform", seed, step, particle, payload=index)


def normal(seed: Expr | Number, step: Expr | Number, particle: Expr | Number, index: int = 0) -> Expr:
    """Draw number ``index`` of a step of a particle from the standard normal distribution (Box-Muller)."""
    index = _checked_index(index)
    pair = index - index % 2
    radius = sqrt(-2.0 * log(uniform(seed, step, particle, pair)))
    angle = 2.0 * math.pi * uniform(seed, step, particle, pair + 1)
    return radius * (sin(angle) if index % 2 else cos(angle))


def _checked_index(index: int) -> int:
    if not isinstance(index, Integral) or not 0 <= index < 2**32:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"The index of a draw must be a whole number in [0, 2**32): got {index}.")
    return int(index)
