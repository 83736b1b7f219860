"""The C99 target: one header and one source file a Function.

``void biela_<name>(const double *x, ..., double *y)`` takes one pointer for each input and output, matrices
column by column. It is re-entrant, allocates nothing and calls only libm; its arrays must not overlap.
A long function is cut into segments that share a workspace on the stack.
The prefix keeps a Function named ``step`` or ``gamma`` from being taken for one of the C library.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable, Sequence
from typing import Any

from biela.compile.c99_routine import routine
from biela.compile.draft import Draft, column_after_column
from biela.compile.segment import Segment, cut
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


def _signature(draft: Draft, name: str, real: str, qualifier: str, workspace: str = "") -> str:
    inputs = [f"const {real} *{qualifier}{draft.called[port.name]}" for port in draft.function.inputs]
    written = [draft.called[port.name] for port in draft.function.outputs] + [workspace] * bool(workspace)
    outputs = [f"{real} *{qualifier}{name}" for name in written]
    signature = f"void {name}({', '.join(inputs + outputs)})"
    if len(signature) < WIDTH:
        return signature
    return signature.replace(", ", ",\n    ").replace("(", "(\n    ", 1)


def _header(draft: Draft, real: str) -> str:
    name = draft.function.name
    sizes = "".join(f"#define BIELA_{name}_{port.name}_SIZE {port.size}\n" for port in draft.ports)
    return (
        f"{_comment(draft)}#ifndef BIELA_{name}_H\n#define BIELA_{name}_H\n\n{sizes}\n"
        '#ifdef __cplusplus\nextern "C" {\n#endif\n\n'
        f"{_signature(draft, f'biela_{name}', real, '')};\n\n"
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
    parts: list[str] = [
        f'{_comment(draft)}#include "{draft.function.name}.h"\n',
        _includes(draft.operations),
        *(text for name in draft.operations if (text := routine(name, real))),
        *(_table(curve, names, real) for curve, names in tables.items()),
        *_functions(draft, spelling, real),
    ]
    return "\n".join(parts)


def _functions(draft: Draft, spelling: Spelling, real: str) -> Iterable[str]:
    """The function itself; a long one as segments before it, which it calls one after the other."""
    name = f"biela_{draft.function.name}"
    head = _signature(draft, name, real, "restrict ")
    segments, slots = cut(_statements(draft, spelling))
    if len(segments) == 1:
        yield f"{head}\n{{\n" + "\n".join(_lines(draft, segments[0], real)) + "\n}\n"
        return
    workspace = draft.names.take("w")
    for k, segment in enumerate(segments, 1):
        lines = "\n".join(_lines(draft, segment, real, workspace))
        yield f"static {_signature(draft, f'{name}_{k}', real, 'restrict ', workspace)}\n{{\n{lines}\n}}\n"
    arguments = ", ".join([*draft.called.values(), workspace])
    calls = "\n".join(f"    {name}_{k}({arguments});" for k in range(1, len(segments) + 1))
    yield f"{head}\n{{\n    {real} {workspace}[{max(slots, 1)}];\n{calls}\n}}\n"


def _statements(draft: Draft, spelling: Spelling) -> list[tuple[str, str]]:
    """All assignments: the atoms, then the components of the outputs in the order of memory."""
    inputs = [name for port in draft.function.inputs for name in _components(draft, port)]
    listing = draft.listing(inputs, spelling)
    statements = list(listing.atoms)
    for port, expressions in draft.results(listing):
        places = _components(draft, port)
        statements += [(places[component], expressions[component]) for component in port.columns_first]
    return statements


def _lines(draft: Draft, segment: Segment, real: str, workspace: str = "") -> Iterable[str]:
    """The body of one function; parameters it does not use are said to be so."""
    parameters = [*draft.called.values(), *([workspace] if workspace else [])]
    used = {match for statement in segment.statements for match in re.findall(r"\w+", " ".join(statement))}
    if segment.loads or segment.stores:
        used.add(workspace)
    yield from (f"    (void){name};" for name in parameters if name not in used)
    yield from (f"    const {real} {name} = {workspace}[{slot}];" for name, slot in segment.loads)
    for name, text in segment.statements:
        yield folded(f"    {name} = {text};" if name.endswith("]") else f"    const {real} {name} = {text};")
    yield from (f"    {workspace}[{slot}] = {name};" for name, slot in segment.stores)


def _components(draft: Draft, port: Port) -> list[str]:
    return column_after_column(port, draft.called[port.name], "{}[{}]", 0)


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
        (nearest,) = struct.unpack("<f", struct.pack("<f", value))  # a bare "f" would not overflow
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
