"""`Record`: what a study returns: named arrays with units over time, that plot, save and export.

The first axis of every array is time; a batch adds lanes as a second one. Beside what was integrated, every
Function of the model is there for the asking: ``record.value("energy")`` evaluates it natively over all
moments at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.expr.function import Function
from biela.mechanics.model import Model
from biela.simulate import exchange, plotting, resampling, storage
from biela.simulate.report import Report, report
from biela.simulate.state import State, accelerations
from biela.suggestion import suggestion

FINISHED = "finished"


@dataclass(frozen=True, eq=False)
class Record:
    """Arrays by name with a common time.

    ``status`` is 'finished' or says why a study ended early. ``q`` and ``dq`` have the coordinates in the
    model's order along their second axis.
    """

    t: np.ndarray
    columns: dict[str, np.ndarray]
    units: dict[str, str]
    status: str = FINISHED
    notes: dict[str, Any] = field(default_factory=dict[str, Any])
    model: Model | None = None
    p: np.ndarray | None = None  # constant, or one row a moment; lanes come last
    u: np.ndarray | None = None  # likewise

    def __repr__(self) -> str:
        lanes = f", {self.lanes} lanes" if self.lanes else ""
        told = "" if self.status == FINISHED else f", {self.status}"
        until = f"t={self.t[0]:g}..{self.t[-1]:g} s" if len(self.t) else "empty"
        return f"<Record {until}, {len(self.t)} moments, {len(self.columns)} columns{lanes}{told}>"

    def __len__(self) -> int:
        return len(self.t)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> np.ndarray:
        if name == "t":
            return self.t
        if name in self.columns:
            return self.columns[name]
        hint = suggestion(name, self.columns)
        raise KeyError(f"The record has no column '{name}'. It has t, {', '.join(self.columns)}.{hint}")

    @property
    def ok(self) -> bool:
        """Whether the study went to its end."""
        return self.status == FINISHED

    @property
    def lanes(self) -> int:
        """How many states ran side by side; 0 for one that ran alone."""
        column = next(iter(self.columns.values()), self.t)
        return column.shape[1] if column.ndim > 1 else 0

    def _of_model(self) -> Model:
        if self.model is None:
            raise ValueError("This record belongs to no model: give it one with record.attached(model).")
        return self.model

    def attached(self, model: Model) -> Record:
        """The same record with a model, as after loading."""
        missing = [c.name for c in model.placements if c.name not in self.columns]
        if missing:
            raise ValueError(
                f"The record has no column '{missing[0]}', a coordinate of model '{model.name}'."
            )
        return self.replaced(model=model)

    def replaced(self, **values: Any) -> Record:
        """A copy with some fields replaced."""
        return Record(**{**self.__dict__, **values})

    @property
    def q(self) -> np.ndarray:
        """The coordinates: time, coordinate (, lane)."""
        return np.stack([self.columns[c.name] for c in self._of_model().placements], axis=1)

    @property
    def dq(self) -> np.ndarray:
        """The velocities: time, coordinate (, lane)."""
        return np.stack([self.columns[f"{c.name}'"] for c in self._of_model().placements], axis=1)

    def state(self, moment: int = -1, lane: int = 0) -> State:
        """The state at a moment, the last unless another is given."""
        model = self._of_model()
        q, dq = (
            values[moment] if not self.lanes else values[moment][:, lane] for values in (self.q, self.dq)
        )
        p, u = (
            self._one(default if values is None else values, moment, lane)
            for default, values in ((model.p, self.p), (model.u, self.u))
        )
        return State(model, q, dq, float(self.t[moment]), p, u)

    def _one(self, values: np.ndarray, moment: int, lane: int) -> np.ndarray:
        """Parameters or inputs of one moment and lane."""
        if values.ndim == 2 + bool(self.lanes):
            values = values[moment]
        return values if values.ndim == 1 else values[:, lane]

    def value(self, function: str | Function, **more: np.ndarray) -> Any:
        """The outputs of a Function of the model at all moments, time first.

        ``more`` gives inputs beside the record's own, time first: ``ddq``, ``lambda_``. Without them what a
        Function wants of those is computed by forward dynamics.
        """
        model = self._of_model()
        wanted = model.functions[function] if isinstance(function, str) else function
        have = self._inputs(model) | {name: np.asarray(value, float) for name, value in more.items()}
        names = [port.name for port in wanted.inputs]
        if any(name not in have for name in names):
            have = accelerations(self.value("ddq")) | have
        kernel, size = Kernel(wanted), len(self.t) * max(1, self.lanes)
        flat: dict[str, Any] = {n: self._flat(have[n], wanted.input(n).shape, size) for n in names}
        found: Any = kernel.batch(**flat)
        return type(found)(*map(self._shaped, found)) if hasattr(found, "_fields") else self._shaped(found)

    def _inputs(self, model: Model) -> dict[str, np.ndarray]:
        u = model.u if self.u is None else self.u
        t = self.t if not self.lanes else np.repeat(self.t[:, None], self.lanes, axis=1)
        return {"q": self.q, "dq": self.dq, "t": t, "p": model.p if self.p is None else self.p, "u": u}

    def _flat(self, values: np.ndarray, shape: tuple[int, ...], size: int) -> np.ndarray:
        """One column a moment and lane; what is constant stays as it is."""
        if values.shape == shape:
            return values
        if self.lanes and values.shape == (*shape, self.lanes):  # parameters of each lane
            return np.ascontiguousarray(np.tile(values, (1,) * len(shape) + (len(self.t),)))
        if self.lanes and values.shape == (len(self.t), *shape):  # inputs of each moment
            values = np.repeat(values[..., None], self.lanes, axis=-1)
        order = (*range(1, len(shape) + 1), 0, *range(len(shape) + 1, values.ndim))
        return np.ascontiguousarray(values.transpose(order).reshape(*shape, size))

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        """Time first again."""
        if not self.lanes:
            return np.moveaxis(values, -1, 0)
        split = values.reshape(*values.shape[:-1], len(self.t), self.lanes)
        return np.moveaxis(split, -2, 0)

    @property
    def energy(self) -> np.ndarray:
        """Kinetic and potential energy together, J."""
        kinetic, potential = self.value("energy")
        return kinetic + potential

    @property
    def residual(self) -> np.ndarray:
        """The largest residual of the constraints of position at each moment."""
        if "Phi" not in self._of_model().functions:
            return np.zeros((len(self.t), *([self.lanes] if self.lanes else [])))
        return np.abs(self.value("Phi")).max(axis=1)

    def report(self) -> Report:
        """How far it may be trusted: energy, residuals, condition; it prints as a small table."""
        return report(self)

    # other times

    def at(self, times: Any) -> Record:
        """The record at other times, by cubic polynomials through coordinates and velocities.

        With a model, velocities follow its accelerations in the same way; other columns are linear. At a
        moment with two sides, an impact, it is what comes after. Raises ValueError beyond the ends.
        """
        return resampling.at(self, times)

    def between(self, begin: float, end: float) -> Record:
        """The moments from one time to another; raises ValueError if there are none."""
        return resampling.between(self, begin, end)

    def taken(self, places: Any) -> Record:
        """Some moments, by a slice or by their numbers."""
        return resampling.taken(self, np.arange(len(self))[places])

    def then(self, other: Record) -> Record:
        """This record and one that goes on where it ends.

        Raises ValueError for other columns, or one that begins earlier.
        """
        return resampling.joined(self, other)

    # files and neighbours

    def plot(self, names: str | Iterable[str] | None = None, *, lanes: str = "auto") -> Any:
        """A Matplotlib figure: a panel for each unit, the coordinates and velocities unless names are given.

        Around an estimate goes a band of two standard deviations. ``lanes`` of a batch are translucent
        'lines', or 'bands' of quantiles (5 to 95 and 25 to 75 percent) around the median; 'auto' draws bands
        where there are many. Wants the extra ``biela[view]``.
        """
        return plotting.plot(self, names, lanes)

    def to_xarray(self) -> Any:
        """An xarray.Dataset over time and lane; wants the extra ``biela[data]``."""
        return exchange.to_xarray(self)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame indexed by time, or time and lane; wants the extra ``biela[data]``."""
        return exchange.to_pandas(self)

    def to_mcap(self, path: str | Path) -> Path:
        """Write an MCAP file of JSON messages, for viewers of robot logs; wants the extra ``biela[data]``.

        Raises ValueError for times before zero.
        """
        return exchange.to_mcap(self, Path(path))

    def to_parquet(self, path: str | Path) -> Path:
        """Write a Parquet file; wants the extra ``biela[data]``."""
        return exchange.to_parquet(self, Path(path))

    @staticmethod
    def from_parquet(path: str | Path, model: Model | None = None) -> Record:
        """Read what `to_parquet` wrote; raises ValueError for a truncated or foreign file."""
        record = exchange.from_parquet(Path(path))
        return record if model is None else record.attached(model)

    def to_csv(self, path: str | Path) -> Path:
        """Write a table as text, names and units in its first line."""
        return exchange.to_csv(self, Path(path))

    def save(self, path: str | Path) -> Path:
        """Write everything but the model into an HDF5 file (suffix .h5) or a NumPy archive (.npz)."""
        return storage.save(self, Path(path))

    @staticmethod
    def load(path: str | Path, model: Model | None = None) -> Record:
        """Read what `save` wrote; raises ValueError for a truncated or foreign file."""
        record = storage.load(Path(path))
        return record if model is None else record.attached(model)

    def to_json(self) -> str:
        """Status, units and notes as JSON: what is no array."""
        return json.dumps({"status": self.status, "units": self.units, "notes": self.notes})
