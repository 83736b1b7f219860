"""Assembly: positions and velocities that fulfil the constraints, nearest to where one begins.

Newton's method with the smallest step (a pseudo-inverse, so redundant equations do no harm), damped when a
step makes things worse. Coordinates may be locked; the equations of the system's `start` take part. A
start in which all bars lie on one line is left by no such step, so a description's own start is shaken where
it does not close. A mechanism closes in several ways as a rule: `branches` looks for all of them from many
starts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from biela.expr.function import Function
from biela.mechanics.model import Model, expected
from biela.mechanics.quantity import TURN
from biela.simulate.state import State, index, inputs, parameters

TOLERANCE = 1e-12  # residuals below are rounding
ROUGH, SMALL = 1e-10, 1e-9  # residual and last change of an assembled mechanism
ITERATIONS, HALVINGS = 60, 12
WALK, STRIDE = 64, 0.1  # at most so many steps of so many radians or metres to locked values
SHAKES = (1e-3, 1e-2, 1e-1)  # radians or metres: out of a start that is singular
CUTOFF = 1e-9  # of singular values: what is smaller is redundant
SAME = 1e-6  # branches nearer than this are one


class AssemblyError(ValueError):
    """A mechanism that does not close; the message says which constraint is how far apart."""


@dataclass(frozen=True)
class _Problem:
    """What Newton's method solves: which coordinates may move, and in what metric."""

    model: Model
    functions: tuple[Function | None, Function | None]  # of positions and of velocities, where there are any
    p: np.ndarray
    t: float
    free: np.ndarray
    scale: np.ndarray  # of the free coordinates: a change of one costs 1 / scale

    def _evaluate(self, function: Function | None, q: np.ndarray) -> Any:
        assert function is not None
        here = {"q": q, "dq": np.zeros_like(q), "t": self.t, "p": self.p}
        return function.evaluate(**{port.name: here[port.name] for port in function.inputs})

    @property
    def held(self) -> bool:
        """Whether there are equations of position."""
        return self.functions[0] is not None

    def moved(self, q: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Positions with the free coordinates changed."""
        result = q.copy()
        result[self.free] -= change
        return result

    def positions(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and Jacobian by the free coordinates."""
        phi, J = self._evaluate(self.functions[0], q)
        return phi, J[:, self.free]

    def velocities(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Jacobian by all velocities, and right-hand side."""
        J, beta = self._evaluate(self.functions[1], q)
        return J, beta


def assemble(
    model: Model,
    guess: Any = None,
    *,
    velocities: Any = None,
    p: Any = None,
    u: Any = None,
    t: float = 0.0,
    weights: dict[str, float] | None = None,
    **locked: Any,
) -> State:
    """The state nearest to a guess that fulfils the constraints of positions and velocities.

    ``locked`` gives coordinates by name that keep that value ('.' and blanks of names written as '_');
    ``guess`` and ``velocities`` are arrays or dictionaries by name, the start of the model by default;
    ``p`` and ``u`` parameters and inputs, likewise.
    ``weights`` makes the change of a coordinate dearer. Locked coordinates keep their velocities too.

    Raises AssemblyError, naming the constraint that is farthest apart, where it does not close.
    """
    start = _start(expected(model, "assemble"), guess, velocities, p, u, t)
    held = {index_of(model, name): float(value) for name, value in locked.items()}
    for k, value in held.items():
        if not np.isfinite(value):
            told = f"coordinate '{model.placements[k].name}' is locked at {value}"
            raise ValueError(f"Model '{model.name}': {told}. Give a number.")
    problem = _problem(model, start, set(held), weights or {})
    begin = start.q.copy()
    if isinstance(guess, Mapping):  # a guess of the others is one for the locked values
        for k in held.keys() - {index(model, name) for name in guess}:  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            begin[k] = held[k]
    q = _reached(problem, begin, held) if _chosen(guess) else _shaken(problem, begin, held)
    dq = _moving(problem, q, start.dq)
    return start.changed(q=q, dq=dq)


def branches(
    model: Model, *, tries: int = 200, seed: int = 1, p: Any = None, t: float = 0.0, **locked: Any
) -> list[State]:
    """Every way the mechanism closes with the locked coordinates, found from random starts, at rest.

    With fewer coordinates locked than it has degrees of freedom these are only samples of its positions.
    """
    found: list[State] = []
    held = {index_of(model, name): value for name, value in locked.items()}
    for guess in guesses(model, tries, seed):
        guess[list(held)] = list(held.values())  # random starts need not walk there
        try:
            state = assemble(model, guess, velocities=np.zeros(len(guess)), p=p, t=t, **locked)
        except AssemblyError:
            continue
        found.append(state)
    if not found:
        assemble(model, p=p, t=t, **locked)  # raises with the reason
    return distinct(found)


def guesses(model: Model, tries: int, seed: int) -> Iterator[np.ndarray]:
    """Positions to begin from: the start, then random ones, with turns anywhere."""
    rng = np.random.default_rng(seed)
    q0, _ = model.start
    spread = np.where(turning(model), np.pi, 0.5 + np.abs(q0))
    yield q0
    for _ in range(tries - 1):
        yield q0 + spread * rng.uniform(-1.0, 1.0, len(q0))


def turning(model: Model) -> np.ndarray:
    """Which coordinates are angles."""
    return np.array([placement.unit == "rad" for placement in model.placements])


def distinct(states: Iterable[State]) -> list[State]:
    """States with angles within half a turn of zero, each position once, in order."""
    found: list[State] = []
    for state in states:
        turns = turning(state.model)
        wrapped = np.where(turns, (state.q + np.pi) % TURN - np.pi, state.q)
        if all(_distance(wrapped, other.q, turns) > SAME for other in found):
            found.append(state.changed(q=wrapped))
    return sorted(found, key=lambda state: tuple(np.round(state.q, 6)))


def index_of(model: Model, name: str) -> int:
    """The place of a coordinate; its name may have '_' for what Python does not allow, or be a body's.

    A body's name stands for its coordinate where it has one only: ``crank`` for ``crank.angle``.
    """
    names = {_plain(placement.name): k for k, placement in enumerate(model.placements)}
    if _plain(name) in names:
        return names[_plain(name)]
    own = [k for k, placement in enumerate(model.placements) if placement.name.startswith(f"{name}.")]
    return own[0] if len(own) == 1 else index(model, name)


def _start(model: Model, guess: Any, velocities: Any, p: Any, u: Any, t: float) -> State:
    q0, dq0 = model.start
    q = _named(model, guess, q0, "guess")
    dq = _named(model, velocities, dq0, "velocities")
    return State(model, q, dq, float(t), parameters(model, p), inputs(model, u))


def _named(model: Model, given: Any, default: np.ndarray, what: str) -> np.ndarray:
    if isinstance(given, State):
        return (given.q if what == "guess" else given.dq).copy()
    if isinstance(given, Mapping):
        values = default.copy()
        for name, value in dict[str, Any](given).items():  # pyright: ignore[reportUnknownArgumentType]
            values[index(model, name)] = value
        return values
    values = default.copy() if given is None else np.array(given, float)
    if values.shape != default.shape:
        raise ValueError(f"Model '{model.name}': {what} has shape {values.shape}; expected {default.shape}.")
    if not np.isfinite(values).all():
        raise ValueError(f"Model '{model.name}': {what} is not finite: {values}.")
    return values


def _problem(model: Model, start: State, held: set[int], weights: dict[str, float]) -> _Problem:
    names = model.functions
    position = "Phi_init" if "Phi_init" in names else "Phi|Phi_q" if "Phi" in names else ""
    velocity = "Phi_init_dq" if "Phi_init_dq" in names else "Phi_dq|beta" if "Phi_dq" in names else ""
    functions = (names[position] if position else None, names[velocity] if velocity else None)
    scale = np.ones(len(start.q))
    for name, weight in weights.items():
        scale[index(model, name)] = 1.0 / np.sqrt(weight)
    free = np.array([k not in held for k in range(len(start.q))])
    return _Problem(model, functions, start.p, start.t, free, scale[free])


def _closed(problem: _Problem, q: np.ndarray) -> np.ndarray:
    """Newton's method with the smallest step, shortened where the residual would grow."""
    if not problem.held:
        return q
    residual, slopes = problem.positions(q)
    for _ in range(ITERATIONS):
        change = problem.scale * _smallest(slopes * problem.scale, residual)
        factor = _length(problem, q, change, residual)
        q = problem.moved(q, factor * change)
        residual, slopes = problem.positions(q)
        small = factor * float(np.abs(change).max(initial=0.0))
        if float(np.abs(residual).max()) < ROUGH and small < SMALL:
            return q
    raise AssemblyError(_apart(problem.model, residual))


def _reached(problem: _Problem, q: np.ndarray, held: dict[int, float]) -> np.ndarray:
    """Closed with the locked values, by walking to them, for a leap may end on another way to close."""
    places, target = list(held), np.array(list(held.values()), float)
    there = q.copy()
    there[places] = target
    far = float(np.abs(there - q).max())
    if far > STRIDE:
        try:
            return _walked(problem, q, there, min(WALK, int(np.ceil(far / STRIDE))))
        except AssemblyError:
            pass  # it may close there all the same
    return _closed(problem, there)


def _chosen(guess: Any) -> bool:
    """Whether a guess is somebody's choice in all its coordinates."""
    return guess is not None and not isinstance(guess, Mapping)


def _shaken(problem: _Problem, q: np.ndarray, held: dict[int, float]) -> np.ndarray:
    """Closed from near the guess where it is not from the guess itself."""
    try:
        return _reached(problem, q, held)
    except AssemblyError as error:
        rng = np.random.default_rng(1)
        for size in SHAKES:
            try:
                return _reached(problem, q + size * rng.uniform(-1.0, 1.0, len(q)), held)
            except AssemblyError:
                continue
        raise error from None


def _walked(problem: _Problem, q: np.ndarray, there: np.ndarray, steps: int) -> np.ndarray:
    fixed = ~problem.free
    begin = q[fixed]
    for k in range(steps + 1):
        q = q.copy()
        q[fixed] = there[fixed] if k == steps else begin + (there[fixed] - begin) * (k / steps)
        q = _closed(problem, q)
    return q


def _length(problem: _Problem, q: np.ndarray, change: np.ndarray, residual: np.ndarray) -> float:
    """How much of a change to make: at most one radian or metre, and no more than does good."""
    factor = min(1.0, 1.0 / max(float(np.abs(change).max(initial=0.0)), 1e-300))
    bound = max(float(np.abs(residual).max()), TOLERANCE)
    for _ in range(HALVINGS):
        after = problem.positions(problem.moved(q, factor * change))[0]
        if np.isfinite(after).all() and float(np.abs(after).max()) <= bound:
            break
        factor /= 2.0
    return factor


def _apart(model: Model, phi: np.ndarray) -> str:
    if not np.isfinite(phi).all():
        return f"Model '{model.name}' has constraints that are not finite. Check the parameters."
    worst = int(np.argmax(np.abs(phi)))
    names = model.equation_names
    name = names[worst] if worst < len(model.phi) else f"start equation {worst - len(model.phi)}"
    return (
        f"Model '{model.name}' cannot be assembled from there: '{name}' stays {abs(phi[worst]):.3g} apart. "
        "Check lengths and locked coordinates, or begin from another guess."
    )


def _moving(problem: _Problem, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
    """The velocities nearest to given ones that the constraints allow; those of locked coordinates stay."""
    if problem.functions[1] is None:
        return dq
    J, beta = problem.velocities(q)
    free = problem.free
    change = problem.scale * _smallest(J[:, free] * problem.scale, beta - J @ dq)
    result = dq.copy()
    result[free] += change
    rest = np.abs(J @ result - beta)
    if rest.max(initial=0.0) > 1e-8 * max(1.0, float(np.abs(dq).max())):
        worst = int(np.argmax(rest))
        raise AssemblyError(
            f"Model '{problem.model.name}': the velocities contradict the constraints: "
            f"'{problem.model.equation_names[worst]}' is off by {rest[worst]:.3g}. Lock fewer coordinates, "
            "or give velocities that fit."
        )
    return result


def _smallest(J: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.linalg.lstsq(J, right, rcond=CUTOFF)[0]


def _distance(a: np.ndarray, b: np.ndarray, turns: np.ndarray) -> float:
    gap = np.abs(a - b)
    gap = np.where(turns, np.minimum(gap % TURN, TURN - gap % TURN), gap)
    return float(gap.max(initial=0.0))


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)
