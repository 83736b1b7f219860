"""What a benchmark says: one JSON object a line, with always the same keys.

``ratio`` is always ``ours / peer``; the unit tells whether more or less is better. Where no peer exists,
``peer`` is the bound we have set ourselves. A peer that is not installed leaves ``peer`` and ``ratio`` null
and adds the reason as ``skipped``. What else there is to say follows under its own keys: ``must`` and ``aim``
for the ratio, and the ``error`` and ``peer_error`` of what was timed.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Line(NamedTuple):
    """One measured figure next to its peer's."""

    bench: str
    case: str
    ours: float | None
    peer: float | None
    unit: str
    skipped: str = ""
    more: dict[str, Any] = {}  # noqa: RUF012 - never changed, `adding` makes another

    def adding(self, **more: Any) -> Line:
        """The same with more keys; those that are None are left out."""
        return self._replace(more=self.more | {key: v for key, v in more.items() if v is not None})

    @property
    def ratio(self) -> float | None:
        """Ours over the peer's; None where one of them is missing."""
        return self.ours / self.peer if self.ours is not None and self.peer else None

    def __str__(self) -> str:
        keys = {"bench": self.bench, "case": self.case, "ours": _short(self.ours), "peer": _short(self.peer),
                "ratio": _short(self.ratio), "unit": self.unit}  # fmt: skip
        keys |= {key: _short(value) for key, value in self.more.items()}
        return json.dumps(keys | {"skipped": self.skipped} if self.skipped else keys)


def _short(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value
