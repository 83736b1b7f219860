"""The command line of every benchmark: subjects to choose from, ``--quick``, and a line for each figure."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence

Subject = Callable[[bool], Iterable[object]]


def parser(name: str, description: str, subjects: Iterable[str], quick: str) -> argparse.ArgumentParser:
    """The arguments that all benchmarks take; ``quick`` tells what that leaves out."""
    made = argparse.ArgumentParser(f"python -m benchmarks.{name}", description=description)
    made.add_argument(
        "subjects", nargs="*", metavar="subject", help=f"one of {', '.join(subjects)}; all if none"
    )
    made.add_argument("--quick", action="store_true", help=quick)
    return made


def parsed(
    made: argparse.ArgumentParser, subjects: Mapping[str, Subject], arguments: Sequence[str] | None
) -> argparse.Namespace:
    """The options; ends with a message for a subject that there is not."""
    options = made.parse_args(arguments)
    unknown = [name for name in options.subjects if name not in subjects]
    if unknown:
        made.error(f"no subject {unknown[0]!r}; there are {', '.join(subjects)}")
    return options


def show(subjects: Mapping[str, Subject], options: argparse.Namespace) -> None:
    """Print what the chosen subjects measure, as soon as it is measured."""
    for name in options.subjects or subjects:
        for line in subjects[name](options.quick):
            print(line, flush=True)


def run(
    name: str,
    description: str,
    subjects: Mapping[str, Subject],
    arguments: Sequence[str] | None,
    quick: str = "once each and small, to see that it runs",
) -> None:
    """The whole command of a benchmark with no options of its own."""
    show(subjects, parsed(parser(name, description, subjects, quick), subjects, arguments))
