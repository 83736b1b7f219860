"""The JavaScript target: one ES module a Function, for browsers and Node.

``name(x, K)`` takes numbers, arrays and arrays of rows, and returns the value of a single output, or
an object of several by name: ``const {x_next, energy} = step(x, u)``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from biela.compile.draft import Draft, row_after_row
from biela.compile.javascript_routine import COMPONENTS, ROUTINES
from biela.compile.statement import Names, Spelling, folded
from biela.expr.function import Function, Port
from biela.expr.operation import OPERATIONS

_WORDS = """arguments await break case catch class const continue debugger default delete do else enum eval
export extends false finally for function if implements import in instanceof interface let new null package
private protected public return static super switch this throw true try typeof var void while with yield
Infinity NaN Math Number RangeError Array undefined biela_components"""
RESERVED = frozenset([*_WORDS.split(), *(f"biela_{name}" for name in OPERATIONS)])


def source(function: Function, real: str = "double") -> dict[str, str]:
    """The module of a Function, by file name.

    >>> from biela.expr.graph import Graph
    >>> x, y = Graph().symbols("x y")
    >>> text = source(Function("product", [x, y], {"p": x * y}))["product.mjs"]
    >>> print("".join(line + chr(10) for line in text.splitlines()[-4:]), end="")
    export function product(x, y) {
        const p = x * y;
        return p;
    }
    """
    name = Names(RESERVED).take(function.name)
    draft = Draft(function, RESERVED | {name})
    tables = {curve: name for curve, (name,) in draft.tables.items()}
    spelling = Spelling("javascript", _number, lambda p: tables.get(p, str(p)))
    parts = [
        "/*" + "\n *".join(f" {line}".rstrip() for line in draft.heading("an array of rows")) + "\n */\n",
        *([COMPONENTS] if any(port.shape for port in function.inputs) else []),
        *(ROUTINES[operation] for operation in draft.operations if operation in ROUTINES),
        *(_table(curve, table) for curve, table in tables.items()),
        folded(f"export function {name}({draft.arguments()}) {{")
        + "\n" + "\n".join(_body(draft, spelling)) + "\n}\n",
    ]  # fmt: skip
    return {f"{name}.mjs": "\n".join(parts)}


def _body(draft: Draft, spelling: Spelling) -> Iterable[str]:
    called, inputs, outputs = draft.called, draft.function.inputs, draft.function.outputs
    flat = {p.name: draft.names.take(f"{called[p.name]}_") if p.shape else called[p.name] for p in inputs}
    listing = draft.listing([c for p in inputs for c in row_after_row(p, flat[p.name])], spelling)
    yield from (_received(port, called[port.name], flat[port.name]) for port in inputs if port.shape)
    yield from (folded(f"    const {atom} = {value};") for atom, value in listing.atoms)
    yield from (_output(port, called[port.name], values) for port, values in draft.results(listing))
    if len(outputs) == 1:
        yield f"    return {draft.arguments(outputs)};"
    else:
        names = [(port.name, called[port.name]) for port in outputs]
        results = ", ".join(name if name == own else f"{name}: {own}" for name, own in names)
        yield folded(f"    return {{{results}}};")


def _number(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "NaN" if value != value else f"{'-' if value < 0.0 else ''}Infinity"


def _received(port: Port, name: str, flat: str) -> str:
    return f'    const {flat} = biela_components("{name}", {name}, {list(port.shape)});'


def _output(port: Port, name: str, values: list[str]) -> str:
    """A number, an array of numbers or an array of rows; one component a line."""
    if not port.shape:
        return folded(f"    const {name} = {values[0]};")
    lines = [folded(f"        {value},", "            ") for value in values]
    if len(port.shape) == 2:
        width = port.shape[1]
        rows = [lines[i : i + width] for i in range(0, len(lines), width)]
        lines = ["        [\n" + "\n".join(f"    {line}" for line in row) + "\n        ]," for row in rows]
    return f"    const {name} = [\n" + "\n".join(lines) + "\n    ];"


def _table(curve: Any, name: str) -> str:
    rows = [f"[{', '.join(map(repr, curve.row(i)))}]" for i in range(len(curve.coefficients))]
    knots = folded(f"    [{', '.join(map(repr, curve.knots))}],")
    return f"const {name} = [\n{knots}\n    [\n        " + ",\n        ".join(rows) + "\n    ],\n];\n"
