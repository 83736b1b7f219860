"""Pictures of records, by Matplotlib: panels one above the other, with time along the bottom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from biela.simulate.record import Record

# Okabe and Ito (2008): colours that differ for colour-blind readers too
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
STYLE = {
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#d9d9d9",
    "grid.linewidth": 0.6, "axes.edgecolor": "#737373", "axes.labelcolor": "#333333",
    "xtick.color": "#555555", "ytick.color": "#555555", "font.size": 9.0, "lines.linewidth": 1.4,
    "legend.frameon": False, "axes.axisbelow": True, "axes.xmargin": 0.0,
}  # fmt: skip
LINES = 40  # lanes that are drawn one by one; more become bands
BANDS = ((0.05, 0.95, 0.15), (0.25, 0.75, 0.25))  # from quantile to quantile, and how opaque
DEVIATION = 0.2  # how opaque the band around an estimate is
NAMED = 7  # curves in a panel whose names fit above it


def plot(record: Record, names: Iterable[str] | None = None, lanes: str = "auto") -> Any:
    """A Matplotlib figure of some columns; see `Record.plot`."""
    if lanes not in ("auto", "lines", "bands"):
        raise ValueError(f"Lanes are drawn as 'lines' or 'bands', or 'auto'; got {lanes!r}.")
    bands = lanes == "bands" or (lanes == "auto" and record.lanes > LINES)
    panels = _panels(record, _chosen(record, names))
    drawn = {
        f"[{unit or 1}]": partial(_panel, record=record, names=n, bands=bands) for unit, n in panels.items()
    }
    return stacked(drawn, _title(record))


def plot_trust(record: Record, energy: Record) -> Any:
    """A figure of energies and of residuals, which `energy` has as its columns; see `Report.plot`."""
    bands = energy.lanes > LINES
    parts = {
        "energy [J]": ["kinetic", "potential", "total"],
        "change [J]": ["change of energy"],
        "residual": ["of positions", "of velocities"],
    }
    here = {label: [name for name in names if name in energy] for label, names in parts.items()}
    drawn = {
        k: partial(_panel, record=energy, names=names, bands=bands) for k, names in here.items() if names
    }
    figure = stacked(drawn, _title(record))
    if here["residual"]:
        figure.axes[-1].set_yscale("log")
        for line in figure.axes[-1].lines:
            line.set(linewidth=0.5, alpha=0.7)
    return figure


def stacked(panels: Mapping[str, Callable[[Any], None]], title: str = "", along: str = "t [s]") -> Any:
    """A figure of panels one above the other: the label of each, and what draws into its axes."""
    drawing = pyplot()
    size = (7.0, 0.7 + 1.9 * len(panels))
    with drawing.rc_context(STYLE):
        figure, axes = drawing.subplots(
            len(panels), sharex=True, squeeze=False, layout="constrained", figsize=size
        )
        for axis, (label, draw) in zip(axes[:, 0], panels.items(), strict=True):
            draw(axis)
            axis.set_ylabel(label)
        axes[-1, 0].set_xlabel(along)
        axes[0, 0].set_title(title, loc="left", fontsize=10.0, color="#333333")
        figure.align_ylabels()
    return figure


def _title(record: Record) -> str:
    return (record.model.name if record.model else "") + ("" if record.ok else f"  ({record.status})")


def _chosen(record: Record, names: Iterable[str] | None) -> list[str]:
    """The columns that are drawn: coordinates and velocities of the model, or all, if none are named."""
    if names is not None:
        chosen = [names] if isinstance(names, str) else list(names)
        for name in chosen:
            record[name]
        return chosen
    if record.model is None:
        return list(record.columns)
    own = [c.name for c in record.model.placements]
    return [name for name in record.columns if name.rstrip("'") in own and not name.endswith("''")]


def _panels(record: Record, names: Iterable[str]) -> dict[str, list[str]]:
    panels: dict[str, list[str]] = {}
    for name in names:
        panels.setdefault(record.units.get(name, ""), []).append(name)
    if not panels:
        raise ValueError("There is no column to plot.")
    return panels


def _panel(axis: Any, record: Record, names: list[str], bands: bool) -> None:
    for k, name in enumerate(names):
        colour, values = COLOURS[k % len(COLOURS)], record[name]
        dashes = ("-", "--", ":", "-.")[k // len(COLOURS) % 4]
        if values.ndim == 1:
            axis.plot(record.t, values, color=colour, linestyle=dashes, label=name)
            _deviations(axis, record, name, colour)
        elif bands:
            _bands(axis, record.t, values, colour, name)
        else:
            opacity = max(0.15, 1.0 / values.shape[1] ** 0.5)
            axis.plot(record.t, values, color=colour, alpha=opacity, linewidth=0.8)
            axis.plot([], [], color=colour, label=name)
    if any(f"sd({name})" in record.columns for name in names) and not record.lanes:
        axis.fill_between([], [], color="#737373", alpha=DEVIATION, linewidth=0.0, label="two deviations")
    legend(axis)


def legend(axis: Any) -> None:
    """The names of the curves above a panel, where they hide nothing; beside it if there are many."""
    count = len(axis.get_legend_handles_labels()[0])
    if count > NAMED:
        axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8.0)
    elif count:
        axis.legend(
            loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1, ncols=count, fontsize=8.0
        )


def _deviations(axis: Any, record: Record, name: str, colour: str) -> None:
    """A band of two standard deviations around an estimate, where the record has them."""
    if f"sd({name})" in record.columns:
        middle, wide = record[name], 2.0 * record[f"sd({name})"]
        axis.fill_between(
            record.t, middle - wide, middle + wide, color=colour, alpha=DEVIATION, linewidth=0.0
        )


def _bands(axis: Any, t: np.ndarray, values: np.ndarray, colour: str, name: str) -> None:
    """The median, and the quantiles around it; lanes that were lost do not count."""
    for low, high, alpha in BANDS:
        bottom, top = np.nanquantile(values, [low, high], axis=1)
        axis.fill_between(t, bottom, top, color=colour, alpha=alpha, linewidth=0.0)
    axis.plot(t, np.nanmedian(values, axis=1), color=colour, label=name)


def pyplot() -> Any:
    """Matplotlib's pyplot; raises ImportError, saying what to install, without it."""
    try:
        from matplotlib import pyplot as found
    except ImportError:
        raise ImportError("Plots need Matplotlib: pip install 'biela[view]'.") from None
    return found
