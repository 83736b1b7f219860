"""`Prior`: where the particles begin: anywhere the mechanism closes, or about a state.

Without knowledge angles are uniform over a turn, the other coordinates of a mechanism are found by Newton's
method from random guesses, so every branch of the assembly gets its share, and speeds are zero. What does
not close from its guess is drawn again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.expression import Expr, constant, maximum, uniform
from biela.expr.function import Function
from biela.mechanics.quantity import TURN
from biela.observe.particle.estimate import Summary
from biela.observe.particle.transition import Transition
from biela.simulate.flow import Place
from biela.simulate.state import index

STEPS = 40  # of Newton's method from a random guess, each at most a radian or metre
ROUNDS = 200  # of drawing again what did not close
GAP = 1e-9  # of a particle that closes
FIRST = 192  # the first of the draws of a start

Interval = tuple[float, float]


@dataclass(frozen=True)
class Prior:
    """Independent coordinates and their velocities, each uniform in an interval.

    ``within`` gives intervals by name ("crank", "crank'"); others are a whole turn for angles, zero for
    velocities, and a coordinate that is a length needs one. ``branch`` is 0 for all ways to
    close, or the sign of the one that is known.

    >>> Prior({"crank": (0.0, 1.5), "crank'": (-1.0, 1.0)}, branch=1).branch
    1
    """

    within: Mapping[str, Interval] = field(default_factory=dict[str, Interval])
    branch: int = 0

    def draw(
        self, transition: Transition, count: int, seed: int, p: Any, t: float, number: int = 0
    ) -> np.ndarray:
        """So many particles, a column each; ``number`` counts the starts of a filter.

        Raises ValueError for wrong intervals, or when the mechanism does not close anywhere there.
        """
        low, high = self._box(transition)
        drawn, newton, closed = _kernels(transition)
        x, waiting = np.empty((len(transition.x), count)), np.arange(count)
        named = {"p": p, "t": t}
        for turn in range(ROUNDS):
            key = {"seed": seed, "step": number * ROUNDS + turn, "lane": waiting.astype(float)}
            made = drawn.batch(low=low, high=high, **key, **_wanted(drawn, named))
            if transition.model.time is not None:
                made[transition.names.index("t")] = t
            if newton is not None:
                made = newton.iterate(made, STEPS, every=STEPS, **_wanted(newton, named))[-1]
            found = closed.batch(made, **_wanted(closed, named))
            good = np.asarray(found.gap < GAP)
            if self.branch:
                good &= np.sign(found.branch) == np.sign(self.branch)
            x[:, waiting[good]] = found.x_next[:, good]
            waiting = waiting[~good]
            if not len(waiting):
                return x
        raise ValueError(
            f"Model '{transition.model.name}' does not close anywhere in the prior, or not on branch "
            f"{self.branch:+d}: {len(waiting)} of {count} particles are left after {ROUNDS} tries."
        )

    def _box(self, transition: Transition) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and highest (z, dz)."""
        model, free = transition.model, transition.process.manifold.free
        names = transition.process.manifold.names
        for name in self.within:
            index(model, name.rstrip("'"))
            if name not in names:
                raise ValueError(f"'{name}' depends on others: the prior is about {', '.join(names)}.")
        box: list[Interval] = []
        for name, k in zip(names, [*free, *free], strict=True):
            angle = model.placements[k].unit == "rad"
            usual = (0.0, 0.0) if name.endswith("'") else (0.0, TURN) if angle else None
            low, high = self.within.get(name, usual) or (np.nan, np.nan)
            if not (np.isfinite(low) and np.isfinite(high) and low <= high):
                raise ValueError(f"The prior needs an interval for '{name}'; got {self.within.get(name)}.")
            box.append((float(low), float(high)))
        low, high = np.array(box).T
        return np.ascontiguousarray(low), np.ascontiguousarray(high)


def _wanted(kernel: Kernel, named: dict[str, Any]) -> dict[str, Any]:
    return {port.name: named[port.name] for port in kernel.function.inputs if port.name in named}


@lru_cache(maxsize=16)
def _kernels(transition: Transition) -> tuple[Kernel, Kernel | None, Kernel]:
    """Draw, Newton's method with bounded steps, and the last closing with velocities, gap and branch."""
    model, process, graph = transition.model, transition.process, transition.model.graph
    n, x, free = len(model.q), transition.x, process.manifold.free
    low, high = (transition.vector(name, process.manifold.size) for name in ("low", "high"))
    seed, step, lane = transition.draws.values()
    draws = [uniform(seed, step, lane, FIRST + k) for k in range(process.manifold.size + n)]
    q0, _ = model.start
    start: list[Expr] = [constant(graph, 0.0)] * len(x)
    for k, (placement, value) in enumerate(zip(model.placements, q0, strict=True)):
        width = TURN if placement.unit == "rad" else 1.0 + 2.0 * abs(float(value))
        start[k] = (draws[process.manifold.size + k] - 0.5) * width + float(value)
    for j, k in enumerate([*free, *(n + k for k in free)]):
        start[k] = low[j] + (high[j] - low[j]) * draws[j]
    draw = Function("draw", {"low": low, "high": high, **transition.draws}, {"x": start})
    given = process.given("t", "p", "u")
    flow = process.step.flow
    here = Place(process.here["q"], process.here["dq"], model.time)
    place, gap, newton = here, constant(graph, 0.0), None
    if flow.closing is not None:
        place, gap = flow.closed(here, 1)
        change = place.q - here.q
        longest = constant(graph, 1.0)
        for value in change:
            longest = maximum(longest, abs(value))
        moved = [*(here.q + change * (1.0 / longest)), *x[n:]]
        newton = Kernel(Function("newton", {"x": x, **_used(given, moved)}, {"x_next": moved}))
    after, branch = [*place.q, *place.dq, *x[2 * n :]], Summary(transition).branch
    inputs = {"x": x, **_used(given, [*after, gap, branch])}
    closed = Kernel(Function("closed", inputs, {"x_next": after, "gap": gap, "branch": branch}))
    return Kernel(draw), newton, closed


def _used(given: dict[str, Any], values: list[Expr]) -> dict[str, Any]:
    """The ports of which something is used; time is part of the particle."""
    refs = {symbol.ref for value in values for symbol in value.symbols}
    return {
        name: port
        for name, port in given.items()
        if name != "t" and any(expr.ref in refs for expr in cast("list[Expr]", list(port)))
    }
