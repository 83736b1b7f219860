"""Controllers at work: Python ones between native steps, and what laws gave, computed afterwards."""

from __future__ import annotations

from math import gcd

import numpy as np

from biela.expr.function import Function
from biela.simulate.drive import Drive
from biela.simulate.engine import Engine
from biela.simulate.input import STATE
from biela.simulate.progress import Progress
from biela.simulate.record import Record
from biela.simulate.state import State


def sampled(
    engine: Engine, drive: Drive, x: np.ndarray, t: float, count: int, every: int, progress: Progress | None
) -> tuple[np.ndarray, np.ndarray]:
    """States and inputs at moments of the record, with a Python controller called between native steps."""
    assert drive.sampled is not None
    stride, fine = drive.sampled.every, gcd(every, drive.sampled.every)
    n, lanes = len(drive.rows), x.shape[1:]
    rows, us = [x[None]], list[np.ndarray]()
    half = len(engine.step.model.placements)
    for k in range(0, count, stride):
        steps = min(stride, count - k)
        now = t + engine.dt * k
        u = np.asarray(drive.sampled.function(now, x[:half].copy(), x[half : 2 * half].copy()), float)
        if u.shape not in ((n,), (n, *lanes)) or not np.isfinite(u).all():
            raise ValueError(f"The controller returned {u} at t={now:g} s; expected {n} finite numbers.")
        found = engine.changed(u=u).chunk(x, now, k, steps, gcd(fine, steps))
        x = found[-1]
        marks = k + gcd(fine, steps) * np.arange(1, len(found))
        rows.append(found[1:][marks % every == 0])
        us += [np.broadcast_to(u[..., None] if lanes and u.ndim == 1 else u, (n, *lanes))] * (
            -(-(k + steps) // every) - -(-k // every)
        )
        if progress is not None:
            progress(k + steps, count)
    return np.concatenate(rows), np.array([*us, us[-1]])


def of_law(function: Function, record: Record, own: np.ndarray, moving: bool) -> np.ndarray:
    """What a control law gave at the moments of a record; ``own`` are its own parameters."""
    more: dict[str, np.ndarray] = {}
    place = 0
    for port in function.inputs:
        if port.name not in STATE:
            values = own[:, place : place + port.size] if moving else own[place : place + port.size]
            more[port.name] = values if port.shape else np.take(values, 0, int(moving))
            place += port.size
    found = record.value(function, **more)
    u = found[0] if len(function.outputs) > 1 else found
    return u if u.ndim == 2 + bool(record.lanes) else u[:, None]


def inputs_at(drive: Drive, engine: Engine, state: State, number: int) -> np.ndarray:
    """The inputs of the model at a state."""
    row = engine.u[min(number, len(engine.u) - 1)] if engine.series else engine.u
    if drive.law is None:
        return row.copy()
    n, function = len(state.p), drive.law.function
    lone = Record(np.array([state.t]), dict[str, np.ndarray](), {}, model=state.model)
    columns = {c.name: state.q[None, k] for k, c in enumerate(state.model.placements)}
    columns |= {f"{c.name}'": state.dq[None, k] for k, c in enumerate(state.model.placements)}
    return of_law(function, lone.replaced(columns=columns, p=state.p, u=row[None]), engine.p[n:], False)[0]
