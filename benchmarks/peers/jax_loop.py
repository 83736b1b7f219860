"""JAX: `jit` of a `fori_loop` over steps, `vmap`ped over lanes, in doubles, on the CPU.

XLA gets one thread, as the others have one (`_on_one_core`). Chunks of lanes that fit the caches, a tuple of
arrays in place of one, and `scan` unrolled by two were tried: all within a few per cent of this.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import four_bar


class Jax:
    """Runs the step compiled by XLA."""

    def __init__(self, jax: Any) -> None:
        import jax.numpy as jnp

        def step(state: Any) -> Any:
            return jnp.stack(four_bar.advance(state, jnp.sin, jnp.cos))

        def steps(state: Any, count: Any) -> Any:
            return jax.lax.fori_loop(0, count, lambda _, x: step(x), state)

        self.one = jax.jit(steps)
        self.many = jax.jit(jax.vmap(steps, in_axes=(1, None), out_axes=1))

    def run(self, state: np.ndarray, steps: int) -> np.ndarray:
        return np.asarray(self.one(state, steps))

    def run_batch(self, states: np.ndarray, steps: int) -> np.ndarray:
        return np.asarray(self.many(states, steps))


def load(quick: bool) -> Jax:
    """The contender; raises ImportError without JAX."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    jax.config.update("jax_enable_x64", True)
    _on_one_core(jax.devices)
    return Jax(jax)


def _on_one_core(start: Callable[[], object]) -> None:
    """Start XLA where it sees one core, so that its pool has one thread; its own flags do not achieve that.

    Afterwards all threads may run on any core again.
    """
    if not hasattr(os, "sched_setaffinity"):
        start()
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        start()
    finally:
        for thread in os.listdir("/proc/self/task"):
            os.sched_setaffinity(int(thread), cores)
