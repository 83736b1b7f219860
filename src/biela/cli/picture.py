"""The pictures of `biela demo`; they want Matplotlib, of the extra 'view'."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from biela.cli.contest import Entry
from biela.observe.judgement import error
from biela.simulate.plotting import COLOURS, STYLE
from biela.simulate.record import Record
from biela.simulate.storage import whole

TRUTH = "#000000"
FIRST = 1.0  # s, in which all filters find the crank


def drawn(truth: Record, entries: Sequence[Entry], clouds: np.ndarray, folder: Path) -> list[Path]:
    """Draw the contest into a folder; raises ImportError, saying what to install, without Matplotlib."""
    try:
        rc_context: Any = import_module("matplotlib").rc_context
        made: Any = import_module("matplotlib.figure").Figure
    except ImportError:
        raise ImportError("Pictures want Matplotlib: pip install 'biela[view]'.") from None
    folder.mkdir(parents=True, exist_ok=True)
    pictures: dict[str, tuple[tuple[int, int], Callable[[Any], None]]] = {
        "estimates.png": ((3, 1), lambda axes: _estimates(axes[:, 0], truth, entries)),
        "particles.png": ((1, 1), lambda axes: _particles(axes[0, 0], truth, entries[-1], clouds)),
        "steps.png": ((1, len(entries)), lambda axes: _steps(axes[0], entries)),
    }
    paths: list[Path] = []
    with rc_context(STYLE):
        for name, ((rows, columns), draw) in pictures.items():
            size = (8.0 if columns == 1 else 2.6 * columns, 2.2 * rows + 1.4)
            figure = made(figsize=size, layout="constrained")
            draw(figure.subplots(rows, columns, squeeze=False))
            paths.append(whole(folder / name, partial(_saved, figure)))
    return paths


def _saved(figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=120)


def _estimates(axes: Any, truth: Record, entries: Sequence[Entry]) -> None:
    """The crank, and the errors of all filters: at first, and when they have settled."""
    above, first, later = axes
    above.plot(truth.t, np.rad2deg(truth["crank"]), color=TRUTH, lw=2.0, label="truth")
    for colour, entry in zip(COLOURS, entries, strict=False):
        t = entry.estimate.t
        turns = np.rad2deg(_near(entry.estimate["crank"], truth, t))
        above.plot(t, turns, color=colour, lw=0.9, label=entry.name)
        off = np.rad2deg(error(truth.at(t), entry.estimate, "crank"))
        for axis in (first, later):
            axis.plot(t, off, color=colour, lw=0.9, label=entry.name)
        sd = 2.0 * np.rad2deg(entry.estimate["sd(crank)"])
        later.fill_between(t, -sd, sd, color=colour, alpha=0.12, lw=0)
    largest = max(entry.worst for entry in entries)
    first.set(ylim=(-10.0, 10.0), xlim=(0.0, min(FIRST, truth.t[-1])), ylabel="error [deg]")
    later.set(ylim=(-1.6 * largest, 1.6 * largest), ylabel="error [deg]", xlabel="t [s]")
    above.set(ylabel="crank [deg]")
    above.set_title("The crank, which is not measured", loc="left", fontsize=10)
    first.set_title("Errors in the first second", loc="left", fontsize=10)
    later.set_title("Errors later, with what each filter expects (two sigma)", loc="left", fontsize=10)
    above.legend(ncols=len(entries) + 1, fontsize=8)


def _near(angle: np.ndarray, truth: Record, t: np.ndarray) -> np.ndarray:
    """Angles in the turn in which the truth is."""
    wanted = truth.at(t)["crank"]
    return angle - 2.0 * np.pi * np.round((angle - wanted) / (2.0 * np.pi))


def _particles(axis: Any, truth: Record, entry: Entry, clouds: np.ndarray) -> None:
    """The particles over the truth: what begins as a full turn is soon a point."""
    t = np.repeat(entry.estimate.t, clouds.shape[1])
    crank = np.rad2deg(truth["crank"]) % 360.0
    crank[1:][np.abs(np.diff(crank)) > 180.0] = np.nan  # no line across the picture
    axis.plot(truth.t, crank, color=COLOURS[1], lw=4.0, alpha=0.5, label="truth")
    axis.scatter(t, np.rad2deg(clouds.ravel()) % 360.0, s=2.0, lw=0, color=COLOURS[0], label="particles")
    axis.set(xlabel="t [s]", ylabel="crank [deg]", ylim=(0.0, 360.0), xlim=(0.0, min(FIRST, truth.t[-1])))
    axis.set_yticks(np.arange(0.0, 361.0, 60.0))
    axis.set_title("Particles that begin anywhere find the crank", loc="left", fontsize=10)
    axis.legend(loc="upper right", frameon=True)


def _steps(axes: Any, entries: Sequence[Entry]) -> None:
    """How long single calls from Python take, and steps of the native loop."""
    for axis, colour, entry in zip(axes, COLOURS, entries, strict=False):
        calls = 1e6 * entry.calls
        high = float(np.percentile(calls, 99.0))
        axis.hist(calls, bins=np.linspace(float(calls.min()), 1.2 * high, 50), color=colour)
        axis.set(xlabel="us a call", title=entry.name, yticks=[])
        axis.axvline(
            1e6 * entry.spent, color=TRUTH, lw=1.0, ls="--", label=f"{1e6 * entry.spent:.3g} us a step"
        )
        axis.set_xlim(0.0, 1.2 * high)
        axis.legend(fontsize=8)
