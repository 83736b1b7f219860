"""`biela doctor`: what is installed, what the processor can do, whether compiling works, how fast it is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from biela.cli.command.command import Command
from biela.cli.page import Page


def arguments(parser: ArgumentParser) -> None:
    """Whether to clean up."""
    parser.add_argument("--clear-cache", action="store_true", help="delete the compiled code that is kept")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Examine, and compile a kernel anew; raises RuntimeError where it answers wrongly."""
    from biela.cli import examination
    from biela.compile import cache

    data: dict[str, Any] = {}
    if args.clear_cache:
        data["cleared"] = cache.clear()
        page.say(f"deleted {data['cleared']} entries of the cache\n")
    for title, look in examination.EXAMINED.items():
        found = look()
        data[title] = found
        page.say(title)
        page.table(("", ""), [(f"  {name}", told) for name, told in found.items()])
        page.say()
    with page.stage("compiling a kernel"):
        data["kernel"] = examination.kernel()
    page.say("kernel: a step of a four-bar linkage, compiled anew")
    page.table(("", ""), [(f"  {name}", f"{value:,.4g}") for name, value in data["kernel"].items()])
    return data


COMMAND = Command(
    "doctor", "what is installed, what the processor can do, how fast a kernel is", run, arguments,
    examples=("biela doctor", "biela doctor --json"),
)  # fmt: skip
