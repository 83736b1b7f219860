"""What the benchmark of equations says: one JSON object a line, with always the same seven keys, and more.

``bench`` is the subject, ``ops`` and ``atoms`` are counted by the metric of the thesis, ``seconds`` is what
it took to describe the system, write its equations and lower the Function, and ``source_ops`` is what the
thesis printed. What else there is to say follows under its own keys: ``way`` (how it was made), ``must`` and
``aim`` with ``holds``, a ``peer`` and a ``ratio``. Where a figure cannot be had, ``skipped`` tells why.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from biela.expr.counting import Count


class Figure(NamedTuple):
    """One measured Function of one model."""

    bench: str
    model: str
    function: str
    ops: int | None = None
    atoms: int | None = None
    seconds: float | None = None
    source_ops: float | None = None
    more: dict[str, Any] = {}  # noqa: RUF012 - never changed, `adding` makes another

    @classmethod
    def of(cls, bench: str, model: str, function: str, count: Count, seconds: float | None = None) -> Figure:
        """The figure of a count."""
        return cls(bench, model, function, count.total, count.atoms, seconds)

    def adding(self, **more: Any) -> Figure:
        """The same with more keys; those that are None are left out."""
        return self._replace(more=self.more | {key: v for key, v in more.items() if v is not None})

    def __str__(self) -> str:
        fixed = self._asdict()
        del fixed["more"]
        return json.dumps({key: _short(value) for key, value in (fixed | self.more).items()})


def _short(value: Any) -> Any:
    return float(f"{value:.3g}") if isinstance(value, float) else value
