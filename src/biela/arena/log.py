"""`Log`: what was asked of a kernel, in its order; with the scene and the seed it is the whole run.

Motor commands are kept in their short form and read as requests by whoever looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final, overload

from biela.arena.message import Drive, Request

Logged = tuple[int, str, Request]


@final
class Log(Sequence[Logged]):
    """(iteration, agent, request) one after the other.

    A server that runs for days and is not recorded sets ``keeping`` to False.
    """

    def __init__(self) -> None:
        self.keeping = True
        self._rows: list[tuple[int, str, Request | Drive, tuple[str, ...]]] = []

    def add(self, iteration: int, agent: str, asked: Request | Drive, motors: tuple[str, ...] = ()) -> None:
        """One more; a `Drive` comes with the names of the motors."""
        if self.keeping:
            self._rows.append((iteration, agent, asked, motors))

    @overload
    def __getitem__(self, index: int) -> Logged: ...
    @overload
    def __getitem__(self, index: slice) -> list[Logged]: ...
    def __getitem__(self, index: int | slice) -> Logged | list[Logged]:
        if isinstance(index, slice):
            return [_read(row) for row in self._rows[index]]
        return _read(self._rows[index])

    def __len__(self) -> int:
        return len(self._rows)


def _read(row: tuple[int, str, Request | Drive, tuple[str, ...]]) -> Logged:
    iteration, agent, asked, motors = row
    if isinstance(asked, Drive):
        speeds = dict(zip(motors, asked.speeds, strict=True))
        return iteration, agent, Request("control_entity_motors", {"speeds": speeds}, asked.entity)
    return iteration, agent, asked
