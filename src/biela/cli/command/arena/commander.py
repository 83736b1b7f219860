"""`biela arena commander`: command a served simulation by hand, a line at a time."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import Any

from biela.cli.command.arena.serve import PORT, port
from biela.cli.command.command import Command
from biela.cli.page import Page
from biela.cli.quantity import measured


def arguments(parser: ArgumentParser) -> None:
    """The lines, and where they go."""
    parser.add_argument(
        "lines", metavar="LINE", nargs="*", help="commands; without any they are read, one a line"
    )
    parser.add_argument("--host", metavar="HOST", default="127.0.0.1", help="where it is served (127.0.0.1)")
    parser.add_argument("--port", metavar="PORT", type=port, default=PORT, help=f"its port ({PORT})")
    parser.add_argument(
        "--transport", choices=("udp", "tcp", "websocket"), default="udp", help="over what (udp)"
    )
    parser.add_argument(
        "--timeout", metavar="TIME", type=measured("s", positive=True), default=5.0, help="for an answer (5s)"
    )
    parser.add_argument("--commands", action="store_true", help="list the commands and their data")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Send lines and tell the answers; the first of the arguments that is refused ends it with an error."""
    from biela.arena.wire.commander import Commander, commands, request

    if args.commands:
        for line in commands():
            page.say(line)
        return {"commands": commands()}
    with Commander(args.port, args.host, transport=args.transport, timeout=args.timeout) as commander:
        for line in args.lines:
            asked = request(line)
            commander.send(asked.command, asked.entity, **asked.data)
            page.say(commander.log[-1][1])
        for line in () if args.lines else _typed(page):
            page.say(commander.say(line))
        log = list(commander.log)
    return {"log": [list(pair) for pair in log]}


def _typed(page: Page) -> Iterable[str]:
    """What is typed or piped in, until its end."""
    if sys.stdin.isatty():
        page.note("one command a line, as: set_steps_per_iteration steps=2; Ctrl-D ends")
    return (line.strip() for line in sys.stdin if line.strip())


COMMAND = Command(
    "commander", "command what is served, by hand", run, arguments,
    chapter="A line is a command, the entity if it has one, and its data as name=value in JSON.",
    examples=(
        "biela arena commander --commands",
        "biela arena commander 'set_step_mode stepping=true' 'control_entity_motors left speeds=[3,4]'",
    ),
)  # fmt: skip
