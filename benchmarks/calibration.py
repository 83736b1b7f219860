"""SumBot against the real robot of source 004: worst and mean errors of straight lines and turns.

``reference`` is what the source's own simulation reaches, from its tables. A subject of ``python -m
benchmarks.arena``; errors are no times, so that ``--quick`` changes nothing but the number of rounds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from biela.arena import fit, source_tables
from biela.arena.calibration import Calibration, Drive
from biela.arena.preset import sumbot

KINDS = ("straight times", "turning times", "diameters")


def errors(found: Calibration) -> list[list[float]]:
    """In per cent: straight times, turning times and diameters, without the impossible row."""
    turns = [t for t in found.turns if not t.anomalous]
    wide = [t.diameter_error for t in turns if t.diameter_error is not None]
    return [[s.error for s in found.straights], [t.error for t in turns], wide]


def lines(quick: bool) -> Iterator[str]:
    """Worst and mean of each kind, and the row that is reported and not fitted."""
    best = fit(
        lambda track: Drive(sumbot.scene(track=track), "1", ("0", "1"), step=0.01), rounds=8 if quick else 14
    )
    tables = source_tables()
    source = errors(Calibration({}, tables.straights, tables.turns))
    for kind, ours, theirs in zip(KINDS, errors(best.calibration), source, strict=True):
        yield _line(f"SumBot, worst of {kind}", max(ours), max(theirs))
        yield _line(f"SumBot, mean of {kind}", sum(ours) / len(ours), sum(theirs) / len(theirs))
    (odd,) = (t for t in best.calibration.turns if t.anomalous)
    (printed,) = (t for t in tables.turns if t.anomalous)
    yield _line("SumBot, time of row 3,1, which is impossible and not fitted", odd.error, printed.error)


def _line(case: str, ours: float, reference: float) -> str:
    figures = {"ours": round(ours, 2), "reference": round(reference, 2)}
    return json.dumps({"bench": "arena", "case": case, **figures, "unit": "%, less is better"})
