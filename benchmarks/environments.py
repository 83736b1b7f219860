"""``python -m benchmarks.environments [--quick] [subject ...]``: speed of learning environments.

One JSON object a line; ``python -m benchmarks.arena environments`` prints the same. Actions are random, new
every four steps, and everybody else wanders (`"noise"`), as in rSoccer's environment; rewards, observations
and new episodes are in the time. ``reference`` is rSim 1.2, measured with Python 3.10 on one thread of a
machine of this kind; it does not install on later versions, and is not run here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import numpy as np

from benchmarks import command
from biela import arena

RSIM = {"vsss-3v3": 2310.0, "vsss-5v5": 1385.0}  # env steps/s
MUST, AIM, UNIT = 12_000.0, 30_000.0, "steps of the environment a second"


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


def line(case: str, ours: float, reference: float | None, **more: float) -> str:
    """One figure as JSON."""
    figures = {"bench": "arena", "case": case, "ours": ours, "reference": reference, "unit": UNIT} | more
    return json.dumps({k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in figures.items()})


def lines(quick: bool) -> Iterator[str]:
    """Football in many worlds, and in one; sumo."""
    for name, reference in RSIM.items():
        for worlds in (1, 1024):
            steps = 2 if quick else max(20, 200 // worlds)
            got = measured(name, 16 if quick and worlds > 1 else worlds, steps)
            bounds = {"must": MUST, "aim": AIM} if name == "vsss-3v3" and worlds > 1 else {}
            yield line(f"{name}, 25 ms, worlds: {worlds}", got, reference, **bounds)
    got = measured("sumo-mini", 16 if quick else 1024, 2 if quick else 20)
    yield line("sumo-mini, 25 ms, worlds: 1024", got, None)


SUBJECTS = {"environments": lines}


def main(arguments: list[str] | None = None) -> None:
    command.run("environments", "Speed of learning environments.", SUBJECTS, arguments)


if __name__ == "__main__":
    main()
