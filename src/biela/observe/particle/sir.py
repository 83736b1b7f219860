"""The filter of SimTKpf, step by step as it was, on any model.

Noise goes to the angle of the first bar and the mechanism is assembled again; the readings' deviation is a
sensor's times a factor that makes up for confidence; the comb without chance resamples below half the
particles, and the first bar's speed is shaken after. Unlike the original it puts speeds back on the
constraints as well, and the same seed gives the same particles.

The five options are set and read by name at any time, also between steps.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from difflib import get_close_matches
from typing import Any, ClassVar, final

import numpy as np

from biela.mechanics.model import Model
from biela.observe.particle.filter import ParticleFilter
from biela.observe.process import Process
from biela.observe.sensor.sensor import Sensor

DEFAULTS = {
    "SIMULATION_TIME_STEP": 0.006,
    "SENSOR_STDDEV": 0.01,
    "SENSOR_STDDEV_MOD": 10.0,
    "MOTION_STDDEV": 0.02,
    "RESAMPLE_STDDEV": 0.02,
}


NEAR = 0.05  # rad or m, of motion noise after which two steps of Newton's method close the mechanism
LONGEST = 0.01  # s, of a step of the model; longer times are made of several


class OptionError(KeyError):
    """An option that does not exist, or a value that it cannot have."""

    def __str__(self) -> str:
        return str(self.args[0])


class Options(MutableMapping[str, float]):
    """The five options of the filter, a copy of its own.

    >>> options = Options(MOTION_STDDEV=0.0)
    >>> options["SENSOR_STDDEV_MOD"] = 5
    >>> options["MOTION_STDDEV"], options["SENSOR_STDDEV_MOD"]
    (0.0, 5.0)
    """

    def __init__(self, **values: float) -> None:
        self._values = dict(DEFAULTS)
        self.update(values)

    def __getitem__(self, name: str) -> float:
        return self._values[name if name in self._values else self._known(name)]

    def __setitem__(self, name: str, value: float) -> None:
        number, positive = (
            float(value),
            name in ("SIMULATION_TIME_STEP", "SENSOR_STDDEV", "SENSOR_STDDEV_MOD"),
        )
        if not np.isfinite(number) or number < 0.0 or (positive and number == 0.0):
            raise OptionError(
                f"Option {name} is {'positive' if positive else 'not negative'}; got {value!r}."
            )
        self._values[self._known(name)] = number

    def __delitem__(self, name: str) -> None:
        self._values[self._known(name)] = DEFAULTS[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def _known(self, name: str) -> str:
        if name not in DEFAULTS:
            close = get_close_matches(str(name).upper(), DEFAULTS, 1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise OptionError(f"There is no option {name!r}: {', '.join(DEFAULTS)}.{hint}")
        return name


@final
class Sir(ParticleFilter):
    """Sequential importance resampling as SimTKpf does it.

    ``options`` are copied. ``noisy`` are the independent coordinates that get noise, the first one unless
    given. Other arguments are those of `ParticleFilter`.
    """

    key: ClassVar[str] = "sir"

    def __init__(
        self,
        model: Model,
        sensors: Sequence[Sensor],
        particles: int = 200,
        options: Options | None = None,
        *,
        noisy: Sequence[str] = (),
        integrator: str = "rk4",
        **more: Any,
    ) -> None:
        self.options = Options(**(options or {}))
        names = list(noisy) or [model.placements[0].name]
        dt = self.options["SIMULATION_TIME_STEP"]
        process = Process(model, dt, integrator, independent=names, position=0.0, velocity=0.0, iterations=1)
        more = {"resampling": "comb"} | more
        self._variances = np.zeros((1, 1))  # of the readings
        super().__init__(process, sensors, particles, **more)

    @property
    def dt(self) -> float:
        """The time between two steps, as the option says."""
        return self.options["SIMULATION_TIME_STEP"]

    def _pattern(self) -> np.ndarray:
        size = self.process.manifold.size
        return np.diag(np.arange(size) < size // 2)

    @property
    def _closings(self) -> int:
        return 2 if self.options["MOTION_STDDEV"] <= NEAR else self.process.corrections

    def _noise_of_readings(self) -> np.ndarray:
        variance = (self.options["SENSOR_STDDEV"] * self.options["SENSOR_STDDEV_MOD"] * self.scale) ** 2
        if self._variances[0, 0] != variance:
            self._variances = np.diag([variance] * len(self.channels))
        return self._variances

    def _shaking(self) -> np.ndarray:
        return np.diag(np.repeat([0.0, self.options["RESAMPLE_STDDEV"]], self.process.manifold.size // 2))

    def advance(self, y: np.ndarray) -> float:
        """Move with noise at the angle, assemble, weigh."""
        self.substeps = max(1, round(self.dt / LONGEST))
        if self.noise[0, 0] != self.options["MOTION_STDDEV"]:
            np.fill_diagonal(self.noise, self.options["MOTION_STDDEV"])
        return self._moved(y)

    def _noise(self) -> np.ndarray:
        """That of a step, its variance in proportion to the time."""
        return self.noise * self._share**0.5
