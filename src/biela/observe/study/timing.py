"""The timing study: 200 particles over 6 s, in steps from 6 ms to 1 s, each process timed by itself.

A filter keeps up where the time of the run is less than the time it simulates; the step where they meet is
the break-even step. The model takes steps of at most 10 ms in between, so a long step is an accurate one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biela.observe.particle.prior import Prior
from biela.observe.stopwatch import Stopwatch
from biela.observe.study.trial import Mechanism, Trial, scene

STEPS = (0.006, 0.009, 0.012, 0.018, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
DURATION = 6.0


@dataclass(frozen=True)
class Timed:
    """How long one step size took; the times of processes are the worst of any iteration, s."""

    dt: float
    iterations: int
    total: float
    reference: float
    particles: float
    resampling: float
    resamplings: int

    @property
    def simulated(self) -> float:
        """The time that was simulated."""
        return self.dt * self.iterations

    @property
    def factor(self) -> float:
        """Real time over simulated time: below one it keeps up."""
        return self.total / self.simulated

    def __str__(self) -> str:
        worst = (self.reference, self.particles, self.resampling)
        told = ", ".join(f"{1e3 * value:.3f}" for value in worst)
        return (
            f"Step: {1e3 * self.dt:g} ms\tIterations: {self.iterations}\tTest time: {self.total:.3f} s\t"
            f"worst of reference, particles, resampling: {told} ms"
        )


def timing(
    mechanism: Mechanism, *, particles: int = 200, steps: Sequence[float] = STEPS, seed: int = 1,
    duration: float = DURATION,
) -> list[Timed]:  # fmt: skip
    """Run the filter once for every step size."""
    return [_timed(mechanism, Trial(seed, particles, dt=dt, steps=round(duration / dt))) for dt in steps]


def break_even(found: Sequence[Timed]) -> float:
    """The step size from which on the filter keeps up: 0 if it always does, inf if it never does.

    Between two step sizes the factor is a straight line on logarithmic axes.
    """
    late = [one for one in sorted(found, key=lambda one: one.dt) if one.factor > 1.0]
    rest = [one for one in sorted(found, key=lambda one: one.dt) if not late or one.dt > late[-1].dt]
    if not late or not rest:
        return 0.0 if not late else float("inf")
    a, b = late[-1], rest[0]
    share = np.log(a.factor) / np.log(a.factor / b.factor)
    return float(a.dt * (b.dt / a.dt) ** share)


def _timed(mechanism: Mechanism, trial: Trial) -> Timed:
    here = scene(mechanism, trial)
    pf, threshold = here.pf, here.pf.threshold
    pf.start(Prior(branch=trial.branch))
    pf.step([here.start.dq[0]])
    pf.resample()
    here.simulation.run(here.start, trial.dt, every=here.every)  # everything is compiled before it counts
    pf.again(trial.seed)
    pf.start(Prior(branch=trial.branch))
    whole, worst = Stopwatch(), np.zeros(3)
    state, watch = here.start, Stopwatch()
    pf.threshold = 0.0  # it resamples when told
    try:
        for noise in here.noise:
            spent = [0.0] * 3
            watch.restart()
            run = here.simulation.run(state, trial.dt, every=here.every)
            state = run.state()
            spent[0] = watch.stop()
            watch.restart()
            ess = pf.step([state.dq[0] + noise])
            spent[1] = watch.stop()
            if ess < threshold:
                watch.restart()
                pf.resample()
                spent[2] = watch.stop()
            worst = np.maximum(worst, spent)
    finally:
        pf.threshold = threshold
    reference, moving, resampling = worst.tolist()
    return Timed(trial.dt, trial.steps, whole.stop(), reference, moving, resampling, pf.resamplings)
