"""`Strategy`: the one method that a team's mind has."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from biela.arena.strategy.view import View

Speeds = tuple[float, float]


class Strategy(ABC):
    """Wheel speeds for a view; called at the control rate while the game is on.

    ``random`` is a generator of its own, seeded by the match.
    """

    random: np.random.Generator = np.random.default_rng(0)

    @abstractmethod
    def act(self, view: View) -> Speeds | dict[str, Speeds]:
        """(left, right) in rad/s for the one robot, or by id for several."""

    def begin(self) -> None:  # noqa: B027 - a strategy may have nothing to forget
        """A round begins; forget what belongs to the last."""
