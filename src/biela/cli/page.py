"""`Page`: what a command tells, and where: text or JSON on the standard output, the rest on that of errors.

Standard output has the answer and nothing else, so that it can be piped: what is said as text, or with
``--json`` one JSON object at the end. How far a long run is goes to the standard error, from the second
second on: a line that is rewritten on a terminal, a line every ten seconds elsewhere.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from threading import Timer
from time import monotonic
from typing import Any, TextIO, cast

PATIENCE = 2.0  # s, before anything is said of a run
WARNINGS = 3  # that are told
PAUSE, SELDOM = 0.2, 10.0  # s between two words on a terminal, and elsewhere


class Page:
    """The output of one command."""

    def __init__(
        self, as_json: bool = False, quiet: bool = False, out: TextIO | None = None, err: TextIO | None = None
    ) -> None:
        self.as_json, self.quiet = as_json, quiet
        self._out, self._err, self._warned = out, err, 0

    @property
    def out(self) -> TextIO:
        """The standard output, as it is now."""
        return self._out or sys.stdout

    @property
    def err(self) -> TextIO:
        """The standard error, as it is now."""
        return self._err or sys.stderr

    def say(self, text: str = "") -> None:
        """A part of the answer, as text."""
        if not (self.as_json or self.quiet):
            print(text, file=self.out, flush=True)

    def note(self, text: str) -> None:
        """Something beside the answer."""
        if not self.quiet:
            print(text, file=self.err, flush=True)

    def warn(self, message: Warning | str, *where: Any) -> None:
        """A warning of the library, told as a note; no more than a few of them."""
        self._warned += 1
        if self._warned <= WARNINGS:
            self.note(f"warning: {message}")
        elif self._warned == WARNINGS + 1:
            self.note("warning: ... and more")

    def answer(self, data: Mapping[str, Any]) -> None:
        """The whole answer as JSON, where that is wanted."""
        if self.as_json:
            print(json.dumps(plain(data), allow_nan=False), file=self.out, flush=True)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
        """Rows under a head, in columns as wide as they need; those in ``right`` flush right."""
        for line in columns([head, *rows] if any(head) else rows, right):
            self.say(line)

    @contextmanager
    def stage(self, what: str) -> Generator[None]:
        """Something that takes a while but has no steps: it is named if it takes more than two seconds."""
        timer = Timer(PATIENCE, self.note, [f"{what} ..."])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def progress(self, what: str) -> Callable[[int, int], None] | None:
        """What a run may call with what is done and how much there is."""
        return None if self.quiet else Patient(what, self.err)


class Patient:
    """How far a run is, once it has taken more than two seconds.

    >>> import io
    >>> now, page = iter([0.0, 1.0, 3.0, 4.0, 14.0, 20.0]), io.StringIO()
    >>> show = Patient("steps", page, lambda: next(now))
    >>> for done in (1, 3, 4, 7, 10): show(done, 10)
    >>> print(page.getvalue(), end="")
    steps: 30 %, 7 s left
    steps: 70 %, 6 s left
    steps: done in 20 s
    """

    def __init__(self, what: str, page: TextIO, clock: Callable[[], float] = monotonic) -> None:
        self._what, self._page, self._clock = what, page, clock
        self._begin, self._last, self._live = clock(), -math.inf, page.isatty()

    def __call__(self, done: int, total: int) -> None:
        """So many of so many are done."""
        spent = self._clock() - self._begin
        pause = PAUSE if self._live else SELDOM
        if spent < PATIENCE or (done < total and spent - self._last < pause):
            return
        self._last = spent
        left = f"{100 * done // total} %, {spent * (total - done) / max(done, 1):.0f} s left"
        told = f"{self._what}: {left if done < total else f'done in {spent:.0f} s'}"
        end = "\n" if done >= total or not self._live else ""
        self._page.write(f"\r{told:50s}{end}" if self._live else f"{told}{end}")
        self._page.flush()


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Rows as lines in columns, two blanks apart.

    >>> columns([["a", "12"], ["bcd", "3"]], right=[1])
    ['a    12', 'bcd   3']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    for row in rows:
        cells = [
            t.rjust(w) if k in right else t.ljust(w) for k, (t, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def plain(value: Any) -> Any:
    """A value as JSON can hold it: numbers of NumPy as Python's, others as null, paths as text."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in cast("Sequence[Any]", value)]
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
