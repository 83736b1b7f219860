"""`picture`: a mechanism at one moment as a drawing: SVG by hand, PNG by Matplotlib."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

from biela.mechanics.model import Model, expected
from biela.simulate.assembly import assemble
from biela.simulate.record import Record
from biela.simulate.state import State
from biela.simulate.storage import whole
from biela.view.motion import of_record, of_state
from biela.view.painting import PAPER, VIEWS, Eye, Outline, painted
from biela.view.stage import set_for


def picture(
    of: Model | State | Record,
    path: str | Path,
    *,
    view: str = "",
    size: tuple[int, int] = (480, 320),
) -> Path:
    """Draw a model at its start, a state, or the last moment of a record; return the path.

    The suffix decides: .svg needs nothing, .png the extra ``biela[view]``. ``view`` is 'front', 'side', 'top'
    or 'iso'; from the front for what moves in a plane, and oblique otherwise, unless given. A record shows
    the ways that its traces have gone.

    Raises ValueError for another suffix or view, and what `assemble` raises for a model that does not close.
    """
    path = Path(path)
    if path.suffix not in (".svg", ".png"):
        raise ValueError(f"{path}: a picture is an .svg or a .png file; got '{path.suffix}'.")
    if view and view not in VIEWS:
        raise ValueError(f"Unknown view {view!r}. Known: {', '.join(VIEWS)}.")
    if isinstance(of, Record):
        motion = of_record(of, 1)
    else:
        motion = of_state(of if isinstance(of, State) else assemble(expected(of, "A picture")))
    stage = set_for([motion])
    if stage.travels:  # it is seen where it has come to
        stage = set_for([replace(motion, **{k: getattr(motion, k)[-1:] for k in ("t", "places", "turns")})])
    eye = Eye(stage, view or ("front" if stage.planar else "iso"), *size)
    outlines = painted(motion, stage, eye)
    if path.suffix == ".svg":
        text = svg(outlines, size, motion.scene.name)
        return whole(path, lambda aside: aside.write_text(text, encoding="utf-8"))
    return whole(path, lambda aside: _png(outlines, size, aside))


def svg(outlines: Iterable[Outline], size: tuple[int, int], title: str) -> str:
    """Outlines as an SVG file."""
    width, height = size
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<clipPath id="edge"><rect width="{width}" height="{height}" rx="6"/></clipPath>',
        '<g clip-path="url(#edge)" stroke-linecap="round" stroke-linejoin="round" fill="none">',
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        *map(_element, outlines),
        "</g></svg>",
    ]
    return "\n".join(lines) + "\n"


def _element(outline: Outline) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in outline.points)
    told = (
        f'<polygon points="{points}" fill="{outline.fill}"'
        if outline.fill
        else f'<polyline points="{points}"'
    )
    if outline.stroke:
        told += f' stroke="{outline.stroke}" stroke-width="{outline.width:.1f}"'
    return told + (f' opacity="{outline.opacity:g}"/>' if outline.opacity < 1 else "/>")


def _png(outlines: Iterable[Outline], size: tuple[int, int], path: Path) -> None:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("PNG pictures need Matplotlib: pip install 'biela[view]', or write .svg.") from None
    dots = 144  # a point of Matplotlib is 1/72 inch, so two pixels for each of ours
    figure: Any = Figure(figsize=(size[0] / 72, size[1] / 72), dpi=dots, facecolor=PAPER)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, size[0]), ylim=(size[1], 0))
    axes.axis("off")
    for order, outline in enumerate(outlines):
        x, y = outline.points.T
        style = {"linewidth": outline.width, "alpha": outline.opacity, "zorder": order}
        if outline.fill:
            axes.fill(x, y, facecolor=outline.fill, edgecolor=outline.stroke or "none", **style)
        else:
            axes.plot(x, y, color=outline.stroke, solid_capstyle="round", solid_joinstyle="round", **style)
    figure.savefig(path, format="png", dpi=dots)
