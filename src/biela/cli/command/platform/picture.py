"""The pictures of `biela platform`; they want Matplotlib, of the extra 'view'."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from biela.cli.rig import actuator_unit, unit_of

if TYPE_CHECKING:
    from biela.cueing.answer import Answer
    from biela.cueing.platform import Platform
    from biela.cueing.simulator import Simulator
    from biela.cueing.validation import Row
    from biela.simulate.record import Record

LINES = (("#bbbbbb", 2.5), ("#d55e00", 1.0), ("#0072b2", 1.0))  # the wanted one broad, those on it thin
SHOWN = {"m": (1e3, "mm"), "rad": (180.0 / np.pi, "deg"), "rad/s": (180.0 / np.pi, "deg/s")}


def panels(count: int, height: float = 1.9) -> tuple[Any, Any]:
    """A figure and its axes, one above the other; raises ImportError without Matplotlib."""
    try:
        matplotlib: Any = import_module("matplotlib")
        made: Any = import_module("matplotlib.figure").Figure
    except ImportError:
        raise ImportError("Pictures want Matplotlib: pip install 'biela[view]'.") from None
    from biela.simulate.plotting import STYLE

    with matplotlib.rc_context(STYLE):
        figure = made(figsize=(8.0, 0.8 + height * count), layout="constrained")
        return figure, figure.subplots(count, 1, squeeze=False)[:, 0]


def ridden(record: Record, platform: Platform) -> Any:
    """Each degree of freedom as demanded, achieved and done; the actuators; what is felt of the forces."""
    from biela.simulate.plotting import COLOURS

    felt = [name for name in ("fx", "fy", "fz") if f"felt.{name}.vehicle" in record.columns]
    figure, axes = panels(len(platform.dofs) + 1 + len(felt))
    rows = iter(axes)
    for dof, axis in zip(platform.dofs, rows, strict=False):
        scale, unit = SHOWN[unit_of(dof)]
        columns = {"demand": f"{dof}.demand", "achieved": f"{dof}.achieved", "pose": dof}
        for (colour, width), (label, name) in zip(LINES, columns.items(), strict=True):
            axis.plot(record.t, scale * record[name], color=colour, lw=width, label=label)
        axis.set_ylabel(f"{dof} [{unit}]")
    axis, (scale, unit) = next(rows), SHOWN[actuator_unit(platform)]
    for colour, name in zip(COLOURS, platform.actuators, strict=False):
        axis.plot(record.t, scale * record[name], color=colour, label=name)
    axis.set_ylabel(f"[{unit}]")
    for name, axis in zip(felt, rows, strict=True):
        for colour, what in zip(COLOURS, ("vehicle", "platform"), strict=False):
            axis.plot(record.t, record[f"felt.{name}.{what}"], color=colour, label=f"felt in the {what}")
        axis.set_ylabel(f"{name} [m/s2]")
    return finished(figure, axes, "t [s]")


def finished(figure: Any, axes: Sequence[Any], along: str) -> Any:
    """The figure with legends, and with what is along the bottom."""
    for axis in axes:
        axis.legend(fontsize=8, ncols=6, loc="lower right", bbox_to_anchor=(1.0, 0.97), frameon=False)
    axes[-1].set_xlabel(along)
    return figure


def answered(answers: Mapping[str, Answer]) -> Any:
    """What is left of a sweep's amplitude, over its frequency."""
    from biela.simulate.plotting import COLOURS

    figure, (axis,) = panels(1, 3.2)
    for k, (name, answer) in enumerate(answers.items()):
        axis.plot(answer.frequencies, answer.ratios, color=COLOURS[k % len(COLOURS)], label=name)
    for level, told in ((0.5**0.5, "3 dB"), (0.5, "6 dB")):
        axis.axhline(level, color="#737373", lw=0.8, ls="--")
        axis.annotate(told, (1.0, level), xycoords=("axes fraction", "data"), fontsize=8)
    axis.set(xscale="log", ylabel="amplitude, of the demand's")
    for ticks in (axis.xaxis.set_major_formatter, axis.xaxis.set_minor_formatter):
        ticks("{x:g}")
    return finished(figure, [axis], "f [Hz]")


def followed(simulator: Simulator, pairs: Sequence[tuple[np.ndarray, Mapping[str, np.ndarray]]]) -> Any:
    """Recordings, and what the simulator makes of their demands."""
    lines = [(rows, dof, seen) for rows, found in pairs for dof, seen in found.items()]
    figure, axes = panels(len(lines))
    for axis, (rows, dof, seen) in zip(axes, lines, strict=True):
        scale, unit = SHOWN[unit_of(dof)]
        run = simulator.run(rows)
        columns = {"demand": run[f"{dof}.demand"], "recorded": seen, "simulated": run[dof]}
        for (colour, width), (label, values) in zip(LINES, columns.items(), strict=True):
            axis.plot(run.t, scale * values, color=colour, lw=width, label=label)
        axis.set_ylabel(f"{dof} [{unit}]")
    return finished(figure, axes, "t [s]")


def compared(rows: Sequence[Row], title: str) -> Any:
    """The rows of a table, the source's numbers beside ours."""
    from biela.simulate.plotting import COLOURS

    figure, (axis,) = panels(1, 3.2)
    places = np.arange(len(rows))
    for colour, name in zip(COLOURS, ("source", "ours"), strict=False):
        values = [getattr(row, name) for row in rows]
        heights = [np.nan if value is None else value for value in values]
        axis.plot(places, heights, "o", color=colour, label=name)
    axis.set_xticks(places, [row.name for row in rows], rotation=60, ha="right", fontsize=8)
    axis.set_title(title, loc="left", fontsize=10)
    axis.margins(x=0.03)
    return finished(figure, [axis], "")
