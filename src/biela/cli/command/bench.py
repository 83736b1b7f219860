"""`biela bench`: the benchmarks of a checkout."""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

import biela
from biela.cli.command.command import Command
from biela.cli.fault import UsageError, chosen
from biela.cli.page import Page

USUAL = ("kernels", "equations", "simulation", "observers")


def arguments(parser: ArgumentParser) -> None:
    """Which, and where."""
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help=f"{', '.join(USUAL)} ...; without: all of these"
    )
    parser.add_argument("--checkout", metavar="FOLDER", help="where the sources are (found by itself)")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Run benchmarks, one after the other; each prints one JSON object a line."""
    root = checkout(args.checkout)
    known = [
        path.stem for path in sorted((root / "benchmarks").glob("*.py"))
        if "__main__" in path.read_text(encoding="utf-8")
    ]  # fmt: skip
    for name in args.names:
        chosen(name, known, "benchmark")
    rows: list[Any] = []
    for name in args.names or [one for one in USUAL if one in known]:
        command = [sys.executable, "-m", f"benchmarks.{name}"]
        with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                page.say(line.rstrip())
                rows += [json.loads(line)] if line.startswith("{") else []
        if process.returncode:
            raise ValueError(f"benchmarks.{name} ended with code {process.returncode}.")
    return {"results": rows}


def checkout(given: str | None) -> Path:
    """The folder of the sources; raises UsageError where there is none."""
    places = [Path(given)] if given else [Path.cwd(), Path(biela.__file__).parents[2]]
    for place in places:
        if (place / "benchmarks" / "__init__.py").is_file():
            return place
    raise UsageError(
        f"There are no benchmarks in {' or '.join(map(str, places))}: they come with the sources, not "
        "with the installed library. Say where those are: --checkout FOLDER."
    )


COMMAND = Command(
    "bench", "run the benchmarks of a checkout", run, arguments,
    chapter="Benchmarks race peers, which are installed by: pip install 'biela[bench]'.",
    examples=("biela bench observers", "biela bench equations --json"),
)  # fmt: skip
