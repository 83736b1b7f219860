"""``python -m benchmarks.equations [--quick] [subject ...]``: sizes of equations, and the time to write them.

One JSON object a line; `benchmarks.figure` tells what its keys mean. ``--quick`` measures every subject once
and the slow peers on small models: its counts are right, its times mean little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks import command, evaluating, generating, sharing, versus_pinocchio, versus_sympy
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
    command.run("equations", "Sizes of equations.", SUBJECTS, arguments)


if __name__ == "__main__":
    main()
