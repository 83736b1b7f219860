"""`cell`: a replay inside a notebook, without anything to install there."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Cell:
    """A page as a cell of a notebook shows it: in a frame of its own, with everything inside."""

    page: str = field(repr=False)
    height: int = 520

    def _repr_html_(self) -> str:
        return frame(f'srcdoc="{escape(self.page)}"', self.height)


def cell(given: Any, *, height: int = 520, **options: Any) -> Cell:
    """A replay to be shown where a cell of a notebook ends with it; ``options`` are those of `replay`.

    The notebook keeps the whole page, a megabyte and the data. Raises what `replay` raises.
    """
    if height < 1:
        raise ValueError(f"A cell is so many pixels high, one at least; got {height=}.")
    from biela.view import replay  # the function; its module of that name would stand in its place

    with tempfile.TemporaryDirectory() as folder:
        path = replay(given, Path(folder, "cell.html"), **options)
        return Cell(path.read_text(encoding="utf-8"), height)


def frame(source: str, height: int = 520) -> str:
    """The element in which a notebook shows a page."""
    return f'<iframe {source} style="width:100%;height:{height}px;border:0" allow="fullscreen"></iframe>'
