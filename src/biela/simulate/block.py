"""A simulation as a `Block`: for FMUs and for controllers, with the step that runs natively here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biela.compile.block import Block, Limit, Signal
from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.expr.matrix import vector
from biela.mechanics.model import Model
from biela.simulate.assembly import assemble
from biela.simulate.recording import units, widest_gap
from biela.simulate.state import State
from biela.simulate.step import Step
from biela.simulate.watch import PIVOT

if TYPE_CHECKING:
    from biela.simulate.simulation import Simulation

GAPES = "the loops gape: the step is too large, or a position singular"
SINGULAR = "the position is singular: the pivots of the step are too small"


def of_simulation(
    simulation: Simulation, start: State | None, outputs: Mapping[str, Expr] | None, name: str
) -> Block:
    """The block of a simulation.

    Raises ValueError for a step with error control, whose steps no fixed number of calls can tell.
    """
    model, step = simulation.model, simulation.step
    if step.adaptive:
        raise ValueError(
            f"Integrator '{step.integrator.name}' chooses its steps itself; those of a block have one size. "
            "Take another, as in Simulation(model, integrator='rk4', dt=1e-3)."
        )
    state = assemble(model) if start is None else start
    x = step.pack(state.q, state.dq, state.t, p=state.p, u=state.u)
    told = units(model)
    names, n = step.names, len(model.placements)
    look, looked = looking(model, step.function, outputs or {}, step)
    return Block(
        name or model.name,
        step.function,
        simulation.dt,
        tuple(Signal(k, float(v), told.get(k, "")) for k, v in zip(names, x, strict=True)),
        2 * n,
        inputs_of(model, step.function, state),
        parameters_of(model, step.function, state),
        look,
        looked,
        clock=names.index("t") if "t" in names else None,
        residual=residual(model, step.function),
        limits=_limits(step),
        description=f"{model.name}, {step.formulation}, {step.integrator.name}, dt={simulation.dt:g} s",
    )


def parameters_of(model: Model, step: Function, state: State) -> tuple[Signal, ...]:
    """The parameters of a step, with the values of a state."""
    if all(port.name != "p" for port in step.inputs):
        return ()
    pairs = zip(model.parameters, state.p, strict=True)
    return tuple(Signal(one.name, float(v), one.unit, one.note) for one, v in pairs)


def inputs_of(model: Model, step: Function, state: State) -> dict[str, tuple[Signal, ...]]:
    """The inputs of a step, with the values of a state."""
    if all(port.name != "u" for port in step.inputs):
        return {}
    pairs = zip(model.inputs, state.u, strict=True)
    return {"u": tuple(Signal(one.name, float(v), one.unit, one.note) for one, v in pairs)}


def residual(model: Model, step: Function) -> Function | None:
    """The equations of position at a state of a step."""
    return of_state(step, f"{model.name}_closed", {"Phi": model.phi}) if len(model.phi) else None


def of_state(step: Function, name: str, outputs: Mapping[str, Any]) -> Function:
    """A Function of the state, parameters and inputs of a step."""
    ports = [port for port in step.inputs if port.name in ("x", "p", "u")]
    return Function(name, {port.name: step.value(port) for port in ports}, outputs)


def looking(
    model: Model, step: Function, outputs: Mapping[str, Expr], made: Step
) -> tuple[Function | None, tuple[Signal, ...]]:
    """The Function of further outputs, with accelerations as the step has them."""
    if not outputs:
        return None, ()
    values = vector(list(outputs.values()), model.graph)
    used = {symbol.ref for value in values for symbol in value.symbols}
    if any(a.ref in used for a in model.ddq):
        rate = made.flow.rate
        ddq = rate(**{port.name: rate.value(port) for port in rate.inputs})
        values = values.substitute(dict(zip(model.ddq, ddq, strict=True)))
    return of_state(step, f"{model.name}_outputs", {"y": values}), tuple(Signal(k, 0.0) for k in outputs)


def _limits(step: Step) -> tuple[Limit, ...]:
    names = step.names
    limits = [Limit(names.index("gap"), GAPES, most=widest_gap(step))]
    if "pivot" in names:
        limits.append(Limit(names.index("pivot"), SINGULAR, least=PIVOT))
    return tuple(limits)
