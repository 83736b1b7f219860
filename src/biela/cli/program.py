"""`main`: from arguments to an exit code.

Errors are told in one or two lines, on the standard error, without a traceback; ``--debug`` shows one.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
import warnings
from argparse import SUPPRESS, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import Any, NoReturn

import biela
from biela.cli.command import COMMANDS
from biela.cli.command.command import Command
from biela.cli.fault import UsageError, hint
from biela.cli.page import Page

OK, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130
EPILOGUE = """\
Values take units: 90deg, 10s, 1ms, 120mm, 0.5deg/s; bare numbers are SI. A mechanism is a name of
`biela list mechanisms`, or FILE.py:FUNCTION, a function that returns a biela.System, or a
description in TOML, YAML, URDF or MJCF. `biela COMMAND --help` tells the rest.

Begin with: biela demo, biela list mechanisms, biela describe four_bar"""


class Parser(ArgumentParser):
    """An argument parser that takes options in full only, and tells what was probably meant."""

    def __init__(self, **more: Any) -> None:
        more = {"allow_abbrev": False, "formatter_class": RawDescriptionHelpFormatter} | more
        super().__init__(**more)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and end."""
        found = re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if found:
            known = re.findall(r"[\w-]+", found[2])
            message = f"there is no '{found[1]}': {', '.join(known)}.{hint(found[1], known)}"
        unknown = re.search(r"unrecognized arguments: (--[\w-]+)", message)
        if unknown:
            flags = [flag.lstrip("-") for action in self._actions for flag in action.option_strings]
            message += f".{hint(unknown[1].lstrip('-'), flags)}".replace("mean '", "mean '--")
        print(f"{self.prog}: {message}\nTry: {self.prog} --help", file=sys.stderr)
        sys.exit(MISUSED)


def common() -> ArgumentParser:
    """The options that every command has."""
    parser = Parser(add_help=False)
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", default=SUPPRESS, help="answer with one JSON object")
    group.add_argument("--quiet", action="store_true", default=SUPPRESS, help="print errors only")
    group.add_argument("--debug", action="store_true", default=SUPPRESS, help="show where an error came from")
    return parser


def program() -> ArgumentParser:
    """The parser of everything."""
    parser = Parser(
        prog="biela",
        description="Describe mechanisms, get native code for them, simulate them, estimate their state.",
        epilog=EPILOGUE,
        parents=[common()],
    )
    parser.add_argument("--version", action="version", version=f"biela {biela.__version__}")
    rows = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", parser_class=Parser)
    for row in COMMANDS.values():
        add(rows, row)
    return parser


def add(rows: Any, row: Command, path: str = "") -> None:
    """The parser of one command, and of those below it."""
    name = f"{path} {row.name}".strip()
    told = f"{row.summary[0].upper()}{row.summary[1:]}." + (f"\n\n{row.chapter}" if row.chapter else "")
    parser = rows.add_parser(
        row.name, help=row.summary, description=told, epilog=examples(row), parents=[common()]
    )
    row.arguments(parser)
    if row.below:
        inner = parser.add_subparsers(
            title="commands", metavar="COMMAND", dest=f"command of {name}", required=True, parser_class=Parser
        )
        for one in row.below:
            add(inner, one, name)
    else:
        parser.set_defaults(run=row.run, parser=parser)


def examples(row: Command) -> str:
    """The examples of a command as they are shown after its options."""
    return "\n".join(["examples:", *(f"  {line}" for line in row.examples)]) if row.examples else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, that of the process unless another is given; returns the exit code."""
    parser = program()
    try:
        args, unknown = parser.parse_known_args(arguments)
        if unknown:
            getattr(args, "parser", parser).error(f"unrecognized arguments: {' '.join(unknown)}")
    except SystemExit as ended:
        return int(ended.code or 0)
    if args.command is None:
        parser.print_help()
        return OK
    return _run(args)


def _run(args: Namespace) -> int:
    page = Page(getattr(args, "json", False), getattr(args, "quiet", False))
    try:
        with warnings.catch_warnings():
            warnings.showwarning = page.warn
            page.answer(args.run(args, page))
        return OK
    except KeyboardInterrupt:
        page.note("\ninterrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        if getattr(args, "debug", False):
            traceback.print_exc()
        return _told(error, args, page)


def _told(error: Exception, args: Namespace, page: Page) -> int:
    """Print an error; returns the exit code it stands for."""
    wrong = isinstance(error, UsageError)
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    if isinstance(error, FileNotFoundError) and error.filename:
        text = f"There is no file '{error.filename}'."
    known = isinstance(error, (UsageError, ValueError, KeyError, OSError, ImportError, MemoryError))
    if not text or not known:
        text = f"{type(error).__name__}: {text}".rstrip(": ")
        text += "" if getattr(args, "debug", False) else "\nThat is not expected: run it again with --debug."
    print(f"{args.parser.prog}: {text}", file=page.err)
    if wrong:
        print(f"Try: {args.parser.prog} --help", file=page.err)
    return MISUSED if wrong else FAILED
