"""Pictures of tuning: what is felt, where the platform goes, how a search went, the front it found.

All are Matplotlib figures, from the extra `view`.
"""

from __future__ import annotations

from importlib import import_module
from math import degrees
from typing import Any

import numpy as np

from biela.cueing.feeling import Felt
from biela.cueing.perception import CHANNELS, FORCES
from biela.cueing.ride import Ride
from biela.cueing.tuner import Front, Tuned

VEHICLE, BEFORE, NOW = "#222222", "#c98a2b", "#1f6fb2"
MOST = 1200  # points of a line


def figure(width: float, height: float) -> Any:
    """An empty figure; ImportError, with what to install, where Matplotlib is missing."""
    try:
        module: Any = import_module("matplotlib.figure")
    except ImportError:
        raise ImportError("Plots need Matplotlib: install biela[view].") from None
    return module.Figure(figsize=(width, height), layout="constrained")


def sensed(before: Felt, now: Felt) -> Any:
    """What is felt in the vehicle and on the platform, channel by channel, with the thresholds."""
    made = figure(11.0, 6.4)
    t = before.dt * np.arange(len(before.vehicle))
    for k, (name, panel) in enumerate(zip(CHANNELS, made.subplots(3, 2, sharex=True).T.ravel(), strict=True)):
        size, unit = (1.0, "m/s²") if name in FORCES else (degrees(1.0), "deg/s")
        limit = size * before.senses.limits[k]
        panel.axhspan(-limit, limit, color="#eeeeee", lw=0)
        rows = ((before.vehicle, VEHICLE, 1.4), (before.platform, BEFORE, 1.0), (now.platform, NOW, 1.0))
        for (values, color, width), what in zip(rows, ("vehicle", "before", "tuned"), strict=True):
            panel.plot(*_thin(t, size * values[:, k]), color=color, lw=width, label=what)
        panel.set_ylabel(f"{name}, {unit}", fontsize=9)
        _plain(panel)
    made.axes[0].legend(loc="upper right", ncols=3, fontsize=8, frameon=False)
    for panel in made.axes[-2:]:
        panel.set_xlabel("s", fontsize=9)
    return made


def poses(before: Ride, now: Ride, motion: Any) -> Any:
    """Where the platform goes."""
    dofs = now.simulator.platform.dofs
    runs = [(before.run(motion), BEFORE), (now.run(motion), NOW)]
    rows = (len(dofs) + 1) // 2
    made = figure(11.0, 0.6 + 1.7 * rows)
    panels = np.atleast_1d(made.subplots(rows, 2, sharex=True, squeeze=False).T.ravel())
    for dof, panel in zip(dofs, panels, strict=False):
        linear = dof in ("surge", "sway", "heave")
        for run, color in runs:
            values = (1e3 if linear else degrees(1.0)) * run[dof]
            panel.plot(*_thin(run.t, values), color=color, lw=1.0)
        panel.set_ylabel(f"{dof}, {'mm' if linear else 'deg'}", fontsize=9)
        _plain(panel)
    for panel in panels[len(dofs) :]:
        panel.remove()
    return made


def search(tuned: Tuned) -> Any:
    """What every candidate cost, and the best so far."""
    made = figure(5.4, 3.4)
    panel = made.subplots()
    costs = tuned.found.costs
    seen = np.where(np.isfinite(costs), costs, np.nan)
    best = np.minimum.accumulate(costs)
    panel.plot(np.arange(1, len(costs) + 1), seen, ".", color="#bbbbbb", ms=2, rasterized=True)
    panel.plot(np.arange(1, len(costs) + 1), best, color=NOW, lw=1.6)
    panel.axhline(tuned.before, color=BEFORE, lw=1.2)
    low, high = tuned.cost, max(tuned.before, float(np.nanmedian(seen)))
    panel.set(ylim=(low - 0.1 * (high - low), high + 0.5 * (high - low) + 1e-12))
    panel.set_xlabel("candidates", fontsize=9)
    panel.set_ylabel(tuned.label, fontsize=9)
    _plain(panel)
    return made


def front(found: Front) -> Any:
    """The first two costs of the front, what was tried, and the ride as it was."""
    made = figure(5.4, 3.4)
    panel = made.subplots()
    x, y = found.costs[:2]
    ends = [np.append(row, before) for row, before in zip((x, y), found.before, strict=False)]
    panel.plot(*found.found.costs[:2], ".", color="#cccccc", ms=2, rasterized=True)
    panel.plot(x, y, "o", color=NOW, ms=3.5)
    panel.plot(*found.before[:2], "D", color=BEFORE, ms=6)
    panel.annotate("before", tuple(found.before[:2]), xytext=(7, 4), textcoords="offset points", fontsize=9)
    for k, set_ends in enumerate((panel.set_xlim, panel.set_ylim)):
        room = float(np.ptp(ends[k])) or 1.0
        set_ends(ends[k].min() - 0.08 * room, ends[k].max() + 0.25 * room)
    panel.set_xlabel(found.labels[0], fontsize=9)
    panel.set_ylabel(found.labels[1], fontsize=9)
    _plain(panel)
    return made


def _plain(panel: Any) -> None:
    panel.grid(alpha=0.25)
    panel.tick_params(labelsize=8)
    panel.margins(x=0.01)


def _thin(t: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """No more points than can be seen."""
    step = max(1, len(t) // MOST)
    return t[::step], values[::step]
