"""Arrays as native loops over blocks of lanes see them, and the running of such a loop in threads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biela.compile.argument import Array
from biela.expr.function import Port


class Lane:
    """An input or output as native code sees it: rows of lanes, and how to go from block to block."""

    def __init__(self, rows: Array, block: int, step: int = 0) -> None:
        self.rows = rows  # component, lane (the last two axes)
        self.block = block
        self.step = step

    @classmethod
    def of(cls, port: Port, array: Array, size: int, lanes: int, *, steps: int = 0) -> Lane:
        """``array`` has the port's shape, alone or with a lane axis; before it a step axis if ``steps``."""
        head = (steps,) if steps else ()
        if array.ndim == len(port.shape) + len(head):  # the same for all lanes: one tile for every block
            rows = np.repeat(array.reshape(*head, port.size, 1), lanes, axis=-1)
            return cls(rows, 0, port.size * lanes if steps else 0)
        return cls(array.reshape(*head, port.size, size), lanes, port.size * size if steps else 0)

    def tail(self, size: int, lanes: int) -> Lane:
        """The last lanes, fewer than a block, as a block of their own."""
        if self.block == 0:
            return self
        rows = self.rows[..., size - size % lanes :]
        padded = np.concatenate([rows, np.repeat(rows[..., :1], lanes - size % lanes, axis=-1)], axis=-1)
        return Lane(padded, lanes, self.rows.shape[-2] * lanes if self.step else 0)

    def fields(self) -> tuple[int, int, int, int]:
        """What the native code reads: address, strides of components, blocks and steps."""
        return self.rows.ctypes.data, self.rows.shape[-1], self.block, self.step


def parallel(
    entry: Any,
    tables: Sequence[NDArray[Any]],
    extra: Sequence[int],
    blocks: int,
    threads: int,
    workspace: int,
) -> None:
    """Run a native loop over blocks, shared out to threads; each thread has a workspace of its own."""
    if blocks == 0:
        return
    pointers = [table.ctypes.data for table in tables]
    if threads == 0:
        threads = os.cpu_count() or 1
    threads = min(threads, blocks)
    edges = [blocks * k // threads for k in range(threads + 1)]

    def part(k: int) -> None:
        space = np.empty(workspace + 8)
        address = -(-space.ctypes.data // 64) * 64
        entry(*pointers, edges[k], edges[k + 1], *extra, address)

    if threads == 1:
        part(0)
    else:
        list(_pool(threads).map(part, range(threads)))


@lru_cache(maxsize=4)
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="biela")


if hasattr(os, "register_at_fork"):  # a child has the pools of its parent without their threads
    os.register_at_fork(after_in_child=_pool.cache_clear)


def table(lanes: Sequence[Lane]) -> NDArray[np.int64]:
    """The fields of several ports, in the order native code expects."""
    return np.array([lane.fields() for lane in lanes], np.int64)
