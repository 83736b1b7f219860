"""`Logbook`: what a search has evaluated, in a file, so that it can be resumed with identical results.

The first line says which search it is, every other one has the costs of a generation: JSON, complete when
its line is. A search is resumed by playing back what is there. Candidates are not written, since a plan
finds the same ones again; a digest of them is, so that another search is noticed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numpy as np

FORMAT = "biela tuning 1"


class Logbook:
    """A file of costs, read and continued; ``head`` is what must be the same.

    Raises ValueError for a file of another search, naming what differs, and for one that is none.
    """

    def __init__(self, path: str | Path, head: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.head: dict[str, Any] = {"format": FORMAT, **cast("dict[str, Any]", json.loads(json.dumps(head)))}
        self.known: list[dict[str, Any]] = self._read() if self.path.exists() else []
        self._place = 0
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._append(self.head, "x")

    def recall(self, points: np.ndarray) -> np.ndarray | None:
        """The costs of the next generation, if it is in the file."""
        if self._place >= len(self.known):
            return None
        line = self.known[self._place]
        self._place += 1
        if line.get("digest") != digest(points):
            raise ValueError(
                f"{self.path}: generation {self._place} was another one. The file is of another search, or "
                "of another version of a package: begin a new one."
            )
        return np.array(line["costs"], float)

    def keep(self, points: np.ndarray, costs: np.ndarray) -> None:
        """Add a generation."""
        self._append({"digest": digest(points), "costs": costs.tolist()}, "a")
        self._place += 1

    def _append(self, line: Mapping[str, Any], mode: str) -> None:
        with self.path.open(mode, encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _read(self) -> list[dict[str, Any]]:
        text = self.path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]  # a line that was cut off is done again
        try:
            lines: list[dict[str, Any]] = [json.loads(line) for line in whole.splitlines()]
        except json.JSONDecodeError as error:
            raise ValueError(f"{self.path} is no file of a search: {error}.") from None
        if not lines or lines[0].get("format") != FORMAT:
            raise ValueError(f"{self.path} is no file of a search, or of another version.")
        for name, value in self.head.items():
            if lines[0].get(name) != value:
                raise ValueError(
                    f"{self.path} is of another search: its {name} is {lines[0].get(name)!r}, not {value!r}. "
                    "Name another file, or ask for the same."
                )
        if whole != text:
            self.path.write_text(whole, encoding="utf-8")
        return lines[1:]


def digest(values: Any) -> str:
    """A short name of the bits of some numbers."""
    return sha256(np.ascontiguousarray(np.asarray(values, float)).tobytes()).hexdigest()[:16]
