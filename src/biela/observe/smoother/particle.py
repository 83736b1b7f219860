"""The particle smoother: whole motions drawn from what a particle filter knew, by all readings.

Forwards the filter runs and its swarms are kept. Backwards, from a particle drawn at the end, each moment's
is drawn among those before by

    w_k^i  N(z_k+1; step(x_k^i), Q)

so a motion is chosen as a whole, as the readings after each moment want it (Godsill, Doucet and West, 2004).
Where the filter was of several minds at first, the smoothed motion is that of the one that turned out right.
No particle is a predecessor of one that is assembled the other way. After a resampling that shakes
particles, Q has the shaking in it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.function import Function
from biela.mechanics.quantity import TURN
from biela.observe.event import spans
from biela.observe.particle.filter import ParticleFilter
from biela.observe.particle.noise import factor
from biela.simulate.record import Record
from biela.simulate.recording import units

STREAM = 2**31  # of draws, beside those of the filter


class _Moment(NamedTuple):
    """A swarm after its readings, what its particles would be a step later, and the factor of that noise."""

    x: np.ndarray
    w: np.ndarray
    branch: np.ndarray
    ahead: np.ndarray
    noise: np.ndarray


@final
class ParticleSmoother:
    """Motions after the event, of a particle filter; ``trajectories`` is how many are drawn.

    Its work grows with particles times trajectories. Raises ValueError for a filter that estimates biases,
    has noise at inputs, moves particles by a kernel of its own, or has no noise in some direction of (z, dz).
    """

    key = "particle"

    def __init__(self, observer: ParticleFilter, trajectories: int = 100) -> None:
        if trajectories < 1:
            raise ValueError(f"At least one trajectory is drawn; got {trajectories!r}.")
        if observer.transition.forces or observer.transition.biased or observer.key == "regularised":
            raise ValueError(
                "The particle smoother wants noise at (z, dz) alone, of a known size: no noisy inputs, no "
                "biases, no regularised filter."
            )
        self.observer, self.count = observer, int(trajectories)

    def run(
        self, readings: Any, where: Any = None, P: Any = None, *, t: float = 0.0, times: Any = None
    ) -> Record:
        """The mean motion, of angles on the circle, and standard deviations 'sd(...)'.

        The start and the arguments are those of the filter's `run`.
        """
        drawn = self.draw(readings, where, P, t=t, times=times)
        columns: dict[str, np.ndarray] = {}
        for name, values in drawn.columns.items():
            turns = drawn.units.get(name) == "rad"
            middle: np.ndarray = values.mean(axis=1)
            if turns:
                middle = np.unwrap(np.arctan2(np.sin(values).mean(axis=1), np.cos(values).mean(axis=1)))
            gap: np.ndarray = values - middle[:, None]
            if turns:
                gap -= TURN * np.round(gap / TURN)
            columns[name], columns[f"sd({name})"] = middle, np.sqrt((gap**2).mean(axis=1))
        return drawn.replaced(columns=columns)

    def draw(
        self, readings: Any, where: Any = None, P: Any = None, *, t: float = 0.0, times: Any = None
    ) -> Record:
        """The motions, a lane each: states of particles, so every one is on the constraints.

        Raises ValueError for a run in which the filter had to start again.
        """
        y, dt = np.asarray(readings, float), self.observer.dt
        h = np.full(len(y), dt) if times is None else spans(times, t, len(y), dt)
        moments = self._forward(y, where, P, t, h)
        rows = np.empty((len(moments), len(moments[0].x), self.count))
        rng = np.random.Generator(np.random.Philox(key=[self.observer.seed, STREAM]))
        last = moments[-1]
        places = rng.choice(len(last.w), self.count, p=last.w)
        rows[-1], branch = last.x[:, places], last.branch[places]
        for k in range(len(moments) - 2, -1, -1):
            places = self._before(moments[k], rows[k + 1], branch, rng.random(self.count))
            rows[k], branch = moments[k].x[:, places], moments[k].branch[places]
        return self._record(rows, t + np.concatenate([[0.0], np.cumsum(h)]))

    def _forward(self, y: np.ndarray, where: Any, P: Any, t: float, h: np.ndarray) -> list[_Moment]:
        """The filter's run, every swarm kept."""
        pf, found = self.observer, list[_Moment]()
        pf.again(pf.seed)
        pf.start(where, P, t)
        for row, span in zip(y, h.tolist(), strict=True):
            x, w, branch = self._swarm()
            before = pf.resamplings
            pf.step(row, span)
            noise = pf.factor_of_step
            if pf.resamplings > before:
                noise = factor(noise @ noise.T + pf.spread @ pf.spread.T)
            found.append(_Moment(x, w, branch, self._ahead(x, span), self._whole(noise)))
        if pf.restarts:
            raise ValueError(f"The filter started again {pf.restarts} times: there is no motion to smooth.")
        x, w, branch = self._swarm()
        return [*found, _Moment(x, w, branch, x[:0], x[:0])]

    def _swarm(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        swarm = self.observer.swarm
        x = swarm.x.copy()
        given: dict[str, Any] = {"x": x, "p": self.observer.p}
        named = {port.name: given[port.name] for port in self._branch.function.inputs}
        branch = self._branch.batch(**named)
        return x, swarm.weights, np.sign(np.asarray(branch))

    @cached_property
    def _branch(self) -> Kernel:
        """The sign that tells how a particle is assembled."""
        transition, summary = self.observer.transition, self.observer.summary
        inputs = {"x": transition.x, **transition.process.given("p")}
        return Kernel(Function(f"{transition.model.name}_branch", inputs, {"branch": summary.branch}))

    def _ahead(self, x: np.ndarray, span: float) -> np.ndarray:
        """(z, dz) of every particle a step later."""
        return self.observer.moved(x, span)[self._places]

    @property
    def _places(self) -> list[int]:
        return self.observer.summary.varying

    def _whole(self, noise: np.ndarray) -> np.ndarray:
        """A factor of full rank; raises ValueError for another."""
        if not (np.diag(noise) > 0.0).all():
            names = self.observer.process.manifold.names
            still = names[int(np.argmin(np.diag(noise)))]
            raise ValueError(
                f"The particle smoother wants noise at all of (z, dz); there is none at '{still}'."
            )
        return noise

    def _before(self, here: _Moment, after: np.ndarray, branch: np.ndarray, u: np.ndarray) -> np.ndarray:
        """A predecessor of each motion's next state, drawn: one number in [0, 1) decides."""
        angles, apart = self.observer.summary.angles[self._places], list[np.ndarray]()
        for k, turns in enumerate(angles):  # a row for each motion, a column for each particle
            gap = after[self._places[k]][:, None] - here.ahead[k]
            if turns:
                gap -= TURN * np.rint(gap * (1.0 / TURN))
            apart.append(gap)
        white, fit = np.linalg.inv(here.noise), np.zeros_like(apart[0])
        for row in white:
            fit -= 0.5 * sum(value * gap for value, gap in zip(row, apart, strict=True) if value) ** 2
        with np.errstate(divide="ignore"):
            fit += np.log(here.w)
        fit[here.branch != branch[:, None]] = -np.inf
        fit -= fit.max(axis=1, keepdims=True)
        summed = np.cumsum(np.exp(fit, out=fit), axis=1)
        return (summed < u[:, None] * summed[:, -1:]).sum(axis=1)

    def _record(self, rows: np.ndarray, times: np.ndarray) -> Record:
        pf, names = self.observer, self.observer.transition.names
        columns = {name: rows[:, k].copy() for k, name in enumerate(names) if name != "t"}
        notes = {"filter": pf.key, "smoother": self.key, "particles": pf.count, "trajectories": self.count}
        return Record(times, columns, units(pf.model), notes=notes, model=pf.model, p=pf.p, u=pf.u)
