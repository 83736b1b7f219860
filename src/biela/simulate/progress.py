"""Progress of long runs: ``progress(done, total)`` is called now and then; `Printer` is one that prints."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from typing import TextIO

Progress = Callable[[int, int], None]
PAUSE = 0.2  # s, between two lines


class Printer:
    """One line that is rewritten: how much is done, and how long the rest will take.

    >>> import io
    >>> now, page = iter([0.0, 30.0, 40.0]), io.StringIO()
    >>> show = Printer("steps", page, lambda: next(now))
    >>> show(3, 4)
    >>> show(4, 4)
    >>> [line.strip() for line in page.getvalue().split(chr(13))]
    ['', 'steps  75 %, 0:10 left', 'steps 100 %, 0:40']
    """

    def __init__(
        self, what: str = "steps", page: TextIO | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._what, self._page, self._clock = what, page, clock
        self._begin = clock()
        self._last = -PAUSE

    def __call__(self, done: int, total: int) -> None:
        """Say that so many of so many are done."""
        spent = self._clock() - self._begin
        if done < total and spent - self._last < PAUSE:
            return
        self._last = spent
        page = sys.stderr if self._page is None else self._page
        left = f"{_time(spent * (total - done) / max(done, 1))} left"
        told = left if done < total else _time(spent)
        end = "\n" if done >= total else ""
        page.write(f"\r{self._what} {100 * done // total:3d} %, {told:10s}{end}")
        page.flush()


def shown(progress: Progress | bool | None, what: str = "steps") -> Progress | None:
    """What to call: nothing, a function that was given, or for True a `Printer`."""
    if progress is True:
        return Printer(what)
    return progress or None


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
