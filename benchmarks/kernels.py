"""``python -m benchmarks.kernels [--quick] [subject ...]``: graphs and kernels, against peers and bounds.

One JSON object a line; `benchmarks.line` tells what its keys mean. ``--quick`` runs everything on small
sizes: its figures mean nothing, but it shows that all contenders agree.
"""

from __future__ import annotations

from benchmarks import building, calling, command, compiling, stepping

SUBJECTS = {
    "stepping": stepping.lines,
    "building": building.lines,
    "compiling": compiling.lines,
    "calling": calling.lines,
}


def main(arguments: list[str] | None = None) -> None:
    command.run("kernels", "Speed of kernels.", SUBJECTS, arguments, quick="small sizes, to see that it runs")


if __name__ == "__main__":
    main()
