"""Timing that survives a noisy machine: the contenders take turns, and the best turn of each counts.

A slow minute then slows everybody, and a ratio of best times is steady where each time is not.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import perf_counter

Job = Callable[[], object]


def seconds(job: Job) -> float:
    """The wall-clock time of one run."""
    start = perf_counter()
    job()
    return perf_counter() - start


def interleave(jobs: Mapping[str, Job], rounds: int) -> dict[str, float]:
    """The best time of each job over ``rounds`` turns, after one that warms up and does not count."""
    for job in jobs.values():
        job()
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            gc.collect()
            best[name] = min(best[name], seconds(job))
    return best
