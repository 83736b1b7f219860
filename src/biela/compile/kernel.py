"""`Kernel`: a Function as native code, for one state, for a batch, and for many steps.

Each of the three is compiled when first used, and comes from the cache on disk after that. The scalar call
copies its inputs into a buffer of its own, so it takes anything NumPy can convert; `batch` and `iterate`
work on the caller's arrays in place and are strict about them. NaN and infinities pass through
as IEEE arithmetic has it.

Batches are structures of arrays: the last axis counts the lanes. All lanes run the same instructions
in the same order as the scalar call, so any number of lanes or threads gives the same numbers to
the last bit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import CFUNCTYPE, PYFUNCTYPE, c_int64, c_void_p
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biela.compile import engine, llvm
from biela.expr.function import Function, Port
from biela.expr.program import Program

Array = NDArray[np.float64]

_SCALAR = PYFUNCTYPE(None, c_void_p)
_BATCH = CFUNCTYPE(None, c_void_p, c_void_p, c_int64, c_int64, c_void_p)
_ITERATE = CFUNCTYPE(None, c_void_p, c_void_p, c_int64, c_int64, c_int64, c_int64, c_int64, c_void_p)

_DOUBLE = np.dtype(np.float64).num
WIDE = 400  # instructions up to which a block is two vectors wide, to hide latencies
MANY_REGISTERS = 32
CHUNK = 2e8  # operations between two looks at the keyboard and the progress


class Kernel:
    """Native code for a Function.

    >>> from biela.expr import Graph
    >>> x = Graph().symbol("x")
    >>> kernel = Kernel(Function("square", [x], {"y": x * x}))
    >>> kernel(3.0)
    9.0
    >>> kernel.batch(np.array([1.0, 2.0, 3.0]))
    array([1., 4., 9.])
    >>> kernel.iterate(2.0, 3)
    array([  2.,   4.,  16., 256.])
    """

    def __init__(self, function: Function, *, cache: bool = True) -> None:
        if not isinstance(function, Function):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"A Kernel is made of a Function; got {type(function).__name__}.")
        self.function = function
        self._cache = cache
        self._buffers: list[_Buffers] = []
        self._libraries: list[engine.Library] = []
        self._iterations: dict[tuple[int, frozenset[int]], tuple[Any, int]] = {}

    def __repr__(self) -> str:
        return f"<Kernel {self.function}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.function, self._cache)

    # one state

    def __call__(self, *values: Any, **named: Any) -> Any:
        """The outputs for one set of inputs: a float or array, or a named tuple of several."""
        ports = self.function.inputs
        if named or len(values) != len(ports):
            values = tuple(self.function.bind(values, named))
        try:
            buffers = self._buffers.pop()
        except IndexError:
            buffers = _Buffers(self.function, *self._scalar)
        for (view, shape, port), value in zip(buffers.inputs, values, strict=True):
            if value.__class__ is not float or shape:
                if value.__class__ is not np.ndarray or value.dtype.num != _DOUBLE:
                    value = _numbers(self._where(port), value)
                if value.shape != shape:
                    self.function.check_shape(port, value.shape)
            view[...] = value
        buffers.entry(buffers.address)
        result = buffers.results()
        self._buffers.append(buffers)
        return result

    @cached_property
    def _scalar(self) -> tuple[Any, int]:
        program = self.function.program
        ir, workspace = llvm.scalar_module(program, engine.processor().fused)
        return self._link(ir, _SCALAR), workspace

    # many states

    def batch(self, *values: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """The outputs for many sets of inputs; the last axis of each array counts them.

        An input of its bare shape is the same for all. ``out`` is an array (or a sequence of them, one per
        output) to write into. ``threads=0`` uses every core. Raises ValueError for a wrong shape, TypeError for
        a wrong type, both naming the input.
        """
        function = self.function
        arrays = [_prepared(self._where(port), v) for port, v in zip(function.inputs, function.bind(values, named), strict=True)]
        size = self._batch_size(arrays)
        results = self._outputs(out, size, arrays)
        entry, workspace, lanes = self._batch
        whole = size // lanes
        inputs = [_Lane.of(port, array, size, lanes) for port, array in zip(function.inputs, arrays, strict=True)]
        outputs = [_Lane.of(port, array, size, lanes) for port, array in zip(function.outputs, results, strict=True)]
        _parallel(entry, (_table(inputs), _table(outputs)), (), whole, threads, workspace * lanes)
        if size % lanes:
            rest = [lane.tail(size, lanes) for lane in inputs]
            ends = [lane.tail(size, lanes) for lane in outputs]
            _parallel(entry, (_table(rest), _table(ends)), (), 1, 1, workspace * lanes)
            for lane, end in zip(outputs, ends, strict=True):
                lane.rows[:, whole * lanes :] = end.rows[:, : size % lanes]
        if out is not None:
            return out
        return results[0] if len(results) == 1 else function.result_type(*results)

    @cached_property
    def _batch(self) -> tuple[Any, int, int]:
        program, cpu = self.function.program, engine.processor()
        lanes = block_lanes(program)
        inputs = [port.size for port in self.function.inputs]
        outputs = [port.size for port in self.function.outputs]
        ir, workspace = llvm.batch_module(program, lanes, inputs, outputs, cpu.fused)
        return self._link(ir, _BATCH), workspace, lanes

    # many steps

    def iterate(
        self,
        x: Any,
        n: int,
        *values: Any,
        every: int = 1,
        series: Sequence[str] = (),
        threads: int = 1,
        progress: Callable[[int, int], None] | None = None,
        **named: Any,
    ) -> Array:
        """Apply the map ``x -> first output`` ``n`` times natively, recording every ``every``-th state.

        The result has one row per record, the start being row 0. ``x`` of the shape of the first input is one
        state; with one axis more it is a batch, and so may the other inputs be. An input named in ``series``
        has a leading axis of length ``n`` and takes one row a step. ``progress(done, n)`` is called now and then.
        """
        function = self.function
        state, target = function.inputs[0], function.outputs[0]
        if target.shape != state.shape:
            raise ValueError(
                f"{function} is no map: its first output '{target.name}' has shape {target.shape}, its first "
                f"input '{state.name}' has shape {state.shape}."
            )
        _check_steps(n, every)
        moving = frozenset(function.inputs.index(function.input(name)) for name in series)
        if 0 in moving:
            raise ValueError(f"{function}: the state '{state.name}' cannot be a series.")
        bound = function.bind((x, *values), named)
        arrays = [_prepared(self._where(port), v) for port, v in zip(function.inputs, bound, strict=True)]
        run = _Run(self, arrays, n, every, moving)
        run.go(threads, progress)
        return run.record

    def iteration(self, lanes: int, moving: frozenset[int]) -> tuple[Any, int]:
        """The native loop over steps for a lane count and a set of series, with its workspace."""
        key = (lanes, moving)
        if key not in self._iterations:
            function = self.function
            sizes = [port.size for port in function.inputs]
            fused = engine.processor().fused
            ir, workspace = llvm.iterate_module(self.map_program, lanes, sizes, moving, fused)
            self._iterations[key] = self._link(ir, _ITERATE), workspace
        return self._iterations[key]

    @cached_property
    def map_program(self) -> Program:
        """The program of the first output alone: what `iterate` repeats."""
        function = self.function
        inputs = [ref for port in function.inputs for ref in port.refs]
        return Program.lower(function.graph, inputs, function.outputs[0].refs)

    # shared

    def _link(self, ir: str, prototype: Any) -> Any:
        library = engine.Library(engine.object_code(ir, use_cache=self._cache), "biela_kernel")
        self._libraries.append(library)  # the code lives as long as the kernel
        return prototype(library.address)

    def _where(self, port: Port) -> str:
        return f"Function '{self.function.name}', input '{port.name}'"

    def _batch_size(self, arrays: Sequence[Array]) -> int:
        sizes: dict[int, str] = {}
        for port, array in zip(self.function.inputs, arrays, strict=True):
            if array.shape == port.shape:
                continue
            if array.shape[:-1] != port.shape or array.ndim == 0:
                raise ValueError(
                    f"{self._where(port)}: expected shape {port.shape} for all, or {_with(port, 'N')} with one "
                    f"column a lane; got {array.shape}."
                )
            sizes.setdefault(array.shape[-1], port.name)
        if len(sizes) > 1:
            told = ", ".join(f"'{name}' has {size}" for size, name in sizes.items())
            raise ValueError(f"{self.function}: the inputs disagree on the number of lanes: {told}.")
        return next(iter(sizes), 1)

    def _outputs(self, out: Any, size: int, inputs: Sequence[Array]) -> list[Array]:
        ports = self.function.outputs
        if out is None:
            return [np.empty((*port.shape, size)) for port in ports]
        given = [out] if isinstance(out, np.ndarray) else list(out)
        if len(given) != len(ports):
            raise ValueError(f"{self.function}: out has {len(given)} arrays for {len(ports)} outputs.")
        for k, (port, array) in enumerate(zip(ports, given, strict=True)):
            where = f"Function '{self.function.name}', output '{port.name}'"
            _check_out(where, array, (*port.shape, size))
            for other in (*inputs, *given[:k]):
                if np.may_share_memory(array, other):
                    raise ValueError(f"{where}: out shares memory with another array of the call; give it its own.")
        return given


def block_lanes(program: Program) -> int:
    """Doubles in a block: one vector register, or two for a short program that would wait for results."""
    cpu = engine.processor()
    short = len(program.instructions) <= WIDE and cpu.registers >= MANY_REGISTERS
    return cpu.lanes * (2 if short else 1)


def _restored(function: Function, cache: bool) -> Kernel:
    return Kernel(function, cache=cache)


class _Buffers:
    """Memory of one scalar call; a kernel keeps a few, so that threads do not meet in one."""

    def __init__(self, function: Function, entry: Any, workspace: int) -> None:
        places = _places(function.inputs)
        split = places[-1][0].stop
        results = _places(function.outputs)
        size = split + results[-1][0].stop
        memory = np.zeros(size + workspace)
        self.inputs = [(memory[place].reshape(port.shape), port.shape, port) for place, port in places]
        self.flat = memory[split:size]
        self.places = [(place, place.start, port.shape) for place, port in results]
        self.single = function.outputs[0].shape if len(function.outputs) == 1 else None
        self.result_type = function.result_type
        self.entry = entry
        self.address = memory.ctypes.data

    def results(self) -> Any:
        if self.single == ():
            return self.flat.item()
        flat = self.flat.copy()
        if self.single is not None:
            return flat if len(self.single) == 1 else flat.reshape(self.single)
        parts = [
            flat[place].reshape(shape) if len(shape) == 2 else flat[place] if shape else flat.item(start)
            for place, start, shape in self.places
        ]
        return tuple.__new__(self.result_type, parts)


def _places(ports: Sequence[Port]) -> list[tuple[slice, Port]]:
    """Where each port lies when all lie one after the other."""
    places: list[tuple[slice, Port]] = []
    start = 0
    for port in ports:
        places.append((slice(start, start + port.size), port))
        start += port.size
    return places


class _Lane:
    """An input or output as native code sees it: rows of lanes, and how to go from block to block."""

    def __init__(self, rows: Array, block: int, step: int = 0) -> None:
        self.rows = rows  # component, lane (the last two axes)
        self.block = block
        self.step = step

    @classmethod
    def of(cls, port: Port, array: Array, size: int, lanes: int, *, steps: int = 0) -> _Lane:
        """``array`` has the port's shape, alone or with a lane axis; before it a step axis if ``steps``."""
        head = (steps,) if steps else ()
        if array.ndim == len(port.shape) + len(head):  # the same for all lanes: one tile for every block
            rows = np.repeat(array.reshape(*head, port.size, 1), lanes, axis=-1)
            return cls(rows, 0, port.size * lanes if steps else 0)
        return cls(array.reshape(*head, port.size, size), lanes, port.size * size if steps else 0)

    def tail(self, size: int, lanes: int) -> _Lane:
        """The last lanes, fewer than a block, as a block of their own."""
        if self.block == 0:
            return self
        rows = self.rows[..., size - size % lanes :]
        padded = np.concatenate([rows, np.repeat(rows[..., :1], lanes - size % lanes, axis=-1)], axis=-1)
        return _Lane(padded, lanes, rows.shape[-2] * lanes if self.step else 0)

    def fields(self) -> tuple[int, int, int, int]:
        """What the native code reads: address, strides of components, blocks and steps."""
        return self.rows.ctypes.data, self.rows.shape[-1], self.block, self.step


