"""What the benchmark of accuracy says: one JSON object a line, with always the same six keys.

``error`` is the difference of ``ours`` and ``reference``, divided by the reference where the benchmark says
that it is relative. What has no reference but zero, residuals and drifts, has it there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np


class Deviation(NamedTuple):
    """One figure next to what it should be."""

    bench: str
    case: str
    quantity: str
    ours: float
    reference: float
    relative: bool = False

    @property
    def error(self) -> float:
        """How far off it is."""
        error = abs(self.ours - self.reference)
        return error / abs(self.reference) if self.relative else error

    def __str__(self) -> str:
        keys = {"bench": self.bench, "case": self.case, "quantity": self.quantity}
        figures = {"ours": self.ours, "reference": self.reference, "error": float(f"{self.error:.3g}")}
        return json.dumps(keys | {name: float(value) for name, value in figures.items()})


def deviations(
    bench: str, case: str, names: Sequence[str], ours: Any, reference: Any, relative: bool = False
) -> Iterator[Deviation]:
    """One line for each of several quantities."""
    for name, a, b in zip(names, np.ravel(ours), np.ravel(reference), strict=True):
        yield Deviation(bench, case, name, float(a), float(b), relative)


def residual(bench: str, case: str, quantity: str, value: float) -> Deviation:
    """A line for what should be zero."""
    return Deviation(bench, case, quantity, float(value), 0.0)
