"""Events: what happens between steps: a crossing located in time, an appointed time, a period.

    ground = crossing("z", falling_action, direction="falling")
    run = simulation.run(start, 3.0, events=[ground, periodic(0.1, report), crossing("x", "stop", value=2.0)])

The native loop goes on in chunks of steps; witnesses are computed natively for all their states at once, and
Python acts only where one changes its sign. The step with the crossing is made again from the state before
it, as a shorter one, until the crossing is known within ``window`` seconds; there the action is called.
After an event one short step leads back to the grid, so the moments of the record stay where they are. A
witness that crosses twice within a step is not seen to cross.

An action is 'record' (the moment goes into the record), 'stop', or a function of the `State`. What it returns
goes on: another State (positions and velocities after an impact, other parameters or inputs), None for the
same one, or 'stop'. Where it changes the state, both sides of the moment go into the record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.mechanics.model import Model
from biela.simulate.state import State, index

Action = str | Callable[[State], Any]
DIRECTIONS = {"rising": (True, False), "falling": (False, True), "both": (True, True)}


@dataclass(frozen=True, eq=False)
class Event:
    """When something happens, and what; made by `crossing`, `scheduled` and `periodic`."""

    name: str
    action: Action
    witness: Any = None
    value: float = 0.0
    direction: str = "both"
    window: float = 1e-12
    times: tuple[float, ...] = ()
    period: float = 0.0

    def __post_init__(self) -> None:
        if isinstance(self.action, str) and self.action not in ("record", "stop"):
            raise ValueError(f"Event '{self.name}': unknown action {self.action!r}. Known: record, stop.")
        if self.direction not in DIRECTIONS:
            known = ", ".join(DIRECTIONS)
            raise ValueError(f"Event '{self.name}': unknown direction {self.direction!r}. Known: {known}.")
        if not self.window > 0.0:
            raise ValueError(f"Event '{self.name}': the window is a positive time; got {self.window!r}.")

    def due(self, after: float, slack: float) -> float:
        """The first appointed time later than another, infinity if there is none."""
        if self.period:
            begin = self.times[0]
            return begin + self.period * max(0, np.floor((after + slack - begin) / self.period) + 1)
        return next((time for time in self.times if time > after + slack), np.inf)

    def happens(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Whether its witness crosses between values."""
        rising, falling = DIRECTIONS[self.direction]
        up, down = (before < 0.0) & (after >= 0.0), (before > 0.0) & (after <= 0.0)
        return (up & rising) | (down & falling)


def crossing(
    witness: Expr | Function | str,
    action: Action = "record",
    *,
    value: float = 0.0,
    direction: str = "both",
    window: float = 1e-12,
    name: str = "",
) -> Event:
    """An event when a witness crosses a value: an expression or Function of the state, or a coordinate.

    "crank" is a coordinate, "crank'" its velocity. ``direction`` is 'rising', 'falling' or 'both'; ``window``
    is how well it is located, in seconds.

    Raises ValueError for an unknown action or direction.
    """
    told = name or (witness if isinstance(witness, str) else getattr(witness, "name", "crossing"))
    return Event(told, action, witness, value, direction, window)


def scheduled(times: float | Sequence[float], action: Action = "record", name: str = "scheduled") -> Event:
    """An event at appointed times; raises ValueError for times that are not finite."""
    listed = tuple(sorted(np.atleast_1d(np.asarray(times, float)).tolist()))
    if not np.isfinite(listed).all():
        raise ValueError(f"Event '{name}': its times are not finite: {listed}.")
    return Event(name, action, times=listed)


def periodic(period: float, action: Action, begin: float = 0.0, name: str = "periodic") -> Event:
    """An event at ``begin`` and again after every period; raises ValueError for one that is not positive."""
    if not (np.isfinite(period) and period > 0.0):
        raise ValueError(f"Event '{name}': the period is a positive number of seconds; got {period!r}.")
    return Event(name, action, times=(begin,), period=period)


class Witnesses:
    """The witnesses of a model's events, as one native Function."""

    def __init__(self, model: Model, events: Sequence[Event]) -> None:
        self.events = [event for event in events if event.witness is not None]
        self.n, self._timed = len(model.placements), model.time is not None
        self._kernel: Kernel | None = None
        if self.events:
            values = [_expression(model, event.witness) - event.value for event in self.events]
            self._kernel = Kernel(model.function("witness", {"g": values}, "velocity"))

    def __call__(self, rows: np.ndarray, times: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Their values, a row for each state."""
        if self._kernel is None:
            return np.zeros((len(rows), 0))
        q, dq = (np.ascontiguousarray(rows[:, k : k + self.n].T) for k in (0, self.n))
        have: dict[str, Any] = {"q": q, "dq": dq, "t": np.ascontiguousarray(times), "p": p}
        found = self._kernel.batch(**{port.name: have[port.name] for port in self._kernel.function.inputs})
        return np.asarray(found).T


def _expression(model: Model, witness: Any) -> Expr:
    if isinstance(witness, str):
        k = index(model, witness.rstrip("'"))
        return model.dq[k] if witness.endswith("'") else model.q[k]
    if isinstance(witness, Function):
        ports = model.ports("velocity")
        found: Any = witness(**{port.name: ports[port.name] for port in witness.inputs})
        witness = found if len(witness.outputs) == 1 else found[0]
    if not isinstance(witness, Expr):
        raise TypeError(
            f"Model '{model.name}': a witness is a coordinate's name, an expression or a Function with a "
            f"scalar output; got {type(witness).__name__}."
        )
    return witness


def impact(model: Model, distance: Expr | Function | str, restitution: float) -> Callable[[State], State]:
    """The action of an impact: what ``distance`` measures parts as fast as it came, times ``restitution``.

    The impulse acts along the gradient of the distance, and the loops of the mechanism transmit it:
    ``M (dq+ - dq) + Phi_dq' L = n I``, ``Phi_dq dq+ = beta``, ``n' dq+ = -e n' dq``.
    """
    gradient = Function(
        f"{model.name}_distance",
        model.ports("position"),
        {"n": [_expression(model, distance).diff(q) for q in model.q]},
    )
    name = "M|Phi_dq" if len(model.phi_dot) else "M"

    def act(state: State) -> State:
        n = gradient.evaluate(
            **{p.name: {"q": state.q, "t": state.t, "p": state.p}[p.name] for p in gradient.inputs}
        )
        M, J = state.value(name) if len(model.phi_dot) else (state.value(name), np.zeros((0, len(n))))
        A = np.vstack([J, n])
        size = len(n) + len(A)
        left = np.zeros((size, size))
        left[: len(n), : len(n)], left[: len(n), len(n) :], left[len(n) :, : len(n)] = M, A.T, A
        right = np.zeros(size)
        right[-1] = -(1.0 + restitution) * (n @ state.dq)
        change = np.linalg.lstsq(left, right, rcond=1e-12)[0][: len(n)]
        return state.changed(dq=state.dq + change)

    return act
