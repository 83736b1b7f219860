"""One call of `Kernel.iterate`: its arrays, and the loop over chunks of steps.

Chunks keep the keyboard alive and the progress moving: between two of them Python looks up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from biela.compile.argument import Array, with_lanes
from biela.compile.lane import Lane, parallel, table
from biela.compile.llvm import block_lanes
from biela.expr.function import Port

if TYPE_CHECKING:
    from biela.compile.kernel import Kernel

CHUNK = 2e8  # operations between two looks at the keyboard and the progress


class Run:
    """One call of `Kernel.iterate`: its arrays, and the loop over chunks of steps."""

    def __init__(
        self, kernel: Kernel, arrays: list[Array], n: int, every: int, moving: frozenset[int]
    ) -> None:
        function = kernel.function
        self.kernel, self.n, self.every, self.moving = kernel, n, every, moving
        state = function.inputs[0]
        self.alone = arrays[0].shape == state.shape
        self.size = self._size(arrays)
        self.lanes = 1 if self.alone else block_lanes(kernel.map_program)
        start = np.array(arrays[0], order="C")  # a copy: the native code steps it in place
        self.record = np.empty((n // every + 1, *start.shape))
        self.record[0] = start
        arrays = [start, *arrays[1:]]
        self.inputs = [
            Lane.of(port, self._batched(port, array, k), self.size, self.lanes, steps=n if k in moving else 0)
            for k, (port, array) in enumerate(zip(function.inputs, arrays, strict=True))
        ]
        rows = self.record.reshape(n // every + 1, state.size, self.size)
        self.output = Lane(rows, self.lanes, state.size * self.size)

    def go(self, threads: int, progress: Callable[[int, int], None] | None) -> None:
        """Run all the steps; the lanes that fill no block go first, in a block of their own."""
        whole, rest = divmod(self.size, self.lanes)
        if rest:
            inputs = [lane.tail(self.size, self.lanes) for lane in self.inputs]
            rows = np.empty((*self.output.rows.shape[:-1], self.lanes))
            output = Lane(rows, self.lanes, rows[0].size)
            self._loop(inputs, output, 1, 1, None)
            self.output.rows[1:, :, whole * self.lanes :] = rows[1:, :, :rest]
        self._loop(self.inputs, self.output, whole, threads, progress)
        if progress is not None:
            progress(self.n, self.n)

    def _loop(
        self,
        inputs: Sequence[Lane],
        output: Lane,
        blocks: int,
        threads: int,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        if blocks == 0:
            return
        entry, workspace = self.kernel.iteration(self.lanes, self.moving)
        cost = (len(self.kernel.map_program.instructions) + 10) * blocks * self.lanes / 4
        budget = max(1, int(CHUNK / cost))
        address, row, block, step = output.fields()
        ports = table(inputs)
        aside = np.empty((self.output.rows.shape[1], output.rows.shape[2]))
        for done, records, every in chunks(self.n, self.every, budget):
            whole = (done + records * every) % self.every == 0
            place = address + 8 * step * (done // self.every + 1) if whole else aside.ctypes.data
            into = np.array([place, row, block, step], np.int64)
            parallel(entry, (ports, into), (done, records, every), blocks, threads, workspace)
            if progress is not None:
                progress(done + records * every, self.n)

    def _size(self, arrays: Sequence[Array]) -> int:
        sizes: dict[int, str] = {}
        for k, (port, array) in enumerate(zip(self.kernel.function.inputs, arrays, strict=True)):
            shape = array.shape
            where = f"Function '{self.kernel.function.name}', input '{port.name}'"
            if k in self.moving:
                if shape[:1] != (self.n,):
                    raise ValueError(
                        f"{where}: a series of {self.n} steps needs {self.n} rows; got shape {shape}."
                    )
                shape = shape[1:]
            if shape == port.shape:
                continue
            if shape[:-1] != port.shape or not shape or self.alone:
                lanes = "" if self.alone else f" or {with_lanes(port, 'N')}"
                raise ValueError(f"{where}: expected shape {port.shape}{lanes}; got {shape}.")
            sizes.setdefault(shape[-1], port.name)
        if len(sizes) > 1:
            told = ", ".join(f"'{name}' has {size}" for size, name in sizes.items())
            raise ValueError(f"{self.kernel.function}: the inputs disagree on the number of lanes: {told}.")
        return next(iter(sizes), 1)

    def _batched(self, port: Port, array: Array, k: int) -> Array:
        """A single state is a batch of one lane."""
        return array[..., None] if self.alone and k == 0 else array


def chunks(n: int, every: int, budget: int) -> list[tuple[int, int, int]]:
    """(steps done before, records, steps a record): whole records, or pieces of a long one."""
    if every <= budget:
        at_once = budget // every * every
        return [(done, min(at_once, n - done) // every, every) for done in range(0, n, at_once)]
    pieces: list[tuple[int, int, int]] = []
    for record in range(0, n, every):
        pieces += [
            (done, 1, min(budget, record + every - done)) for done in range(record, record + every, budget)
        ]
    return pieces
