"""Records at other times: interpolated, cut, and joined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from biela.simulate.record import Record


def at(record: Record, times: Any) -> Record:
    """The record at given times; see `Record.at`."""
    wanted = np.atleast_1d(np.asarray(times, float))
    t = record.t
    if not ((wanted >= t[0]) & (wanted <= t[-1])).all():
        raise ValueError(
            f"The record goes from t={t[0]:g} to {t[-1]:g} s; got times from {wanted.min():g} to "
            f"{wanted.max():g} s."
        )
    if len(t) == 1:
        return taken(record, np.zeros(len(wanted), int), wanted)
    k = np.asarray(np.clip(np.searchsorted(t, wanted, side="right") - 1, 0, len(t) - 2), int)
    while (t[k + 1] == t[k]).any():  # the end of a record may be a moment with two sides
        k = np.where(t[k + 1] == t[k], k - 1, k)
    h = t[k + 1] - t[k]
    s = (wanted - t[k]) / h
    slopes = _slopes(record)
    columns = {
        name: _hermite(values, slopes[name], k, h, s) if name in slopes else _linear(values, k, s)
        for name, values in record.columns.items()
    }
    moving = 2 + bool(record.lanes)
    p, u = (v if v is None or v.ndim < moving else _linear(v, k, s) for v in (record.p, record.u))
    return record.replaced(t=wanted, columns=columns, p=p, u=u)


def between(record: Record, begin: float, end: float) -> Record:
    """The moments from one time to another, both included; see `Record.between`."""
    places = np.flatnonzero((record.t >= begin) & (record.t <= end))
    if not len(places):
        raise ValueError(f"The record has no moment between t={begin:g} and {end:g} s: {record}.")
    return taken(record, places, record.t[places])


def joined(first: Record, second: Record) -> Record:
    """One record after another; see `Record.then`."""
    if list(first.columns) != list(second.columns) or first.lanes != second.lanes:
        raise ValueError(
            f"Records that follow each other have the same columns: {first} and {second} have not."
        )
    if len(first) and len(second) and second.t[0] < first.t[-1]:
        raise ValueError(
            f"A record that goes on begins where the first ends, at t={first.t[-1]:g} s; it begins at "
            f"t={second.t[0]:g} s."
        )
    skip = _shared(first, second)
    rest = taken(second, np.arange(skip, len(second)), second.t[skip:])
    columns = {name: np.concatenate([values, rest.columns[name]]) for name, values in first.columns.items()}
    p, u = (_stacked(first, rest, name) for name in ("p", "u"))
    t = np.concatenate([first.t, rest.t])
    return first.replaced(
        t=t, columns=columns, p=p, u=u, status=second.status, notes=first.notes | second.notes
    )


def _shared(first: Record, second: Record) -> int:
    """How many moments the second begins with that the first has already."""
    if not (len(first) and len(second)):
        return 0
    ends = [int((record.t == first.t[-1]).sum()) for record in (first, second)]
    for n in sorted({min(ends), 1} if all(ends) else set[int](), reverse=True):
        if all(np.array_equal(first.columns[name][-n:], second.columns[name][:n]) for name in _states(first)):
            return n
    return 0


def _states(record: Record) -> list[str]:
    """The columns that tell one state from another."""
    if record.model is None:
        return list(record.columns)
    names = [c.name for c in record.model.placements]
    return [*names, *(f"{name}'" for name in names)]


def _stacked(first: Record, rest: Record, name: str) -> np.ndarray | None:
    """Parameters or inputs of both: constant if they are the same, a row a moment otherwise."""
    a, b = getattr(first, name), getattr(rest, name)
    if a is None or b is None or (a.shape == b.shape and a.ndim < 2 + bool(first.lanes) and (a == b).all()):
        return a
    return np.concatenate([_moving(record, values) for record, values in ((first, a), (rest, b))])


def _moving(record: Record, values: np.ndarray) -> np.ndarray:
    """One row for each moment."""
    if values.ndim == 2 + bool(record.lanes):
        return values
    if record.lanes and values.ndim == 1:
        values = np.repeat(values[:, None], record.lanes, axis=1)
    return np.broadcast_to(values, (len(record), *values.shape))


def taken(record: Record, places: np.ndarray, times: np.ndarray | None = None) -> Record:
    """Some moments of a record, under other times if those are given."""
    moving = 2 + bool(record.lanes)
    p, u = (v if v is None or v.ndim < moving else v[places] for v in (record.p, record.u))
    columns = {name: values[places] for name, values in record.columns.items()}
    return record.replaced(t=record.t[places] if times is None else times, columns=columns, p=p, u=u)


def _slopes(record: Record) -> dict[str, np.ndarray]:
    """The rates of columns whose rates are known: of coordinates, and with a model of velocities."""
    slopes = {name: record.columns[f"{name}'"] for name in record.columns if f"{name}'" in record.columns}
    if record.model is not None:
        solved = record.value("ddq")
        ddq = solved.ddq if hasattr(solved, "ddq") else solved
        slopes |= {f"{c.name}'": ddq[:, k] for k, c in enumerate(record.model.placements)}
    return slopes


def _hermite(x: np.ndarray, dx: np.ndarray, k: np.ndarray, h: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Cubic polynomials through values and slopes at both ends."""
    h, s = (v.reshape(-1, *[1] * (x.ndim - 1)) for v in (h, s))
    near, far = s * s * (3.0 - 2.0 * s), s * (1.0 - s)
    return x[k] * (1.0 - near) + x[k + 1] * near + h * far * (dx[k] * (1.0 - s) - dx[k + 1] * s)


def _linear(x: np.ndarray, k: np.ndarray, s: np.ndarray) -> np.ndarray:
    s = s.reshape(-1, *[1] * (x.ndim - 1))
    return x[k] * (1.0 - s) + x[k + 1] * s
