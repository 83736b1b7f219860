"""`Command`: a row of the registry: how a command is called, and what it does."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from biela.cli.page import Page


def nothing(parser: ArgumentParser) -> None:
    """No arguments."""


def never(args: Namespace, page: Page) -> dict[str, Any]:
    """For a command that only has others below it."""
    raise NotImplementedError("the parser asks for one of the commands below")


@dataclass(frozen=True)
class Command:
    """A command: ``run`` says its answer on the page as it goes, and returns it as data for ``--json``.

    ``summary`` is one line, ``chapter`` what there is to know beyond it, ``examples`` are command lines. A
    command with others ``below`` it does nothing itself.
    """

    name: str
    summary: str
    run: Callable[[Namespace, Page], dict[str, Any]] = never
    arguments: Callable[[ArgumentParser], None] = nothing
    chapter: str = ""
    examples: tuple[str, ...] = ()
    below: tuple[Command, ...] = ()
