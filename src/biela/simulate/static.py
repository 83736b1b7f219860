"""Static equilibrium: positions where no motion that the constraints allow is driven.

Sought are positions with ``N' e(q) = 0``, where e is what rest asks for (M ddq - delta without velocities and
accelerations) and N spans the allowed motions. The unknowns are moves along the constraints; their
derivative is the stiffness with the multipliers' share, ``N' d(e + J' lambda)/dq N``. Steps are those of
Levenberg and Marquardt, and each is brought back onto the constraints by `assemble`. Stable and
unstable equilibria are found alike; `stability` tells them apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.function import Function
from biela.expr.matrix import Matrix
from biela.mechanics.model import Model
from biela.simulate.assembly import AssemblyError, assemble, distinct, guesses, index_of
from biela.simulate.linear import linearise
from biela.simulate.state import State
from biela.simulate.tangent import by, output, split

ITERATIONS, DAMPINGS = 100, 12
REACH = 0.5  # the longest step, radians or metres
REST = 1e-9  # of what remains, relative to the forces at work
NEUTRAL = 1e-6  # of eigenvalues, relative to the largest


def equilibrium(
    model: Model,
    guess: Any = None,
    *,
    p: Any = None,
    u: Any = None,
    t: float = 0.0,
    **locked: Any,
) -> State:
    """The equilibrium that is found from a guess, the start of the model by default, at rest.

    Locked coordinates keep their values, whatever effort that takes. ``p`` and ``u`` are parameters and
    inputs, arrays or by name.

    Raises ValueError where none is found, and AssemblyError where the mechanism does not close.
    """
    search = _Search(model, [index_of(model, name) for name in locked])
    rest = np.zeros(len(model.q))
    return search.found(assemble(model, guess, velocities=rest, p=p, u=u, t=t, **locked), locked)


def equilibria(
    model: Model, *, tries: int = 40, seed: int = 1, p: Any = None, u: Any = None, **locked: Any
) -> list[State]:
    """All equilibria that are found from random starts, each once.

    Raises ValueError where there is none, and AssemblyError where the mechanism does not close.
    """
    found: list[State] = []
    reason: Exception | None = None
    held = {index_of(model, name): float(value) for name, value in locked.items()}
    search, rest = _Search(model, list(held), compiled=True), np.zeros(len(model.q))
    for guess in guesses(model, tries, seed):
        guess[list(held)] = list(held.values())
        try:
            start = assemble(model, guess, velocities=rest, p=p, u=u, **locked)
            found.append(search.found(start, locked))
        except (AssemblyError, ValueError) as error:
            reason = reason or error
    if not found and reason is not None:
        raise reason
    return distinct(found)


def stability(state: State) -> str:
    """'stable', 'unstable' or, where a motion neither grows nor returns, 'neutral', by the linear model.

    Raises ValueError about a state that is no equilibrium.
    """
    linear = linearise(state)
    if not linear.steady:
        linear.modes()  # raises with the reason
    values: Any = linear.eigenvalues
    bound = NEUTRAL * max(1.0, float(np.abs(values).max(initial=0.0)))
    if values.size and values.real.max() > bound:
        return "unstable"
    return "neutral" if np.abs(values).min(initial=np.inf) <= bound else "stable"


class _Search:
    """Steps towards equilibrium; ``held`` are the places of locked coordinates."""

    def __init__(self, model: Model, held: list[int], compiled: bool = False) -> None:
        self.model, self.held = model, held
        self.functions = (_at_rest(model), _stiffness(model))
        self.run = [Kernel(f) if compiled else f.evaluate for f in self.functions]
        self.scale = 1e-12  # the largest force seen

    def found(self, state: State, locked: dict[str, Any]) -> State:
        """The equilibrium from a state on; raises ValueError where there is none."""
        self.scale = 1e-12
        for _ in range(ITERATIONS):
            better = self.step(state, locked)
            if better is None:
                break
            state = better
        remaining = self.remaining(state)
        if remaining > REST * self.scale:
            raise ValueError(
                f"Model '{self.model.name}': no equilibrium found from there; efforts of up to "
                f"{remaining:.3g} remain. Begin from another guess, or lock what nothing restrains."
            )
        return state

    def _have(self, which: int, state: State, **more: Any) -> Any:
        have = {"q": state.q, "t": state.t, "p": state.p, "u": state.u, **more}
        return self.run[which](**{port.name: have[port.name] for port in self.functions[which].inputs})

    def _forces(self, state: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What rest asks for, and the Jacobians of positions and of all motions, locks included."""
        n, found = len(self.model.q), self._have(0, state)
        e, J = (found.e, found.J) if self.model.constraints else (found, np.zeros((0, n)))
        self.scale = max(self.scale, float(np.abs(e).max()))
        locks = np.eye(n)[self.held]
        return e, np.vstack([J[: len(self.model.phi)], locks]), np.vstack([J, locks])

    def remaining(self, state: State) -> float:
        """The largest effort that is left along an allowed motion."""
        e, _, J = self._forces(state)
        free = split(J[None]).free[0]
        return float(np.abs(free.T @ e).max(initial=0.0))

    def step(self, state: State, locked: dict[str, Any]) -> State | None:
        """A state nearer to equilibrium; None where there is none."""
        e, held, J = self._forces(state)
        moves, parts = split(held[None]).free[0], split(J[None])
        left = parts.free[0].T @ e
        if not left.size or float(np.abs(left).max()) <= 1e-15 * self.scale:
            return None
        count = len(self.model.phi_dot)
        multipliers = -(parts.inverse[0].T @ e)[:count]
        slopes = self._have(1, state, lambda_=multipliers)
        self.scale = max(self.scale, float(np.abs(slopes).max()))
        K = parts.free[0].T @ slopes @ moves
        return self._tried(state, locked, moves, K, left)

    def _tried(
        self, state: State, locked: dict[str, Any], moves: np.ndarray, K: np.ndarray, left: np.ndarray
    ) -> State | None:
        before = float(np.linalg.norm(left))
        for step in _steps(K, left):
            change = moves @ step
            change *= min(1.0, REACH / max(float(np.abs(change).max()), 1e-300))
            found = self._closed(state, state.q + change, locked)
            if found is not None and self._size(found) < before:
                return found
        return None

    def _size(self, state: State) -> float:
        e, _, J = self._forces(state)
        return float(np.linalg.norm(split(J[None]).free[0].T @ e))

    def _closed(self, state: State, q: np.ndarray, locked: dict[str, Any]) -> State | None:
        try:
            rest = np.zeros(len(q))
            return assemble(self.model, q, velocities=rest, p=state.p, u=state.u, t=state.t, **locked)
        except AssemblyError:
            return None


