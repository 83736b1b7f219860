"""Exchange with SymPy: any scalar or `Matrix` there and back.

Both directions are one loop over the distinct subexpressions in dependency order: large graphs with much
sharing cross without recursion (SymPy's own constructors recurse, and fail some hundred levels deep).
SymPy is an optional dependency, imported when first used.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from biela.expr.expression import Expr, expected
from biela.expr.graph import Graph
from biela.expr.matrix import Matrix

Build = Callable[[Graph, tuple[int, ...]], int]


def to_sympy(expression: Expr | Matrix) -> Any:
    """The same value as a SymPy expression (scalar) or matrix; symbols are real and keep their names.

    >>> x, y = Graph().symbols("x y")
    >>> to_sympy(x**2 / y)
    x**2/y

    Raises ImportError without SymPy, and ValueError for a spline or a random draw.
    """
    sympy = _sympy()
    refs = expression.refs if isinstance(expression, Matrix) else [expected(expression, "to_sympy").ref]
    made: dict[int, Any] = {}
    for i in expression.graph.reachable(refs):
        made[i] = _node_to_sympy(sympy, expression.graph, i, made)
    values = [made[abs(ref)] if ref > 0 else -made[abs(ref)] for ref in refs]
    if isinstance(expression, Expr):
        return values[0]
    rows, columns = (*expression.shape, 1)[:2]
    return sympy.ImmutableMatrix(rows, columns, values)


def from_sympy(expression: Any, graph: Graph, symbols: Mapping[Any, Expr] | None = None) -> Any:
    """A SymPy expression or matrix in ``graph``; ``symbols`` says what its symbols are, otherwise names do.

    >>> import sympy
    >>> from_sympy(sympy.sympify("sin(x)**2 + 1/3"), Graph())
    sin(x)*sin(x) + 0.3333333333333333

    Raises ImportError without SymPy, TypeError for what is not from SymPy, and ValueError for an operation
    that biela has not.
    """
    sympy = _sympy()
    if isinstance(expression, sympy.MatrixBase):
        rows, columns = expression.shape
        entries = [_convert(sympy, entry, graph, symbols or {}) for entry in expression]
        return Matrix(graph, (rows, columns) if columns > 1 else (rows,), tuple(entries))
    return Expr(graph, _convert(sympy, expression, graph, symbols or {}))


def _sympy() -> Any:
    try:
        return import_module("sympy")
    except ImportError as error:
        raise ImportError("Exchange with SymPy needs SymPy: pip install biela[sympy]") from error


# to SymPy


def _node_to_sympy(sympy: Any, graph: Graph, i: int, made: Mapping[int, Any]) -> Any:
    node = graph.nodes[i]
    name = node[0]
    if name == "const":
        return sympy.Integer(int(node[1])) if _is_short_whole(node[1]) else sympy.Float(node[1], 17)
    if name == "symbol":
        return sympy.Symbol(node[1], real=True)
    convert = _TO_SYMPY.get(name)
    if convert is None:
        raise ValueError(f"SymPy has no '{name}': an expression with one cannot be handed over.")
    operands = [made[abs(ref)] if ref > 0 else -made[abs(ref)] for ref in graph.operands(node)]
    return convert(sympy, *operands)


def _is_short_whole(value: float) -> bool:
    return value.is_integer() and abs(value) < 1e15


def _named(name: str) -> Callable[..., Any]:
    def convert(sympy: Any, *operands: Any) -> Any:
        return getattr(sympy, name)(*operands)

    return convert


def _arithmetic(function: Callable[..., Any]) -> Callable[..., Any]:
    def convert(sympy: Any, *operands: Any) -> Any:
        return function(*operands)

    return convert


def _indicator(relation: str) -> Callable[..., Any]:
    def convert(sympy: Any, a: Any, b: Any) -> Any:
        return sympy.Piecewise((1, getattr(sympy, relation)(a, b)), (0, True))

    return convert


def _reciprocal(a: Any) -> Any:
    return 1 / a


def _power_of(a: Any, b: Any) -> Any:
    return a**b


def _selection(sympy: Any, condition: Any, a: Any, b: Any) -> Any:
    return sympy.Piecewise((a, sympy.Ne(condition, 0)), (b, True))


_TO_SYMPY: dict[str, Callable[..., Any]] = {
    "add": _arithmetic(operator.add),
    "mul": _arithmetic(operator.mul),
    "inv": _arithmetic(_reciprocal),
    "pow": _arithmetic(_power_of),
    "abs": _named("Abs"),
    "min": _named("Min"),
    "max": _named("Max"),
    "lt": _indicator("StrictLessThan"),
    "le": _indicator("LessThan"),
    "eq": _indicator("Equality"),
    "where": _selection,
    **{name: _named(name) for name in (
        "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "sinh", "cosh", "tanh",
        "sign", "floor",
    )},
}  # fmt: skip


# from SymPy


def _convert(sympy: Any, root: Any, graph: Graph, symbols: Mapping[Any, Expr]) -> int:
    """The reference of a SymPy expression: operands before operations, each distinct one once."""
    if not isinstance(root, sympy.Basic):
        raise TypeError(f"Expected a SymPy expression, got {type(root).__name__} {root!r}.")
    made: dict[Any, int] = {}
    stack = [root]
    while stack:
        part = stack[-1]
        operands = [] if part.is_Atom else _operands(sympy, part)
        missing = [operand for operand in operands if operand not in made]
        if missing:
            stack += missing
            continue
        stack.pop()
        if part not in made:
            made[part] = _part_from_sympy(sympy, part, graph, symbols, made)
    return made[root]


def _operands(sympy: Any, part: Any) -> list[Any]:
    if isinstance(part, sympy.Piecewise):
        return [operand for branch in part.args for operand in branch.args]
    return list(part.args)


def _part_from_sympy(
    sympy: Any, part: Any, graph: Graph, symbols: Mapping[Any, Expr], made: Mapping[Any, int]
) -> int:
    if part.is_Symbol:
        return _symbol(part, graph, symbols)
    if part is sympy.true or part is sympy.false:
        return graph.ONE if part is sympy.true else graph.ZERO
    if part.is_number and part.is_Atom:
        return _number(part, graph)
    if isinstance(part, sympy.Piecewise):
        return _piecewise(sympy, part, graph, made)
    build = _FROM_SYMPY.get(type(part).__name__)
    if build is None:
        raise ValueError(f"biela has no operation for SymPy's '{type(part).__name__}' (in '{part}').")
    return build(graph, tuple(made[operand] for operand in part.args))


def _symbol(part: Any, graph: Graph, symbols: Mapping[Any, Expr]) -> int:
    given = symbols.get(part)
    if given is None:
        return graph.symbol_ref(part.name)
    if given.graph is not graph:
        raise ValueError(f"Symbol '{part}': '{given}' belongs to another graph.")
    return given.ref


def _number(part: Any, graph: Graph) -> int:
    if part.is_extended_real is False:
        raise ValueError(f"SymPy's '{part}' is not a real number.")
    return graph.constant(float(part))


def _piecewise(sympy: Any, part: Any, graph: Graph, made: Mapping[Any, int]) -> int:
    """Nested selections; where no condition holds, not a number."""
    branches = [(made[value], condition, made[condition]) for value, condition in part.args]
    complete = branches[-1][1] is sympy.true
    ref = branches[-1][0] if complete else graph.constant(float("nan"))
    for value, _, condition in reversed(branches[:-1] if complete else branches):
        ref = graph.apply("where", condition, value, ref)
    return ref


def _row(name: str) -> Build:
    return lambda graph, operands: graph.apply(name, *operands)


def _chain(name: str) -> Build:
    """An operation of any number of operands, from the left."""

    def build(graph: Graph, operands: tuple[int, ...]) -> int:
        ref = operands[0]
        for operand in operands[1:]:
            ref = graph.apply(name, ref, operand)
        return ref

    return build


def _swapped(name: str) -> Build:
    return lambda graph, operands: graph.apply(name, operands[1], operands[0])


def _power(graph: Graph, operands: tuple[int, ...]) -> int:
    return graph.pow(*operands)


def _reciprocal_of(name: str) -> Build:
    return lambda graph, operands: graph.inv(graph.apply(name, *operands))


def _ceiling(graph: Graph, operands: tuple[int, ...]) -> int:
    return -graph.apply("floor", -operands[0])


def _remainder(graph: Graph, operands: tuple[int, ...]) -> int:
    a, b = operands
    return graph.add(a, -graph.mul(b, graph.apply("floor", graph.div(a, b))))


def _unequal(graph: Graph, operands: tuple[int, ...]) -> int:
    return _not(graph, (graph.apply("eq", *operands),))


def _not(graph: Graph, operands: tuple[int, ...]) -> int:
    return graph.add(graph.ONE, -operands[0])


_FROM_SYMPY: dict[str, Build] = {
    "Add": _chain("add"),
    "Mul": _chain("mul"),
    "Pow": _power,
    "Abs": _row("abs"),
    "Min": _chain("min"),
    "Max": _chain("max"),
    "StrictLessThan": _row("lt"),
    "LessThan": _row("le"),
    "StrictGreaterThan": _swapped("lt"),
    "GreaterThan": _swapped("le"),
    "Equality": _row("eq"),
    "Unequality": _unequal,
    "And": _chain("mul"),
    "Or": _chain("max"),
    "Not": _not,
    "Mod": _remainder,
    "ceiling": _ceiling,
    "sec": _reciprocal_of("cos"),
    "csc": _reciprocal_of("sin"),
    "cot": _reciprocal_of("tan"),
    **{name: _row(name) for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "sinh", "cosh", "tanh", "sign",
        "floor",
    )},
}  # fmt: skip
