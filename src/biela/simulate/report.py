"""`Report`: how far a record may be trusted, in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from biela.simulate import plotting

if TYPE_CHECKING:
    from biela.simulate.record import Record

MOMENTS = 200  # at which the condition is looked at
LEAST = 1e-18  # of a residual that is drawn


@dataclass(frozen=True)
class Report:
    """What became of energy and constraints during a run, at worst over all moments and lanes.

    ``energy`` is the greatest change of energy since the start, in J, ``drift`` the same relative to the
    greatest kinetic energy; they say something where no force does work. ``residual`` and
    ``speed_residual`` are those of the constraints of positions and velocities. ``condition`` is that of the
    constraints' Jacobian, or of the mass matrix where there are none: large near singular positions.
    """

    status: str
    energy: float
    drift: float
    residual: float
    speed_residual: float
    condition: float
    lanes_lost: int = 0
    record: Record | None = field(default=None, repr=False, compare=False)

    @property
    def numbers(self) -> dict[str, Any]:
        """All of it but the record it is about."""
        return {name: value for name, value in vars(self).items() if name != "record"}

    def plot(self) -> Any:
        """A Matplotlib figure of energies and residuals over time; wants the extra ``biela[view]``."""
        if self.record is None:
            raise ValueError("This report is about no record: ask one for its report().")
        return plotting.plot_trust(self.record, _history(self.record))

    def __str__(self) -> str:
        lines = [
            f"status                {self.status}",
            f"energy change         {self.energy:.3g} J, {self.drift:.3g} of the kinetic energy",
            f"position residual     {self.residual:.3g}",
            f"velocity residual     {self.speed_residual:.3g}",
            f"condition             {self.condition:.3g}",
        ]
        return "\n".join([*lines, *([f"lanes lost            {self.lanes_lost}"] if self.lanes_lost else [])])


def report(record: Record) -> Report:
    """The report of a record with a model."""
    kinetic, potential = record.value("energy")
    change, most = _range(kinetic + potential), float(np.nanmax(kinetic, initial=0.0))
    speed = float(np.nanmax(_speed_residual(record), initial=0.0))
    return Report(
        record.status,
        change,
        change / most if most > 0.0 else 0.0,
        float(np.nanmax(record.residual, initial=0.0)),
        speed,
        _condition(record),
        int(record.notes.get("lanes lost", 0)),
        record,
    )


def _speed_residual(record: Record) -> np.ndarray:
    """The largest residual of the constraints of velocity at each moment."""
    if record.model is None or not len(record.model.phi_dot):
        return np.zeros((len(record), *([record.lanes] if record.lanes else [])))
    J, beta = record.value("Phi_dq|beta")
    return np.abs(np.einsum("tij...,tj...->ti...", J, record.dq) - beta).max(axis=1)


def _history(record: Record) -> Record:
    """Energies, and residuals that are above the least of a logarithmic axis, as columns."""
    kinetic, potential = record.value("energy")
    total = kinetic + potential
    columns = {
        "kinetic": kinetic,
        "potential": potential,
        "total": total,
        "change of energy": total - total[0],
    }
    if record.model is not None and len(record.model.phi_dot):
        columns["of positions"] = np.maximum(record.residual, LEAST)
        columns["of velocities"] = np.maximum(_speed_residual(record), LEAST)
    return record.replaced(columns=columns, units={})


def _range(values: np.ndarray) -> float:
    """The greatest distance from the first value."""
    return float(np.nanmax(np.abs(values - values[0]), initial=0.0))


def _condition(record: Record) -> float:
    model = record.model
    assert model is not None, "a record without a model has no energy either"
    few = record.taken(np.unique(np.linspace(0, len(record) - 1, MOMENTS).astype(int)))
    values = few.value("Phi_dq" if len(model.phi_dot) else "M")
    if few.lanes:
        values = np.moveaxis(values, -1, 1)
    rank = len(model.q) - model.freedom if len(model.phi_dot) else len(model.q)
    flat = values.reshape(-1, *values.shape[-2:])
    sizes = np.linalg.svd(flat[np.isfinite(flat).all(axis=(1, 2))], compute_uv=False)
    with np.errstate(divide="ignore"):
        return float((sizes[:, 0] / sizes[:, rank - 1]).max(initial=0.0)) if rank else 1.0
