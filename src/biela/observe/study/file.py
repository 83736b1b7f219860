"""The three text files of SimTKpf: angles, weights and angular velocities, a line an iteration.

Numbers are separated by tabs. `Angles.txt` has the reference and then the particles, in radians within a
turn; `Weights.txt` the weights, with sum one; `Omegas.txt` the gyroscope of the reference, then the speeds of
the particles. Writing changes nothing of a run. Each file is new, and appears when the run is over, also when
it was interrupted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from biela.observe.study.trial import Trajectories

NAMES = ("Angles.txt", "Weights.txt", "Omegas.txt")


class Texts:
    """The three files while a run goes on, written aside; they get their names at the end of the block."""

    def __init__(self, folder: str | Path) -> None:
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        self.paths = [place / name for name in NAMES]
        self._aside = [path.with_suffix(".txt.part") for path in self.paths]
        self._pages: list[TextIO] = []

    def __enter__(self) -> Texts:
        self._pages = [path.open("w", encoding="ascii") for path in self._aside]
        return self

    def write(
        self, angle: float, reading: float, angles: np.ndarray, omegas: np.ndarray, weights: np.ndarray
    ) -> None:
        """One line of each."""
        lines = (_line("%.4f", [angle, *angles]), _line("%.6f", weights), _line("%.3f", [reading, *omegas]))
        for page, line in zip(self._pages, lines, strict=True):
            page.write(line)

    def __exit__(self, *ended: Any) -> None:
        for page, aside, path in zip(self._pages, self._aside, self.paths, strict=True):
            page.close()
            os.replace(aside, path)


def _line(how: str, values: Iterable[float]) -> str:
    return "\t".join(how % value for value in values) + "\n"


def write_texts(found: Trajectories, folder: str | Path) -> list[Path]:
    """Write the three files of a run into a folder; returns their paths."""
    texts = Texts(folder)
    with texts:
        for row in zip(
            found.reference, found.readings, found.angles, found.omegas, found.weights, strict=True
        ):
            texts.write(*row)
    return texts.paths
