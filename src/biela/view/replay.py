"""`replay`: a record or a match as one file of HTML that opens in any browser, offline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biela.simulate.record import FINISHED, Record
from biela.simulate.storage import whole
from biela.view.curve import Curves, curves
from biela.view.motion import RATE, Motion, of_record
from biela.view.page import packed, page
from biela.view.stage import set_for

if TYPE_CHECKING:
    from biela.arena.match import Result
    from biela.arena.recording import Replay


def replay(
    record: Record | Mapping[str, Record] | Replay | Result,
    path: str | Path,
    *,
    title: str = "",
    columns: Iterable[str] | None = None,
    lanes: int = 20,
    rate: float = RATE,
) -> Path:
    """Write a page that plays a record or a match; return its path.

    Several records by name, ``{"truth": truth, "estimate": estimate}``, are played together: the first as it
    is, the others translucent in a colour of their own. Of a batch, ``lanes`` lanes are drawn, the first as
    it is and the others translucent. ``columns`` are the curves offered, all but covariances unless given,
    and ``rate`` the frames a second that are kept, fewer where the file would grow beyond a few megabytes.
    A match, the `Result` of one or its `Replay`, has its score, clock and the referee's decisions.

    Raises ValueError for a record that is empty or has no model, KeyError for an unknown column, TypeError
    for what is neither a record nor a match.
    """
    path = Path(path)
    if path.suffix not in (".html", ".htm"):
        raise ValueError(f"{path}: a replay is a page, so its name ends in .html; got '{path.suffix}'.")
    if lanes < 1 or not rate > 0:
        raise ValueError(f"A replay shows at least one lane, at a rate above zero; got {lanes=}, {rate=}.")
    if isinstance(record, Record | Mapping):
        told = _recorded({"": record} if isinstance(record, Record) else dict(record), columns, lanes, rate)
    else:
        told = _played(record, columns, rate)
    told["title"] = title or told["title"]
    text = page(told["title"], told)
    return whole(path, lambda aside: aside.write_text(text, encoding="utf-8"))


def _recorded(
    records: dict[str, Record], columns: Iterable[str] | None, lanes: int, rate: float
) -> dict[str, Any]:
    """What the page needs of records that are played together."""
    if not records:
        raise ValueError("There is no record to replay: give one, or several by name.")
    motions = [of_record(each, lanes, rate) for each in records.values()]
    return {
        "title": motions[0].scene.name,
        "stage": set_for(motions).plain(),
        "actors": [_actor(name, r, m) for (name, r), m in zip(records.items(), motions, strict=True)],
        "curves": _curves(curves(records, columns, lanes)),
    }


def _played(of: Replay | Result, columns: Iterable[str] | None, rate: float) -> dict[str, Any]:
    """What the page needs of a match."""
    from biela.view.match import of_match, recording_of  # engines are an extra

    match = of_match(recording_of(of), rate)
    return {
        "title": match.title,
        "stage": match.stage.plain(),
        "actors": [_actor("", match.record, match.motion)],
        "curves": _curves(curves({"": match.record}, columns)) | {"first": match.first},
        "marks": match.marks,
        "board": match.board,
    }


def _actor(name: str, record: Record, motion: Motion) -> dict[str, Any]:
    """What the page needs of one record to draw it."""
    return {
        "name": name,
        "status": "" if record.status == FINISHED else record.status,
        "lanes": motion.lanes,
        "of": max(1, record.lanes),
        "shapes": motion.scene.shapes,
        "pivots": motion.scene.pivots,
        "t": packed(motion.t, 64),
        "places": packed(motion.places),
        "turns": packed(motion.turns),
    }


def _curves(found: Curves) -> dict[str, Any]:
    columns: list[dict[str, Any]] = []
    for name, values in found.values.items():
        rows = [None if each is None else packed(each) for each in values]
        columns.append({"name": name, "unit": found.units[name], "values": rows})
    return {"t": packed(found.t, 64), "columns": columns}
