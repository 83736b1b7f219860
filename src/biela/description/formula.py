"""Expressions as text, parsed without running anything: names, numbers, arithmetic, functions of a table.

>>> from biela.expr.graph import Graph
>>> g = Graph()
>>> formula("2*sin(q) - l/2", {"q": g.symbol("q"), "l": g.symbol("l")})
2*sin(q) - 0.5*l
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from biela.expr import expression as ex
from biela.expr.expression import Expr
from biela.mechanics import inertia
from biela.mechanics.quantity import deg, rpm
from biela.suggestion import suggestion

LONGEST = 100_000  # characters
CONSTANTS = {"pi": math.pi}


def _divided(a: Any, b: Any) -> Any:
    return a / b


def _raised(a: Any, b: Any) -> Any:
    return a**b


OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: _divided, ast.Pow: _raised, ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip
COMPARED: dict[type[ast.AST], Callable[..., Any]] = {ast.Lt: operator.lt, ast.LtE: operator.le}
ELEMENTARY = (
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "sign",
    "floor",
)  # fmt: skip
SHAPES = {name: getattr(inertia, name) for name in ("rod", "disc", "cylinder", "tube", "box", "ball")}


def _rate(q: Any) -> Any:
    return q.dt() if isinstance(q, Expr) else 0.0


def _elementary(name: str) -> Callable[[Any], Any]:
    """The function on expressions, and on numbers by way of constants."""
    symbolic, plain = getattr(ex, name), getattr(math, name, None)

    def value(x: Any) -> Any:
        if isinstance(x, Expr):
            return symbolic(x)
        return math.copysign(float(x != 0), x) if plain is None else float(plain(x))

    return value


def _extreme(symbolic: Callable[[Any, Any], Any], plain: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def value(a: Any, b: Any) -> Any:
        return symbolic(a, b) if isinstance(a, Expr) or isinstance(b, Expr) else plain(a, b)

    return value


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _elementary(name) for name in ELEMENTARY},
    "abs": abs, "rate": _rate, "deg": deg, "rpm": rpm, "where": ex.where, "atan2": ex.atan2,
    "maximum": _extreme(ex.maximum, max), "minimum": _extreme(ex.minimum, min),
}  # fmt: skip


class FormulaError(ValueError):
    """A text that is no expression of the names there are."""


def formula(text: str, names: Mapping[str, Any], shapes: bool = False) -> Any:
    """The value of an expression: an Expr or a number; with ``shapes`` also a tensor of inertia.

    Raises FormulaError for what is no expression, unknown names and functions, with the nearest known.
    """
    if len(text) > LONGEST:
        raise FormulaError(f"an expression has at most {LONGEST} characters; got {len(text)}")
    try:
        value = _Reading(text, names, shapes).value(ast.parse(text.strip(), mode="eval").body)
    except SyntaxError as error:
        told = f" near column {error.offset}" if error.offset else ""
        raise FormulaError(f"'{text}' is no expression{told}") from None
    except (RecursionError, MemoryError):
        raise FormulaError("an expression nests too deep") from None
    except FormulaError:
        raise
    except (ArithmeticError, TypeError, ValueError) as error:
        raise FormulaError(f"'{text}' has no value: {error}") from None
    if isinstance(value, complex):
        raise FormulaError(f"'{text}' has no real value")
    return value


class _Reading:
    """One expression being read."""

    def __init__(self, text: str, names: Mapping[str, Any], shapes: bool) -> None:
        self.text, self.names, self.shapes = text, names, shapes

    def value(self, node: ast.AST) -> Any:
        """The value of a node; FormulaError for one that has no business here."""
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return float(node.value)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self.named(node)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](self.value(node.left), self.value(node.right))
        if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](self.value(node.operand))
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARED:
            return COMPARED[type(node.ops[0])](self.value(node.left), self.value(node.comparators[0]))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self.called(node, node.func.id)
        raise FormulaError(f"'{self.text}' has '{ast.unparse(node)}', which expressions here have not")

    def named(self, node: ast.AST) -> Any:
        """A symbol, also one with dots in its name, or a constant."""
        name = ast.unparse(node)
        if name in self.names:
            return self.names[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        known = [*self.names, *CONSTANTS]
        hint = suggestion(name, known)
        inside = "" if self.text.strip() == name else f"'{self.text}' has an "
        raise FormulaError(f"{inside}unknown name '{name}'.{hint}".rstrip("."))

    def called(self, node: ast.Call, name: str) -> Any:
        """A function of the table."""
        table = FUNCTIONS | (SHAPES if self.shapes else {})
        if name not in table:
            hint = suggestion(name, table)
            raise FormulaError(f"'{self.text}' has an unknown function '{name}'.{hint}".rstrip("."))
        options = {k.arg: self.axis(k.value) for k in node.keywords if k.arg == "axis" and name in SHAPES}
        if len(options) != len(node.keywords):
            raise FormulaError(f"'{self.text}': {name} takes no keywords here")
        return table[name](*map(self.value, node.args), **options)

    def axis(self, node: ast.AST) -> str:
        """The name of an axis in quotes."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        raise FormulaError(f"'{self.text}': an axis is 'x', 'y' or 'z', in quotes")
