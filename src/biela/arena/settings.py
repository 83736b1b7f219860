"""How the kernel keeps time, and how it adjusts itself to the clock on the wall.

Printed in the source with two symbols swapped (section 7.4): with T the mean time an iteration takes, c the
steps per iteration, t the step and k its greatest value, what is meant is ``c = max(1, ceil(T/k))``,
``t = T/c``. T contains c physics steps of p seconds each: where ``p >= k`` no c suffices, c would grow
without end, and the kernel says so instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

RECOMMENDED = (0.010, 0.070)  # steps of the source, s


@dataclass
class Settings:
    """What can be changed while a simulation runs.

    Synchronous agents are waited for ``wait`` seconds (s of the wall) at most, and no more once they have
    been waited for in vain ``patience`` times in a row, until they synchronise again.
    """

    step: float = 0.005
    steps_per_iteration: int = 1
    fast: bool = False
    stepping: bool = False
    synchronous: bool = True
    wait: float = 1.0
    patience: int = 3
    adjusting: bool = False
    largest_step: float = 0.02
    window: int = 20


@dataclass
class Adjustment:
    """Sums up what a window of iterations took."""

    iterations: int = 0
    total: float = 0.0
    physics: float = 0.0
    steps: int = 0
    infeasible: str = ""

    def add(self, total: float, physics: float, steps: int) -> None:
        """One more iteration: seconds in all, seconds in the engine, steps."""
        self.iterations += 1
        self.total += total
        self.physics += physics
        self.steps += steps

    def settle(self, largest: float) -> tuple[float, int] | None:
        """The step and the steps per iteration from here on, and another window begins.

        None, and ``infeasible`` says why, if one physics step takes longer than the largest step.
        """
        mean, one = self.total / self.iterations, self.physics / max(1, self.steps)
        self.iterations, self.total, self.physics, self.steps = 0, 0.0, 0.0, 0
        self.infeasible = ""
        if one >= largest:
            self.infeasible = (
                f"Real time is out of reach: a physics step takes {one:.4g} s, and simulates at most "
                f"{largest:.4g} s. Simplify the scene, switch fast mode on, or allow larger steps."
            )
            return None
        return adjusted(mean, largest)


def adjusted(mean: float, largest: float) -> tuple[float, int]:
    """Step and steps per iteration for iterations that take ``mean`` seconds.

    >>> adjusted(0.05, 0.02)
    (0.016666666666666666, 3)
    """
    count = max(1, math.ceil(mean / largest))
    return mean / count, count
