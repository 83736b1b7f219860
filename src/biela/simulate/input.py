"""Inputs of a run: constants, signals in time, and controllers.

``u=`` of `Simulation.run` takes

* numbers, one for each input, or a mapping from some names to numbers: constant;
* an array with a row for each step: held during the step;
* a function of time, or a `Table`, for all inputs or for some by name. A function is called once, with an
  array of times, and is followed within each step by the parabola through three of its values, so that
  integrators of fourth order keep their order; a table is linear between its knots, or held;
* expressions of the model's symbols (coordinates, velocities, time, parameters), or a `Controller`: they
  become part of the native step and are evaluated at every stage of the integrator;
* a `Sampled` Python function of the state, called between native steps: for tests and slow controllers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from biela.expr.expression import Expr, time
from biela.expr.function import Function, Port
from biela.mechanics.feedback import closed_loop
from biela.mechanics.model import Model
from biela.mechanics.quantity import Quantity

STATE = ("q", "dq", "t", "p", "u")
ROUNDING = 1e-9  # of a table's span: times so near to a knot are the knot's


class Table:
    """Values at times, for one input or, with a column for each, for all of them.

    ``kind`` is 'linear' or 'hold'; what is held lasts until the next time, the last value as long as the one
    before.

    >>> Table([0.0, 1.0, 2.0], [0.0, 3.0, 3.0])([0.5, 1.5])
    array([1.5, 3. ])

    Raises ValueError for times that do not increase, other shapes, or values that are not finite.
    """

    def __init__(self, times: Any, values: Any, kind: str = "linear") -> None:
        self.times, self.values, self.kind = np.asarray(times, float), np.asarray(values, float), kind
        if kind not in ("linear", "hold"):
            raise ValueError(f"Unknown kind of table {kind!r}. Known: linear, hold.")
        if self.times.ndim != 1 or len(self.times) < 2 or self.values.shape[:1] != self.times.shape:
            raise ValueError(
                "A table has two times or more, and a value for each; got times of shape "
                f"{self.times.shape} and values of shape {self.values.shape}."
            )
        if not (np.diff(self.times) > 0.0).all():
            k = int(np.argmin(np.diff(self.times) > 0.0))
            raise ValueError(
                f"The times of a table increase; {self.times[k + 1]:g} comes after {self.times[k]:g}."
            )
        if not np.isfinite(self.values).all():
            k = int(np.argmin(np.isfinite(self.values).reshape(len(self.times), -1).all(axis=1)))
            raise ValueError(f"The table's value at t={self.times[k]:g} s is not finite.")

    def __repr__(self) -> str:
        return f"<Table t={self.times[0]:g}..{self.end:g} s, {len(self.times)} times, {self.kind}>"

    @property
    def end(self) -> float:
        """The time until which it says anything."""
        last = self.times[-1] - self.times[-2] if self.kind == "hold" else 0.0
        return float(self.times[-1] + last)

    def covers(self, begin: float, end: float) -> None:
        """Raise ValueError unless it has values from ``begin`` to ``end``."""
        slack = ROUNDING * (self.end - self.times[0])
        if end > self.end + slack:
            raise ValueError(
                f"The input table ends at t={self.end:g} s, but the run lasts until t={end:g} s. Give a "
                "longer table or run for a shorter time."
            )
        if begin < self.times[0] - slack:
            raise ValueError(
                f"The input table begins at t={self.times[0]:g} s, but the run begins at t={begin:g} s."
            )

    def __call__(self, t: Any) -> np.ndarray:
        """The values at times, beyond the ends those of the ends."""
        t = np.asarray(t, float)
        if self.kind == "hold":
            slack = ROUNDING * (self.end - self.times[0])
            at = np.asarray(np.searchsorted(self.times, t + slack, side="right") - 1, int)
            return self.values[np.clip(at, 0, len(self.times) - 1)]
        k = np.asarray(np.searchsorted(self.times, t, side="right") - 1, int)
        k = np.clip(k, 0, len(self.times) - 2)
        share = np.clip((t - self.times[k]) / (self.times[k + 1] - self.times[k]), 0.0, 1.0)
        share = share.reshape(share.shape + (1,) * (self.values.ndim - 1))
        return self.values[k] * (1.0 - share) + self.values[k + 1] * share


class Controller:
    """A control law as a Function, composed into the step: u of ``q``, ``dq``, ``t``, ``p`` as it asks.

    Its first output is u. Further inputs of the Function are parameters of the controller, whose values are
    given here; in a batch they may have a column for each lane.

    Raises ValueError or KeyError for values that do not fit the Function.
    """

    def __init__(self, function: Function, **values: Any) -> None:
        self.function = function
        wanted = [port for port in function.inputs if port.name not in STATE]
        missing = [port.name for port in wanted if port.name not in values]
        if missing:
            raise ValueError(f"{function}: no value for its parameter '{missing[0]}'.")
        self.values: dict[str, np.ndarray] = {}
        for name, value in values.items():
            port, given = function.input(name), np.asarray(value, float)
            if given.shape[: len(port.shape)] != port.shape or given.ndim > len(port.shape) + 1:
                raise ValueError(f"{function}: '{name}' has shape {port.shape}; got {given.shape}.")
            if not np.isfinite(given).all():
                raise ValueError(f"{function}: the value of '{name}' is not finite.")
            self.values[name] = given

    def __repr__(self) -> str:
        return f"<Controller {self.function}>"

    def parameters(self, p: np.ndarray) -> np.ndarray:
        """The parameters of the model with the controller's after them, in the order of the Function."""
        wanted = [port for port in self.function.inputs if port.name not in STATE]
        rows = [self.values[port.name].reshape(port.size, -1) for port in wanted]
        if not rows:
            return p
        parts = [p.reshape(len(p), -1), *rows]
        lanes = max(part.shape[1] for part in parts)
        whole = np.concatenate([np.broadcast_to(part, (len(part), lanes)) for part in parts])
        alone = p.ndim == 1 and lanes == 1
        return np.ascontiguousarray(whole[:, 0] if alone else whole)

    def close(self, model: Model) -> Model:
        """The model that it controls; raises ValueError for an output of another shape than u."""
        function, n = self.function, len(model.inputs)
        output = function.outputs[0]
        if output.size != n or len(output.shape) > 1:
            raise ValueError(
                f"{function}: its output '{output.name}' has shape {output.shape}; model '{model.name}' has "
                f"{n} inputs."
            )
        t = time(model.graph) if model.time is None else model.time
        known = {"q": model.q, "dq": model.dq, "t": t, "p": [s.symbol for s in model.parameters]}
        fresh = {port.name: _fresh(model, port) for port in function.inputs if port.name not in known}
        values = {
            name: symbols if port_shape else symbols[0] for name, (symbols, port_shape) in fresh.items()
        }
        found = function(**{port.name: (known | values)[port.name] for port in function.inputs})
        u = found if len(function.outputs) == 1 else found[0]
        law = dict(
            zip((s.symbol for s in model.inputs), [u] if isinstance(u, Expr) else list(u), strict=True)
        )
        made = {name: [Quantity(s, 0.0, "") for s in symbols] for name, (symbols, _) in fresh.items()}
        inputs = made.pop("u", [])
        parameters = [quantity for quantities in made.values() for quantity in quantities]
        wants_time = any(port.name == "t" for port in function.inputs)
        return closed_loop(model, law, parameters, inputs, t if wants_time else None)


def _fresh(model: Model, port: Port) -> tuple[list[Expr], tuple[int, ...]]:
    """New symbols for an input of a law, and its shape."""
    return [model.graph.symbol(f"control.{port.name}{k}") for k in range(port.size)], port.shape


@dataclass(frozen=True)
class Sampled:
    """A Python function (t, q, dq) -> u, called before every so many steps and held between.

    It is slow: every call leaves the native loop. In a batch q and dq have a column for each lane.
    """

    function: Callable[[float, np.ndarray, np.ndarray], Any]
    every: int = 1

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError(f"A sampled controller is called every 1, 2, ... steps; got {self.every!r}.")
