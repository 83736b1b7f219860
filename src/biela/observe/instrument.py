"""`Instruments`: several sensors on one model, read together: one vector of readings with its noise."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import block_diag  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from biela.expr.expression import Expr, floor
from biela.expr.function import Function
from biela.expr.matrix import Matrix, vector
from biela.mechanics.quantity import TURN
from biela.observe.covariance import checked
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor


class Instruments:
    """The readings of sensors as expressions of a state: accelerations are those of the process.

    Raises ValueError when there are none, or two channels have one name.
    """

    def __init__(self, process: Process, sensors: Sequence[Sensor]) -> None:
        if not isinstance(process, Process):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"A filter wants a Process, Process(model, dt); got a {type(process).__name__}.")
        if isinstance(sensors, Sensor):
            raise TypeError(f"A filter takes a list of sensors; got one {type(sensors).__name__}: [sensor].")
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

    @cached_property
    def places(self) -> dict[str, slice]:
        """Where the channels of each sensor are, by what it is called in packets."""
        found, place = dict[str, slice](), 0
        for sensor in self.sensors:
            count = len(sensor.channels(self.model))
            found[sensor.name or sensor.label] = slice(place, place + count)
            place += count
        return found

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
        if any(m.ref in used for m in self.model.multipliers):
            return ideal.substitute(self._dynamics()).expressions
        if not any(a.ref in used for a in self.model.ddq):
            return ideal.expressions
        flow = self.process.step.flow
        ddq = flow.rate(**{port.name: flow.rate.value(port) for port in flow.rate.inputs})
        known: dict[Any, Any] = dict(zip(self.model.ddq, ddq, strict=True))
        return ideal.substitute(known).expressions

    def _dynamics(self) -> dict[Any, Any]:
        """Accelerations and multipliers by forward dynamics: what load cells read comes from them."""
        function = self.model.functions["ddq"]
        found = function(**{port.name: function.value(port) for port in function.inputs})
        pairs = [*zip(self.model.ddq, found.ddq, strict=True)]
        return dict([*pairs, *zip(self.model.multipliers, found.lambda_, strict=True)])

    @cached_property
    def slopes(self) -> Matrix:
        """H: how the readings change with (z, dz)."""
        return self.process.manifold.derivative(self.values)

    @cached_property
    def covariance(self) -> np.ndarray:
        """R: that of each sensor; sensors are independent of each other.

        One that rounding has left short of positive definite is repaired, with a warning. Raises ValueError
        for a channel without noise, or for any other that is not positive definite.
        """
        parts = [sensor.noise(self.model) for sensor in self.sensors]
        R: np.ndarray = np.asarray(block_diag(*parts), float)
        if not (np.diag(R) > 0.0).all():
            silent = self.channels[int(np.argmin(np.diag(R)))]
            raise ValueError(f"Channel '{silent}' has no noise: a filter needs sigma above zero.")
        return checked(R, self.channels, "readings")

    def expect(self, estimated: Sequence[str]) -> None:
        """Raise ValueError for a sensor that counts from anywhere, if its bias is not among these."""
        for sensor in self.sensors:
            for channel in sensor.channels(self.model) if sensor.relative else ():
                if f"bias({channel})" not in estimated:
                    raise ValueError(
                        f"Channel '{channel}' counts from where it was switched on: estimate its bias, as "
                        f"ErrorStateKalman(..., biases=['{channel}']) does, or add where that was to the "
                        "readings of an encoder that is not incremental."
                    )

    @cached_property
    def limits(self) -> np.ndarray:
        """The lowest and the highest reading of each channel, in two columns."""
        return np.array(
            [sensor.limits for sensor in self.sensors for _ in sensor.channels(self.model)], float
        )

    @cached_property
    def wraps(self) -> list[bool]:
        """Which channels are angles that jump by a turn."""
        return [wrap for sensor in self.sensors for wrap in sensor.wraps(self.model)]

    def present(self, readings: Sequence[Expr]) -> list[Expr]:
        """One for each reading that is there: neither NaN nor infinite, and inside the limits."""
        return [(r > float(lo)) * (r < float(hi)) for r, (lo, hi) in zip(readings, self.limits, strict=True)]

    def gap(self, readings: Sequence[Expr], expected: Sequence[Expr]) -> list[Expr]:
        """Readings less what was expected, angles within half a turn."""
        gaps = [r - h for r, h in zip(readings, expected, strict=True)]
        return [g - TURN * floor(g / TURN + 0.5) if w else g for g, w in zip(gaps, self.wraps, strict=True)]

    @cached_property
    def function(self) -> Function:
        """The readings as a Function of (q, dq, t, p, u)."""
        values = vector(self.values, self.model.graph)
        return self.model.function("readings", {"y": values}, "force")
