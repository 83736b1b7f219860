"""How one degree of freedom answers: a step and a sweep, summed up.

A machine is asked for both (`answers`); recordings are told apart by whether the demand jumps (`answer_of`).
The frequencies are those of the demand that the response answers, so the delay of the step counts where there
is one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from biela.cueing.characterisation import amplitudes, attenuation, step_times
from biela.cueing.signal import chirp, times

if TYPE_CHECKING:
    from biela.cueing.validation import Machine

STEP, SWEEP = 4.0, 70.0  # s
BEFORE = 1.0  # s, at rest, so that a step is one


@dataclass(frozen=True)
class Answer:
    """Times in s after a step, its overshoot as a share, and where a sweep has lost 3 and 6 dB, in Hz.

    What was not asked for, or did not happen, is nan. ``frequencies`` and ``ratios`` are those of the sweep.
    """

    delay: float = nan
    t50: float = nan
    t90: float = nan
    t98: float = nan
    settled: float = nan
    overshoot: float = nan
    hz3: float = nan
    hz6: float = nan
    frequencies: tuple[float, ...] = ()
    ratios: tuple[float, ...] = ()

    def joined(self, other: Answer) -> Answer:
        """Both, where the other one goes before."""
        pairs = [(f.name, getattr(self, f.name), getattr(other, f.name)) for f in fields(self)]
        return Answer(**{name: new if _there(new) else old for name, old, new in pairs})


def _there(value: Any) -> bool:
    return isfinite(value) if isinstance(value, float) else bool(value)


def answers(machine: Machine, k: int, amplitude: float, *, f0: float = 0.5, r: float = 1.035) -> Answer:
    """The answers of a machine's degree of freedom ``k`` to a step and a sweep, the others at rest."""
    found = Answer()
    t = times(STEP + BEFORE, machine.dt)
    for signal in (np.where(t < BEFORE, 0.0, amplitude), chirp(times(SWEEP, machine.dt), amplitude, f0, r)):
        demand = np.zeros((len(signal), len(machine.platform.dofs)))
        demand[:, k] = signal
        response = machine.respond(demand)[:, k]
        delay = found.delay if isfinite(found.delay) else 0.0
        found = found.joined(answer_of(signal, response, machine.dt, f0=f0, r=r, delay=delay))
    return found


def jumps(demand: np.ndarray) -> bool:
    """Whether a demand goes in a few steps, and hardly in between."""
    moved = np.abs(np.diff(demand)) / max(float(np.abs(demand).max()), 1e-300)
    return float(moved.max()) > 0.5 and float((moved > 0.05).mean()) < 0.05


def answer_of(
    demand: Any, response: Any, dt: float, *, f0: float = 0.5, r: float = 1.035, delay: float = 0.0
) -> Answer:
    """What a response tells: of a step where the demand jumps, of the sweep (f0, r) where it does not.

    Raises ValueError for signals that are constant or not finite.
    """
    u = np.asarray(demand, float)
    size = float(np.abs(u).max())
    if jumps(u):
        found = step_times(u, response, dt)
        return Answer(found.latency, found.t50, found.t90, found.t98, found.settled, found.overshoot)
    hz = attenuation(response, dt, size, f0, r, delay=delay)
    moments, sizes = amplitudes(response, dt, f0, r)
    along = f0 * r ** (moments - delay)
    return Answer(
        hz3=hz["3 dB"],
        hz6=hz["6 dB"],
        frequencies=tuple(along.tolist()),
        ratios=tuple((sizes / size).tolist()),
    )
