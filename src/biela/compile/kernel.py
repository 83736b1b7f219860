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

from collections.abc import Callable, Sequence
from ctypes import CFUNCTYPE, PYFUNCTYPE, c_int64, c_void_p
from functools import cached_property
from typing import Any, cast

import numpy as np

from biela.compile import engine, llvm
from biela.compile.argument import Array, check_out, check_steps, check_threads, numbers, prepared, with_lanes
from biela.compile.carry import extract
from biela.compile.fusion import fuse
from biela.compile.iteration import Run
from biela.compile.lane import Lane, parallel, table
from biela.compile.llvm import block_lanes
from biela.expr.function import Function, Port
from biela.expr.program import Program

_SCALAR = PYFUNCTYPE(None, c_void_p)
_BATCH = CFUNCTYPE(None, c_void_p, c_void_p, c_int64, c_int64, c_void_p)
_ITERATE = CFUNCTYPE(None, c_void_p, c_void_p, c_int64, c_int64, c_int64, c_int64, c_int64, c_void_p)

_DOUBLE = np.dtype(np.float64).num


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
                    value = numbers(self._where(port), value)
                if value.shape != shape:
                    self.function.check_shape(port, value.shape)
            view[...] = value
        buffers.entry(buffers.address)
        result = buffers.results()
        self._buffers.append(buffers)
        return result

    @cached_property
    def _scalar(self) -> tuple[Any, int]:
        ir, workspace = llvm.scalar_module(self.program)
        return self._link(ir, _SCALAR), workspace

    # many states

    def batch(self, *values: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """The outputs for many sets of inputs; the last axis of each array counts them.

        An input of its bare shape is the same for all. ``out`` is an array (or a sequence of them, one
        per output) to write into. ``threads=0`` uses every core. Raises ValueError for a wrong shape,
        TypeError for a wrong type, both naming the input.
        """
        function = self.function
        check_threads(threads)
        arrays = [
            prepared(self._where(port), port, v)
            for port, v in zip(function.inputs, function.bind(values, named), strict=True)
        ]
        size = self._batch_size(arrays)
        results = self._outputs(out, size, arrays)
        entry, workspace, lanes = self._batch
        whole = size // lanes
        inputs = [
            Lane.of(port, array, size, lanes) for port, array in zip(function.inputs, arrays, strict=True)
        ]
        outputs = [
            Lane.of(port, array, size, lanes) for port, array in zip(function.outputs, results, strict=True)
        ]
        parallel(entry, (table(inputs), table(outputs)), (), whole, threads, workspace)
        if size % lanes:
            rest = [lane.tail(size, lanes) for lane in inputs]
            ends = [lane.tail(size, lanes) for lane in outputs]
            parallel(entry, (table(rest), table(ends)), (), 1, 1, workspace)
            for lane, end in zip(outputs, ends, strict=True):
                lane.rows[:, whole * lanes :] = end.rows[:, : size % lanes]
        if out is not None:
            return out
        return results[0] if len(results) == 1 else function.result_type(*results)

    @cached_property
    def _batch(self) -> tuple[Any, int, int]:
        lanes = block_lanes(self.program)
        inputs = [port.size for port in self.function.inputs]
        outputs = [port.size for port in self.function.outputs]
        ir, workspace = llvm.batch_module(self.program, lanes, inputs, outputs)
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

        The result has one row per record, the start being row 0. ``x`` of the shape of the first input is
        one state; with one axis more it is a batch, and so may the other inputs be. An input named in
        ``series`` has a leading axis of length ``n`` and takes one row a step. ``progress(done, n)`` is
        called now and then.
        """
        function = self.function
        if not function.inputs:
            raise ValueError(f"{function} is no map: it has no input.")
        state, target = function.inputs[0], function.outputs[0]
        if target.shape != state.shape:
            raise ValueError(
                f"{function} is no map: its first output '{target.name}' has shape {target.shape}, its first "
                f"input '{state.name}' has shape {state.shape}."
            )
        check_steps(n, every)
        check_threads(threads)
        names = [series] if isinstance(series, str) else series
        moving = frozenset(function.inputs.index(function.input(name)) for name in names)
        if 0 in moving:
            raise ValueError(f"{function}: the state '{state.name}' cannot be a series.")
        bound = function.bind((x, *values), named)
        arrays = [
            prepared(self._where(port), port, v) for port, v in zip(function.inputs, bound, strict=True)
        ]
        run = Run(self, arrays, n, every, moving)
        run.go(threads, progress)
        return run.record

    def iteration(self, lanes: int, moving: frozenset[int]) -> tuple[Any, int]:
        """The native loop over steps for a lane count and a set of series, with its workspace."""
        key = (lanes, moving)
        if key not in self._iterations:
            function = self.function
            sizes = [port.size for port in function.inputs]
            ir, workspace = llvm.iterate_module(self.map_program, lanes, sizes, moving)
            self._iterations[key] = self._link(ir, _ITERATE), workspace
        return self._iterations[key]

    # shared

    @cached_property
    def program(self) -> Program:
        """The instructions that run, for all three uses the same ones: that is why their numbers agree."""
        program = self.function.program
        return fuse(program) if engine.processor().fused else program

    @cached_property
    def map_program(self) -> Program:
        """The part that computes the first output alone: what `iterate` repeats."""
        return extract(self.program, self.program.outputs[: self.function.outputs[0].size])

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
                    f"{self._where(port)}: expected shape {port.shape} for all, or {with_lanes(port, 'N')} "
                    f"with one column a lane; got {array.shape}."
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
        if not isinstance(out, (np.ndarray, list, tuple)):
            got = f"{type(out).__name__} {out!r}"
            raise TypeError(f"{self.function}: out must be an array, or a list of one per output; got {got}.")
        given = [cast("Array", out)] if isinstance(out, np.ndarray) else cast("list[Array]", list(out))  # pyright: ignore[reportUnknownArgumentType]
        if len(given) != len(ports):
            raise ValueError(f"{self.function}: out has {len(given)} arrays for {len(ports)} outputs.")
        for k, (port, array) in enumerate(zip(ports, given, strict=True)):
            where = f"Function '{self.function.name}', output '{port.name}'"
            check_out(where, array, (*port.shape, size))
            for other in (*inputs, *given[:k]):
                if np.may_share_memory(array, other):
                    raise ValueError(
                        f"{where}: out shares memory with another array of the call; give it its own."
                    )
        return given


def _restored(function: Function, cache: bool) -> Kernel:
    return Kernel(function, cache=cache)


class _Buffers:
    """Memory of one scalar call; a kernel keeps a few, so that threads do not meet in one."""

    def __init__(self, function: Function, entry: Any, workspace: int) -> None:
        places = _places(function.inputs)
        split = places[-1][0].stop if places else 0
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
        return tuple.__new__(self.result_type, parts)  # pyright: ignore[reportUnknownMemberType]


def _places(ports: Sequence[Port]) -> list[tuple[slice, Port]]:
    """Where each port lies when all lie one after the other."""
    places: list[tuple[slice, Port]] = []
    start = 0
    for port in ports:
        places.append((slice(start, start + port.size), port))
        start += port.size
    return places
