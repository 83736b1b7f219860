"""`Passage`: the native passes over a swarm, compiled once and bound to its arrays.

A step turns sines from those before it (`biela.expr.turning`); particles that move too far for that are
computed again without, lane by lane, and once there are many of them nobody's sines are turned any more.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.compile.sweep import Pass, Sweep
from biela.expr.turning import turned
from biela.observe.particle.transition import Transition

TURNS = 6  # passes kept ready: those of a step and of resampling, over two arrays that take turns
OFTEN = 0.01  # of particles that move too far to turn sines: from there on nobody's are turned


class Passage:
    """What moves, shakes and drifts the particles of a transition."""

    def __init__(self, transition: Transition, threads: int) -> None:
        self.transition, self.threads = transition, threads
        self.near = True  # whether sines are turned
        self._moves: dict[tuple[int, bool], Sweep] = {}
        self._ready: list[tuple[Sweep, tuple[Any, ...], Pass]] = []

    def over(self, sweep: Sweep, values: dict[str, Any], out: dict[str, np.ndarray]) -> dict[str, Any]:
        """One pass over the arrays of a swarm; bound once for each of the few that take turns."""
        arrays = (values.get("x"), values.get("logw"), *out.values())
        for known, before, ready in self._ready:
            if known is sweep and all(a is b for a, b in zip(arrays, before, strict=True)):
                ready.set(values)
                return ready(self.threads)
        size = next(iter(out.values())).shape[-1]
        ready = sweep.bound(size, values, out)
        self._ready = [(sweep, arrays, ready), *self._ready[: TURNS - 1]]
        return ready(self.threads)

    def moved(
        self, closings: int, values: dict[str, Any], out: dict[str, np.ndarray], size: int
    ) -> dict[str, Any]:
        """Move and weigh all, loops closed by so many steps of Newton's method; returns sums of weights."""
        kind = closings, self.near
        if kind not in self._moves:
            self._moves[kind] = self._moving(*kind)
        found = self.over(self._moves[kind], values, out)
        if found.get("far", 0.0) > OFTEN * size:
            self.near = False
        return found

    def _moving(self, closings: int, near: bool) -> Sweep:
        """The native code of a step; with ``near`` it turns sines, and has the other to fall back on."""
        move, sums = self.transition.move(closings), ["total", "square"]
        quick = turned(move, self.transition.process.model.q) if near else move
        if quick is move:
            return Sweep(move, sums, ["top"], "lane")
        return Sweep(quick, [*sums, "far"], ["top"], "lane", move)

    def shaken(self, spread: np.ndarray, values: dict[str, Any], out: dict[str, np.ndarray]) -> None:
        """Shake all by a factor of noise, and close them where positions are shaken."""
        self.over(self._jitter if spread[: len(spread) // 2].any() else self._jolt, values, out)

    @cached_property
    def drift(self) -> Kernel:
        """A step of the model without noise."""
        return Kernel(self.transition.drift)

    @cached_property
    def _jitter(self) -> Sweep:
        return Sweep(self.transition.jitter, lane="lane")

    @cached_property
    def _jolt(self) -> Sweep:
        return Sweep(self.transition.jolt, lane="lane")
