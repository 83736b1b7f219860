"""The Python target: one module a Function, which needs nothing but Python.

``name(x, K)`` takes numbers, sequences and sequences of rows, and returns lists: the value of a single
output, or a tuple of several. Where `math` raises (the logarithm of 0, the sine of infinity) the IEEE
answers are given, as in every other target.
"""

from __future__ import annotations

import builtins
import keyword
import math
from collections.abc import Iterable, Sequence
from typing import Any

from biela.compile.draft import Draft, row_after_row
from biela.compile.python_routine import COMPONENTS, ROUTINES
from biela.compile.statement import Names, Spelling, folded
from biela.expr.function import Function, Port
from biela.expr.operation import OPERATIONS
from biela.expr.program import Instruction

RESERVED = frozenset([
    *keyword.kwlist, *dir(builtins), "math", "biela_components", *(f"biela_{name}" for name in OPERATIONS),
])  # fmt: skip


def source(function: Function, real: str = "double") -> dict[str, str]:
    """The module of a Function, by file name.

    >>> from biela.expr.graph import Graph
    >>> x, y = Graph().symbols("x y")
    >>> module = {}
    >>> exec(source(Function("radius", [x, y], {"r": (x * x + y * y)**0.5}))["radius.py"], module)
    >>> module["radius"](3, 4)
    5.0
    """
    name = Names(RESERVED).take(function.name)
    draft = Draft(function, RESERVED | {name})
    tables = {curve: name for curve, (name,) in draft.tables.items()}
    spelling = Spelling("python", _number, lambda p: tables.get(p, str(p)), special=_plain_division)
    heading = "\n".join(draft.heading("a list of rows"))
    parts = [
        f'"""{heading}\n"""\n\nimport math\n',
        *(_table(curve, table) for curve, table in tables.items()),
        *([f"\n{COMPONENTS}"] if any(port.shape for port in function.inputs) else []),
        *(f"\n{ROUTINES[operation]}" for operation in _routines(function, spelling)),
        folded(f"\ndef {name}({draft.arguments()}):") + "\n" + "\n".join(_body(draft, spelling)) + "\n",
    ]
    return {f"{name}.py": "\n".join(parts)}


def _body(draft: Draft, spelling: Spelling) -> Iterable[str]:
    called, inputs = draft.called, draft.function.inputs
    listing = draft.listing([c for p in inputs for c in row_after_row(p, called[p.name])], spelling)
    yield from (_received(port, called[port.name]) for port in inputs)
    yield from (_assignment(atom, value) for atom, value in listing.atoms)
    yield from (_output(port, called[port.name], values) for port, values in draft.results(listing))
    yield f"    return {draft.arguments(draft.function.outputs)}"


def _number(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "math.nan" if value != value else f"{'-' if value < 0.0 else ''}math.inf"


def _plain_division(instruction: Instruction, constants: Sequence[float]) -> str | None:
    """Dividing by a number that is not 0 cannot raise."""
    divisor = instruction.operands[-1]
    plain = instruction.name == "div" and divisor < 0 and constants[~divisor] != 0.0
    return "{0} / {1}" if plain else None


def _routines(function: Function, spelling: Spelling) -> list[str]:
    """The operations spelt with a routine of ours at least once."""
    constants = function.program.constants
    ours = {
        instruction.name
        for instruction in function.program.instructions
        if spelling.template(instruction, constants).startswith("biela_")
    }
    if "inv" in ours:
        ours.add("div")
    return [name for name in OPERATIONS if name in ours and name in ROUTINES]


def _received(port: Port, name: str) -> str:
    if not port.shape:
        return f"    {name} = float({name})"
    shape = ", ".join(map(str, port.shape))
    return f'    {name} = biela_components("{name}", {name}, {shape})'


def _assignment(name: str, value: str) -> str:
    line = f"    {name} = {value}"
    return line if len(line) <= 100 else folded(f"    {name} = ({value})")


def _output(port: Port, name: str, values: list[str]) -> str:
    """A number, a list of numbers or a list of rows; one component a line."""
    if not port.shape:
        return _assignment(name, values[0])
    lines = [folded(f"        {value},", "            ") for value in values]
    if len(port.shape) == 2:
        width = port.shape[1]
        rows = [lines[i : i + width] for i in range(0, len(lines), width)]
        lines = ["        [\n" + "\n".join(f"    {line}" for line in row) + "\n        ]," for row in rows]
    return f"    {name} = [\n" + "\n".join(lines) + "\n    ]"


def _table(curve: Any, name: str) -> str:
    rows = ",\n    ".join(
        "(" + ", ".join(map(repr, curve.row(i))) + ")" for i in range(len(curve.coefficients))
    )
    knots = folded(f"    ({', '.join(map(repr, curve.knots))}),")
    return f"{name} = (\n{knots}\n    ({rows},),\n)\n"
