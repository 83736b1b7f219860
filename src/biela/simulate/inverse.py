"""Inverse dynamics: the efforts and reactions that a motion asks for, along a record.

The motion fulfils ``e(q, dq, ddq) + J' lambda = G tau``, where e is ``M ddq - delta``, J the Jacobian of the
constraints and tau the sought inputs or efforts on coordinates. Along the motions that the constraints leave
free, columns of N, this is ``N' G tau = N' e``; the smallest tau is taken where there are more than needed.
What the constraints carry follows: ``J' lambda = G tau - e``. A coordinate that the model drives has its
effort in the multiplier of the drive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from biela.mechanics.model import Model
from biela.simulate.record import Record
from biela.simulate.state import index
from biela.simulate.tangent import by, output, split

ACHIEVED = 1e-6  # of the efforts that remain, relative to the largest


def inverse_dynamics(record: Record, actuated: Sequence[str] | None = None) -> Record:
    """The record with the efforts that its motion asks for.

    ``actuated`` names inputs of the model, whose columns get the values that make the motion, and
    coordinates, whose efforts come as "effort of crank". Without it: the inputs, or the efforts of the drives
    if the model has any. The multipliers are columns "multiplier of ..." too, one for each equation.
    Accelerations are the columns "crank''", or those of forward dynamics without such columns.

    Raises KeyError for an unknown name, and ValueError where the actuated ones cannot make the motion.
    """
    model = _model(record)
    driven = [c for c in model.constraints if c.level == "drive"]
    if actuated is None:
        actuated = [] if driven else [quantity.name for quantity in model.inputs]
    names = [quantity.name for quantity in model.inputs]
    chosen = [name for name in actuated if name in names]
    coordinates = [name for name in actuated if name not in names]
    inputs = _inputs(record, model)
    inputs[:, [names.index(name) for name in chosen]] = 0.0
    idle = record.replaced(u=inputs) if len(names) else record
    ddq = accelerations(record)
    e = _value(idle, "e", ddq)
    G = _actions(idle, ddq, chosen, coordinates)
    J = record.value("Phi_dq") if len(model.phi_dot) else np.zeros((len(record), 0, len(model.q)))
    parts = split(J)
    across = np.swapaxes(parts.free, 1, 2)
    wanted = across @ e[..., None]
    tau = np.linalg.pinv(across @ G, rcond=1e-9) @ wanted
    _check(record, wanted - across @ G @ tau, e, actuated)
    carried = (np.swapaxes(parts.inverse, 1, 2) @ (G @ tau - e[..., None]))[..., 0] * model.sign
    inputs[:, [names.index(name) for name in chosen]] = tau[:, : len(chosen), 0]
    told = _columns(model, chosen, coordinates, tau[..., 0], carried)
    units = {name: _unit(model, name) for name in told}
    used = {"u": inputs} if len(names) else {}
    return record.replaced(columns=record.columns | told, units=record.units | units, **used)


def reactions(record: Record) -> Record:
    """The record with the force and moment of each joint and loop, parent on child, in the child's base.

    Columns are "joint.fx" ... "joint.mz". Multipliers are those of `inverse_dynamics` where the record has
    been there, and of forward dynamics else; accelerations likewise.

    Raises KeyError where the forces of a constraint are not known.
    """
    model = _model(record)
    more: dict[str, Any] = {"ddq": accelerations(record)}
    if len(model.phi_dot):
        more["lambda_"] = _multipliers(record, model)
    function = model.functions["reactions"]
    found: Any = record.value(function, **{k: v for k, v in more.items() if k in _names(function)})
    values = found if len(function.outputs) > 1 else [found]
    columns: dict[str, np.ndarray] = {}
    for port, wrench in zip(function.outputs, values, strict=True):
        for k, part in enumerate(("fx", "fy", "fz", "mx", "my", "mz")):
            columns[f"{port.name}.{part}"] = np.ascontiguousarray(wrench[:, k])
    units = {name: "N" if name[-2] == "f" else "N m" for name in columns}
    return record.replaced(columns=record.columns | columns, units=record.units | units)


def accelerations(record: Record) -> np.ndarray:
    """The accelerations of a record: its columns, or those of forward dynamics."""
    model = _model(record)
    names = [f"{c.name}''" for c in model.placements]
    if all(name in record.columns for name in names):
        return np.stack([record[name] for name in names], axis=1)
    found: Any = record.value("ddq")
    return found.ddq if hasattr(found, "ddq") else found


def _multipliers(record: Record, model: Model) -> np.ndarray:
    names = [f"multiplier of {name}" for name in model.equation_names]
    if all(name in record.columns for name in names):
        return np.stack([record[name] for name in names], axis=1)
    return record.value("ddq").lambda_


def _model(record: Record) -> Model:
    if record.lanes:
        raise ValueError(f"The record has {record.lanes} lanes; inverse dynamics takes one motion at a time.")
    if record.model is None:
        raise ValueError("This record belongs to no model: give it one with record.attached(model).")
    return record.model


def _names(function: Any) -> set[str]:
    return {port.name for port in function.inputs}


def _value(record: Record, function: Any, ddq: np.ndarray) -> np.ndarray:
    wanted = record.model.functions[function] if isinstance(function, str) and record.model else function
    return record.value(wanted, **({"ddq": ddq} if "ddq" in _names(wanted) else {}))


def _inputs(record: Record, model: Model) -> np.ndarray:
    """The inputs at all moments."""
    u = model.u if record.u is None else record.u
    return np.array(np.broadcast_to(u, (len(record), len(model.inputs))))


def _actions(
    record: Record, ddq: np.ndarray, inputs: Sequence[str], coordinates: Sequence[str]
) -> np.ndarray:
    """G: how inputs and efforts on coordinates act on the equations, a column for each."""
    model, n = _model(record), len(record.q[0])
    G = np.zeros((len(record), n, len(inputs) + len(coordinates)))
    if inputs:
        symbols = [quantity.symbol for quantity in model.inputs if quantity.name in inputs]
        order = [[q.name for q in model.inputs if q.name in inputs].index(name) for name in inputs]
        slopes = by(model, -output(model.functions["e"]), symbols)
        if any(symbol.ref in set(model.graph.reachable(slopes.refs)) for symbol in symbols):
            raise ValueError(
                f"Model '{model.name}': its equations are not linear in {', '.join(inputs)}, so they cannot "
                "be solved for them. Name other inputs, or coordinates."
            )
        G[:, :, : len(inputs)] = _value(
            record, model.function("actions", {"G": slopes}, "acceleration"), ddq
        )[:, :, order]
    for j, name in enumerate(coordinates):
        G[:, index(model, name), len(inputs) + j] = 1.0
    return G


def _check(record: Record, left: np.ndarray, e: np.ndarray, actuated: Sequence[str]) -> None:
    """Raise ValueError where the actuated ones leave something undone."""
    rest = np.abs(left).reshape(len(record), -1).max(axis=1, initial=0.0)
    k = int(np.argmax(rest))
    if rest[k] > ACHIEVED * max(1.0, float(np.abs(e).max())):
        told = ", ".join(actuated) or "nothing"
        raise ValueError(
            f"With {told} actuated the motion cannot be made: at t={record.t[k]:g} s an effort of "
            f"{rest[k]:.3g} remains. Actuate as many coordinates or inputs as there are degrees of freedom."
        )


def _columns(
    model: Model, inputs: Sequence[str], coordinates: Sequence[str], tau: np.ndarray, carried: np.ndarray
) -> dict[str, np.ndarray]:
    labels = [*inputs, *(f"effort of {name}" for name in coordinates)]
    columns = {label: np.ascontiguousarray(tau[:, j]) for j, label in enumerate(labels)}
    drives = {c.name for c in model.constraints if c.level == "drive"}
    for i, name in enumerate(model.equation_names):
        columns[f"multiplier of {name}"] = np.ascontiguousarray(carried[:, i])
        if name in drives:
            columns[f"effort of {name}"] = -model.sign * carried[:, i]
    return columns


def _unit(model: Model, label: str) -> str:
    units = {quantity.name: quantity.unit for quantity in model.inputs}
    units |= {f"effort of {c.name}": "N m" if c.unit == "rad" else "N" for c in model.placements}
    units |= {f"effort of drive of {c.name}": "N m" if c.unit == "rad" else "N" for c in model.placements}
    return units.get(label, "")
