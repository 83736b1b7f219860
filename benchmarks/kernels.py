"""``python -m benchmarks.kernels [--quick] [subject ...]``: graphs and kernels, against peers and bounds.

One JSON object a line; `benchmarks.line` tells what its keys mean. ``--quick`` runs everything on small
sizes: its figures mean nothing, but it shows that all contenders agree.
"""

from __future__ import annotations

import argparse

from benchmarks import building, calling, compiling, stepping

SUBJECTS = {"stepping": stepping, "building": building, "compiling": compiling, "calling": calling}


def main(arguments: list[str] | None = None) -> None:
    known = ", ".join(SUBJECTS)
    parser = argparse.ArgumentParser("python -m benchmarks.kernels", description="Speed of kernels.")
    parser.add_argument("subjects", nargs="*", metavar="subject", help=f"one of {known}; all if none")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.subjects if name not in SUBJECTS]
    if unknown:
        parser.error(f"no subject {unknown[0]!r}; there are {known}")
    for name in options.subjects or SUBJECTS:
        for line in SUBJECTS[name].lines(options.quick):
            print(line, flush=True)


if __name__ == "__main__":
    main()
