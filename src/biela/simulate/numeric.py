"""One step in NumPy where the native one fails: slow, and right whatever the rank of the constraints is.

Accelerations come from the constraints' singular values: those that count as zero are left out, and the
motion in the directions that are then free follows from ``N' M N z = N' (delta - M a)`` (N spans them, a is
the smallest acceleration that fulfils the rest). The classical Runge-Kutta method steps, and every stage is
brought back onto the constraints by the changes of least kinetic energy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from biela.simulate.state import State

CUTOFF = 1e-8  # of singular values, relative to the largest: what is smaller is zero
ITERATIONS, CLOSED = 12, 1e-13
HALVINGS = 8


def stepped(state: State, h: float, tolerances: tuple[float, float] | None = None) -> State | None:
    """The state a step later, on the constraints; None where that fails too.

    With a relative and an absolute tolerance the step is halved until two halves agree with the whole.
    """
    with np.errstate(all="ignore"):
        try:
            return _stepped(state, h) if tolerances is None else _halved(state, h, tolerances, HALVINGS)
        except np.linalg.LinAlgError:
            return None


def _halved(state: State, h: float, tolerances: tuple[float, float], left: int) -> State | None:
    whole, half = _stepped(state, h), _stepped(state, h / 2.0)
    both = None if half is None else _stepped(half, h / 2.0)
    if whole is not None and both is not None:
        relative, absolute = tolerances
        pairs = ((whole.q, both.q), (whole.dq, both.dq))
        if all((np.abs(a - b) <= absolute + relative * np.abs(b)).all() for a, b in pairs):
            return both
    if not left:
        return both
    first = _halved(state, h / 2.0, tolerances, left - 1)
    return None if first is None else _halved(first, h / 2.0, tolerances, left - 1)


def _stepped(state: State, h: float) -> State | None:
    stages: list[tuple[np.ndarray, np.ndarray]] = []
    place: State | None = state
    for part in (0.0, 0.5, 0.5, 1.0):
        if part:
            dq, ddq = stages[-1]
            place = _closed(_moved(state, part * h, dq, ddq))
        if place is None:
            return None
        stages.append((place.dq, acceleration(place)))
    (a, b, c, d), (e, f, g, i) = zip(*stages, strict=True)
    return _closed(_moved(state, h, (a + 2.0 * b + 2.0 * c + d) / 6.0, (e + 2.0 * f + 2.0 * g + i) / 6.0))


def _moved(state: State, h: float, dq: np.ndarray, ddq: np.ndarray) -> State:
    return state.changed(q=state.q + h * dq, dq=state.dq + h * ddq, t=state.t + h)


def acceleration(state: State) -> np.ndarray:
    """The accelerations that constraints and forces ask for, whatever the rank of the constraints."""
    M, delta = state.value("M"), state.value("delta")
    if not len(state.model.phi_dot):
        return _solved(M, delta)
    return _smallest(M, state.value("Phi_dq"), state.value("gamma"), delta)


def _closed(state: State) -> State | None:
    """The state on the constraints by the least change, measured by kinetic energy."""
    if not (np.isfinite(state.q).all() and np.isfinite(state.dq).all()):
        return None
    if "Phi" in state.model.functions:
        for _ in range(ITERATIONS):
            phi = state.value("Phi")
            if np.abs(phi).max() < CLOSED:
                break
            state = state.changed(q=state.q - _change(state, phi))
    if not len(state.model.phi_dot):
        return state
    return state.changed(dq=state.dq - _change(state, state.value("Phi_dot")))


def _change(state: State, residual: np.ndarray) -> np.ndarray:
    """The least change by which the constraints would change by a residual; those of position, or all."""
    return _smallest(state.value("M"), state.value("Phi_dq")[: len(residual)], residual)


def _smallest(M: np.ndarray, J: np.ndarray, right: np.ndarray, forces: Any = 0.0) -> np.ndarray:
    """x with J x = right and M x - forces without power in what J leaves free."""
    x = _solved(J, right)
    _, sizes, V = np.linalg.svd(J)
    N = V[int(np.sum(sizes > CUTOFF * max(float(sizes.max()), 1e-300))) :].T
    return x + N @ _solved(N.T @ M @ N, N.T @ (forces - M @ x))


def _solved(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.linalg.lstsq(A, b, rcond=CUTOFF)[0]
