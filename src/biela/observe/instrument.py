"""`Instruments`: several sensors on one model, read together: one vector of readings with its noise."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.expr.matrix import Matrix, vector
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor


class Instruments:
    """The readings of sensors as expressions of a state: accelerations are those of the process.

    Raises ValueError when there are none, or two channels have one name.
    """

    def __init__(self, process: Process, sensors: Sequence[Sensor]) -> None:
        self.process, self.model, self.sensors = process, process.model, tuple(sensors)
        if not self.sensors:
            raise ValueError("Give at least one sensor.")
        names = self.channels
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"Two channels are named '{twice[0]}': give their sensors names.")

    @property
    def channels(self) -> list[str]:
        """The names of all channels."""
        return [name for sensor in self.sensors for name in sensor.channels(self.model)]

    @property
    def units(self) -> dict[str, str]:
        """Their units."""
        return {name: sensor.unit for sensor in self.sensors for name in sensor.channels(self.model)}

    @cached_property
    def values(self) -> list[Expr]:
        """The ideal readings in the model's q, dq, t, p and u."""
        ideal = vector(
            [value for sensor in self.sensors for value in sensor.value(self.model)], self.model.graph
        )
        used = {symbol.ref for value in ideal for symbol in value.symbols}
        if not any(a.ref in used for a in self.model.ddq):
            return ideal.expressions
        flow = self.process.step.flow
        ddq = flow.rate(**{port.name: flow.rate.value(port) for port in flow.rate.inputs})
        known: dict[Any, Any] = dict(zip(self.model.ddq, ddq, strict=True))
        return ideal.substitute(known).expressions

    @cached_property
    def slopes(self) -> Matrix:
        """H: how the readings change with (z, dz)."""
        return self.process.manifold.derivative(self.values)

    @cached_property
    def covariance(self) -> np.ndarray:
        """R: independent channels, each with the variance of its noise.

        Raises ValueError for a channel without noise.
        """
        deviations = np.concatenate([sensor.deviations(self.model) for sensor in self.sensors])
        if not (deviations > 0.0).all():
            silent = self.channels[int(np.argmin(deviations))]
            raise ValueError(f"Channel '{silent}' has no noise: a filter needs sigma above zero.")
        return np.diag(deviations**2)

    @cached_property
    def function(self) -> Function:
        """The readings as a Function of (q, dq, t, p, u)."""
        values = vector(self.values, self.model.graph)
        return self.model.function("readings", {"y": values}, "force")
