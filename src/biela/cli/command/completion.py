"""`biela completion`: what a shell needs to complete command lines."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from biela.cli.command.command import Command
from biela.cli.page import Page

SHELLS = ("bash", "zsh")


def arguments(parser: ArgumentParser) -> None:
    """The shell."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that is to complete")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Print the script."""
    from biela.cli.completion import script
    from biela.cli.program import program

    text = script(program(), args.shell)
    page.say(text.rstrip())
    return {"shell": args.shell, "script": text}


COMMAND = Command(
    "completion", "print a script by which a shell completes command lines", run, arguments,
    chapter="In bash: source <(biela completion bash).\n"
    "In zsh: biela completion zsh > _biela, in a folder of your fpath.",
    examples=("biela completion bash",),
)  # fmt: skip
