"""`Crew`: threads that share out one native loop, ready within a microsecond of the last one.

A pool of Python wakes a thread in fifty microseconds, in which ten thousand particles move. The helpers here
wait in native code: they look at a board for a while, and only sleep when nothing has come. The one who has a
job writes it on the board, works himself, and waits for those who joined, not for those who overslept. Parts
are taken one by one, so a core that somebody else uses holds up one part and not a half of the work.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from ctypes import c_void_p, cast
from functools import lru_cache
from threading import Lock, Semaphore, Thread
from time import sleep
from typing import Any

import numpy as np

from biela.compile.argument import Array
from biela.compile.board import HELPERS, JOB, LINE, native

PARTS = 8  # of a job for each thread
PATIENCE = 4000  # looks at the board before a helper goes to sleep, or the one with the job lets others run


class Crew:
    """So many threads for one job at a time, the caller's own among them."""

    def __init__(self, threads: int) -> None:
        self.helpers = threads - 1
        self._native = native()
        memory = np.zeros(HELPERS + LINE * (threads + 1), np.int64)
        self._board = memory[(aligned(memory) - address(memory)) // 8 :]
        self._address = address(self._board)
        self._spaces: list[Array] = [np.empty(0)] * threads
        self._bells = [Semaphore(0) for _ in range(threads)]
        self._busy = Lock()
        for k in range(1, threads):
            Thread(target=self._help, args=(k,), name=f"biela-{k}", daemon=True).start()

    def run(
        self, entry: Any, pointers: Sequence[int], extra: Sequence[int], blocks: int, workspace: int
    ) -> bool:
        """Run a loop over blocks; says no, and does nothing, while it has another job."""
        if not self._busy.acquire(blocking=False):
            return False
        try:
            self._write(entry, pointers, extra, blocks, workspace)
            self._share()
        finally:
            self._busy.release()
        return True

    def _write(
        self, entry: Any, pointers: Sequence[int], extra: Sequence[int], blocks: int, workspace: int
    ) -> None:
        board, first = self._board, len(pointers)
        if len(self._spaces[0]) < workspace + 8:
            self._spaces = [np.empty(workspace + 8) for _ in self._spaces]
            places = [aligned(space) for space in self._spaces]
            board[HELPERS + 1 : HELPERS + 1 + LINE * len(places) : LINE] = places
        parts = min(blocks, PARTS * (self.helpers + 1))
        job = [parts, blocks, first, first + 2 + len(extra), location(entry), *pointers, 0, 0, *extra]
        board[JOB : JOB + len(job)] = job

    def _share(self) -> None:
        publish, lead, wait, _ = self._native
        wake = publish(self._address, self.helpers)
        try:
            for k in range(1, self.helpers + 1) if wake else ():
                if wake >> k & 1:
                    self._bells[k].release()
        finally:
            lead(self._address)
            while wait(self._address, PATIENCE):
                sleep(0)

    def _help(self, k: int) -> None:
        """What a helper does all its life."""
        seen = 0
        while True:
            seen = self._native[3](self._address, k, seen, PATIENCE)
            self._bells[k].acquire()


@lru_cache(maxsize=8)
def crew(threads: int) -> Crew:
    """The crew of so many."""
    return Crew(threads)


if hasattr(os, "register_at_fork"):  # a child has the crews of its parent without their threads
    os.register_at_fork(after_in_child=crew.cache_clear)


def address(array: Any) -> int:
    """Where the numbers of an array are."""
    return array.__array_interface__["data"][0]


def aligned(space: Any) -> int:
    """The first place in an array where a line of the cache begins."""
    return -(-address(space) // 64) * 64


def location(entry: Any) -> int:
    """Where a native function is."""
    known: int | None = getattr(entry, "location", None)
    if known is None:
        known = entry.location = int(cast(entry, c_void_p).value or 0)
    return known
