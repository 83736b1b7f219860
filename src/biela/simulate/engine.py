"""`Engine`: a compiled step with its numbers bound: what runs, events, batches and real-time loops share.

A state is the vector ``x`` of a `Step`. `chunk` goes over many steps natively, `advance` makes a single one
of another size: to an event, or back to the grid of steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.simulate.progress import Progress
from biela.simulate.step import Step

TRIES = 8  # of a step with error control, between two looks at the time
MOST_TRIES = 100_000  # between two moments of the record


@dataclass(frozen=True, eq=False)
class Engine:
    """A step, its size, parameters, and inputs: constant, or where ``series`` a row for each step.

    ``tolerances`` are the relative and the absolute one of integrators with error control.
    """

    step: Step
    kernel: Kernel
    dt: float
    p: np.ndarray
    u: np.ndarray
    series: bool = False
    tolerances: tuple[float, float] = (1e-8, 1e-10)
    threads: int = 1

    def pack(self, q: Any, dq: Any, t: float) -> np.ndarray:
        """The vector of a state; memories of implicit integrators begin anew."""
        return self.step.pack(q, dq, t, self.dt, self.p, self.u[0] if self.series else self.u)

    def changed(self, **values: Any) -> Engine:
        """The same with other numbers."""
        return replace(self, **values)

    def _named(self, first: int, count: int) -> dict[str, Any]:
        """What the native step takes beside the state, for some of the steps."""
        ports = {port.name for port in self.step.function.inputs}
        u = np.ascontiguousarray(self.u[first : first + count]) if self.series else self.u
        return {name: value for name, value in (("p", self.p), ("u", u)) if name in ports}

    def chunk(
        self,
        x: np.ndarray,
        t: float,
        first: int,
        count: int,
        every: int = 1,
        progress: Progress | None = None,
    ) -> np.ndarray:
        """States after 0, ``every``, ... ``count`` steps; ``first`` is the number of the first step."""
        if self.step.adaptive:
            return self._adapted(x, t, first, count, every, progress)
        named = self._named(first, count)
        return self.kernel.iterate(
            x, count, every=every, threads=self.threads, progress=progress, h=self.dt,
            series=["u"] if self.series and "u" in named else [], **named,
        )  # fmt: skip

    def advance(self, x: np.ndarray, t: float, h: float, number: int = 0) -> np.ndarray:
        """The state one step of size ``h`` later, with the inputs of the step of that number."""
        named = self._named(number, 1)
        if self.series and "u" in named:
            named["u"] = named["u"][0]
        if self.step.adaptive:
            return self._reached(x, t + h, named)
        return self.kernel.iterate(x, 1, h=h, threads=self.threads, **named)[-1]

    def _adapted(
        self, x: np.ndarray, t: float, first: int, count: int, every: int, progress: Progress | None
    ) -> np.ndarray:
        """States at moments of the record; the steps between are as small as the tolerances ask."""
        stride, rows = 1 if self.series else every, [x]
        for k in range(0, count, stride):
            named = self._named(first + k, 1)
            if self.series and "u" in named:
                named["u"] = named["u"][0]
            x = self._reached(x, t + self.dt * (k + stride), named)
            if (k + stride) % every == 0:
                rows.append(x)
            if progress is not None:
                progress(k + stride, count)
        return np.array(rows)

    def _reached(self, x: np.ndarray, stop: float, named: dict[str, Any]) -> np.ndarray:
        """The state at a time, by as many tries as it takes; nan where that is too many."""
        place = self.step.names.index("t")
        control, tries = np.array([stop, *self.tolerances]), 0
        while np.any(x[place] < stop) and tries < MOST_TRIES and np.isfinite(x).all():
            x = self.kernel.iterate(
                x, TRIES, every=TRIES, h=self.dt, control=control, threads=self.threads, **named
            )[-1]
            tries += TRIES
        return x if tries < MOST_TRIES and np.isfinite(x).all() else np.full_like(x, np.nan)
