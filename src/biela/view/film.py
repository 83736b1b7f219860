"""`film`: a record or a match as moving pictures: GIF or WebP, or a folder of PNGs.

Pictures are those of `biela.view.painting`, drawn by Pillow, which comes with Matplotlib: no browser and no
graphics card is needed, and the same film comes out everywhere. There is no MP4: that takes a codec; make one
of a folder of PNGs with whatever has one.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biela.simulate.record import Record
from biela.simulate.storage import whole
from biela.view.motion import Motion, of_record
from biela.view.painting import PAPER, VIEWS, Eye, painted
from biela.view.stage import Stage, set_for

if TYPE_CHECKING:
    from biela.arena.match import Result
    from biela.arena.recording import Replay

FORMATS = (".gif", ".webp")
FINER = 2  # pictures are drawn so many times larger, and made smaller, so that edges are smooth
MOST = 3000  # frames
INK = "#1d232b"


def film(
    of: Record | Replay | Result,
    path: str | Path,
    *,
    rate: float = 20.0,
    speed: float = 1.0,
    begin: float | None = None,
    end: float | None = None,
    view: str = "",
    size: tuple[int, int] = (640, 400),
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write moving pictures of a record or a match; return their path.

    The suffix decides: .gif and .webp hold all of them, a path without a suffix is a folder of PNGs,
    ``0000.png`` and so on. There are ``rate`` pictures for every second of watching, which is ``speed``
    seconds of the motion; ``begin`` and ``end`` cut it. ``view`` is 'front', 'side', 'top' or 'iso'. It
    appears whole or not at all.

    Raises ValueError for another suffix or view, a time in which nothing happens, more than 3000 pictures, or
    a folder that is not empty, and ImportError without Pillow.

    >>> import biela as bl
    >>> pendulum = bl.mechanisms.pendulum().model()
    >>> run = bl.Simulation(pendulum, dt=1e-2).run(bl.assemble(pendulum), 1.0)
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     film(run, f"{folder}/pendulum.gif", rate=5, size=(160, 120)).name
    'pendulum.gif'
    """
    path = Path(path)
    _check(path, rate, speed, view)
    motion, stage, caption = _shown(of)
    moments = _moments(motion.t, rate / speed, begin, end)
    eye = Eye(stage, view or ("front" if stage.planar else "iso"), *(FINER * side for side in size))
    images = _images(motion, stage, eye, size, moments, caption, progress)
    if path.suffix:
        first = next(images)
        more = {"save_all": True, "duration": 1e3 / rate, "loop": 0, "format": path.suffix[1:].upper()}
        return whole(path, lambda aside: first.save(aside, append_images=images, **more))
    return _folder(path, images)


def _check(path: Path, rate: float, speed: float, view: str) -> None:
    if path.suffix and path.suffix not in FORMATS:
        told = "Write a folder of PNGs and encode it by another program." if path.suffix == ".mp4" else ""
        raise ValueError(
            f"{path}: a film is {', '.join(FORMATS)} or a folder; got '{path.suffix}'. {told}".strip()
        )
    if not path.suffix and path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ValueError(f"{path}: there is something in it already; a film wants a new folder.")
    if view and view not in VIEWS:
        raise ValueError(f"Unknown view {view!r}. Known: {', '.join(VIEWS)}.")
    if not (rate > 0 and speed > 0 and np.isfinite([rate, speed]).all()):
        raise ValueError(f"A film has pictures at a rate, and a speed, above zero; got {rate=}, {speed=}.")


def _shown(of: Any) -> tuple[Motion, Stage, Callable[[float], str]]:
    """The motion, its stage, and what is written above it at a time."""
    if isinstance(of, Record):
        motion = of_record(of, 1)
        return motion, set_for([motion]), lambda t: f"{t:.2f} s"
    from biela.view.match import of_match, recording_of  # engines are an extra

    match = of_match(recording_of(of))

    def caption(t: float) -> str:
        rows: list[Any] = [row for row in match.board["rows"] if row[0] <= t]
        if not rows:
            return f"{t:.1f} s"
        (left, right), (_, phase, a, b, *_) = match.board["names"], rows[-1]
        return f"{left} {a} : {b} {right}   {phase}   {t:.1f} s"

    return match.motion, match.stage, caption


def _moments(t: np.ndarray, rate: float, begin: float | None, end: float | None) -> np.ndarray:
    """The rows that are shown: the nearest ones to equal steps of time."""
    first, last = (t[0] if begin is None else begin), (t[-1] if end is None else end)
    if not (t[0] - 1e-9 <= first < last <= t[-1] + 1e-9):
        raise ValueError(
            f"The motion lasts from {t[0]:g} s to {t[-1]:g} s; got begin={first:g}, end={last:g}."
        )
    count = int((last - first) * rate + 1e-9) + 1
    if count > MOST:
        raise ValueError(
            f"That makes {count} pictures; at most {MOST}. Cut it, or take a lower rate or more speed."
        )
    wanted = first + np.arange(count) / rate
    after = np.clip(np.searchsorted(t, wanted), 1, len(t) - 1)
    return after - (wanted - t[after - 1] < t[after] - wanted)


def _images(
    motion: Motion, stage: Stage, eye: Eye, size: tuple[int, int], moments: np.ndarray,
    caption: Callable[[float], str], progress: Callable[[int, int], None] | None,
) -> Iterator[Any]:  # fmt: skip
    try:
        image: Any = import_module("PIL.Image")
        draw: Any = import_module("PIL.ImageDraw")
    except ImportError:
        raise ImportError("Films want Pillow: pip install 'biela[view]'.") from None
    for number, k in enumerate(moments.tolist()):
        so_far = {name: getattr(motion, name)[: k + 1] for name in ("t", "places", "turns")}
        drawn = image.new("RGB", (FINER * size[0], FINER * size[1]), PAPER)
        pen = draw.Draw(drawn)
        for outline in painted(replace(motion, **so_far), stage, eye):
            points = [(float(x), float(y)) for x, y in outline.points]
            if outline.fill:
                pen.polygon(points, fill=outline.fill, outline=outline.stroke or None)
            else:
                pen.line(points, fill=outline.stroke, width=max(1, round(outline.width)), joint="curve")
        small = drawn.resize(size, image.Resampling.BOX)
        _write(draw.Draw(small), caption(float(motion.t[k])))
        if progress:
            progress(number + 1, len(moments))
        yield small


def _write(pen: Any, text: str) -> None:
    """A line on paper, for a field may be under it."""
    place, edge = (10, 8), 4
    left, top, right, bottom = pen.textbbox(place, text)
    pen.rectangle((left - edge, top - edge, right + edge, bottom + edge), fill=PAPER)
    pen.text(place, text, fill=INK)


def _folder(path: Path, images: Iterator[Any]) -> Path:
    """Numbered pictures; the folder appears when the last is written."""
    first = next(images)
    aside = path.with_name(f".{path.name}.part")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        for number, image in enumerate(chain([first], images)):
            image.save(aside / f"{number:04d}.png")
        if path.exists():
            path.rmdir()
        return aside.replace(path)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
