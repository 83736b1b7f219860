"""``python -m benchmarks.equations [--quick] [subject ...]``: sizes of equations, and the time to write them.

One JSON object a line; `benchmarks.figure` tells what its keys mean. ``--quick`` measures every subject once
and the slow peers on small models: its counts are right, its times mean little.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from benchmarks import evaluating, generating, sharing, versus_pinocchio, versus_sympy
from benchmarks.figure import Figure

SUBJECTS: dict[str, Callable[[bool], Iterator[Figure]]] = {
    "table": generating.lines,
    "rules": generating.rules,
    "joint": generating.joint,
    "classic": generating.classic,
    "inertialess": generating.inertialess,
    "atoms": sharing.lines,
    "evaluation": evaluating.lines,
    "sympy": versus_sympy.lines,
    "pinocchio": versus_pinocchio.lines,
}


def main(arguments: list[str] | None = None) -> None:
    known = ", ".join(SUBJECTS)
    parser = argparse.ArgumentParser("python -m benchmarks.equations", description="Sizes of equations.")
    parser.add_argument("subjects", nargs="*", metavar="subject", help=f"one of {known}; all if none")
    parser.add_argument("--quick", action="store_true", help="once each, to see that it runs")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.subjects if name not in SUBJECTS]
    if unknown:
        parser.error(f"no subject {unknown[0]!r}; there are {known}")
    for name in options.subjects or SUBJECTS:
        for figure in SUBJECTS[name](options.quick):
            print(figure, flush=True)


if __name__ == "__main__":
    main()
