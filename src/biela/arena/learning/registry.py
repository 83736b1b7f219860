"""`ENVIRONMENTS`: games by name; `make` makes an environment of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from biela.arena.learning.football import Football
from biela.arena.learning.game import TEAMS, Game
from biela.arena.learning.sumo import Sumo
from biela.arena.scene.fault import known

ENVIRONMENTS: dict[str, Callable[..., Game]] = {
    "vsss-3v3": partial(Football, "vsss-3v3", 3),
    "vsss-5v5": partial(Football, "vsss-5v5", 5),
    "sumo-nano": partial(Sumo, "nano"),
    "sumo-micro": partial(Sumo, "micro"),
    "sumo-mini": partial(Sumo, "mini"),
    "sumo-mega": partial(Sumo, "mega"),
}
OPPONENTS = {"football": "roles", "sumo": "charge"}


def make(
    name: str,
    agents: str | Sequence[str] = "blue",
    *,
    worlds: int = 0,
    opponent: Any = None,
    mates: Any = None,
    game: dict[str, Any] | None = None,
    render_mode: str | None = None,
    autoreset: str = "next-step",
    **options: Any,
) -> Any:
    """A learning environment.

    ``agents`` is a robot ("blue_0": Gymnasium), a team or "both" (PettingZoo, parallel), or a list of robots;
    with ``worlds`` it is a vector environment of so many. ``opponent`` and ``mates`` drive the others:
    "still", "noise", a baseline, a Strategy, a function of the view, a `Policy`. ``game`` has options
    of the game (robot, seconds, rules); the rest are those of `Bout` (view, start, reward, control, threads).
    Raises ValueError for unknown names.

    >>> env = make("sumo-mini", "blue_0")
    >>> observation, info = env.reset(seed=1)
    >>> observation.shape, env.action_space.shape
    ((14,), (2,))
    """
    from biela.arena.learning.bout import Bout  # engines and Gymnasium are extras
    from biela.arena.learning.environment import Parallel, Single, Vector

    if name not in ENVIRONMENTS:
        raise ValueError(f"No environment '{name}'. {known(name, ENVIRONMENTS)}")
    made = ENVIRONMENTS[name](**(game or {}))
    robots = _robots(agents, made.players)
    against = OPPONENTS[made.name] if opponent is None else opponent
    beside = against if mates is None else mates
    ours = robots[0].split("_")[0]
    drivers = {team: beside if team == ours else against for team in TEAMS}
    bout = Bout(made, worlds or 1, robots, **drivers, **options)
    if worlds:
        return Vector(bout, autoreset)
    return Single(bout, render_mode) if agents in robots else Parallel(bout, render_mode)


def _robots(agents: str | Sequence[str], players: int) -> tuple[str, ...]:
    """The names of the learner's robots."""
    teams = {team: tuple(f"{team}_{n}" for n in range(players)) for team in TEAMS}
    teams["both"] = teams["blue"] + teams["yellow"]
    if isinstance(agents, str) and agents in teams:
        return teams[agents]
    found = (agents,) if isinstance(agents, str) else tuple(agents)
    for one in found:
        if one not in teams["both"]:
            raise ValueError(f"No agents '{one}'. {known(one, dict.fromkeys((*teams, *teams['both'])))}")
    if not found or len(set(found)) < len(found):
        raise ValueError(f"Agents are one or more different robots; got {list(found)}.")
    return found
