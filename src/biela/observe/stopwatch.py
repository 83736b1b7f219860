"""`Stopwatch`: time as an instrument: started, stopped, started again, and read."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns, process_time_ns

CLOCKS: dict[str, Callable[[], int]] = {"real": perf_counter_ns, "cpu": process_time_ns}


class Stopwatch:
    """Adds up the time between starts and stops, in seconds to the nanosecond.

    ``mode`` is 'real' for the time on the wall, 'cpu' for what this process spent on all its threads. Raises
    ValueError for another one.

    >>> watch = Stopwatch()
    >>> watch.start(); watch.stop() == watch.read()
    True
    >>> watch.restart(); watch.read()
    0.0
    """

    def __init__(self, mode: str = "real") -> None:
        if mode not in CLOCKS:
            raise ValueError(f"Unknown mode {mode!r} of a stopwatch: expected {' or '.join(CLOCKS)}.")
        self.mode, self._clock = mode, CLOCKS[mode]
        self._sum, self._begin = 0, self._clock()

    def start(self) -> None:
        """Count from now on."""
        self._begin = self._clock()

    def measure(self) -> float:
        """Add the time since the start, or since the last measurement; returns the sum."""
        now = self._clock()
        self._sum, self._begin = self._sum + now - self._begin, now
        return self.read()

    def stop(self) -> float:
        """The same as `measure`."""
        return self.measure()

    def read(self) -> float:
        """The sum so far, in seconds."""
        return self._sum * 1e-9

    def restart(self) -> None:
        """Back to zero."""
        self._sum, self._begin = 0, self._clock()
