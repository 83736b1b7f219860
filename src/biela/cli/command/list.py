"""`biela list`: what there is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from biela.cli.command.command import Command
from biela.cli.fault import chosen
from biela.cli.listing import KINDS, listed
from biela.cli.page import Page


def arguments(parser: ArgumentParser) -> None:
    """The kind."""
    parser.add_argument(
        "kind", metavar="KIND", nargs="?", help=f"one of {', '.join(KINDS)}; without it all are listed"
    )


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """List one registry or all."""
    found = listed(KINDS if args.kind is None else [chosen(args.kind, KINDS, "kind of things")])
    for k, (kind, rows) in enumerate(found.items()):
        if len(found) > 1:
            page.say(("\n" if k else "") + kind)
        indent = "  " if len(found) > 1 else ""
        page.table(("", ""), [(indent + name, line) for name, line in rows.items()])
    return found


COMMAND = Command(
    "list", "what there is: mechanisms, filters, integrators and more", run, arguments,
    examples=("biela list", "biela list mechanisms", "biela list filters --json"),
)  # fmt: skip
