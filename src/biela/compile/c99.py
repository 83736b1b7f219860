"""The C99 target: one header and one source file a Function.

``void biela_<name>(const double *x, ..., double *y)`` takes one pointer for each input and output, matrices
column by column. It is re-entrant, allocates nothing and calls only libm; its arrays must not overlap.
The prefix keeps a Function named ``step`` or ``gamma`` from being taken for one of the C library.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from typing import Any

from biela.compile.c99_routine import routine
from biela.compile.draft import Draft, column_after_column
from biela.compile.statement import WIDTH, Spelling, folded
from biela.expr.function import Function, Port
from biela.expr.operation import OPERATIONS

_C = """auto break case char const continue default do double else enum extern float for goto if inline int
long register restrict return short signed sizeof static struct switch typedef union unsigned void
volatile while"""
_CPP = """asm bool catch class delete explicit export false friend mutable namespace new operator private
protected public template this throw true try typename using virtual typeof linux unix"""
RESERVED = frozenset([
    *_C.split(), *_CPP.split(), "INFINITY", "NAN", "int32_t", "uint32_t", "uint64_t",
    *(row.c.partition("(")[0].replace("{f}", suffix) for row in OPERATIONS.values() for suffix in ("", "f")),
])  # fmt: skip


def source(function: Function, real: str = "double") -> dict[str, str]:
    """The header and the source file of a Function, by file name; ``real`` is ``double`` or ``float``.

    >>> from biela.expr.graph import Graph
    >>> x = Graph().symbol("x")
    >>> text = source(Function("square", [x], {"y": x * x}))["square.c"]
    >>> print("".join(line + chr(10) for line in text.splitlines()[-5:]), end="")
    <BLANKLINE>
    void biela_square(const double *restrict x, double *restrict y)
    {
        y[0] = x[0] * x[0];
    }
    """
    draft = Draft(function, RESERVED, ("_knots", "_pieces"))
    return {f"{function.name}.h": _header(draft, real), f"{function.name}.c": _source(draft, real)}


def _comment(draft: Draft) -> str:
    contract = "Re-entrant; allocates nothing. The arrays must not overlap."
    lines = [*draft.heading("column by column"), contract]
    return "/*" + "\n *".join(f" {line}".rstrip() for line in lines) + "\n */\n"


def _signature(draft: Draft, real: str, qualifier: str) -> str:
    function, called = draft.function, draft.called
    inputs = [f"const {real} *{qualifier}{called[port.name]}" for port in function.inputs]
    outputs = [f"{real} *{qualifier}{called[port.name]}" for port in function.outputs]
    signature = f"void biela_{function.name}({', '.join(inputs + outputs)})"
    if len(signature) < WIDTH:
        return signature
    return signature.replace(", ", ",\n    ").replace("(", "(\n    ", 1)


def _header(draft: Draft, real: str) -> str:
    name = draft.function.name
    sizes = "".join(f"#define BIELA_{name}_{port.name}_SIZE {port.size}\n" for port in draft.ports)
    return (
        f"{_comment(draft)}#ifndef BIELA_{name}_H\n#define BIELA_{name}_H\n\n{sizes}\n"
        '#ifdef __cplusplus\nextern "C" {\n#endif\n\n'
        f"{_signature(draft, real, '')};\n\n"
        "#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
    )


def _source(draft: Draft, real: str) -> str:
    tables = draft.tables
    spelling = Spelling(
        "c",
        number=lambda value: _number(value, real),
        payload=lambda payload: _payload(payload, tables),
        suffix="f" if real == "float" else "",
    )
    body = "\n".join(_body(draft, spelling, real))
    parts: list[str] = [
        f'{_comment(draft)}#include "{draft.function.name}.h"\n',
        _includes(draft.operations),
        *(text for name in draft.operations if (text := routine(name, real))),
        *(_table(curve, names, real) for curve, names in tables.items()),
        f"{_signature(draft, real, 'restrict ')}\n{{\n{body}\n}}\n",
    ]
    return "\n".join(parts)


def _body(draft: Draft, spelling: Spelling, real: str) -> Iterable[str]:
    inputs = [name for port in draft.function.inputs for name in _components(draft, port)]
    listing = draft.listing(inputs, spelling)
    for port in _unused(draft.function):
        yield f"    (void){draft.called[port.name]};"
    for name, text in listing.atoms:
        yield folded(f"    const {real} {name} = {text};")
    for port, expressions in draft.results(listing):
        places = _components(draft, port)
        for component in port.columns_first:
            yield folded(f"    {places[component]} = {expressions[component]};")


def _components(draft: Draft, port: Port) -> list[str]:
    return column_after_column(port, draft.called[port.name], "{}[{}]", 0)


def _unused(function: Function) -> list[Port]:
    uses = iter(function.program.uses)
    return [port for port in function.inputs if sum(next(uses) for _ in port.refs) == 0]


def _includes(used: list[str]) -> str:
    return "#include <math.h>\n" + ("#include <stdint.h>\n" if "uniform" in used else "")


def _number(value: float, real: str) -> str:
    if value != value:
        return "NAN"
    if real == "float":
        value = _in_range_of_float(value)
    if math.isinf(value):
        return "INFINITY" if value > 0.0 else "-INFINITY"
    return f"{value!r}f" if real == "float" else repr(value)


def _in_range_of_float(value: float) -> float:
    """What a float would overflow or underflow to; otherwise the value itself, for the compiler to round."""
    try:
        (nearest,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    return value if nearest else nearest


def _payload(payload: Any, tables: dict[Any, tuple[str, ...]]) -> str:
    """A draw's index, or a curve as its number of pieces and its tables."""
    if payload in tables:
        return ", ".join([str(len(payload.coefficients)), *tables[payload]])
    return f"{payload}u"


def _table(curve: Any, names: Sequence[str], real: str) -> str:
    knots, pieces = names
    numbers = ", ".join(_number(knot, real) for knot in curve.knots)
    rows = [
        "{" + ", ".join(_number(value, real) for value in curve.row(i)) + "}"
        for i in range(len(curve.coefficients))
    ]
    return (
        folded(f"static const {real} {knots}[{len(curve.knots)}] = {{{numbers}}};", "    ")
        + f"\nstatic const {real} {pieces}[{len(rows)}][4] = {{\n    "
        + ",\n    ".join(rows)
        + "\n};\n"
    )
