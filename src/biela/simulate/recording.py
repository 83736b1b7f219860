"""From the states of a native loop to a `Record`: names, units, and where a run was lost."""

from __future__ import annotations

from typing import Any

import numpy as np

from biela.mechanics.model import Model
from biela.simulate.record import FINISHED, Record
from biela.simulate.step import Step

TOLERANCE = 1e-6  # of the gap of the constraints: beyond it a run has lost its mechanism
LOOSE = 1e-2  # the same where restoring forces keep them
MEMORY = 4 * 2**30  # bytes that a record may take
HIDDEN = ("t", "size")  # what records do not show of a state


def check_memory(step: Step, moments: int, lanes: int, every: int) -> None:
    """Raise MemoryError if a record would be too large, saying how large, and what to ask for instead."""
    size = 8 * moments * len(step.names) * max(1, lanes)
    if size > MEMORY:
        wanted = every * -(-size // MEMORY)
        raise MemoryError(
            f"The record of {moments} moments and {max(1, lanes)} lanes would take {size / 2**30:.1f} GB, "
            f"more than {MEMORY / 2**30:g} GB. Record fewer moments, with every={wanted} or more, or run "
            "fewer lanes."
        )


def units(model: Model) -> dict[str, str]:
    """The units of coordinates and velocities by name."""
    found = {c.name: c.unit for c in model.placements}
    return found | {f"{name}'": f"{unit}/s" if unit else "1/s" for name, unit in found.items()}


def widest_gap(step: Step) -> float:
    """How far loops may gape: less where a step closes them."""
    return LOOSE if step.flow.closing is None else TOLERANCE


def good(step: Step, rows: np.ndarray) -> np.ndarray:
    """For each moment, and each lane, whether a state is one of the mechanism."""
    gap = rows[:, step.names.index("gap")]
    with np.errstate(invalid="ignore"):
        return np.isfinite(rows).all(axis=1) & (gap <= widest_gap(step))


def lost(step: Step, times: np.ndarray, rows: np.ndarray) -> tuple[int, str]:
    """How many moments a run is good for, and what became of it then."""
    bad = ~good(step, rows).reshape(len(rows), -1)
    gone = bad.all(axis=1)
    if not gone.any():  # in a batch, lanes that are lost stay as they are while others go on
        return len(rows), FINISHED
    end = int(np.argmax(gone))
    gap = rows[end, step.names.index("gap")]
    finite = np.isfinite(rows[end]).all()
    why = f"its loops gape by {np.max(gap):.2g}" if finite else "its values are not finite"
    after = f"between t={times[max(end - 1, 0)]:g} and {times[end]:g} s"
    return end, f"diverged {after}: {why}; try a smaller dt"


def recorded(
    model: Model, step: Step, times: np.ndarray, rows: np.ndarray, p: np.ndarray, u: np.ndarray,
    notes: dict[str, Any], status: str = FINISHED,
) -> Record:  # fmt: skip
    """The record of some states; it ends where they are no more those of the mechanism.

    ``p`` and ``u`` have as many axes as ``rows`` where they change from moment to moment.
    """
    end, found = lost(step, times, rows)
    bad = ~good(step, rows[-1:])[0]
    notes = {"formulation": step.formulation, "integrator": step.integrator.name, **notes}
    if np.ndim(bad) and len(bad) > 1 and bad.any():
        notes["lanes lost"] = int(bad.sum())
    kept = [values[:end] if values.ndim == rows.ndim else values for values in (p, u)]
    columns = {
        name: rows[:end, k] if rows.ndim > 2 else np.ascontiguousarray(rows[:end, k])
        for k, name in enumerate(step.names)
        if name not in HIDDEN
    }
    status = found if found != FINISHED else status
    return Record(times[:end], columns, units(model), status, notes, model, *kept)
