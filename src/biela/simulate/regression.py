"""Base parameters from a record by linear least squares: no simulation, no first guess.

Along the motions that the constraints allow, what inertia and weight ask for is what the loads give,

    N' K(q, dq, ddq) phi = N' L,

with K the observation matrix and L the generalised force of springs, dampers and inputs, for which the record
has the values. Only base parameters can be found (`biela.mechanics.base_parameter`): combinations of the
inertia parameters that the motion depends on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from biela.mechanics.base_parameter import BaseParameters
from biela.mechanics.inverse import inertia_values
from biela.simulate.identification import check_visible
from biela.simulate.inverse import accelerations
from biela.simulate.record import Record
from biela.simulate.tangent import split


@dataclass(frozen=True, eq=False)
class Regression:
    """Estimated base parameters, in the order of ``base.groupings``; ``rms`` is what remains of the efforts.

    ``condition`` is that of the scaled equations: how well the motion excites the parameters.
    """

    base: BaseParameters
    values: np.ndarray
    covariance: np.ndarray
    condition: float
    rms: float

    def __repr__(self) -> str:
        rows = zip(self.base.groupings, self.values, self.deviations, strict=True)
        return "\n".join(f"{name} = {value:.6g} +- {deviation:.2g}" for name, value, deviation in rows)

    @property
    def deviations(self) -> np.ndarray:
        """The standard deviations."""
        return np.sqrt(np.diag(self.covariance))


def regress(record: Record, base: BaseParameters | None = None) -> Regression:
    """The base parameters with which a recorded motion and its inputs fit the equations best.

    The record has accelerations, columns "crank''", and the inputs ``u`` at all moments, as measured or
    from `inverse_dynamics`. Of its parameters lengths and stiffnesses are used, masses and inertias are not.

    Raises ValueError where the motion does not excite some base parameter.
    """
    model = record.model
    if model is None:
        raise ValueError("This record belongs to no model: give it one with record.attached(model).")
    found = model.base_parameters() if base is None else base
    ddq = accelerations(record)
    K, e = (_asked(record, name, ddq) for name in ("K", "e"))
    phi = model.function("phi", {"phi": inertia_values(model)}, "constant")
    p = model.p if record.p is None else record.p
    own: Any = phi.evaluate(p=p) if phi.inputs else phi.evaluate()
    loads = K @ own - e  # what inertia and weight of the record's own parameters leave
    allowed = np.eye(len(model.q))[None]
    if len(model.phi_dot):
        allowed = split(record.value("Phi_dq")).free
    across = np.swapaxes(allowed, 1, 2)
    W = (across @ K[:, :, list(found.columns)]).reshape(-1, found.rank)
    y = (across @ loads[..., None]).ravel()
    scale = np.maximum(np.linalg.norm(W, axis=0), 1e-300)
    unit = W / scale
    check_visible(unit, found.groupings)
    values = cast(np.ndarray, np.linalg.lstsq(unit, y, rcond=None)[0]) / scale
    rest = y - W @ values
    variance = float(rest @ rest) / max(1, len(y) - found.rank)
    covariance = variance * cast(np.ndarray, np.linalg.inv(unit.T @ unit)) / np.outer(scale, scale)
    return Regression(
        found, values, covariance, float(np.linalg.cond(unit)), float(rest @ rest / len(rest)) ** 0.5
    )


def _asked(record: Record, name: str, ddq: np.ndarray) -> np.ndarray:
    assert record.model is not None
    wanted = {port.name for port in record.model.functions[name].inputs}
    return record.value(name, **({"ddq": ddq} if "ddq" in wanted else {}))
