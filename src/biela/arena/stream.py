"""Named random streams: one seed for all, and none of them disturbs another."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np


class Streams:
    """Random generators by name. The same seed and name give the same numbers, whatever else is drawn.

    >>> bool(Streams(7)["wind"].random() == Streams(7)["wind"].random())
    True
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._made: dict[str, np.random.Generator] = {}

    def __getitem__(self, name: str) -> np.random.Generator:
        if name not in self._made:
            digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
            sequence = np.random.SeedSequence([self.seed, int.from_bytes(digest, "big")])
            self._made[name] = np.random.Generator(np.random.PCG64(sequence))
        return self._made[name]

    def state(self) -> dict[str, Any]:
        """Where every stream is, as plain data."""
        return {name: made.bit_generator.state for name, made in self._made.items()}

    def resume(self, state: dict[str, Any]) -> None:
        """Go back to a state."""
        self._made.clear()
        for name, found in state.items():
            self[name].bit_generator.state = found
