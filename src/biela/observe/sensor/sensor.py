"""`Sensor`: what every sensor has: a name, what it reads, its noise and its rate.

``value`` is the ideal reading in the model's symbols, accelerations included; the noise of its channels is
white with standard deviation ``sigma``, beside what a `Bench` adds (bias, quantisation, delay, dropout).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
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
    """

    sigma: float | tuple[float, ...] = 0.0
    rate: float = 0.0
    bias: float = 0.0
    walk: float = 0.0
    resolution: float = 0.0
    delay: float = 0.0
    dropout: float = 0.0
    name: str = ""
    unit: ClassVar[str] = ""

    @abstractmethod
    def value(self, model: Model) -> list[Expr]:
        """The ideal reading of each channel."""

    @property
    @abstractmethod
    def label(self) -> str:
        """What it is called when it has no name of its own."""

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
                f"Sensor '{self.label}' has {count} channels; sigma={self.sigma!r} does not fit."
            )
        return found


def body_of(model: Model, body: Body | str, where: str) -> Body:
    """A body of a model by itself or its name; raises ValueError for an unknown one."""
    name = body.name if isinstance(body, Body) else body
    if name not in model.bodies:
        raise ValueError(
            f"{where}: model '{model.name}' has no body '{name}'. It has {', '.join(model.bodies)}."
        )
    return model.bodies[name]
