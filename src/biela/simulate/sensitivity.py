"""Sensitivities of a motion: how it changes with parameters and with where it starts, exactly.

The step of a simulation is a Function, so its derivative along a direction is one too: beside the state x it
carries tangents S, one for each parameter or initial value,

    x_next = f(x, p),    S_next = f_x S + f_p,

and both go through the native loop together (forward mode). What is differentiated is the step itself,
with its projections onto the constraints; sensitivities are those of the numbers a run returns.

Where the constraints depend on a parameter, the start moves with it: the independent coordinates and
velocities stay, the others follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.derivative import directional_derivative
from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.expr.matrix import Matrix
from biela.expr.pattern import matrix_symbols
from biela.simulate.drive import Grid, resolve
from biela.simulate.record import Record
from biela.simulate.recording import recorded
from biela.simulate.simulation import Simulation
from biela.simulate.state import State, index
from biela.simulate.tangent import Tangent, quantity


@dataclass(frozen=True, eq=False)
class Sensitivities:
    """A motion and its derivatives: ``values`` has axes of time, of column and of what it is derived by."""

    record: Record
    columns: list[str]  # coordinates, then their velocities
    by: list[str]
    values: np.ndarray

    def __repr__(self) -> str:
        return f"<Sensitivities by {', '.join(self.by)}, {len(self.record)} moments>"

    def __getitem__(self, pair: tuple[str, str]) -> np.ndarray:
        """The derivative of a column by a parameter or initial value, over time."""
        column, by = pair
        for name, known in ((column, self.columns), (by, self.by)):
            if name not in known:
                raise KeyError(f"There is no sensitivity with '{name}'. Known: {', '.join(known)}.")
        return self.values[:, self.columns.index(column), self.by.index(by)]


class Sensitivity:
    """The derivatives of a simulation's motions by parameters and initial values, compiled once.

    ``parameters`` are names; ``initial`` names independent coordinates ("crank") and velocities
    ("crank'") of the start; ``held`` further coordinates that stay when parameters change.

    Raises KeyError for unknown names, and ValueError for integrators that are implicit or choose their steps.
    """

    def __init__(
        self,
        simulation: Simulation,
        parameters: Sequence[str] = (),
        initial: Sequence[str] = (),
        held: Sequence[str] = (),
    ) -> None:
        step, model = simulation.step, simulation.model
        if step.adaptive or step.memory:
            raise ValueError(
                f"Sensitivities want an explicit integrator of fixed steps; '{step.integrator.name}' is "
                "none. Use 'rk4', say."
            )
        self.simulation, self.parameters, self.initial = simulation, list(parameters), list(initial)
        for name in parameters:
            quantity(model, name)
        own = [name.rstrip("'") for name in initial]
        for name in (*own, *held):
            index(model, name)
        if not self.by:
            raise ValueError("Name a parameter or an initial value to derive by.")
        self.held = list(dict.fromkeys([*own, *held]))

    @property
    def by(self) -> list[str]:
        """What is derived by."""
        return [*self.parameters, *self.initial]

    @cached_property
    def function(self) -> Function:
        """The step of state and tangents."""
        step = self.simulation.step.function
        x, x_next = (step.value(port) for port in (step.input("x"), step.outputs[0]))
        n, graph = 2 * len(self.simulation.model.q), step.graph
        S = matrix_symbols(graph, "tangent.S", (n, len(self.by)))
        moved = [self._tangent(x, x_next[:n], S, j) for j in range(len(self.by))]
        rows = [moved[j][i] for i in range(n) for j in range(len(self.by))]
        ports = {port.name: step.value(port) for port in step.inputs if port.name != "x"}
        return Function(
            f"{step.name}_tangent", {"y": [*x, *S.expressions], **ports}, {"y_next": [*x_next, *rows]}
        )

    def _tangent(self, x: Matrix, values: Matrix, S: Matrix, j: int) -> list[Expr]:
        """How the next state moves along one tangent, and with the parameter it belongs to."""
        direction: dict[Expr, Any] = {x[i]: S[i, j] for i in range(len(values))}
        if j < len(self.parameters):
            direction[quantity(self.simulation.model, self.parameters[j]).symbol] = 1.0
        return directional_derivative(values.expressions, direction)

    @cached_property
    def kernel(self) -> Kernel:
        """The native step."""
        return Kernel(self.function)

    def begin(self, start: State) -> np.ndarray:
        """The tangents of the start, a row for each coordinate and velocity."""
        tangent = Tangent([start], self.held)
        q, dq = tangent.parameters(self.parameters)
        names = [start.names[k] for k in tangent.positions]
        names += [f"{start.names[k]}'" for k in tangent.velocities]
        missing = [name for name in self.initial if name not in names]
        if missing:
            raise ValueError(
                f"'{missing[0]}' is not independent at the start; independent are {', '.join(names)}."
            )
        places = [names.index(name) for name in self.initial]
        above = np.concatenate([q[0], tangent.q[0][:, places]], axis=1)
        return np.vstack([above, np.concatenate([dq[0], tangent.dq[0][:, places]], axis=1)])

    def run(self, start: State, duration: float, *, every: int = 1, u: Any = None) -> Sensitivities:
        """The motion from a state, and its derivatives.

        ``u`` are inputs that are constant or signals in time; see `biela.simulate.input`. Raises ValueError
        for others, and for a coordinate that is not independent at the start.
        """
        simulation = self.simulation
        count = round(duration / simulation.dt)
        if count < 1 or count % every:
            raise ValueError(f"A run of {count} steps cannot be recorded every {every!r} steps.")
        drive = resolve(simulation.model, u, start.u, Grid(start.t, simulation.dt, count))
        if drive.law is not None or drive.sampled is not None:
            raise ValueError("Sensitivities take inputs that are given in time, not controllers.")
        named: dict[str, Any] = {"h": simulation.dt, "p": start.p, "u": drive.rows}
        named = {port.name: named[port.name] for port in self.function.inputs[1:]}
        x = simulation.step.pack(start.q, start.dq, start.t, simulation.dt, start.p)
        series = ["u"] if drive.series and "u" in named else []
        y = np.concatenate([x, self.begin(start).ravel()])
        rows = self.kernel.iterate(y, count, every=every, series=series, **named)
        return self._shaped(start, rows, every, drive.rows if drive.shown is None else drive.shown[::every])

    def _shaped(self, start: State, rows: np.ndarray, every: int, u: np.ndarray) -> Sensitivities:
        step, n = self.simulation.step, 2 * len(start.q)
        size = len(step.names)
        times = start.t + self.simulation.dt * every * np.arange(len(rows))
        kept = u if u.ndim == 1 or len(u) == len(rows) else start.u
        notes: dict[str, Any] = {"dt": self.simulation.dt}
        record = recorded(self.simulation.model, step, times, rows[:, :size], start.p, kept, notes)
        values = rows[: len(record), size:].reshape(len(record), n, len(self.by))
        return Sensitivities(record, step.names[:n], self.by, values)
