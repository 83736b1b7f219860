"""`Step`: formulation and integrator as one Function, from a state to the next.

The state ``x`` of the Function is (q, dq), then the time where the model or the integrator needs it, then
what an implicit integrator carries along (accelerations and multipliers), then what is watched: the largest
gap of the constraints so far and, with error control, the step size to try and how many tries were refused.
So a native loop needs nothing beside it, and a lane that goes astray tells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.expression import Expr, constant, exp, log, maximum, minimum, sqrt, where
from biela.expr.function import Function
from biela.expr.matrix import Matrix
from biela.mechanics.model import Model
from biela.simulate.flow import Flow, Options, Place
from biela.simulate.formulation import FORMULATIONS, choose
from biela.simulate.integrator import INTEGRATORS, Integrator
from biela.simulate.numeric import acceleration
from biela.simulate.state import State
from biela.suggestion import suggestion

SAFETY, SLOWER, FASTER = 0.9, 0.2, 5.0  # of the step size control (Hairer, Norsett and Wanner, 1993, II.4)
WATCHED, ADAPTIVE = ("gap", "pivot"), ("gap", "size", "refused")


def registered(name: str, table: dict[str, Any], what: str) -> Any:
    """The row of a registry; raises ValueError with a suggestion for an unknown name."""
    if name not in table:
        raise ValueError(f"Unknown {what} {name!r}. Known: {', '.join(table)}.{suggestion(name, table)}")
    return table[name]


@dataclass(frozen=True)
class Step:
    """One step of a model by a formulation and an integrator; made by `step`."""

    model: Model
    formulation: str
    integrator: Integrator
    flow: Flow
    options: Options

    def __repr__(self) -> str:
        return f"<Step {self.model.name}: {self.formulation}, {self.integrator.name}>"

    @property
    def adaptive(self) -> bool:
        """Whether it chooses its size itself."""
        return self.integrator.adaptive

    @property
    def iterations(self) -> int:
        """Of the closing: one regains all that an integrator of third order loses, others take two."""
        given = self.options.iterations or self.integrator.iterations
        return given or (1 if self.integrator.order >= 3 else 2)

    @cached_property
    def names(self) -> list[str]:
        """What the components of the state are."""
        q = [placement.name for placement in self.model.placements]
        names = [*q, *(f"{name}'" for name in q)]
        if self._time is not None:
            names.append("t")
        return [*names, *self.memory, *self.watched]

    @property
    def watched(self) -> tuple[str, ...]:
        """What is watched: the largest gap, and the smallest pivot where accelerations are solved for."""
        if self.adaptive:
            return ADAPTIVE
        solved = self.flow.pivot is not None and not (self.integrator.implicit or self.integrator.closes)
        return WATCHED if solved else WATCHED[:1]

    @cached_property
    def memory(self) -> list[str]:
        """What an implicit integrator carries along: accelerations, algorithmic ones, multipliers."""
        if not self.integrator.implicit:
            return []
        q = [placement.name for placement in self.model.placements]
        several = [symbol.name for symbol in self.flow.balance.multipliers]
        return [*(f"{name}''" for name in q), *(f"{name}'' algorithmic" for name in q), *several]

    @cached_property
    def _memory(self) -> tuple[Matrix, ...]:
        """Its symbols, in their groups."""
        n, graph = len(self.model.q), self.model.graph
        refs = [self._symbol(f"memory{k}").ref for k in range(len(self.memory))]
        groups = (refs[:n], refs[n : 2 * n], refs[2 * n :])
        return tuple(Matrix(graph, (len(group),), tuple(group)) for group in groups if group)

    @cached_property
    def _time(self) -> Expr | None:
        if self.model.time is not None:
            return self.model.time
        return self.model.graph.symbol("step.t") if self.adaptive else None

    def pack(self, q: Any, dq: Any, t: float, size: float = 0.0, p: Any = None, u: Any = None) -> np.ndarray:
        """The state of the Function for positions, velocities and time; lanes are the last axis.

        Accelerations and multipliers of implicit integrators begin as the parameters ``p`` and inputs ``u``,
        or the model's own, have them.
        """
        q, dq = np.asarray(q, float), np.asarray(dq, float)
        begin = {"t": float(t), "gap": 0.0, "pivot": 1.0, "size": size, "refused": 0.0}
        row = {name: np.broadcast_to(value, (1, *q.shape[1:])) for name, value in begin.items()}
        time = [] if self._time is None else [row["t"]]
        parts = [q, dq, *time, *self._remembered(q, dq, t, p, u), *(row[name] for name in self.watched)]
        return np.ascontiguousarray(np.concatenate(parts))

    def _remembered(self, q: np.ndarray, dq: np.ndarray, t: float, p: Any, u: Any) -> list[np.ndarray]:
        if not self.integrator.implicit:
            return []
        model, function = self.model, self.flow.balance.start
        have = {"q": q, "dq": dq, "t": t, "p": model.p if p is None else p, "u": model.u if u is None else u}
        given: dict[str, Any] = {
            port.name: np.array(have[port.name], float, order="C") for port in function.inputs
        }
        solved = self._starting(**given) if q.ndim == 1 else self._starting.batch(**given)
        ddq, *rest = solved if len(function.outputs) > 1 else [solved]
        if q.ndim == 1 and not all(np.isfinite(part).all() for part in (ddq, *rest)):  # a singular position
            ddq = acceleration(State(model, q, dq, t, np.asarray(have["p"]), np.asarray(have["u"])))
            rest = [np.zeros_like(part) for part in rest]
        return [ddq, ddq, *rest]

    @cached_property
    def _starting(self) -> Kernel:
        return Kernel(self.flow.balance.start)

    @cached_property
    def function(self) -> Function:
        """``x_next`` of ``x``, the step size ``h``, and the parameters ``p`` and inputs ``u`` of the model.

        With error control ``h`` is the largest size and ``control`` has the time to stop at and the relative
        and absolute tolerances; the Function is one try.
        """
        return self._adaptive() if self.adaptive else self._fixed()

    def _inputs(self, x: list[Expr], more: dict[str, Any]) -> dict[str, Any]:
        ports = self.model.ports("force")
        return {"x": x, "h": self._symbol("h"), **more, **{k: ports[k] for k in ("p", "u") if k in ports}}

    def _symbol(self, name: str) -> Expr:
        return self.model.graph.symbol(f"step.{name}")

    def _start(self) -> tuple[Place, list[Expr]]:
        model = self.model
        q, dq = (Matrix(model.graph, (len(s),), tuple(e.ref for e in s)) for s in (model.q, model.dq))
        time = [] if self._time is None else [self._time]
        watched = [self._symbol(name) for name in self.watched]
        memory = [value for group in self._memory for value in group] if self.memory else []
        place = Place(q, dq, self._time, self._memory if memory else ())
        return place, [*model.q, *model.dq, *time, *memory, *watched]

    def _end(self, start: Place, h: Expr) -> tuple[Place, Expr, Matrix | None]:
        """The closed state after a step, its gap, and the estimated error."""
        advance = self.integrator.advance(self.flow, start, h, self.iterations)
        closed = self.integrator.implicit or self.integrator.closes
        if self.flow.closing is None or closed:
            return advance.place, self._open_gap(advance.place), advance.error
        place, gap = self.flow.closed(advance.place, self.iterations)
        return place, gap, advance.error

    def _open_gap(self, place: Place) -> Expr:
        """How far a state that nothing closes is from the constraints."""
        total = constant(self.model.graph, 0.0)
        if len(self.model.phi):
            known: dict[Expr, Any] = dict(zip(self.model.q, place.q, strict=True))
            if self.model.time is not None:
                known[self.model.time] = place.t
            for value in self.model.phi.substitute(known):
                total = maximum(total, abs(value))
        return total

    def _fixed(self) -> Function:
        start, x = self._start()
        place, gap, _ = self._end(start, self._symbol("h"))
        time = [] if place.t is None else [place.t]
        memory = [value for group in place.more for value in group]
        watched = [maximum(self._symbol("gap"), gap)]
        if "pivot" in self.watched:
            assert self.flow.pivot is not None
            watched.append(minimum(self._symbol("pivot"), self.flow.at(self.flow.pivot, start)))
        after = [*place.q, *place.dq, *time, *memory, *watched]
        return Function(f"{self.model.name}_step", self._inputs(x, {}), {"x_next": after})

    def _adaptive(self) -> Function:
        start, x = self._start()
        stop, relative, absolute = (self._symbol(name) for name in ("stop", "relative", "absolute"))
        assert start.t is not None
        size = minimum(minimum(self._symbol("size"), self._symbol("h")), stop - start.t)
        place, gap, error = self._end(start, size)
        assert error is not None
        assert place.t is not None
        ratio = _norm(error, [*start.q, *start.dq], [*place.q, *place.dq], relative, absolute)
        accepted = ratio <= 1.0
        growth = SAFETY * exp(log(maximum(ratio, 1e-12)) * (-1.0 / self.integrator.order))
        wanted = size * minimum(FASTER, maximum(SLOWER, growth))
        cut = size < self._symbol(
            "size"
        )  # by the time to stop at or the largest size: it may go on as before
        after = where(accepted, where(cut, maximum(wanted, self._symbol("size")), wanted), wanted)
        left = stop - start.t > 0.0
        go = where(left, accepted, 0.0)
        pairs = zip([*place.q, *place.dq, place.t], [*start.q, *start.dq, start.t], strict=True)
        moved = [where(go, new, old) for new, old in pairs]
        worst = where(go, maximum(self._symbol("gap"), gap), self._symbol("gap"))
        refused = self._symbol("refused") + where(left, where(accepted, 0.0, 1.0), 0.0)
        control = {"control": [stop, relative, absolute]}
        outputs = [*moved, worst, where(left, after, self._symbol("size")), refused]
        return Function(f"{self.model.name}_try", self._inputs(x, control), {"x_next": outputs})


def _norm(error: Matrix, old: list[Expr], new: list[Expr], relative: Expr, absolute: Expr) -> Expr:
    """The root mean square of errors in units of their tolerances."""
    total = constant(error.graph, 0.0)
    for e, a, b in zip(error, old, new, strict=True):
        scaled = e / (absolute + relative * maximum(abs(a), abs(b)))
        total = total + scaled * scaled
    return sqrt(total / float(len(old)))


def step(model: Model, formulation: str = "auto", integrator: str = "rk4", **options: Any) -> Step:
    """The step of a model by a formulation and an integrator; ``options`` are those of `Options`.

    Raises ValueError for unknown names, or a formulation that does not suit the model.
    """
    name = choose(model) if formulation == "auto" else formulation
    row = registered(name, FORMULATIONS, "formulation")
    reason = row.refuses(model)
    if reason:
        raise ValueError(f"Formulation '{name}' does not suit model '{model.name}': {reason}.")
    unknown = sorted(set(options) - set(Options.__dataclass_fields__))
    if unknown:
        registered(unknown[0], Options.__dataclass_fields__, "option")
    chosen, how = replace(Options(), **options), registered(integrator, INTEGRATORS, "integrator")
    reason = how.refuses(model)
    if reason:
        raise ValueError(f"Integrator '{integrator}' does not suit model '{model.name}': {reason}.")
    if how.formulations and name not in how.formulations:
        told = " or ".join(f"'{other}'" for other in how.formulations)
        raise ValueError(f"Integrator '{integrator}' goes with formulation {told}, not with '{name}'.")
    flow = replace(row.flow(model, chosen), options=chosen)
    if how.implicit and flow.balancing is None:
        others = ", ".join(k for k, other in INTEGRATORS.items() if not other.implicit)
        raise ValueError(
            f"Integrator '{integrator}' does not suit formulation '{name}': it is implicit, and nothing "
            f"is said there of the end of a step. Use another formulation, or one of {others}."
        )
    return Step(model, name, how, flow, chosen)
