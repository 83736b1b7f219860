"""`Sensor`: what every sensor has: a name, what it reads, its noise and its rate.

``value`` is the ideal reading in the model's symbols, accelerations included; the noise of its channels is
white with standard deviation ``sigma``, or a full ``covariance``, beside what a `Bench` adds (bias,
quantisation, delay, dropout). Readings outside ``limits`` are none: a filter leaves them out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from biela.expr.expression import Expr
from biela.mechanics.body import Body
from biela.mechanics.model import Model


@dataclass(frozen=True, kw_only=True)
class Sensor(ABC):
    """The base of all sensors.

    ``sigma`` is one number or one a channel; ``rate`` how often it reads, Hz (0: at every step).
    ``walk`` is the random walk of its bias, per square root of a second, ``bias`` its bias at the start,
    ``resolution`` the step of its quantisation, ``delay`` in seconds, ``dropout`` the share of readings lost.
    ``covariance`` is the full matrix of its channels, as nested tuples, in place of ``sigma``; ``limits`` is
    the range in which it reads. A kind of one's own needs the method ``value`` and nothing else.
    """

    sigma: float | tuple[float, ...] = 0.0
    rate: float = 0.0
    bias: float = 0.0
    walk: float = 0.0
    resolution: float = 0.0
    delay: float = 0.0
    dropout: float = 0.0
    covariance: tuple[tuple[float, ...], ...] | None = None
    limits: tuple[float, float] = (-1e300, 1e300)
    name: str = ""
    unit: ClassVar[str] = ""
    turns: ClassVar[bool] = False  # angles that jump by a turn

    @abstractmethod
    def value(self, model: Model) -> list[Expr]:
        """The ideal reading of each channel."""

    @property
    def label(self) -> str:
        """What it is called when it has no name of its own: its kind, and the first of what it is given."""
        kind, first = (
            type(self).__name__,
            next((getattr(self, f.name) for f in fields(self) if not f.kw_only), ""),
        )
        plain = "".join(f"_{c.lower()}" if c.isupper() else c for c in kind).lstrip("_")
        told = getattr(first, "name", first)
        return f"{plain}.{told}" if isinstance(told, str) and told else plain

    @property
    def relative(self) -> bool:
        """Whether its readings begin at zero wherever the mechanism stands: its bias is the start."""
        return False

    def wraps(self, model: Model) -> list[bool]:
        """Which channels are angles that jump by a turn."""
        return [self.turns] * len(self.value(model))

    def channels(self, model: Model) -> list[str]:
        """A name for each channel."""
        title, count = self.name or self.label, len(self.value(model))
        return [title] if count == 1 else [f"{title}.{k}" for k in range(count)]

    def deviations(self, model: Model) -> np.ndarray:
        """The standard deviation of each channel; raises ValueError for a wrong number or negative ones."""
        count = len(self.value(model))
        found = (
            np.broadcast_to(np.asarray(self.sigma, float), (count,))
            if np.ndim(self.sigma) == 0
            else np.asarray(self.sigma, float)
        )
        if found.shape != (count,) or not (np.isfinite(found).all() and (found >= 0.0).all()):
            raise ValueError(
                f"Sensor '{self.name or self.label}' has {count} channels; sigma={self.sigma!r} does not fit."
            )
        return found

    def noise(self, model: Model) -> np.ndarray:
        """The covariance of its channels; raises ValueError for one that is none, or of a wrong size."""
        if self.covariance is None:
            return np.diag(self.deviations(model) ** 2)
        given, count = np.asarray(self.covariance, float), len(self.value(model))
        where = f"Sensor '{self.name or self.label}'"
        if given.shape != (count, count) or not np.isfinite(given).all():
            raise ValueError(f"{where} has {count} channels; the covariance is {given.shape}.")
        if not np.allclose(given, given.T) or np.linalg.eigvalsh(given).min() < -1e-9 * np.abs(given).max():
            raise ValueError(f"{where}: its covariance is not symmetric and positive definite.")
        return given


def body_of(model: Model, body: Body | str, where: str) -> Body:
    """A body of a model by itself or its name; raises ValueError for an unknown one."""
    if isinstance(body, Body) and body.base.space is not model.space:
        raise ValueError(f"{where}: body '{body.name}' belongs to another system than model '{model.name}'.")
    name = body.name if isinstance(body, Body) else body
    if name not in model.bodies:
        raise ValueError(
            f"{where}: model '{model.name}' has no body '{name}'. It has {', '.join(model.bodies)}."
        )
    return model.bodies[name]
