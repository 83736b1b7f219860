"""States drawn at random, on the constraints: what ranks, pivots and base parameters are judged by.

Positions are drawn around the start (turns anywhere) and brought onto the constraints by Newton's method with
the smallest step; velocities and accelerations are drawn and projected. The numbers are the same for the
same seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from biela.expr.function import Function

if TYPE_CHECKING:
    from biela.mechanics.model import Model

ITERATIONS = 40
ATTEMPTS = 20  # for each state wanted
GIVE_UP = 60  # attempts without any success
CLOSED = 1e-10
NEAR = 5e-3  # how far coordinates without inertia go from their start
CUTOFF = 1e-9  # of singular values: below, they are zero
SINGULAR = 1e-4  # below, a state is near a singular one


@dataclass(frozen=True)
class Sample:
    """A state with all that Functions take."""

    q: np.ndarray
    dq: np.ndarray
    ddq: np.ndarray
    t: float
    p: np.ndarray
    u: np.ndarray

    def evaluate(self, function: Function) -> Any:
        """The outputs of a Function of the model here."""
        return function.evaluate(**{port.name: getattr(self, port.name) for port in function.inputs})


def samples(model: Model, count: int, seed: int = 1, vary: float = 0.0) -> list[Sample]:
    """Up to ``count`` states that fulfil the constraints; fewer, or none, where assembly fails.

    Parameters have their default values, times one with a random part up to ``vary``, the same for all
    states; those without a value are drawn.
    """
    rng = np.random.default_rng(seed)
    p = _parameters(model, rng, vary)
    found: list[Sample] = []
    best = 0
    for k in range(ATTEMPTS * count):
        if k == GIVE_UP and not found:
            break
        closed = _closed(model, _drawn(model, rng, p, 1.0 if k % 2 == 0 else 0.2))
        firm = -1 if closed is None else _firm(model, closed)
        if closed is None or firm < best:
            continue
        if firm > best:  # those before were singular
            best, found = firm, []
        found.append(_moving(model, closed))
        if len(found) == count:
            break
    return found


def with_start(model: Model, count: int) -> list[Sample]:
    """Up to ``count`` samples, and the model's start where it is no worse than they are.

    What is chosen by samples alone, pivots above all, may fail just where a motion begins: in the symmetric
    middle of a mechanism, which no random state meets.
    """
    found = samples(model, count)
    rng = np.random.default_rng(1)
    closed = _closed(model, _drawn(model, rng, _parameters(model, rng, 0.0), 0.0))
    if found and closed is not None and _firm(model, closed) == _firm(model, found[0]):
        found.append(_moving(model, closed))
    return found


def free_samples(model: Model, count: int, seed: int = 1) -> Iterator[Sample]:
    """States that fulfil no constraint."""
    rng = np.random.default_rng(seed)
    p = _parameters(model, rng, 0.0)
    return (_drawn(model, rng, p, 1.0) for _ in range(count))


def null_space(J: np.ndarray) -> np.ndarray:
    """An orthonormal basis, in columns, of the motions that constraints with the Jacobian ``J`` allow."""
    if not len(J):
        return np.eye(J.shape[1])
    _, sizes, V = np.linalg.svd(J)
    return V[int(np.sum(sizes > CUTOFF * max(1.0, sizes.max()))) :].T


def smallest(J: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The smallest solution of J x = right, in the sense of least squares where there is none."""
    return np.linalg.lstsq(J, right, rcond=CUTOFF)[0]


def _parameters(model: Model, rng: np.random.Generator, vary: float) -> np.ndarray:
    values = np.array([quantity.value for quantity in model.parameters])
    drawn = rng.uniform(0.2, 1.2, len(values))
    return np.where(np.isnan(values), drawn, values * (1.0 + vary * rng.uniform(-1.0, 1.0, len(values))))


def _drawn(model: Model, rng: np.random.Generator, p: np.ndarray, spread: float) -> Sample:
    start, _ = model.start
    reach = [
        min(NEAR, spread) if not c.inertia else np.pi * spread if c.unit == "rad" else 0.5 * spread
        for c in model.placements
    ]
    n = len(start)
    q = start + np.array(reach) * rng.uniform(-1.0, 1.0, n)
    return Sample(q, rng.normal(0, 2, n), rng.normal(0, 5, n), rng.uniform(0, 1), p, model.u)


def _closed(model: Model, state: Sample) -> Sample | None:
    if not len(model.phi):
        return state
    function = model.functions["Phi|Phi_q"]
    for _ in range(ITERATIONS):
        phi, jacobian = state.evaluate(function)
        if not (np.isfinite(phi).all() and np.isfinite(jacobian).all()):
            return None
        step = smallest(jacobian, phi)
        state = replace(state, q=state.q - step / max(1.0, float(np.linalg.norm(step))))
        if np.abs(phi).max() < CLOSED:
            return state
    return None


def _firm(model: Model, state: Sample) -> int:
    """How many equations of velocity hold firmly: fewer than the rank where some are nearly dependent."""
    if not len(model.phi_dot):
        return 0
    sizes = np.linalg.svd(state.evaluate(model.functions["Phi_dq"]), compute_uv=False)
    return int(np.sum(sizes > SINGULAR * sizes.max()))


def _moving(model: Model, state: Sample) -> Sample:
    """Velocities and accelerations on the constraints, those nearest to the drawn ones."""
    if not len(model.phi_dot):
        return state
    J, beta = state.evaluate(model.functions["Phi_dq|beta"])
    state = replace(state, dq=state.dq + smallest(J, beta - J @ state.dq))
    gamma = state.evaluate(model.functions["gamma"])
    return replace(state, ddq=state.ddq + smallest(J, gamma - J @ state.ddq))
