"""Evolution of two behaviours on two cores, a sumo robot's and a footballer's, judged on unseen seeds.

Both begin with a first guess of a few numbers. CMA-ES changes them by how episodes in the flat engine end;
then both play episodes on seeds that nobody trained on. Last, the sumo robot fights whole matches
under the referee, in the flat engine and in three dimensions: there wedges lift, and little of it is left.
Run it with a number of generations to make it shorter or longer.
"""

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np

from biela import arena
from biela.arena import Behaviour, Fitness, Shooter, Wrestler, evolve, unseen

JUDGED = 100  # episodes
CASES: dict[str, tuple[type[Behaviour], Fitness]] = {
    "sumo": (Wrestler, Fitness(Wrestler, "sumo-mini", opponent="searcher", seconds=12.0)),
    "football": (Shooter, Fitness(Shooter, "vsss-3v3", opponent="noise", mates="still")),
}


def judged(fitness: Fitness, numbers: np.ndarray) -> str:
    """Points won and lost on seeds that evolution leaves out."""
    points, _ = fitness.play(numbers, unseen(JUDGED))
    return f"{(points > 0).mean():4.0%} won, {(points < 0).mean():4.0%} lost of {JUDGED}"


def matches(numbers: np.ndarray, engine: str) -> str:
    """Refereed matches, from the start lines."""
    mind = arena.Learned(Wrestler(numbers), arena.ENVIRONMENTS["sumo-mini"]())
    rules = arena.SumoRules(points=1, hold=0.5, round_time=12.0, rounds=1)
    options: dict[str, Any] = {"left": mind, "right": "searcher", "rules": rules, "backend": engine}
    played = [arena.sumo("mini", **options, seed=seed).play() for seed in range(10)]
    won = [sum(p.winner == side for p in played) for side in ("left", "right")]
    return f"{won[0]} of {len(played)} matches won, {won[1]} lost"


def main(generations: int) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as workers:
        for name, (kind, fitness) in CASES.items():
            begin = time.perf_counter()
            first = np.array(kind.START)
            print(f"{name:9} before: {judged(fitness, first)}")
            found = evolve(
                fitness, first, scale=kind.SCALE, generations=generations, population=10, episodes=24,
                executor=workers,
            )  # fmt: skip
            print(f"{name:9} after:  {judged(fitness, found.numbers)}")
            print(f"          {kind(found.numbers)}")
            print(f"          {found.evaluations} candidates in {time.perf_counter() - begin:.0f} s")
            if name == "sumo":
                for engine in ("flat", "mujoco"):
                    print(
                        f"          {engine}: {matches(first, engine)}, then {matches(found.numbers, engine)}"
                    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
