"""Pictures of records, by Matplotlib: one panel for each unit, with time along the bottom."""

from __future__ import annotations

from collections.abc import Iterable
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
NAMED = 7  # curves in a panel whose names fit into it


def plot(record: Record, names: Iterable[str] | None = None, lanes: str = "auto") -> Any:
    """A Matplotlib figure of some columns; see `Record.plot`."""
    pyplot = _pyplot()
    panels = _panels(record, _chosen(record, names))
    if lanes not in ("auto", "lines", "bands"):
        raise ValueError(f"Lanes are drawn as 'lines' or 'bands', or 'auto'; got {lanes!r}.")
    bands = lanes == "bands" or (lanes == "auto" and record.lanes > LINES)
    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(
            len(panels),
            sharex=True,
            squeeze=False,
            layout="constrained",
            figsize=(7.0, 0.7 + 1.9 * len(panels)),
        )
        for axis, (unit, members) in zip(axes[:, 0], panels.items(), strict=True):
            _panel(axis, record, members, bands)
            axis.set_ylabel(f"[{unit}]" if unit else "[1]")
        axes[-1, 0].set_xlabel("t [s]")
        title = f"{record.model.name}" if record.model else ""
        told = "" if record.ok else f"  ({record.status})"
        axes[0, 0].set_title(title + told, loc="left", fontsize=10.0, color="#333333")
    return figure


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
        elif bands:
            _bands(axis, record.t, values, colour, name)
        else:
            axis.plot(
                record.t, values, color=colour, alpha=max(0.15, 1.0 / values.shape[1] ** 0.5), linewidth=0.8
            )
            axis.plot([], [], color=colour, label=name)
    outside = len(names) > NAMED
    place = (
        {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "fontsize": 8.0} if outside else {"loc": "best"}
    )
    axis.legend(**place, ncols=1 if outside else min(len(names), 4))


def _bands(axis: Any, t: np.ndarray, values: np.ndarray, colour: str, name: str) -> None:
    """The median, and the quantiles around it; lanes that were lost do not count."""
    for low, high, alpha in BANDS:
        bottom, top = np.nanquantile(values, [low, high], axis=1)
        axis.fill_between(t, bottom, top, color=colour, alpha=alpha, linewidth=0.0)
    axis.plot(t, np.nanmedian(values, axis=1), color=colour, label=name)


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot  # pyright: ignore[reportMissingImports, reportMissingModuleSource]
    except ImportError:
        raise ImportError("Plots need Matplotlib: pip install 'biela[view]'.") from None
    return pyplot
