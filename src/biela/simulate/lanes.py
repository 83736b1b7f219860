"""The lanes of a batch: from states, a `Scatter` or arrays to columns of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from biela.mechanics.model import Model
from biela.simulate.scatter import Scatter
from biela.simulate.state import parameters


def columns(
    model: Model, q: Any, dq: Any, t: float, p: Any
) -> tuple[np.ndarray, np.ndarray, float, np.ndarray, np.ndarray]:
    """Columns of positions, velocities and parameters, the time, and the inputs that are not given.

    Raises ValueError for wrong shapes, lanes that disagree, and values that are not finite.
    """
    default = model.u
    if isinstance(q, Scatter):
        q, dq, t, p = q.q, q.dq, q.t, q.p if p is None else p
    elif dq is None and not isinstance(q, np.ndarray):
        q, dq, t, own, default = _of_states(list(q))
        p = own if p is None else p
    q, dq, p = np.ascontiguousarray(q, float), np.ascontiguousarray(dq, float), parameters(model, p)
    n = len(model.placements)
    for name, values in (("q", q), ("dq", dq)):
        if values.ndim != 2 or len(values) != n or values.shape != q.shape:
            raise ValueError(
                f"Model '{model.name}': {name} of a batch has shape ({n}, lanes), the same for q and dq; got "
                f"{values.shape}."
            )
        bad = np.flatnonzero(~np.isfinite(values).all(axis=0))
        if len(bad):
            raise ValueError(f"Model '{model.name}': {name} is not finite in lane {bad[0]}.")
    if p.ndim > 1 and p.shape[1] != q.shape[1]:
        raise ValueError(
            f"Model '{model.name}': the parameters have {p.shape[1]} lanes, the starts {q.shape[1]}."
        )
    return q, dq, t, p, default


def _of_states(states: list[Any]) -> tuple[np.ndarray, np.ndarray, float, np.ndarray, np.ndarray]:
    if not states:
        raise ValueError("A batch wants at least one state.")
    if any(state.t != states[0].t for state in states):
        raise ValueError("The states of a batch have the same time.")
    q, dq, p, u = (np.stack([getattr(s, name) for s in states], axis=-1) for name in ("q", "dq", "p", "u"))
    return q, dq, states[0].t, p, u
