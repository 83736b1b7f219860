"""`Logger`: an agent that writes what it hears into a file, in the kernel's process or from another.

A line of JSON says what the file is, then follows one for every broadcast, by the schema of messages. A disk
that is full ends the writing and nothing else: ``fault`` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import ClassVar, final

from biela.arena.agent import Agent
from biela.arena.broadcast import Broadcast
from biela.arena.message import Asked
from biela.arena.wire.plain import Json

FORMAT = b'{"format":"biela.arena broadcasts 1"}'


@final
class Logger(Agent):
    """Writes down what agents of type ``gui`` hear, at most every ``interval`` seconds.

    >>> from biela.arena import Kernel
    >>> from biela.arena.preset import sumbot
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.jsonl"
    >>> kernel = Kernel(sumbot.scene())
    >>> with Logger(path, interval=0.1) as logger:
    ...     kernel.join(logger)
    ...     kernel.run(0.5)
    >>> [round(told.time, 3) for told in heard(path)]
    [0.005, 0.105, 0.205, 0.305, 0.405]
    """

    type: ClassVar[str] = "gui"

    def __init__(self, path: str | Path, key: str = "logger", interval: float | None = None) -> None:
        super().__init__(key)
        self.synchronous = False
        self.interval = interval
        self.fault = ""
        self._form = Json()
        self._file = Path(path).open("wb")  # noqa: SIM115 - it stays open as long as the logger
        self._write(FORMAT)

    def __enter__(self) -> Logger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def hear(self, broadcast: Broadcast) -> Iterable[Asked]:
        """Write it down."""
        if not self.fault:
            self._write(self._form.tell(broadcast))
        return ()

    def close(self) -> None:
        """Write what is left and close the file."""
        try:
            self._file.close()
        except OSError as error:
            self.fault = self.fault or str(error)

    def _write(self, line: bytes) -> None:
        try:
            self._file.write(line + b"\n")
        except OSError as error:
            self.fault = str(error)


def heard(path: str | Path) -> Iterator[Broadcast]:
    """The broadcasts of a file; raises ValueError for one that is none, and where it is cut off."""
    path, form = Path(path), Json()
    with path.open("rb") as file:
        if file.readline().rstrip() != FORMAT:
            raise ValueError(f"{path.name} does not begin with {FORMAT.decode()}: it has no broadcasts.")
        for number, row in enumerate(file, 2):
            try:
                (told,) = form.told(row)
            except ValueError as error:
                raise ValueError(f"{path.name}, line {number}: {error}") from error
            if isinstance(told, Broadcast):
                yield told
