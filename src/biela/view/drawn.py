"""`Drawn`: what a motion, a stage and a page have to know of a scene, whatever it is a scene of."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np


class Drawn(Protocol):
    """Shapes as plain data, numbered by places and turns, and how they stand; see `biela.view.scene`."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @cached_property
    def shapes(self) -> list[dict[str, Any]]:
        """What is drawn."""
        ...

    @cached_property
    def pivots(self) -> list[int]:
        """The fixed places on which something hangs that moves."""
        ...

    @cached_property
    def fixed(self) -> np.ndarray:
        """Which places stand still."""
        ...

    @cached_property
    def plane(self) -> list[int]:
        """The axes along which nothing ever moves."""
        ...

    @cached_property
    def up(self) -> np.ndarray:
        """The axis that points up."""
        ...
