"""The files of a match: its recording, a table of who was where, a page, a film."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biela.cli.fault import UsageError
from biela.cli.page import Page

if TYPE_CHECKING:
    from biela.arena.recording import Replay
    from biela.simulate.record import Record

RECORDING = ".replay"
RECORDS = (".npz", ".csv", ".parquet", ".h5", ".mcap")
PAGES, FILMS = (".html",), (".gif", ".webp")


def arguments(parser: Any) -> None:
    """Where things are written."""
    files = parser.add_argument_group("files")
    files.add_argument(
        "-o", "--output", metavar="FILE", action="append", default=[],
        help=f"the recording: {RECORDING}; or who was where: {', '.join(RECORDS)}; may be given again",
    )  # fmt: skip
    files.add_argument("--replay", metavar="FILE", help="a page that plays it in three dimensions: .html")
    files.add_argument(
        "--film", metavar="FILE", help=f"moving pictures: {', '.join(FILMS)}; or a new folder of PNGs"
    )
    files.add_argument(
        "--view", metavar="NAME", default="iso", help="of the film: front, side, top, iso (iso)"
    )


def checked(args: Namespace) -> None:
    """Raise UsageError for files of unknown formats, before anything is played."""
    for path in args.output:
        _of("--output", path, (RECORDING, *RECORDS))
    if args.replay:
        _of("--replay", args.replay, PAGES)
    if args.film:
        _of("--film", args.film, (*FILMS, ""))
    from biela.cli.fault import chosen
    from biela.view.painting import VIEWS

    chosen(args.view, VIEWS, "view")


def _of(option: str, path: str, known: Iterable[str]) -> None:
    suffix = Path(path).suffix
    if suffix not in known:
        raise UsageError(f"{option} {path}: expected {', '.join(filter(None, known))}; got '{suffix}'.")


def written(args: Namespace, page: Page, replay: Replay, record: Record | None = None) -> list[str]:
    """Write what is wanted; each file appears whole or not at all. Returns the paths."""
    paths: list[Path] = []
    for path in map(Path, args.output):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == RECORDING:
            paths.append(replay.save(path))
        else:
            from biela.cli.table import written as table

            paths.append(table(record if record is not None else _places(replay), path))
    if args.replay:
        from biela.view import replay as played

        Path(args.replay).parent.mkdir(parents=True, exist_ok=True)
        with page.stage("writing the page"):
            paths.append(played(replay, args.replay))
    if args.film:
        from biela.view import film

        paths.append(film(replay, args.film, view=args.view, progress=page.progress("frames")))
    for path in paths:
        page.say(f"wrote {path}")
    return list(map(str, paths))


def _places(replay: Replay) -> Record:
    """Who was where, fifty times a second, of a recording."""
    import numpy as np

    from biela.simulate.record import Record

    frames = list(replay.frames(50.0))
    names = list(frames[-1].entities)
    columns = {
        f"{name}.{part}": np.array([_part(frame.entities.get(name), k) for frame in frames])
        for name in names
        for k, part in enumerate(("x", "y", "z", "heading"))
    }
    units = {name: "rad" if name.endswith(".heading") else "m" for name in columns}
    return Record(np.array([frame.time for frame in frames]), columns, units)


def _part(seen: Any, k: int) -> float:
    if seen is None:
        return float("nan")
    return seen.heading if k == 3 else seen.position[k]
