"""The plots of the studies; they want Matplotlib, of the extra 'view'.

The reference is red, particles are blue; angles run from 0 to 2 pi over the iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from biela.mechanics.quantity import TURN
from biela.observe.study.convergence import Tested
from biela.observe.study.timing import Timed
from biela.observe.study.trial import Trajectories


def _figure(rows: int = 1, height: float = 4.0) -> tuple[Any, list[Any]]:
    """A figure and its axes; raises ImportError, saying what to install, without Matplotlib."""
    try:
        kind: Any = import_module("matplotlib.figure").Figure
    except ImportError:
        raise ImportError("Plots want Matplotlib: pip install 'biela[view]'.") from None
    figure = kind(figsize=(8.0, height * rows), layout="constrained")
    axes = figure.subplots(rows, squeeze=False)
    return figure, list(axes[:, 0])


def _saved(figure: Any, path: str | Path | None) -> Any:
    if path is not None:
        figure.savefig(path, dpi=120)
    return figure


def angles(found: Trajectories, path: str | Path | None = None, *, shaded: bool = False) -> Any:
    """The angles of all particles over the iterations, shaded by their weights if wanted."""
    figure, (axis,) = _figure()
    steps = np.repeat(np.arange(len(found.angles)), found.angles.shape[1])
    strength = 0.3
    if shaded:
        strength = (found.weights / found.weights.max(axis=1, keepdims=True)).ravel()
    axis.scatter(steps, found.angles.ravel(), s=2, c="tab:blue", alpha=strength, linewidths=0)
    axis.plot(found.reference, ".", color="tab:red", markersize=3, label="reference")
    axis.set(xlabel="Iteration", ylabel="Angle [rad]", xlim=(0, len(found.angles) - 1), ylim=(0, TURN))
    axis.legend(loc="upper right")
    return _saved(figure, path)


def omegas(found: Trajectories, path: str | Path | None = None) -> Any:
    """The angular velocities of all particles over the iterations, and the gyroscope."""
    figure, (axis,) = _figure()
    axis.plot(found.omegas, ".", color="tab:blue", markersize=1, alpha=0.3)
    axis.plot(found.readings, ".", color="tab:red", markersize=3)
    low, high = float(found.omegas.min()) - 0.5, float(found.omegas.max()) + 0.5
    axis.set(xlabel="Iteration", ylabel="Angular velocity [rad/s]", ylim=(low, high))
    return _saved(figure, path)


def convergence(found: Sequence[Tested], path: str | Path | None = None) -> Any:
    """How many tries converged, by both means, and the time, over the value on a logarithmic axis."""
    figure, (above, below) = _figure(2, 3.0)
    x = [tested.value for tested in found]
    share = [100.0 / max(1, len(tested.outcomes)) for tested in found]
    pairs = list(zip(share, found, strict=True))
    above.semilogx(x, [s * t.converged for s, t in pairs], "o-", label="circular mean")
    above.semilogx(x, [s * t.converged_linear for s, t in pairs], "s--", label="linear mean")
    above.set(ylabel="Convergences [%]", ylim=(0, 102))
    above.legend()
    below.loglog(x, [tested.time for tested in found], "o-")
    below.set(xlabel=found[0].name, ylabel="Processor time [s]")
    return _saved(figure, path)


def timings(found: Sequence[Timed], path: str | Path | None = None) -> Any:
    """Simulated and real time, the worst time of each process, and iterations, over the step."""
    figure, (first, second, third) = _figure(3, 3.0)
    x = [1e3 * one.dt for one in found]
    first.loglog(x, [one.simulated for one in found], "o-", label="simulated")
    first.loglog(x, [one.total for one in found], "s-", label="real")
    first.set(ylabel="Time [s]")
    for name in ("reference", "particles", "resampling"):
        second.loglog(x, [1e3 * getattr(one, name) for one in found], "o-", label=name)
    second.set(ylabel="Worst time [ms]")
    third.loglog(x, [one.iterations for one in found], "o-")
    third.set(xlabel="Step [ms]", ylabel="Iterations")
    first.legend()
    second.legend()
    return _saved(figure, path)


def animation(found: Trajectories, pause: float = 0.01) -> Any:
    """One particle after the other over the reference, to be shown or saved."""
    figure, (axis,) = _figure()
    animated: Any = import_module("matplotlib.animation").FuncAnimation
    axis.plot(found.reference, ".", color="tab:red", markersize=3)
    (line,) = axis.plot(found.angles[:, 0], ".", color="tab:blue", markersize=2)
    axis.set(xlabel="Iteration", ylabel="Angle [rad]", xlim=(0, len(found.angles) - 1), ylim=(0, TURN))

    def shown(k: int) -> list[Any]:
        line.set_ydata(found.angles[:, k])
        return [line]

    return animated(figure, shown, frames=found.angles.shape[1], interval=1e3 * pause, blit=False)
