"""The reference of description files, written from the table that they are checked by."""

from __future__ import annotations

import tables

from biela.description.formula import CONSTANTS, FUNCTIONS, SHAPES
from biela.description.schema import SECTIONS, TOP, WORDS, Field


def fields() -> str:
    """Every section with its keys."""
    parts = ["### At the top", _table(TOP)]
    for section in SECTIONS.values():
        short = f" A value alone is its `{section.short}`." if section.short else ""
        parts += [f"### {section.name}", f"{section.note[0].upper()}{section.note[1:]}.{short}"]
        if section.fields:
            parts.append(_table(section.fields))
        parts += [f"Of type `{kind}`:\n\n{_table(rows)}" for kind, rows in section.types.items()]
    return "\n\n".join(parts)


def functions() -> str:
    """What expressions may call."""
    listed = ", ".join(f"`{name}`" for name in (*FUNCTIONS, *CONSTANTS))
    return f"{listed}; and for tensors of inertia {', '.join(f'`{name}`' for name in SHAPES)}"


def _table(rows: tuple[Field, ...]) -> str:
    told = [
        (f"`{one.name}`", WORDS.get(one.kind, "a name"), one.note + (", required" if one.required else ""))
        for one in rows
    ]
    return tables.table(("key", "what it may be", "what it is"), told)
