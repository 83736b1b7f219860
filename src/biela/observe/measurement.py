"""`Measurement`: a sensor on a mechanism that is measured once and read as often as one likes.

`measure` takes the ideal value at a state and one draw of the noise; `read` gives that same reading until the
next measurement, so what is written down is what a filter got. Draws are counted from a seed of its own.
"""

from __future__ import annotations

import numpy as np

from biela.observe.instrument import Instruments
from biela.observe.particle.noise import factor
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor
from biela.simulate.state import State


class Measurement:
    """One sensor and its latest reading; NaN before the first measurement."""

    def __init__(self, process: Process, sensor: Sensor, seed: int = 0) -> None:
        self.sensor, self.seed, self.count = sensor, seed, 0
        self._function = Instruments(process, [sensor]).function
        self._factor = factor(np.atleast_2d(sensor.noise(process.model)))
        self._value = np.full(len(self._factor), np.nan)

    def measure(self, state: State) -> np.ndarray:
        """Measure at a state; returns the reading, as `read` does from then on."""
        have = {"q": state.q, "dq": state.dq, "t": state.t, "p": state.p, "u": state.u}
        ideal = self._function.evaluate(**{port.name: have[port.name] for port in self._function.inputs})
        rng = np.random.Generator(np.random.Philox(key=[self.seed, self.count]))
        self.count += 1
        self._value = np.atleast_1d(ideal) + self._factor @ rng.standard_normal(len(self._factor))
        return self.read()

    def read(self) -> np.ndarray:
        """The latest reading, a number for each channel."""
        return self._value.copy()
