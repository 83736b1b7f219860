"""The table of operations: one row each, with everything the project knows about it.

A row joins the value (a Python function of floats), the derivative (partials as a function of the
graph, the node and its operands), the spelling in every target language and the domain in which
tests sample its operands. Adding an operation is adding a row; every pass, target and law reads
the table.

Spellings are templates: ``{0}``, ``{1}`` ... are operands, ``{p}`` the payload, ``{f}`` the suffix of
single-precision C functions. An operator also has a ``precedence``, which holds wherever it is spelt
with the operator; a spelling that ends in a parenthesis binds as a call does. Where a language's own
function would raise, leave the real numbers or differ at infinity, the spelling is a routine of ours.
``llvm`` is either an instruction (``fadd``) or the name of a routine of `biela.compile.elementary`.

``sub``, ``div`` and ``neg`` never occur in a graph, where they are spelt with signs and ``inv``: they are
what a `Program` is lowered to.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from biela.expr import philox
from biela.expr.spline import Curve

if TYPE_CHECKING:
    from biela.expr.graph import Graph

Partials = Callable[["Graph", int, tuple[int, ...]], tuple[int, ...]]
Condition = Callable[["Graph", tuple[int, ...]], int]

CALL = 9  # the precedence of a call or a name


@dataclass(frozen=True, slots=True)
class Operation:
    """One row of the table; see the module's documentation for the fields."""

    name: str
    arity: int
    value: Callable[..., float]
    c: str
    python: str
    matlab: str
    javascript: str
    llvm: str
    latex: str
    domain: tuple[tuple[float, float], ...]
    partials: Partials | None = None
    condition: Condition | None = None  # the operation selects between its last two operands
    parity: Literal["odd", "even", ""] = ""
    precedence: int = CALL


def _minimum(a: float, b: float) -> float:
    return a if a < b or a != a else b


def _maximum(a: float, b: float) -> float:
    return a if a > b or a != a else b


def _sign(a: float) -> float:
    return a if a != a else float((a > 0.0) - (a < 0.0))


def _floor(a: float) -> float:
    return math.copysign(float(math.floor(a)), a) if math.isfinite(a) else a


