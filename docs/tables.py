"""Tables of the documentation that are read from the registries of the code, so that they cannot lag behind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from biela.compile import TARGETS
from biela.compile.elementary import ACCURACY
from biela.expr import OPERATIONS, Operation


def accuracy() -> str:
    """The stated error of every elementary function."""
    rows = [(f"`{name}`", f"{bound:g}") for name, bound in ACCURACY.items()]
    return _table(("function", "largest error, ulp"), rows)


def targets() -> str:
    """The registry of source targets."""
    rows = [
        (f"`{t.name}`", t.description, f"`{t.suffix}`", ", ".join(f"`{real}`" for real in t.reals))
        for t in TARGETS.values()
    ]
    return _table(("target", "what is written", "files", "`real`"), rows)


def operations() -> str:
    """The table of operations with its spellings."""
    rows = [
        (f"`{row.name}`", *(f"`{_spelt(row, text)}`" for text in (row.c, row.python, row.matlab, row.javascript)))
        for row in OPERATIONS.values()
    ]
    return _table(("operation", "C99", "Python", "MATLAB", "JavaScript"), rows)


def _spelt(row: Operation, text: str) -> str:
    return text.format(*"abc"[: row.arity], f="", p="...")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
