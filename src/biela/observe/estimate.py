"""Running a filter over readings: checks, the native loop, and the record of what was estimated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from biela.simulate.record import FINISHED, Record
from biela.simulate.recording import units
from biela.simulate.state import State

if TYPE_CHECKING:
    from biela.observe.filter.filter import Filter


def checked(observer: Filter, readings: Any) -> np.ndarray:
    """Readings as an array (step, channel) or (step, channel, lane); raises ValueError for another shape."""
    y = np.ascontiguousarray(readings, float)
    channels = observer.instruments.channels
    if y.ndim not in (2, 3) or y.shape[1] != len(channels):
        raise ValueError(f"Readings have a column for each of {channels}; got shape {y.shape}.")
    if not len(y):
        raise ValueError("There are no readings: give a row for each step, NaN where none is due.")
    return y


def rows(
    observer: Filter,
    readings: Any,
    start: State | Sequence[State],
    P: Any,
    u: Any,
    threads: int,
    h: Any = None,
) -> np.ndarray:
    """The filter's states, natively; lanes last."""
    y = checked(observer, readings)
    states = [start] if isinstance(start, State) else list(start)
    for state in states:
        if state.model is not observer.model:
            raise ValueError(
                f"The start is a state of model '{state.model.name}', and the filter is of another model, "
                f"'{observer.model.name}'."
            )
    x = np.stack([observer.start(state, P) for state in states], axis=-1)
    lanes = max(x.shape[1], y.shape[2] if y.ndim == 3 else 1)
    alone = isinstance(start, State) and y.ndim == 2
    x = x[:, 0] if alone else np.ascontiguousarray(np.broadcast_to(x, (len(x), lanes)))
    if u is not None and not np.isfinite(np.asarray(u, float)).all():
        raise ValueError("The inputs u are not finite.")
    given: dict[str, Any] = {
        "h": observer.process.dt if h is None else np.ascontiguousarray(h, float),
        "p": _shared([s.p for s in states]),
        "u": _shared([s.u for s in states]) if u is None else np.ascontiguousarray(u, float),
    }
    named = {port.name: given[port.name] for port in observer.function.inputs[2:]}
    series = ["y"] + ["h"] * (h is not None) + ["u"] * ("u" in named and u is not None and np.ndim(u) >= 2)
    return observer.kernel.iterate(x, len(y), y=y, series=series, threads=threads, **named)


def _shared(columns: list[np.ndarray]) -> np.ndarray:
    """The values of each lane, or of the one state, which all lanes share."""
    return np.ascontiguousarray(columns[0] if len(columns) == 1 else np.stack(columns, axis=-1))


def named(
    observer: Filter, rows: np.ndarray, y: np.ndarray, start: State, u: Any, h: Any = None
) -> dict[str, Any]:
    """The inputs of the step for all moments at once, (component, moment): rows without the last."""
    given = {"x": rows[:-1].T, "y": y.T, "h": observer.process.dt if h is None else h, "p": start.p}
    given["u"] = start.u if u is None else np.asarray(u, float).T if np.ndim(u) == 2 else np.asarray(u, float)
    ports = [port.name for port in observer.function.inputs]
    return {k: np.ascontiguousarray(v) if np.ndim(v) else v for k, v in given.items() if k in ports}


def recorded(
    observer: Filter,
    rows: np.ndarray,
    y: np.ndarray,
    start: State,
    t: float,
    u: Any,
    h: Any = None,
) -> Record:
    """The record of estimates: coordinates, velocities, what was estimated beside, and deviations."""
    model, n = observer.model, len(observer.model.q)
    names = [c.name for c in model.placements]
    columns = {
        name: np.ascontiguousarray(rows[:, k]) for k, name in enumerate([*names, *(f"{x}'" for x in names)])
    }
    place = 2 * n + (model.time is not None)
    for k, name in enumerate(observer.augmented):
        columns[name] = np.ascontiguousarray(rows[:, place + k])
    P = observer.covariances(rows)
    for k, name in enumerate(observer.names):
        columns[f"sd({name})"] = np.sqrt(np.maximum(P[:, k, k], 0.0))
    for k, name in enumerate(observer.names):
        for j in range(k + 1, observer.size):
            columns[f"cov({name},{observer.names[j]})"] = np.ascontiguousarray(P[:, k, j])
    low, high = (side[:, None] if y.ndim == 3 else side for side in observer.instruments.limits.T)
    taken = ((y > low) & (y < high)).sum(axis=1)
    columns["readings"] = np.concatenate([np.zeros_like(taken[:1]), taken]).astype(float)
    if rows.ndim == 2 and not (np.ndim(u) == 2 and len(u) != len(y)):
        found = observer.kernel.batch(**named(observer, rows, y, start, u, h))
        columns["nis"] = np.concatenate([[np.nan], np.where(taken > 0, found.nis, np.nan)])
    told = units(model)
    told |= {f"sd({name})": told[name] for name in observer.names if name in told}
    steps = observer.process.dt * np.arange(len(rows)) if h is None else np.concatenate([[0.0], np.cumsum(h)])
    times = t + steps
    good = np.isfinite(rows).all(axis=(0, 1)) if rows.ndim == 3 else np.isfinite(rows).all()
    status = FINISHED if np.all(good) else f"diverged: {_when(rows, times)}"
    notes = {"filter": observer.key, "channels": observer.instruments.channels, "dt": observer.process.dt}
    given = start.u if np.ndim(u) != 2 else np.concatenate([u, u[-1:]])
    return Record(times, columns, told, status, notes, model, _parameters(observer, rows, start), given)


def _parameters(observer: Filter, rows: np.ndarray, start: State) -> np.ndarray:
    """The parameters of the model, a row a moment where some are estimated."""
    if not observer.learned or rows.ndim > 2:
        return start.p
    symbols = [quantity.symbol for quantity in observer.model.parameters]
    p, first = np.repeat(start.p[None], len(rows), axis=0), 2 * len(observer.model.q)
    first += observer.model.time is not None
    for symbol, place in observer.learned.items():
        p[:, symbols.index(symbol)] = rows[:, first + place]
    return p


def _when(rows: np.ndarray, times: np.ndarray) -> str:
    bad = ~np.isfinite(rows.reshape(len(rows), -1)).all(axis=1)
    lanes = f" in {int((~np.isfinite(rows).all(axis=(0, 1))).sum())} lanes" if rows.ndim == 3 else ""
    return f"a value is not finite from t={times[int(np.argmax(bad))]:g} s{lanes}"