def _pow(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except ValueError:
        if a != 0.0:
            return math.nan
    except OverflowError:
        pass
    return math.copysign(math.inf, a) if math.fmod(abs(b), 2.0) == 1.0 else math.inf


def _guarded(function: Callable[..., float], at_pole: float = math.nan) -> Callable[..., float]:
    """The IEEE answer (nan, inf) where Python's `math` raises."""

    def value(*operands: float) -> float:
        try:
            return function(*operands)
        except ValueError:
            return at_pole if operands[0] == 0.0 else math.nan
        except OverflowError:
            return math.copysign(math.inf, operands[0]) if function is math.sinh else math.inf

    return value


def _divide(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    return math.nan if a == 0.0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _negative(a: float) -> float:
    return -a


def _reciprocal(a: float) -> float:
    return _divide(1.0, a)


def _where(condition: float, a: float, b: float) -> float:
    return a if condition != 0.0 else b


def _curve_at(x: float, curve: Curve) -> float:
    return curve(x)


def _infix(
    name: str,
    symbol: str,
    precedence: int,
    value: Callable[[float, float], float],
    llvm: str,
    domain: tuple[tuple[float, float], ...] = ((-10.0, 10.0), (-10.0, 10.0)),
    partials: Partials | None = None,
    latex: str = "",
    python: str = "",
) -> Operation:
    spelling = f"{{0}} {symbol} {{1}}"
    return Operation(
        name, 2, value, spelling, python or spelling, spelling, spelling, llvm,
        latex or spelling, domain, partials, precedence=precedence,
    )  # fmt: skip


# What raises nothing in Python's `math`; the others raise where IEEE arithmetic answers nan or infinity.
_TOTAL = frozenset({"atan", "atan2", "tanh"})
# What leaves the real numbers in MATLAB, where we answer nan.
_COMPLEX = frozenset({"sqrt", "asin", "acos", "log", "pow"})


def _call(
    name: str,
    value: Callable[..., float],
    domain: tuple[tuple[float, float], ...],
    partials: Partials,
    parity: Literal["odd", "even", ""] = "",
    c: str = "",
    python: str = "",
    javascript: str = "",
    latex: str = "",
) -> Operation:
    arity = len(domain)
    arguments = "(" + ", ".join(f"{{{i}}}" for i in range(arity)) + ")"
    own = f"biela_{name}{arguments}"
    return Operation(
        name, arity, value, c or f"{name}{{f}}{arguments}",
        python or (f"math.{name}{arguments}" if name in _TOTAL else own),
        own if name in _COMPLEX else f"{name}{arguments}", javascript or f"Math.{name}{arguments}", name,
        latex or rf"\{name}\left({{0}}\right)", domain, partials, parity=parity,
    )  # fmt: skip


def _helper(
    name: str,
    value: Callable[..., float],
    domain: tuple[tuple[float, float], ...],
    partials: Partials | None = None,
    condition: Condition | None = None,
    parity: Literal["odd", "even", ""] = "",
    payload: bool = False,
    latex: str = "",
) -> Operation:
    """An operation no language has with our meaning: a routine named ``biela_...`` (in C ``op_...``)."""
    operands = [f"{{{i}}}" for i in range(len(domain))] + (["{p}"] if payload else [])
    spelling = f"biela_{name}(" + ", ".join(operands) + ")"
    latex = latex or rf"\operatorname{{{{{name}}}}}\left({', '.join(operands)}\right)"
    return Operation(
        name, len(domain), value, spelling.replace("biela_", "op_"), spelling, spelling, spelling, name,
        latex, domain, partials, condition, parity,
    )  # fmt: skip


def _comparison(name: str, symbol: str, value: Callable[[float, float], float], latex: str) -> Operation:
    return Operation(
        name, 2, value, f"op_{name}({{0}}, {{1}})", f"float({{0}} {symbol} {{1}})",
        f"double({{0}} {symbol} {{1}})", f"Number({{0}} {symbol} {{1}})", name,
        rf"\left[{{0}} {latex} {{1}}\right]", ((-2.0, 2.0), (-2.0, 2.0)),
        lambda g, y, a: (g.ZERO, g.ZERO),
    )  # fmt: skip


def _one_minus_square(g: Graph, x: int) -> int:
    return g.add(g.ONE, -g.mul(x, x))


_WIDE = ((-10.0, 10.0),)
_PAIR = ((-10.0, 10.0), (-10.0, 10.0))

ROWS: tuple[Operation, ...] = (
    _infix("add", "+", 1, lambda a, b: a + b, "fadd", partials=lambda g, y, a: (g.ONE, g.ONE)),
    _infix("sub", "-", 1, lambda a, b: a - b, "fsub"),
    _infix("mul", "*", 2, lambda a, b: a * b, "fmul", partials=lambda g, y, a: (a[1], a[0]),
           latex=r"{0} {1}"),
    _infix("div", "/", 2, _divide, "fdiv", ((-10.0, 10.0), (0.1, 10.0)), latex=r"\frac{{{0}}}{{{1}}}",
           python="biela_div({0}, {1})"),
    Operation("neg", 1, _negative, "-{0}", "-{0}", "-{0}", "-{0}", "fneg", "-{0}", _WIDE, precedence=3),
    Operation(
        "inv", 1, _reciprocal, "1 / {0}", "biela_div(1.0, {0})", "1 / {0}", "1 / {0}", "inv",
        r"\frac{{1}}{{{0}}}", ((0.1, 10.0),), lambda g, y, a: (-g.mul(y, y),), parity="odd", precedence=2,
    ),
    _call("sqrt", _guarded(math.sqrt), ((0.01, 100.0),),
          lambda g, y, a: (g.mul(g.constant(0.5), g.inv(y)),), latex=r"\sqrt{{{0}}}"),
    _call("sin", _guarded(math.sin), _WIDE, lambda g, y, a: (g.apply("cos", a[0]),), "odd"),
    _call("cos", _guarded(math.cos), _WIDE, lambda g, y, a: (-g.apply("sin", a[0]),), "even"),
    _call("tan", _guarded(math.tan), ((-1.4, 1.4),), lambda g, y, a: (g.add(g.ONE, g.mul(y, y)),), "odd"),
    _call("asin", _guarded(math.asin), ((-0.99, 0.99),),
          lambda g, y, a: (g.inv(g.apply("sqrt", _one_minus_square(g, a[0]))),), "odd",
          latex=r"\arcsin\left({0}\right)"),
    _call("acos", _guarded(math.acos), ((-0.99, 0.99),),
          lambda g, y, a: (-g.inv(g.apply("sqrt", _one_minus_square(g, a[0]))),),
          latex=r"\arccos\left({0}\right)"),
    _call("atan", math.atan, _WIDE,
          lambda g, y, a: (g.inv(g.add(g.ONE, g.mul(a[0], a[0]))),), "odd", latex=r"\arctan\left({0}\right)"),
    _call("atan2", math.atan2, ((0.1, 10.0), (-10.0, 10.0)), lambda g, y, a: _atan2_partials(g, a),
          latex=r"\operatorname{{atan2}}\left({0}, {1}\right)"),
    _call("exp", _guarded(math.exp), ((-20.0, 20.0),), lambda g, y, a: (y,)),
    _call("log", _guarded(math.log, -math.inf), ((0.01, 100.0),), lambda g, y, a: (g.inv(a[0]),),
          latex=r"\ln\left({0}\right)"),
    _call("sinh", _guarded(math.sinh), ((-5.0, 5.0),), lambda g, y, a: (g.apply("cosh", a[0]),), "odd"),
    _call("cosh", _guarded(math.cosh), ((-5.0, 5.0),), lambda g, y, a: (g.apply("sinh", a[0]),), "even"),
    _call("tanh", math.tanh, ((-5.0, 5.0),), lambda g, y, a: (_one_minus_square(g, y),), "odd"),
    _call("pow", _pow, ((0.1, 5.0), (-3.0, 3.0)), lambda g, y, a: _pow_partials(g, y, a),
          javascript="biela_pow({0}, {1})", latex="{{{0}}}^{{{1}}}"),
    _call("abs", math.fabs, _WIDE, lambda g, y, a: (g.apply("sign", a[0]),), "even",
          c="fabs{f}({0})", python="abs({0})", latex=r"\left|{0}\right|"),
    _helper("sign", _sign, _WIDE, lambda g, y, a: (g.ZERO,), parity="odd"),
    _call("floor", _floor, _WIDE, lambda g, y, a: (g.ZERO,), python="biela_floor({0})",
          latex=r"\left\lfloor {0} \right\rfloor"),
    _helper("min", _minimum, _PAIR, condition=lambda g, a: g.apply("lt", a[0], a[1])),
    _helper("max", _maximum, _PAIR, condition=lambda g, a: g.apply("lt", a[1], a[0])),
    _comparison("lt", "<", lambda a, b: float(a < b), "<"),
    _comparison("le", "<=", lambda a, b: float(a <= b), r"\le"),
    _comparison("eq", "==", lambda a, b: float(a == b), "="),
    _helper("where", _where, ((0.0, 1.0), *_PAIR), condition=lambda g, a: a[0]),
    _helper("spline", _curve_at, ((-4.0, 4.0),),
            lambda g, y, a: (g.differentiate_spline(y),), payload=True),
    _helper("uniform", philox.uniform, ((0.0, 2.0**50), (0.0, 2.0**50), (0.0, 2.0**32 - 1.0)),
            lambda g, y, a: (g.ZERO, g.ZERO, g.ZERO), payload=True),
)  # fmt: skip


def _atan2_partials(g: Graph, a: tuple[int, ...]) -> tuple[int, int]:
    y, x = a
    scale = g.inv(g.add(g.mul(x, x), g.mul(y, y)))
    return g.mul(x, scale), -g.mul(y, scale)


def _pow_partials(g: Graph, y: int, a: tuple[int, ...]) -> tuple[int, int]:
    base, exponent = a
    by_base = g.mul(exponent, g.pow(base, g.add(exponent, -g.ONE)))
    by_exponent = g.ZERO if g.is_constant(exponent) else g.mul(y, g.apply("log", base))
    return by_base, by_exponent


OPERATIONS: dict[str, Operation] = {row.name: row for row in ROWS}


def evaluate(name: str, operands: list[float], payload: Any) -> float:
    """The value of one operation on floats; ``payload`` is None for most."""
    row = OPERATIONS[name]
    return row.value(*operands) if payload is None else row.value(*operands, payload)
