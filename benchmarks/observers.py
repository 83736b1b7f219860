"""``python -m benchmarks.observers [--quick] [subject ...]``: observers, against peers and their goals.

One JSON object a line with the keys bench, case, ours, reference and unit; what else there is to say follows
under its own keys. ``reference`` is what must be reached.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks import kalman, swarms

SUBJECTS: dict[str, Callable[[bool], Iterator[dict[str, Any]]]] = {
    "kalman": lambda quick: kalman.results(1 if quick else 10),
    "particles": swarms.results,
}


def main(arguments: list[str] | None = None) -> None:
    known = ", ".join(SUBJECTS)
    parser = argparse.ArgumentParser("python -m benchmarks.observers", description="Speed of observers.")
    parser.add_argument("subjects", nargs="*", metavar="subject", help=f"one of {known}; all if none")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.subjects if name not in SUBJECTS]
    if unknown:
        parser.error(f"no subject {unknown[0]!r}; there are {known}")
    for name in options.subjects or SUBJECTS:
        for line in SUBJECTS[name](options.quick):
            shown = {k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in line.items()}
            print(json.dumps(shown), flush=True)


if __name__ == "__main__":
    main()
