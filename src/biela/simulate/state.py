"""`State`: a mechanism at one moment: positions, velocities, time, parameters and inputs.

Plain numbers: one frozen model and as many states as wanted (Sherman, Seth and Delp, 2011). What follows
from a state is computed when it is asked for and kept with it; a changed state is a new one, so nothing is
ever stale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from biela.mechanics.model import Model
from biela.mechanics.quantity import Quantity
from biela.suggestion import suggestion


@dataclass(frozen=True, eq=False)
class State:
    """A moment of a model; made by `assemble` or taken from a `Record`.

    ``state["crank"]`` is a coordinate, ``state["crank'"]`` its velocity; ``state.value("energy")`` any
    Function of the model.
    """

    model: Model
    q: np.ndarray
    dq: np.ndarray
    t: float
    p: np.ndarray
    u: np.ndarray
    _known: dict[str, Any] = field(default_factory=dict[str, Any], repr=False)

    def __post_init__(self) -> None:
        """Keep copies that nobody can write to, or what was computed would be of another state."""
        for name in ("q", "dq", "p", "u"):
            values = np.array(getattr(self, name), float)
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    def __repr__(self) -> str:
        pairs = zip(self.names, self.q, strict=True)
        shown = ", ".join(f"{name}={value:.6g}" for name, value in list(pairs)[:8])
        return f"<State of {self.model.name} at t={self.t:g}: {shown}{', ...' if len(self.q) > 8 else ''}>"

    @property
    def names(self) -> list[str]:
        """The names of the coordinates."""
        return [placement.name for placement in self.model.placements]

    def __getitem__(self, name: str) -> float:
        rate = name.endswith("'")
        k = index(self.model, name.rstrip("'"))
        return float((self.dq if rate else self.q)[k])

    def changed(self, **values: Any) -> State:
        """Another state with some of q, dq, t, p and u replaced."""
        return replace(self, **values, _known={})

    def value(self, name: str, **more: Any) -> Any:
        """The outputs of a Function of the model here, kept when nothing else is given.

        ``more`` gives inputs that a state does not have: ``ddq``, ``lambda_``.
        """
        if name in self._known and not more:
            return self._known[name]
        function = self.model.functions[name]
        have = {"q": self.q, "dq": self.dq, "t": self.t, "p": self.p, "u": self.u, **more}
        wanted = [port.name for port in function.inputs if port.name not in have]
        if wanted:
            have = accelerations(self.value("ddq")) | have
        result = function.evaluate(**{port.name: have[port.name] for port in function.inputs})
        if not more:
            self._known[name] = result
        return result

    @property
    def energy(self) -> float:
        """Kinetic and potential energy together."""
        return float(sum(self.value("energy")))


def accelerations(solved: Any) -> dict[str, np.ndarray]:
    """What forward dynamics found, by name: accelerations, and multipliers where there are constraints."""
    several = hasattr(solved, "lambda_")
    return {"ddq": solved.ddq, "lambda_": solved.lambda_} if several else {"ddq": solved}


def index(model: Model, name: str) -> int:
    """The place of a coordinate; raises KeyError with a suggestion for an unknown one."""
    names = [placement.name for placement in model.placements]
    if name in names:
        return names.index(name)
    hint = suggestion(name, names)
    raise KeyError(f"Model '{model.name}' has no coordinate '{name}'. It has {', '.join(names)}.{hint}")


def parameters(model: Model, given: Any = None) -> np.ndarray:
    """The parameters of a model: its defaults, an array, or the defaults with some changed by name.

    Raises KeyError for an unknown name and ValueError for a wrong shape or values that are not finite.
    """
    return _values(model, "parameter", model.parameters, given)


def inputs(model: Model, given: Any = None) -> np.ndarray:
    """The inputs of a model held constant: its defaults, an array, or the defaults with some changed by name.

    Raises KeyError for an unknown name and ValueError for a wrong shape or values that are not finite.
    """
    return _values(model, "input", model.inputs, given)


def _values(model: Model, what: str, quantities: Sequence[Quantity], given: Any) -> np.ndarray:
    names = [quantity.name for quantity in quantities]
    if given is None or isinstance(given, Mapping):
        changes = dict[str, Any]() if given is None else dict[str, Any](given)  # pyright: ignore[reportUnknownArgumentType]
        unknown = [name for name in changes if name not in names]
        if unknown:
            hint = suggestion(unknown[0], names)
            told = ", ".join(names) or "none"
            raise KeyError(f"Model '{model.name}' has no {what} '{unknown[0]}'. It has {told}.{hint}")
        columns = [np.asarray(changes.get(q.name, q.value), float) for q in quantities]
        values = np.array(np.broadcast_arrays(*columns)) if columns else np.zeros(0)
    else:
        values = np.array(given, float)
    if values.shape[:1] != (len(names),):
        raise ValueError(f"Model '{model.name}' has {len(names)} {what}s; got shape {values.shape}.")
    bad = [name for name, row in zip(names, values, strict=True) if not np.isfinite(row).all()]
    if bad:
        raise ValueError(f"Model '{model.name}': {what} '{bad[0]}' is not finite. Give it a value.")
    return values


def expected_state(given: Any, who: str) -> State:
    """A state as it is; raises TypeError, saying how to get one, for anything else."""
    if isinstance(given, State):
        return given
    raise TypeError(f"{who} begins at a State, as assemble(model, ...) gives; got a {type(given).__name__}.")
