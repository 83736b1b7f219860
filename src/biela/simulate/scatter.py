"""`scatter`: many starts at once, drawn at random and brought onto the constraints natively.

Coordinates that are drawn keep their values; the others follow. All lanes walk from one assembled state to
their own values in short strides, with one iteration of Newton's method each, so they stay on its branch
where that reaches; then the iterations settle. The whole walk is one native loop over lanes and threads.
Lanes that do not close, because their values are out of reach, are left out and told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.expression import Expr, constant, maximum, minimum, sqrt
from biela.expr.factorisation import Factorisation
from biela.expr.function import Function
from biela.expr.matrix import Matrix
from biela.expr.pattern import block, identity, zeros
from biela.mechanics.forward import factored
from biela.mechanics.model import Model
from biela.mechanics.rank import first_rows
from biela.mechanics.sample import Sample, free_samples, with_start
from biela.simulate.assembly import AssemblyError, assemble, index_of
from biela.simulate.distribution import drawn
from biela.simulate.state import State, parameters

STRIDE = 0.1  # radians or metres of a drawn coordinate from one iteration to the next
SETTLE = 15  # iterations after the walk
LEAP = 0.5  # at most so far goes one iteration
CLOSED = 1e-9  # residual of a lane that closes
STATES = 3


@dataclass(frozen=True)
class Scatter:
    """Starts side by side: ``q`` and ``dq`` have a column for each, ``p`` too if parameters were drawn.

    ``lanes`` are the numbers of the draws that closed; ``failed`` has by name what was drawn for the others.
    """

    model: Model
    q: np.ndarray
    dq: np.ndarray
    p: np.ndarray
    t: float
    lanes: np.ndarray
    failed: dict[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])

    def __repr__(self) -> str:
        lost = len(next(iter(self.failed.values()), np.zeros(0)))
        told = f", {lost} more did not close" if lost else ""
        return f"<Scatter of {self.model.name}: {len(self)} lanes{told}>"

    def __len__(self) -> int:
        return self.q.shape[1]

    def __getitem__(self, lane: int) -> State:
        p = self.p if self.p.ndim == 1 else self.p[:, lane].copy()
        q, dq = self.q[:, lane].copy(), self.dq[:, lane].copy()
        return State(self.model, q, dq, self.t, p, self.model.u)


def scatter(
    model: Model, n: int, *, seed: int = 1, guess: State | None = None, t: float = 0.0,
    p: Mapping[str, Any] | None = None, speeds: Mapping[str, Any] | None = None, **drawing: Any,
) -> Scatter:  # fmt: skip
    """``n`` starts with some coordinates drawn: ``scatter(model, 1000, crank=Uniform(0, 2 * pi))``.

    What is drawn is a distribution, a number, or an array with a value for each start; '.' and blanks of
    names are written as '_'. ``speeds`` are drawn likewise, and are kept as far as the constraints allow, at
    rest by default; ``p`` are parameters. ``guess`` is where all begin to close.

    Raises KeyError for unknown names, ValueError for other shapes, AssemblyError if no lane closes.
    """
    rng = np.random.default_rng(seed)
    base = guess or assemble(model, velocities=np.zeros(len(model.placements)), t=t)
    places = {index_of(model, name): (name, value) for name, value in drawing.items()}
    target = np.array([drawn(v, rng, n, f"Coordinate '{name}'") for name, v in places.values()])
    fast = {
        index_of(model, name): drawn(v, rng, n, f"Speed of '{name}'") for name, v in (speeds or {}).items()
    }
    chosen = {name: drawn(v, rng, n, f"Parameter '{name}'") for name, v in (p or {}).items()}
    values = parameters(model, chosen) if chosen else base.p
    target = target.reshape(len(places), n)
    q = _positions(model, base, list(places), target, values, n)
    dq = _velocities(model, q, t, values, fast)
    closed = _closed(model, q, t, values) & np.isfinite(dq).all(axis=0)
    if not closed.any():
        raise AssemblyError(f"Model '{model.name}': none of {n} starts closes. Draw from a smaller range.")
    names = {name: target[k] for k, (name, _) in enumerate(places.values())} | chosen
    lanes = np.flatnonzero(closed)
    kept = np.ascontiguousarray(values[:, lanes]) if values.ndim > 1 else values
    failed = {} if closed.all() else {name: row[~closed] for name, row in names.items()}
    q, dq = np.ascontiguousarray(q[:, lanes]), np.ascontiguousarray(dq[:, lanes])
    return Scatter(model, q, dq, kept, t, lanes, failed)


def _positions(
    model: Model, base: State, held: list[int], target: np.ndarray, p: np.ndarray, n: int
) -> np.ndarray:
    """Positions that keep the drawn values; where they do not close they are what came last."""
    q = np.repeat(base.q[:, None], n, axis=1)
    if not len(model.phi) or len(held) == len(q):
        q[held] = target
        return q
    far = np.abs(target - base.q[held][:, None]).max(initial=0.0)
    walk = int(min(200, np.ceil(far / STRIDE)))
    share = np.concatenate([np.arange(1, walk + 1) / max(walk, 1), np.ones(SETTLE)])
    kernel = Kernel(newton(model, held))
    have: dict[str, Any] = {"t": base.t, "p": p, "share": share}
    have |= {"begin": base.q[held], "target": np.ascontiguousarray(target)}
    named = {port.name: have[port.name] for port in kernel.function.inputs[1:]}
    series = ["share"] if held else []
    return kernel.iterate(q, len(share), every=len(share), series=series, threads=0, **named)[-1]


def newton(model: Model, held: list[int]) -> Function:
    """One iteration: held coordinates at a ``share`` of their way, the others follow by the least change."""
    graph = model.graph
    free = [k for k in range(len(model.q)) if k not in held]
    share = graph.symbol("scatter.share")
    q = list(model.q)
    ports = {"q": model.q, **({"share": share} if held else {})}
    if held:
        begin, target = ([graph.symbol(f"scatter.{w}{k}") for k in held] for w in ("begin", "target"))
        ports |= {"begin": begin, "target": target}
        for k, a, b in zip(held, begin, target, strict=True):
            q[k] = a + (b - a) * share
    moved: dict[Any, Any] = dict(zip(model.q, q, strict=True))
    rows, factor = _factor(model, model.phi_q, "Phi_q", free)
    residual = Matrix(graph, (len(rows),), tuple(model.phi.refs[i] for i in rows))
    step = factor.solve(block([zeros(graph, (len(free),)), residual]))[: len(free)].substitute(moved)
    size = constant(graph, 0.0)
    for change in step:
        size = size + change * change
    short = minimum(1.0, LEAP / maximum(sqrt(size), 1e-30))
    for k, change in zip(free, step, strict=True):
        q[k] = model.q[k] - change * short
    ports |= {name: value for name, value in model.ports("position").items() if name in ("t", "p")}
    return Function(f"{model.name}_newton", ports, {"q_next": q})


def _factor(model: Model, J: Matrix, name: str, free: list[int]) -> tuple[list[int], Factorisation]:
    """Equations that are independent for the free coordinates, and the factors of their least change."""
    states: list[Sample] = with_start(model, STATES) or list(free_samples(model, STATES))
    found = [first_rows(state.evaluate(model.functions[name])[:, free]) for state in states]
    rows, graph, n = max(found, key=len), model.graph, len(free)
    width = len(model.q)
    refs = tuple(J.refs[i * width + k] for i in rows for k in free)
    part = Matrix(graph, (len(rows), n), refs)
    whole = block([[identity(graph, n), part.T], [part, zeros(graph, (len(rows), len(rows)))]])
    return rows, factored(model, whole, states)


def _velocities(
    model: Model, q: np.ndarray, t: float, p: np.ndarray, fast: Mapping[int, np.ndarray]
) -> np.ndarray:
    """Velocities with the given ones, the others as small as the constraints allow."""
    dq = np.zeros_like(q)
    for k, values in fast.items():
        dq[k] = values
    if not len(model.phi_dot):
        return dq
    graph = model.graph
    free = [k for k in range(len(model.q)) if k not in fast]
    rows, factor = _factor(model, model.phi_dq, "Phi_dq", free)
    residual = Matrix(graph, (len(rows),), tuple(model.phi_dot.refs[i] for i in rows))
    step = factor.solve(block([zeros(graph, (len(free),)), residual]))[: len(free)]
    after: list[Expr] = list(model.dq)
    for k, change in zip(free, step, strict=True):
        after[k] = model.dq[k] - change
    kernel = Kernel(model.function("velocity_closing", {"dq_next": after}, "velocity"))
    have: dict[str, Any] = {"q": np.ascontiguousarray(q), "dq": dq, "t": t, "p": p}
    given = {port.name: have[port.name] for port in kernel.function.inputs}
    moving: np.ndarray = kernel.batch(threads=0, **given)
    return moving


def _closed(model: Model, q: np.ndarray, t: float, p: np.ndarray) -> np.ndarray:
    """Which lanes fulfil all constraints of position."""
    if not len(model.phi):
        return np.isfinite(q[0])
    kernel = Kernel(model.functions["Phi"])
    have: dict[str, Any] = {"q": np.ascontiguousarray(q), "t": t, "p": p}
    found = kernel.batch(threads=0, **{port.name: have[port.name] for port in kernel.function.inputs})
    gaps: np.ndarray = np.abs(np.array(found, float)).max(axis=0)
    return gaps < CLOSED
