"""What the inputs of a run come to: numbers for the native loop, and perhaps a law composed into its step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from biela.expr.expression import Expr, time
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.expr.matrix import Matrix
from biela.mechanics.model import Model
from biela.simulate.input import Controller, Sampled, Table
from biela.simulate.state import inputs


@dataclass(frozen=True)
class Drive:
    """The inputs of a run.

    ``rows`` are constant, or have a row for each step where ``series``. ``shown`` are the inputs at all
    moments, the end included, where they are known before the run. With a ``law``, rows are its inputs.
    """

    rows: np.ndarray
    series: bool = False
    shown: np.ndarray | None = None
    law: Controller | None = None
    sampled: Sampled | None = None


@dataclass(frozen=True)
class Grid:
    """The steps of a run: where they begin, how long they are, how many, and for how many lanes."""

    begin: float
    dt: float
    count: int
    lanes: int = 0  # 0: one state alone

    @property
    def end(self) -> float:
        """Where they end."""
        return self.begin + self.dt * self.count

    def halves(self) -> np.ndarray:
        """The moments and the middles between them."""
        return self.begin + 0.5 * self.dt * np.arange(2 * self.count + 1)


def resolve(model: Model, u: Any, default: np.ndarray, grid: Grid) -> Drive:
    """What a run is given for its argument ``u``; ``default`` are the inputs that it does not mention.

    Raises KeyError for an unknown input, ValueError for wrong shapes, tables that end early, and values that
    are not finite, naming the input and the time.
    """
    if u is None:
        return Drive(default)
    if isinstance(u, Sampled):
        return Drive(default, sampled=u)
    if isinstance(u, (Function, Controller)):
        return Drive(default[:0], law=u if isinstance(u, Controller) else Controller(u))
    parts = _parts(model, u)
    if any(isinstance(part, Expr) for part in parts.values()):
        return Drive(default[:0], law=_expressions(model, parts, default))
    if any(callable(part) for part in parts.values()):
        return _signals(model, parts, default, grid)
    if isinstance(u, Mapping):
        rows = [np.asarray(part, float) for part in _each(model, parts, default)]
        return Drive(_finite(model, np.ascontiguousarray(np.stack(np.broadcast_arrays(*rows)))))
    return _array(model, u, grid)


def _names(model: Model) -> list[str]:
    return [quantity.name for quantity in model.inputs]


def _each(model: Model, parts: Mapping[str, Any], default: np.ndarray) -> list[Any]:
    """What is given for each input, in order."""
    return [parts.get(name, value) for name, value in zip(_names(model), default, strict=True)]


def _parts(model: Model, u: Any) -> dict[str, Any]:
    """What is given for inputs by name; '' for all of them together, none for an array."""
    names = _names(model)
    if isinstance(u, Mapping):
        given = dict[str, Any](u)  # pyright: ignore[reportUnknownArgumentType]
        inputs(model, dict.fromkeys(given, 0.0))  # raises for an unknown name
        return given
    expressions = _listed(u)
    if any(isinstance(part, Expr) for part in expressions):
        if len(expressions) != len(names):
            raise ValueError(
                f"Model '{model.name}' has {len(names)} inputs; got {len(expressions)} expressions."
            )
        return dict(zip(names, expressions, strict=True))
    return {"": u} if callable(u) else {}  # pyright: ignore[reportUnknownVariableType]


def _listed(u: Any) -> list[Any]:
    if isinstance(u, Expr):
        return [u]
    return list(u) if isinstance(u, (list, tuple, Matrix)) else []  # pyright: ignore[reportUnknownArgumentType]


def _expressions(model: Model, parts: Mapping[str, Any], default: np.ndarray) -> Controller:
    """A controller of expressions and numbers."""
    bad = [name for name, part in parts.items() if callable(part)]
    if bad:
        raise ValueError(
            f"Model '{model.name}': input '{bad[0]}' is a signal beside expressions. Give all in one way."
        )
    ports = {"t": time(model.graph), **model.ports("velocity")}
    return Controller(Function(f"{model.name}_law", ports, {"u_now": _each(model, parts, default)}))


def _array(model: Model, u: Any, grid: Grid) -> Drive:
    values, n = np.asarray(u, float), len(model.inputs)
    if values.ndim > 1 and values.shape[:2] == (grid.count, n):
        shown = np.concatenate([values, values[-1:]])
        return Drive(_finite(model, np.ascontiguousarray(values), grid), True, shown)
    if values.shape != (n,) and not (grid.lanes and values.shape == (n, grid.lanes)):
        lanes = f", ({n}, {grid.lanes}) with a column for each lane" if grid.lanes else ""
        raise ValueError(
            f"Model '{model.name}': u has shape {values.shape}; expected ({n},) for constant inputs{lanes}, "
            f"or ({grid.count}, {n}) with a row for each step."
        )
    return Drive(_finite(model, np.ascontiguousarray(values)))


def _signals(model: Model, parts: Mapping[str, Any], default: np.ndarray, grid: Grid) -> Drive:
    """Signals, read at moments and middles: a parabola in each step, or its first value if all are held."""
    n, halves = len(model.inputs), grid.halves()
    if "" in parts:
        values = _sampled(model, "u", parts[""], halves, grid, n)
        held = [_held(parts[""])] * n
    else:
        each = _each(model, parts, default)
        columns = [
            _sampled(model, name, part, halves, grid, 0)
            for name, part in zip(_names(model), each, strict=True)
        ]
        wide = max(column.ndim for column in columns) > 1
        columns = [column[:, None] if wide and column.ndim == 1 else column for column in columns]
        values = np.stack(np.broadcast_arrays(*columns), axis=1)
        held = [_held(part) for part in each]
    _finite(model, values, grid, halves)
    if all(held):
        return Drive(np.ascontiguousarray(values[:-1:2]), True, values[::2])
    return _parabolas(values, held, grid)


def _held(part: Any) -> bool:
    return not callable(part) or (isinstance(part, Table) and part.kind == "hold")


def _sampled(model: Model, name: str, part: Any, halves: np.ndarray, grid: Grid, n: int) -> np.ndarray:
    """The values of a signal for one input, or for ``n`` of them unless that is zero."""
    if not callable(part):
        return np.broadcast_to(np.asarray(part, float), (len(halves), *np.shape(part)))
    if isinstance(part, Table):
        part.covers(grid.begin, grid.end)
    try:
        values = np.asarray(part(halves), float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Model '{model.name}', input '{name}': its signal fails for an array of times: {error} "
            "It is called once, with all of them: use np.where in place of if, or np.vectorize."
        ) from error
    if n == 1 and values.shape == halves.shape:
        values = values[:, None]
    wanted = (len(halves), n) if n else (len(halves),)
    if values.shape != wanted and not (grid.lanes and values.shape == (*wanted, grid.lanes)):
        raise ValueError(
            f"Model '{model.name}', input '{name}': for {len(halves)} times it gave shape {values.shape}; "
            f"expected {wanted}. It is called once, with an array of times."
        )
    return values


def _parabolas(values: np.ndarray, held: Sequence[bool], grid: Grid) -> Drive:
    """a + b s + c s^2 with s the time since the step began, through the values at its ends and middle."""
    begin, middle, end = values[:-1:2], values[1::2].copy(), values[2::2].copy()
    for k in np.flatnonzero(held):
        middle[:, k] = end[:, k] = begin[:, k]
    b = (4.0 * middle - 3.0 * begin - end) / grid.dt
    c = 2.0 * (begin - 2.0 * middle + end) / grid.dt**2
    starts = grid.begin + grid.dt * np.arange(grid.count)
    since = np.broadcast_to(starts.reshape(-1, *[1] * (values.ndim - 1)), (grid.count, 1, *values.shape[2:]))
    rows = np.ascontiguousarray(np.concatenate([begin, b, c, since], axis=1))
    return Drive(rows, True, values[::2], Controller(parabola(values.shape[1])))


@cache
def parabola(n: int) -> Function:
    """The law of ``n`` inputs that follow parabolas in time, whose coefficients are its own inputs."""
    graph = Graph()
    t, u = graph.symbol("t"), [graph.symbol(f"u{k}") for k in range(3 * n + 1)]
    s = t - u[-1]
    outputs = [u[k] + s * (u[n + k] + s * u[2 * n + k]) for k in range(n)]
    return Function("parabola", {"t": t, "u": u}, {"u_now": outputs})


def _finite(
    model: Model, values: np.ndarray, grid: Grid | None = None, times: np.ndarray | None = None
) -> np.ndarray:
    """The values; raises ValueError, naming the input and the time, where they are not finite."""
    good = np.isfinite(values)
    if good.all():
        return values
    place = np.argwhere(~good)[0]
    name = _names(model)[int(place[1 if grid else 0])]
    when = ""
    if grid:
        moments = grid.begin + grid.dt * np.arange(grid.count) if times is None else times
        when = f" at t={moments[int(place[0])]:g} s"
    raise ValueError(f"Model '{model.name}': input '{name}' is not finite{when}.")
