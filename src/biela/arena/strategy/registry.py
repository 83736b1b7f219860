"""`STRATEGIES`: the baselines by name; `strategy` also reads one from a file of the user's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, final

from biela.arena.scene.fault import known
from biela.arena.strategy.club import Club
from biela.arena.strategy.file import loaded, made
from biela.arena.strategy.football import Roles, Swarm, Wander
from biela.arena.strategy.strategy import Speeds, Strategy
from biela.arena.strategy.sumo import Anchor, Charge, Nobody, Orbiter, Searcher, Still
from biela.arena.strategy.view import View

STRATEGIES: dict[str, type[Strategy]] = {
    "anchor": Anchor,
    "charge": Charge,
    "orbiter": Orbiter,
    "searcher": Searcher,
    "still": Still,
    "nobody": Nobody,
    "club": Club,
    "roles": Roles,
    "swarm": Swarm,
    "wander": Wander,
}
Given = "str | Path | Strategy | type[Strategy] | Callable[[View], Any]"


@final
class Function(Strategy):
    """A strategy that is one function of the view."""

    def __init__(self, function: Callable[[View], Any]) -> None:
        self.function = function

    def act(self, view: View) -> Speeds | dict[str, Speeds]:
        """What the function says."""
        return self.function(view)


def strategy(given: str | Path | Strategy | type[Strategy] | Callable[[View], Any]) -> Strategy:
    """A strategy from a baseline's name, a Python file, a class, an object or a function of the view.

    A file holds one subclass of Strategy or a function ``act``. Raises ValueError for anything else.
    """
    if isinstance(given, Strategy):
        return given
    if isinstance(given, type):
        return made(given)
    if isinstance(given, str | Path):
        return _named(str(given))
    return Function(given)


def _named(name: str) -> Strategy:
    if name in STRATEGIES:
        return STRATEGIES[name]()
    path = Path(name)
    if path.suffix != ".py":
        raise ValueError(f"No strategy '{name}'. {known(name, STRATEGIES)} Or give a Python file.")
    found = loaded(path)
    return made(found) if isinstance(found, type) else Function(found)
