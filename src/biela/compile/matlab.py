"""The MATLAB target, which Octave reads too: one function file a Function.

``[y1, y2] = name(x, K)`` takes and returns numbers, columns and matrices in double precision. Where MATLAB
would leave the real numbers (the root of -1) the answer is NaN, as in every other target.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from biela.compile.draft import Draft, column_after_column
from biela.compile.matlab_routine import ROUTINES
from biela.compile.statement import Names, Spelling, folded
from biela.expr.function import Function, Port
from biela.expr.operation import OPERATIONS

_WORDS = """break case catch classdef continue do else elseif end end_try_catch end_unwind_protect endfor
endfunction endif endparfor endswitch endwhile enumeration events for function global if methods otherwise
parfor persistent properties return spmd switch try until unwind_protect unwind_protect_cleanup while
Inf NaN double zeros biela_multiply"""
RESERVED = frozenset([
    *_WORDS.split(),
    *(row.matlab.partition("(")[0] for row in OPERATIONS.values() if row.matlab.endswith(")")),
])  # fmt: skip


def source(function: Function, real: str = "double") -> dict[str, str]:
    """The function file of a Function, by file name.

    >>> from biela.expr.graph import Graph
    >>> x, y = Graph().symbols("x y")
    >>> text = source(Function("product", [x, y], {"p": x * y}))["product.m"]
    >>> text.splitlines()[0], text.splitlines()[-2]
    ('function p = product(x, y)', '    p = x * y;')

    Raises ValueError for a name that begins with an underscore, which MATLAB does not allow.
    """
    for named in (function, *function.inputs, *function.outputs):
        if named.name.startswith("_"):
            raise ValueError(
                f"Function '{function.name}': in MATLAB no name begins with '_', but '{named.name}' does."
            )
    name = Names(RESERVED).take(function.name)
    draft = Draft(function, RESERVED | {name}, ("_knots", "_pieces"))
    tables = {curve: ", ".join(names) for curve, names in draft.tables.items()}
    spelling = Spelling("matlab", _number, lambda p: tables.get(p, str(p)))
    comment = "\n".join(f"% {line}".rstrip() for line in draft.heading("a matrix"))
    parts = [
        f"{_signature(draft, name)}\n{comment}\n\n" + "\n".join(_body(draft, spelling)) + "\nend\n",
        *(ROUTINES[operation] for operation in draft.operations if operation in ROUTINES),
    ]
    return {f"{name}.m": "\n".join(parts)}


def _signature(draft: Draft, name: str) -> str:
    results = draft.arguments(draft.function.outputs)
    if len(draft.function.outputs) > 1:
        results = f"[{results}]"
    return folded(f"function {results} = {name}({draft.arguments()})", continuation=" ...")


def _body(draft: Draft, spelling: Spelling) -> Iterable[str]:
    inputs = [c for port in draft.function.inputs for c in _components(port, draft.called[port.name])]
    listing = draft.listing(inputs, spelling)
    yield from (_table(curve, *names) for curve, names in draft.tables.items())
    yield from (folded(f"    {atom} = {value};", continuation=" ...") for atom, value in listing.atoms)
    for port, values in draft.results(listing):
        yield from _output(port, draft.called[port.name], values)


def _components(port: Port, name: str) -> list[str]:
    return column_after_column(port, name, "{}({})", 1) if port.shape else [name]


def _number(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "NaN" if value != value else f"{'-' if value < 0.0 else ''}Inf"


def _output(port: Port, name: str, values: list[str]) -> list[str]:
    lines: list[str] = []
    if port.shape:
        rows, columns = (*port.shape, 1)[:2]
        lines.append(f"    {name} = zeros({rows}, {columns});")
    places = _components(port, name)
    lines += [
        folded(f"    {places[component]} = {values[component]};", continuation=" ...")
        for component in port.columns_first
    ]
    return lines


def _table(curve: Any, knots: str, pieces: str) -> str:
    rows = [", ".join(map(repr, curve.row(i))) for i in range(len(curve.coefficients))]
    numbers = folded(f"    {knots} = [{', '.join(map(repr, curve.knots))}];", continuation=" ...")
    return f"{numbers}\n    {pieces} = [\n        " + "\n        ".join(rows) + "\n    ];"
