"""`Source`: what a live page shows and what can be done to it. A kind of source is one final class.

A source is told to go on by a span of simulated time, sixty times a second or so, and then asked where
everything is. It is used by one thread only, the loop's; whatever browsers ask for waits there. It may raise
ValueError for what it cannot do: the page tells it and goes on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from biela.view.live_page.control import Control


class Column(NamedTuple):
    """A curve: its name and unit, and which of the actors have it."""

    name: str
    unit: str
    actors: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Actor:
    """Something drawn: shapes over numbered places and turns, once or in several lanes."""

    name: str
    shapes: list[dict[str, Any]]
    pivots: list[int]
    points: int
    bases: int
    lanes: int = 1
    of: int = 1

    def plain(self) -> dict[str, Any]:
        """The same as JSON would have it."""
        return {**vars(self), "status": ""}


class Grip(NamedTuple):
    """What a pointer holds: pieces stand on place ``a``, bars also on ``b``, solids on ``turn``."""

    actor: int
    lane: int
    a: int
    b: int
    turn: int
    at: np.ndarray  # where in space


Parts = Sequence[tuple[np.ndarray, np.ndarray]]  # places (lane, point, 3) and turns (lane, base, 4)


class Source(ABC):
    """The base of what a page can show.

    ``holds`` says what dragging does: 'pull' a body by a spring, 'place' an entity, or '' nothing; ``drives``
    whether keys drive something, and ``told`` is a line about the state for the head of the page.
    """

    title: str = ""
    holds: str = ""
    drives: str = ""
    told: str = ""
    dt: float = 1e-3
    t: float = 0.0
    actors: Sequence[Actor] = ()
    columns: Sequence[Column] = ()
    first: Sequence[str] = ()  # the columns that are shown at first, if not the usual ones
    controls: Sequence[Control] = ()
    stage: dict[str, Any]

    @abstractmethod
    def advance(self, seconds: float) -> None:
        """Go on by a span of simulated time, as near as whole steps allow."""

    @abstractmethod
    def parts(self) -> Parts:
        """Where everything is, actor by actor."""

    @abstractmethod
    def values(self) -> Sequence[float]:
        """The numbers of the curves, column by column and in each actor by actor."""

    @abstractmethod
    def reset(self) -> None:
        """Back to the beginning; controls stay."""

    def change(self, name: str, value: float) -> None:  # noqa: B027 - not every source can
        """A control has another value, which is one it accepts.

        Raises ValueError for what cannot be had; then it stays as it was.
        """

    def grab(self, grip: Grip) -> None:  # noqa: B027 - not every source can
        """A pointer takes hold."""

    def drag(self, to: np.ndarray) -> None:  # noqa: B027 - not every source can
        """It is there now."""

    def release(self) -> None:  # noqa: B027 - not every source can
        """It lets go."""

    def drive(self, ahead: float, aside: float) -> None:  # noqa: B027 - not every source can
        """Keys ask for going ahead and to the left, from -1 to 1."""

    def held(self) -> np.ndarray | None:
        """The place that is held and the one it is dragged to: six numbers."""
        return None


def whole(seconds: float, dt: float) -> int:
    """How many steps a span has, one at least.

    >>> whole(1 / 60, 1e-3), whole(0.0, 1e-3)
    (17, 1)
    """
    return max(1, round(seconds / dt))
