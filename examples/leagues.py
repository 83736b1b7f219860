"""Leagues of the baselines on two cores: `python examples/leagues.py sumo mujoco 4`.

The game, the engine and the number of seeds; every pair plays each seed twice, on either side.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from biela import arena

PLAYERS = {
    "sumo": ("charge", "orbiter", "searcher", "anchor"),
    "football": ("club", "roles", "swarm", "wander"),
}
RULES = {
    "sumo": arena.SumoRules(points=1, hold=0.5, round_time=12.0, rounds=1, rematches=1),
    "football": arena.FootballRules(half=30.0, halves=1),
}


def main(game: str = "sumo", engine: str = "mujoco", seeds: str = "4") -> None:
    contest = arena.Contest(game, {"backend": engine, "rules": RULES[game]})
    players = {name: name for name in PLAYERS[game]}
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as workers:
        print(arena.league(players, contest, seeds=int(seeds), seed=100, executor=workers))


if __name__ == "__main__":
    main(*sys.argv[1:])
