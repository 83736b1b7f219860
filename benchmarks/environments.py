"""``python -m benchmarks.environments [--quick] [subject ...]``: speed of learning environments.

One JSON object a line; `benchmarks.line` tells what its keys mean. Actions are random, new every four steps,
and everybody else wanders (`"noise"`), as in rSoccer's environment; rewards, observations and new episodes
are in the time. The peer's figure is that of rSim 1.2, measured with Python 3.10 on one thread of a machine
of this kind; it does not install on later versions, and is not run here.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks import command
from benchmarks.line import Line
from biela import arena

RSIM = {"vsss-3v3": 2310.0, "vsss-5v5": 1385.0}  # env steps/s
MUST, AIM = 12_000.0, 30_000.0


def measured(name: str, worlds: int, steps: int) -> float:
    """Steps of the environment a second, the best of four."""
    env = arena.make(name, "blue_0", worlds=worlds, opponent="noise")
    env.reset(seed=0)
    random, best = np.random.default_rng(0), 0.0
    actions = random.uniform(-1, 1, (8, *env.action_space.shape))
    for _ in range(4):
        begin = time.perf_counter()
        for k in range(steps):
            env.step(actions[k // 4 % 8])
        best = max(best, worlds * steps / (time.perf_counter() - begin))
    env.close()
    return best


def lines(quick: bool) -> Iterator[Line]:
    """Football in many worlds, and in one."""
    for name, peer in RSIM.items():
        for worlds in (1, 1024):
            steps = 2 if quick else max(20, 200 // worlds)
            got = measured(name, 16 if quick and worlds > 1 else worlds, steps)
            made = Line("environments", f"{name}, 25 ms, {worlds} worlds", got, peer, "env steps/s")
            bound = name == "vsss-3v3" and worlds > 1
            yield made.adding(must=MUST / peer, aim=AIM / peer) if bound else made
    got = measured("sumo-mini", 16 if quick else 1024, 2 if quick else 20)
    yield Line("environments", "sumo-mini, 25 ms, 1024 worlds", got, None, "env steps/s", "no peer")


SUBJECTS = {"environments": lines}


def main(arguments: list[str] | None = None) -> None:
    command.run("environments", "Speed of learning environments.", SUBJECTS, arguments)


if __name__ == "__main__":
    main()
