"""Recorded demands and responses: brought to one clock, fitted, and compared with a simulator.

A demand of fifty rows a second meets a tracker's hundred. Where both begin by the same clock nothing is to be
done. Where they do not, the delay cannot be told from the clocks: the response is shifted to its best
correlation with what the rig, as it stands, makes of the demand, so its delay is the one that is found again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from biela.cueing.channel import Channel
from biela.cueing.fitness import nrmse
from biela.cueing.fitting import Fit, fit
from biela.cueing.recording import Recording
from biela.cueing.simulator import Simulator
from biela.cueing.validation import Identified

LEAST = 50  # rows that demand and response share


def paired(
    rig: Simulator, demand: Recording, response: Recording, *, align: bool = False, interpolate: bool = False
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Rows of the demand, and the response at the same moments by degree of freedom.

    Only those that are demanded and seen count. Raises ValueError for recordings with gaps, signals that are
    constant, cut off or not finite, rates that do not match, and clocks without common moments.
    """
    dofs = rig.platform.dofs
    asked = [name for name in dofs if name in demand.columns and np.ptp(demand[name]) > 0.0]
    seen = [name for name in asked if name in response.columns]
    if not seen:
        raise ValueError(
            f"{demand.origin} and {response.origin} share no degree of freedom of {rig.platform.name} "
            f"({', '.join(dofs)}) that moves. They have {', '.join(demand.columns)} and "
            f"{', '.join(response.columns)}."
        )
    u = demand.regular(*asked).sampled(rig.dt, interpolate=interpolate)
    y = response.check(*seen).sampled(rig.dt, interpolate=interpolate)
    rows = np.stack([u[name] if name in asked else np.zeros(len(u.t)) for name in dofs], axis=1)
    if align:
        name = max(seen, key=lambda one: float(np.ptp(u[one])))
        y = y.aligned(Recording(u.t, {name: rig.run(rows)[name]}), name)[0]
    near = 0.25 * rig.dt
    here = (u.t >= y.t[0] - near) & (u.t <= y.t[-1] + near)
    if here.sum() < LEAST:
        raise ValueError(
            f"{demand.origin} lasts from {u.t[0]:g} to {u.t[-1]:g} s, {response.origin} from {y.t[0]:g} to "
            f"{y.t[-1]:g} s: too little in common. Align them, or record by one clock."
        )
    return rows[here], {name: np.interp(u.t[here], y.t, y[name]) for name in seen}


def identify(
    rig: Simulator, pairs: Sequence[tuple[np.ndarray, dict[str, np.ndarray]]], *,
    way: Callable[..., Fit] = fit, **options: Any,
) -> Identified:  # fmt: skip
    """Fit the channels of the degrees of freedom that were recorded; the others stay as they are."""
    fits: dict[str, Fit] = {}
    for dof in rig.platform.dofs:
        own = [(rig.run(rows)[f"{dof}.achieved"], seen[dof]) for rows, seen in pairs if dof in seen]
        if own:
            fits[dof] = way([u for u, _ in own], [y for _, y in own], rig.dt, **options)
    kept = dict(zip(rig.platform.dofs, rig.channels, strict=True))
    channels: tuple[Channel, ...] = tuple(
        fits[dof].channel if dof in fits else channel for dof, channel in kept.items()
    )
    return Identified(fits, rig.changed(channels=channels))


def scores(rig: Simulator, rows: np.ndarray, seen: dict[str, np.ndarray]) -> dict[str, float]:
    """How well a simulator follows a recording, by degree of freedom; 1 is best."""
    run = rig.run(rows)
    return {dof: nrmse(values, run[dof]) for dof, values in seen.items()}
