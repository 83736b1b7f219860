"""Parameter identification: the parameters, and initial values, with which a simulation fits a record.

Least squares of the measured columns, each in units of its noise, by the method of Levenberg and Marquardt
with exact derivatives (`Sensitivity`). At every try the start is placed on the constraints that belong to the
tried parameters; independent coordinates stay unless they are sought. What the record cannot
tell apart is found in the singular values of the scaled Jacobian, and named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biela.simulate.assembly import AssemblyError, assemble
from biela.simulate.record import Record
from biela.simulate.sensitivity import Sensitivities, Sensitivity
from biela.simulate.simulation import Simulation
from biela.simulate.state import State, parameters
from biela.simulate.tangent import Tangent

ITERATIONS, TRIES = 60, 12
SMALL = 1e-9  # of the last change, in units of the estimate's deviation
BLIND = 1e-8  # of singular values: smaller ones belong to what cannot be seen
GRID = 1e-6  # of a step: how far moments of a record may be from those of steps


@dataclass(frozen=True, eq=False)
class Identification:
    """An estimate: ``values`` by name, their ``covariance`` in that order, and how well the motion fits.

    ``residuals`` are root mean squares by column, in the column's unit.
    """

    values: dict[str, float]
    covariance: np.ndarray
    residuals: dict[str, float]
    iterations: int
    start: State
    fitted: Record

    def __repr__(self) -> str:
        rows = (f"{name} = {v:.6g} +- {self.deviations[name]:.2g}" for name, v in self.values.items())
        return "\n".join(rows)

    @property
    def deviations(self) -> dict[str, float]:
        """The standard deviations by name."""
        return dict(zip(self.values, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))


def identify(
    simulation: Simulation,
    start: State,
    measured: Record | Mapping[str, Any],
    parameters: Sequence[str] = (),
    initial: Sequence[str] = (),
    *,
    columns: Iterable[str] | None = None,
    sigma: float | Mapping[str, float] | None = None,
    u: Any = None,
    held: Sequence[str] = (),
) -> Identification:
    """The parameters and initial values with which the simulation fits measured columns best.

    ``measured`` has its moments as "t", those of steps of the simulation, and columns such as "crank" and
    "crank'". ``start`` gives the state to begin from and, in its ``p``, the first guess. ``sigma`` is
    the noise of the columns, one for all or by name; without it all weigh the same, and the covariance
    follows from the residuals. ``u`` and ``held`` are as in `Sensitivity`.

    Raises KeyError for unknown names, and ValueError for moments that are none of the simulation, values that
    are not finite, or what the record cannot tell apart.
    """
    search = _Search(simulation, start, _Measured.of(simulation, start, measured, columns, sigma), u)
    search.sensitivity = Sensitivity(simulation, parameters, initial, held)
    return search.result()


@dataclass(frozen=True, eq=False)
class _Measured:
    """The columns, their noise, and the grid of moments."""

    names: list[str]
    values: np.ndarray
    sigma: np.ndarray
    known: bool  # the noise
    duration: float
    every: int

    @classmethod
    def of(cls, simulation: Simulation, start: State, measured: Any, columns: Any, sigma: Any) -> _Measured:
        t = np.asarray(measured["t"], float)
        known = [name for c in simulation.model.placements for name in (c.name, f"{c.name}'")]
        names = [name for name in measured if name in known] if columns is None else list(columns)
        for name in names:
            if name not in known:
                raise KeyError(f"'{name}' is no coordinate or velocity of model '{simulation.model.name}'.")
        if not names:
            raise ValueError(f"The record has no coordinate or velocity of model '{simulation.model.name}'.")
        values = np.stack([np.asarray(measured[name], float) for name in names], axis=1)
        bad = [name for name, column in zip(names, values.T, strict=True) if not np.isfinite(column).all()]
        if bad:
            raise ValueError(f"The measured column '{bad[0]}' is not finite everywhere.")
        every, duration = _grid(simulation, start, t)
        scale = np.array([_noise(sigma, name) for name in names])
        return cls(names, values, scale, sigma is not None, duration, every)


def _noise(sigma: float | Mapping[str, float] | None, name: str) -> float:
    value = float(sigma[name] if isinstance(sigma, Mapping) else 1.0 if sigma is None else sigma)
    if not (np.isfinite(value) and value > 0.0):
        raise ValueError(f"The noise of '{name}' is a positive number; got {value!r}.")
    return value


def _grid(simulation: Simulation, start: State, t: np.ndarray) -> tuple[int, float]:
    """Every how many steps a moment was measured, and for how long."""
    steps = (t - start.t) / simulation.dt
    every = round(float(steps[1])) if len(steps) > 1 else 0
    if every < 1 or np.abs(steps - every * np.arange(len(steps))).max() > GRID * every:
        raise ValueError(
            f"The measured moments must begin at the start, t={start.t:g} s, and follow every so many steps "
            f"of dt={simulation.dt:g} s; got t={', '.join(f'{x:g}' for x in t[:4])}, ..."
        )
    return every, float(t[-1] - t[0])


class _Search:
    """The iterations."""

    sensitivity: Sensitivity

    def __init__(self, simulation: Simulation, start: State, measured: _Measured, u: Any) -> None:
        self.simulation, self.start, self.measured, self.u = simulation, start, measured, u

    def result(self) -> Identification:
        names = self.sensitivity.by
        model, count = self.simulation.model, len(self.sensitivity.parameters)
        order = [quantity.name for quantity in model.parameters]
        first = [self.start.p[order.index(name)] for name in names[:count]]
        theta = np.array([*first, *(self.start[name] for name in names[count:])])
        motion = self._motion(theta)
        fit = self._compared(motion)
        damping, iterations = 1e-3, 0
        while iterations < ITERATIONS:
            found = self._better(theta, *fit, damping)
            if found is None:
                break
            change, damping, motion = found
            step = np.abs(self._scales(fit[1]) * change).max()
            theta, iterations = theta + change, iterations + 1
            fit = self._compared(motion)
            if step < SMALL * max(1.0, float(np.linalg.norm(fit[0]))):
                break
        return self._told(theta, motion, *fit, iterations)

    def _scales(self, J: np.ndarray) -> np.ndarray:
        return np.maximum(np.linalg.norm(J, axis=0), 1e-300)

    def _better(
        self, theta: np.ndarray, r: np.ndarray, J: np.ndarray, damping: float
    ) -> tuple[np.ndarray, float, Sensitivities] | None:
        """A change that fits better, the damping to go on with, and its motion; None where there is none."""
        scale = self._scales(J)
        unit = J / scale
        for _ in range(TRIES):
            stacked = np.vstack([unit, np.sqrt(damping) * np.eye(len(theta))])
            right = np.append(r, np.zeros(len(theta)))
            change = np.linalg.lstsq(stacked, right, rcond=None)[0] / scale
            try:
                motion = self._motion(theta + change)
                after = self._compared(motion)[0]
            except (AssemblyError, ValueError):
                after = np.array([np.inf])
                motion = None
            if motion is not None and np.linalg.norm(after) < np.linalg.norm(r):
                return change, max(damping / 10.0, 1e-12), motion
            damping *= 10.0
        return None

    def _motion(self, theta: np.ndarray) -> Sensitivities:
        motion = self.sensitivity.run(
            self._placed(theta), self.measured.duration, every=self.measured.every, u=self.u
        )
        if not motion.record.ok:
            raise ValueError(f"The simulation {motion.record.status}.")
        return motion

    def _placed(self, theta: np.ndarray) -> State:
        """The start with tried parameters and initial values, on its constraints."""
        values = dict(zip(self.sensitivity.by, theta.tolist(), strict=True))
        count = len(self.sensitivity.parameters)
        order = [quantity.name for quantity in self.simulation.model.parameters]
        p = self.start.p.copy()
        for name in self.sensitivity.by[:count]:
            p[order.index(name)] = values[name]
        moved = {name: values[name] for name in self.sensitivity.by[count:]}
        return replaced(self.start, p, moved, self.sensitivity.held)

    def _compared(self, motion: Sensitivities) -> tuple[np.ndarray, np.ndarray]:
        """What is left, and how the motion moves, both in units of the noise."""
        data = self.measured
        r = (data.values - np.stack([motion.record[name] for name in data.names], axis=1)) / data.sigma
        places = [motion.columns.index(name) for name in data.names]
        J = motion.values[:, places] / data.sigma[:, None]
        return r.ravel(), J.reshape(r.size, -1)

    def _told(
        self, theta: np.ndarray, motion: Sensitivities, r: np.ndarray, J: np.ndarray, iterations: int
    ) -> Identification:
        names, data = self.sensitivity.by, self.measured
        scale = self._scales(J)
        check_visible(J / scale, names)
        covariance = np.linalg.inv((J / scale).T @ (J / scale)) / np.outer(scale, scale)
        if not data.known:
            covariance = covariance * (float(r @ r) / max(1, len(r) - len(theta)))
        rms = np.sqrt(np.mean((r.reshape(-1, len(data.names)) * data.sigma) ** 2, axis=0))
        residuals = dict(zip(data.names, rms.tolist(), strict=True))
        values = dict(zip(names, theta.tolist(), strict=True))
        return Identification(values, covariance, residuals, iterations, self._placed(theta), motion.record)


def check_visible(J: np.ndarray, names: Sequence[str]) -> None:
    """Raise ValueError naming what data with this scaled Jacobian cannot tell apart."""
    padded = np.vstack([J, np.zeros((max(0, J.shape[1] - len(J)), J.shape[1]))])  # as many rows as columns
    _, sizes, V = np.linalg.svd(padded, full_matrices=False)
    if sizes[-1] > BLIND * sizes[0]:
        return
    together = [name for name, share in zip(names, V[-1], strict=True) if abs(share) > 1e-3]
    if len(together) == 1:
        raise ValueError(f"The record does not depend on '{together[0]}': leave it out, or measure more.")
    raise ValueError(
        f"The record cannot tell {', '.join(together)} apart: only some combination of them acts. Leave one "
        "out, or measure more."
    )


def replaced(start: State, p: np.ndarray, moved: Mapping[str, float], held: Sequence[str]) -> State:
    """A start with other parameters and initial values: independent coordinates stay, the rest follows."""
    model = start.model
    p = parameters(model, p)
    tangent = Tangent([start], held)
    q, dq = start.q.copy(), start.dq.copy()
    for name, value in moved.items():
        (dq if name.endswith("'") else q)[start.names.index(name.rstrip("'"))] = value
    locked: dict[str, Any] = {start.names[k]: float(q[k]) for k in tangent.positions}
    state = assemble(model, q, velocities=np.zeros(len(q)), p=p, u=start.u, t=start.t, **locked)
    if len(model.phi_dot):
        J, beta = state.value("Phi_dq"), state.value("beta")
        fixed = np.eye(len(q))[tangent.velocities]
        dq = np.linalg.lstsq(np.vstack([J, fixed]), np.append(beta, dq[tangent.velocities]), rcond=1e-9)[0]
    return state.changed(dq=dq)
