"""``python -m benchmarks.observers [--quick] [subject ...]``: observers, against peers and their goals.

One JSON object a line with the keys bench, case, ours, reference and unit; what else there is to say follows
under its own keys. ``reference`` is what must be reached.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from benchmarks import command, kalman, swarms

SUBJECTS: dict[str, command.Subject] = {
    "kalman": lambda quick: _told(kalman.results(1 if quick else 10)),
    "particles": lambda quick: _told(swarms.results(quick)),
}


def _told(results: Iterable[dict[str, Any]]) -> Iterator[str]:
    for line in results:
        yield json.dumps({k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in line.items()})


def main(arguments: list[str] | None = None) -> None:
    command.run(
        "observers", "Speed of observers.", SUBJECTS, arguments, quick="small sizes, to see that it runs"
    )


if __name__ == "__main__":
    main()
