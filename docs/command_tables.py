"""The reference of the command `biela`, written from its parser so that it cannot lag behind."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import tables

from biela.cli.command import COMMANDS
from biela.cli.command.command import Command
from biela.cli.completion import parsers
from biela.cli.program import program
from biela.cli.quantity import UNITS

WIDTH = "92"


def commands() -> str:
    """Every command with its line."""
    rows = [(f"`biela {path}`", row.summary) for path, row in leaves(COMMANDS.values()) if not row.below]
    return tables.table(("command", "what it does"), rows)


def reference() -> str:
    """The help of every command, as it is printed."""
    os.environ["COLUMNS"] = WIDTH  # argparse breaks lines where the terminal ends
    found = dict(parsers(program()))
    parts = [
        f"**biela {path}**: {row.summary}.\n\n```none\n{found[path].format_help().rstrip()}\n```"
        for path, row in leaves(COMMANDS.values())
        if not row.below
    ]
    return "\n\n".join(parts)


def units() -> str:
    """The units that values may have."""
    return ", ".join(f"`{name}`" for name in UNITS)


def leaves(rows: Iterable[Command], path: str = "") -> Iterator[tuple[str, Command]]:
    """Commands and those below them, by their path."""
    for row in rows:
        yield f"{path} {row.name}".strip(), row
        yield from leaves(row.below, f"{path} {row.name}".strip())