def _steps(K: np.ndarray, left: np.ndarray) -> Iterator[np.ndarray]:
    """Newton's step, damped ones, and, for where the stiffness says nothing, some along the forces."""
    yield -np.linalg.lstsq(K, left, rcond=1e-12)[0]
    size = float(np.abs(K).max())
    for k in range(DAMPINGS if size > 0.0 else 0):
        damped = np.vstack([K, size * 10.0 ** (k / 2.0 - 2.0) * np.eye(K.shape[1])])
        yield -np.linalg.lstsq(damped, np.append(left, np.zeros(K.shape[1])), rcond=None)[0]
    if len(left) == K.shape[1]:
        yield from (-left / np.linalg.norm(left) * (REACH / 4.0**k) for k in range(3))


def _still(model: Model, values: Matrix) -> Matrix:
    """Expressions without velocities and accelerations."""
    return values.substitute(dict.fromkeys([*model.dq, *model.ddq], 0.0))


def _at_rest(model: Model) -> Function:
    outputs = {"e": _still(model, output(model.functions["e"]) * float(model.sign))}
    if len(model.phi_dot):
        outputs["J"] = model.phi_dq
    return Function(f"{model.name}_rest", _ports(model, False), outputs)


def _stiffness(model: Model) -> Function:
    e = _still(model, output(model.functions["e"]) * float(model.sign))
    if len(model.phi_dot):
        multipliers = Matrix(model.graph, (len(model.multipliers),), tuple(m.ref for m in model.multipliers))
        e = e + model.phi_dq.T @ multipliers
    return Function(f"{model.name}_stiffness", _ports(model, True), {"e_q": by(model, e, model.q)})


def _ports(model: Model, multipliers: bool) -> dict[str, Any]:
    return {name: v for name, v in model.ports("force", multipliers).items() if name != "dq"}
