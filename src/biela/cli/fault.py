"""`UsageError`: the command was called wrongly; it ends with exit code 2, other errors with 1."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterable
from difflib import get_close_matches


class UsageError(ArgumentTypeError):
    """A message for whoever typed the command: what, where, got, do."""


def chosen(name: str, known: Iterable[str], what: str) -> str:
    """A name of several known ones; raises UsageError with the nearest for another."""
    names = list(known)
    if name in names:
        return name
    raise UsageError(f"There is no {what} '{name}'. Known: {', '.join(names)}.{hint(name, names)}")


def hint(name: str, known: Iterable[str]) -> str:
    """' Did you mean ...?' where a known name is near, else nothing.

    >>> hint("four-bar", ["four_bar", "arm6"])
    " Did you mean 'four_bar'?"
    """
    plain = {one.lower().replace("-", "_"): one for one in known}
    close = get_close_matches(name.lower().replace("-", "_"), plain, 1)
    return f" Did you mean '{plain[close[0]]}'?" if close else ""
