"""The three text files of SimTKpf: angles, weights and angular velocities, a line an iteration.

Numbers are separated by tabs. `Angles.txt` has the reference and then the particles, in radians within a
turn; `Weights.txt` the weights, with sum one; `Omegas.txt` the gyroscope of the reference, then the speeds of
the particles. They are written from what a try left, so writing changes nothing, and each file is new.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biela.observe.study.trial import Trajectories

NAMES = ("Angles.txt", "Weights.txt", "Omegas.txt")


def write_texts(found: Trajectories, folder: str | Path) -> list[Path]:
    """Write the three files into a folder; returns their paths."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    tables = (
        (np.column_stack([found.reference, found.angles]), "%.4f"),
        (found.weights, "%.6f"),
        (np.column_stack([found.readings, found.omegas]), "%.3f"),
    )
    for name, (values, how) in zip(NAMES, tables, strict=True):
        np.savetxt(place / name, values, fmt=how, delimiter="\t")
    return [place / name for name in NAMES]
