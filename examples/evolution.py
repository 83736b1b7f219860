"""Evolution of two behaviours on two cores, a sumo robot's and a footballer's, judged on unseen seeds.

Both begin with a first guess of a few numbers. CMA-ES changes them by how episodes in the flat engine end;
then both play episodes on seeds that nobody trained on. What wins there, the rectangles of the flat engine,
does not win where wedges lift; so the sumo robot goes on in whole matches in three dimensions, and is judged
there too. Run it with a number of generations to make it shorter or longer.
"""

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np

from biela import arena
from biela.arena import Behaviour, Evolution, Fitness, Policy, Shooter, Wrestler, evolve, unseen

JUDGED = 100  # episodes or matches
BOLD = Policy(Wrestler([1.0, 1.0, 0.0, 0.0, 0.1, 1.0]))
CASES: dict[str, tuple[type[Behaviour], Fitness]] = {
    "sumo": (Wrestler, Fitness(Wrestler, "sumo-mini", opponent=BOLD, seconds=8.0)),
    "football": (Shooter, Fitness(Shooter, "vsss-3v3", opponent="noise", mates="still")),
}
RULES = arena.SumoRules(points=1, hold=0.2, round_time=8.0, rounds=1, rematches=0)


def match(numbers: np.ndarray, seed: int) -> int:
    """1, 0 or -1: a refereed match against "charge" in three dimensions, on the one side or the other."""
    mind = arena.Learned(Wrestler(numbers), arena.ENVIRONMENTS["sumo-mini"]())
    swap = seed // 2 % 2
    left, right = ("charge", mind) if swap else (mind, "charge")
    a, b = arena.sumo("mini", left=left, right=right, rules=RULES, seed=seed).play().score
    return b - a if swap else a - b


def matches(numbers: np.ndarray, seeds: Sequence[int]) -> float:
    """The mean of their points."""
    return float(np.mean([match(numbers, seed) for seed in seeds]))


def told(points: Sequence[int] | np.ndarray) -> str:
    """Points won and lost on seeds that evolution leaves out."""
    found = np.asarray(points)
    return f"{(found > 0).sum()} won, {(found < 0).sum()} lost of {len(found)}"


def episodes(name: str, search: Callable[..., Evolution]) -> Evolution:
    """In the flat engine."""
    kind, fitness = CASES[name]
    print(f"{name}, flat, before: {told(fitness.play(np.array(kind.START), unseen(JUDGED))[0])}")
    found = search(fitness, kind.START, scale=kind.SCALE, episodes=24)
    print(f"{name}, flat, after:  {told(fitness.play(found.numbers, unseen(JUDGED))[0])}")
    print(kind(found.numbers))
    return found


def main(generations: int) -> None:
    begin = time.perf_counter()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as workers:
        search = partial(evolve, generations=generations, population=8, executor=workers)
        episodes("football", search)
        flat = episodes("sumo", search).numbers
        for what, numbers in (("before", np.array(Wrestler.START)), ("after flat", flat)):
            print(f"sumo, mujoco, {what}: {told([match(numbers, seed) for seed in unseen(JUDGED)])}")
        found = search(matches, flat, scale=Wrestler.SCALE, episodes=12)
    print(f"sumo, mujoco, after:  {told([match(found.numbers, seed) for seed in unseen(JUDGED)])}")
    print(Wrestler(found.numbers))
    print(f"{time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6)
