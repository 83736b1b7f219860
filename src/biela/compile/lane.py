"""Arrays as native loops over blocks of lanes see them, and the running of such a loop in threads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biela.compile.argument import Array
from biela.compile.crew import address, aligned, crew
from biela.expr.function import Port

CORES = os.cpu_count() or 1


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
    """Run a native loop over blocks, shared out to threads; each has a workspace of its own."""
    shared(entry, [address(table) for table in tables], extra, blocks, threads, workspace)


def shared(
    entry: Any, pointers: Sequence[int], extra: Sequence[int], blocks: int, threads: int, workspace: int
) -> None:
    """The same for addresses, of tables that live until it is done."""
    if blocks == 0:
        return
    threads = min(threads or CORES, blocks)
    if threads == 1 or not crew(threads).run(entry, pointers, extra, blocks, workspace):
        space = np.empty(workspace + 8)
        entry(*pointers, 0, blocks, *extra, aligned(space))


def table(lanes: Sequence[Lane]) -> NDArray[np.int64]:
    """The fields of several ports, in the order native code expects."""
    return np.array([lane.fields() for lane in lanes], np.int64)