class _Run:
    """One call of `Kernel.iterate`: its arrays, and the loop over chunks of steps."""

    def __init__(self, kernel: Kernel, arrays: list[Array], n: int, every: int, moving: frozenset[int]) -> None:
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
            _Lane.of(port, self._batched(port, array, k), self.size, self.lanes, steps=n if k in moving else 0)
            for k, (port, array) in enumerate(zip(function.inputs, arrays, strict=True))
        ]
        rows = self.record.reshape(n // every + 1, state.size, self.size)
        self.output = _Lane(rows, self.lanes, state.size * self.size)

    def go(self, threads: int, progress: Callable[[int, int], None] | None) -> None:
        whole, rest = divmod(self.size, self.lanes)
        if rest:
            inputs = [lane.tail(self.size, self.lanes) for lane in self.inputs]
            rows = np.empty((*self.output.rows.shape[:-1], self.lanes))
            output = _Lane(rows, self.lanes, rows.shape[-2] * self.lanes)
            self._loop(inputs, output, 1, 1, None)
            self.output.rows[1:, :, whole * self.lanes :] = rows[1:, :, :rest]
        self._loop(self.inputs, self.output, whole, threads, progress)
        if progress is not None:
            progress(self.n, self.n)

    def _loop(
        self,
        inputs: Sequence[_Lane],
        output: _Lane,
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
        table = _table(inputs)
        aside = np.empty(output.rows.shape[-2:])
        for done, records, every in _chunks(self.n, self.every, budget):
            whole = (done + records * every) % self.every == 0
            place = address + 8 * step * (done // self.every + 1) if whole else aside.ctypes.data
            into = np.array([place, row, block, step], np.int64)
            _parallel(entry, (table, into), (done, records, every), blocks, threads, workspace * self.lanes)
            if progress is not None:
                progress(done + records * every, self.n)

    def _size(self, arrays: Sequence[Array]) -> int:
        sizes: dict[int, str] = {}
        for k, (port, array) in enumerate(zip(self.kernel.function.inputs, arrays, strict=True)):
            shape = array.shape
            where = f"Function '{self.kernel.function.name}', input '{port.name}'"
            if k in self.moving:
                if shape[:1] != (self.n,):
                    raise ValueError(f"{where}: a series of {self.n} steps needs {self.n} rows; got shape {shape}.")
                shape = shape[1:]
            if shape == port.shape:
                continue
            if shape[:-1] != port.shape or not shape or self.alone:
                lanes = "" if self.alone else f" or {_with(port, 'N')}"
                raise ValueError(f"{where}: expected shape {port.shape}{lanes}; got {shape}.")
            sizes.setdefault(shape[-1], port.name)
        if len(sizes) > 1:
            told = ", ".join(f"'{name}' has {size}" for size, name in sizes.items())
            raise ValueError(f"{self.kernel.function}: the inputs disagree on the number of lanes: {told}.")
        return next(iter(sizes), 1)

    def _batched(self, port: Port, array: Array, k: int) -> Array:
        """A single state is a batch of one lane."""
        return array[..., None] if self.alone and k == 0 else array


def _chunks(n: int, every: int, budget: int) -> list[tuple[int, int, int]]:
    """(steps done before, records, steps a record): whole records, or pieces of one where ``every`` is long."""
    if every <= budget:
        at_once = budget // every * every
        return [(done, min(at_once, n - done) // every, every) for done in range(0, n, at_once)]
    pieces: list[tuple[int, int, int]] = []
    for record in range(0, n, every):
        pieces += [(done, 1, min(budget, record + every - done)) for done in range(record, record + every, budget)]
    return pieces


def _parallel(
    entry: Any, tables: Sequence[Array], extra: Sequence[int], blocks: int, threads: int, workspace: int
) -> None:
    """Run a native loop over blocks, shared out to threads; each thread has a workspace of its own."""
    if blocks == 0:
        return
    pointers = [table.ctypes.data for table in tables]
    if threads <= 0:
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


def _table(lanes: Sequence[_Lane]) -> NDArray[np.int64]:
    return np.array([lane.fields() for lane in lanes], np.int64)


def _prepared(where: str, value: Any) -> Array:
    """An array native code can read where it lies; numbers and lists are converted."""
    if not isinstance(value, np.ndarray):
        return _numbers(where, value)
    if value.dtype != np.float64:
        raise TypeError(f"{where}: expected an array of float64, got {value.dtype}; convert with .astype(float).")
    if not value.flags.c_contiguous:
        raise ValueError(
            f"{where}: the array of shape {value.shape} is not contiguous; pass np.ascontiguousarray(array)."
        )
    return value


def _numbers(where: str, value: Any) -> Array:
    """Anything made of real numbers as an array of float64."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{where}: expected real numbers, got {array.dtype} {value!r}.")
    return array.astype(np.float64, order="C")


def _check_out(where: str, array: Any, shape: tuple[int, ...]) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != np.float64:
        kind = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise TypeError(f"{where}: out must be an array of float64, got {kind}.")
    if array.shape != shape:
        raise ValueError(f"{where}: out must have shape {shape}, got {array.shape}.")
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise ValueError(f"{where}: out must be contiguous and writeable.")


def _check_steps(n: int, every: int) -> None:
    for name, value in (("n", n), ("every", every)):
        if not isinstance(value, (int, np.integer)) or value < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"iterate: {name} must be a whole number of at least 1; got {value!r}.")
    if n % every:
        down = n // every * every
        raise ValueError(
            f"iterate: n={n} is not a multiple of every={every}; use n={down + every}" + (f" or n={down}." if down else ".")
        )


def _with(port: Port, last: str) -> str:
    return "(" + ", ".join([*map(str, port.shape), last]) + ")"
