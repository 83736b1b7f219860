"""Functions for CasADi: the same instructions on its symbols, for its optimisers and its own derivatives.

CasADi is an optional dependency, imported when first used.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from biela.expr.function import Function, Port


def _divided(a: Any, b: Any) -> Any:
    return a / b


def _inverted(a: Any) -> Any:
    return 1.0 / a


ARITHMETIC: Mapping[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg,
    "div": _divided, "inv": _inverted, "lt": operator.lt, "le": operator.le, "eq": operator.eq,
}  # fmt: skip
SAME = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt",
    "floor", "sign",
)  # fmt: skip
NAMED = {
    "abs": "fabs", "min": "fmin", "max": "fmax", "pow": "power", "where": "if_else",
    **{name: name for name in SAME},
}  # fmt: skip


def to_casadi(function: Function) -> Any:
    """A ``casadi.Function`` of the same inputs and outputs, scalars, columns and matrices.

    Raises ImportError without CasADi, TypeError for what is no Function, and ValueError for a spline or a
    random draw.
    """
    if not isinstance(function, Function):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"to_casadi() takes a Function; got {type(function).__name__} {function!r}.")
    try:
        casadi = import_module("casadi")
    except ImportError as error:
        raise ImportError("Handing over to CasADi needs CasADi: pip install casadi") from error
    symbols = [casadi.SX.sym(port.name, *_shape(port)) for port in function.inputs]
    pairs = zip(function.inputs, symbols, strict=True)
    registers = [x[i, j] for port, x in pairs for i, j in _places(port)]
    constants = function.program.constants

    def value(operand: int) -> Any:
        return registers[operand] if operand >= 0 else casadi.SX(constants[~operand])

    for instruction in function.program.instructions:
        make = _operation(casadi, instruction.name)
        registers.append(make(*map(value, instruction.operands)))
    results, outputs = iter(function.program.outputs), list[Any]()
    for port in function.outputs:
        made = casadi.SX.zeros(*_shape(port))
        for i, j in _places(port):
            made[i, j] = value(next(results))
        outputs.append(made)
    names = [[port.name for port in ports] for ports in (function.inputs, function.outputs)]
    return casadi.Function(function.name, symbols, outputs, *names)


def _shape(port: Port) -> tuple[int, int]:
    rows, columns = (*port.shape, 1, 1)[:2]
    return rows, columns


def _places(port: Port) -> list[tuple[int, int]]:
    """Row after row."""
    rows, columns = _shape(port)
    return [(i, j) for i in range(rows) for j in range(columns)]


def _operation(casadi: Any, name: str) -> Callable[..., Any]:
    if name in ARITHMETIC:
        return ARITHMETIC[name]
    if name in NAMED:
        return getattr(casadi, NAMED[name])
    raise ValueError(f"CasADi has no '{name}' as it is here: a Function with one cannot be handed over.")
