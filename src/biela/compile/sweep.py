"""`Sweep`: a Function over many lanes of which some outputs are kept and others gathered up over all lanes.

A filter with a million particles spends its time in memory unless what it wants to know of all of them (a
sum of weights, a largest one, a mean) is found in the pass that makes them. Lanes are summed in chunks of a
fixed size, and the chunks in their order, so any number of threads gives the same numbers to the last bit.

Outputs may be written over the inputs they replace: every block of lanes is read whole before it is
written. One input may be the number of the lane, which then needs no memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from ctypes import CFUNCTYPE, c_int64, c_void_p
from functools import cached_property
from typing import Any

import numpy as np

from biela.compile import engine
from biela.compile.argument import Array, check_out, check_threads, prepared
from biela.compile.fusion import fuse
from biela.compile.ir import Block
from biela.compile.lane import parallel
from biela.compile.llvm import Module, block_lanes, register_lanes
from biela.compile.loop import Loop
from biela.expr.function import Function, Port
from biela.expr.program import Program

CHUNK = 1024  # lanes summed before they are added to the rest
WORTH = 2_000_000  # instructions times lanes below which a second thread costs more than it saves
_DOUBLE = np.dtype(np.float64)
Row = tuple[int, int, int, int]  # what native code reads: address, strides of components, blocks, steps
_ENTRY = CFUNCTYPE(None, *([c_void_p] * 3), *([c_int64] * 5), c_void_p)


class Sweep:
    """Native code for one pass of a Function over lanes.

    ``sums`` and ``tops`` name outputs of which the sum, or the largest value, over all lanes is wanted; NaN
    is passed over by the latter. The other outputs are kept. ``lane`` names an input that is the number of
    the lane.

    >>> from biela.expr import Graph
    >>> x = Graph().symbol("x")
    >>> sweep = Sweep(Function("square", [x], {"y": x * x, "total": x * x, "top": x}), ["total"], ["top"])
    >>> x = np.arange(4.0)
    >>> sweep(4, {"x": x}, {"y": x}), x
    ({'total': 14.0, 'top': 3.0}, array([0., 1., 4., 9.]))
    """

    def __init__(
        self, function: Function, sums: Sequence[str] = (), tops: Sequence[str] = (), lane: str = ""
    ) -> None:
        self.function, self.lane = function, lane
        for name in (*sums, *tops):
            function.output(name)
        ports = function.outputs
        self.kept = [port for port in ports if port.name not in (*sums, *tops)]
        self.gathered = [port for port in ports if port.name in (*sums, *tops)]
        self.tops = frozenset(tops)
        self.moving = [port for port in function.inputs if port.name != lane]
        if lane and function.input(lane).shape:
            raise ValueError(f"{function}: the number of the lane is one number; '{lane}' is an array.")

    def __call__(
        self, size: int, values: Mapping[str, Any], out: Mapping[str, Array] | None = None, threads: int = 0
    ) -> dict[str, Any]:
        """One pass over ``size`` lanes: what is gathered, by name; what is kept goes to ``out``.

        ``values`` has an input a name, with one column a lane or of its bare shape for all. Raises
        ValueError for a wrong shape, TypeError for a wrong type, both naming the array.
        """
        check_threads(threads)
        inputs = [self._input(port, values, size) for port in self.moving]
        outputs = [self._output(port, out or {}, size) for port in self.kept]
        entry, workspace, lanes = self._entry
        whole, rest, stride = size // lanes, size % lanes, max(1, CHUNK // lanes)
        chunks = -(-whole // stride)
        found = np.empty((chunks + 1, sum(port.size for port in self.gathered), lanes))
        if threads == 0 and size * len(self.program.instructions) < WORTH:
            threads = 1
        tiles, rows = self._tiles(inputs, lanes)
        ends = [(_address(array), size, lanes, 0) for array in outputs]
        tables = [np.array(rows, np.int64), np.array(ends, np.int64), found[:chunks]]
        parallel(entry, tables, (whole, 0, size), chunks, threads, workspace)
        if rest:
            padded, rows = self._padded(inputs, rows, rest, lanes)
            after, ends = _buffer([port.size for port in self.kept], lanes)
            tables = [np.array(rows, np.int64), np.array(ends, np.int64), found[chunks:]]
            parallel(entry, tables, (1, whole * lanes, size), 1, 1, workspace)
            start = 0
            for port, array in zip(self.kept, outputs, strict=True):
                part = after[start : start + port.size, :rest].reshape(*port.shape, rest)
                array[..., whole * lanes :] = part
                start += port.size
            del padded
        del tiles  # until here the native code read it
        return self._totals(found if rest else found[:chunks])

    def _tiles(self, inputs: Sequence[Array], lanes: int) -> tuple[Array, list[Row]]:
        """The rows of the table of inputs; what is the same for all lanes comes from one array of tiles."""
        ports = self.moving
        bare = [array.ndim == len(port.shape) for port, array in zip(ports, inputs, strict=True)]
        flat = [array.reshape(-1) for array, same in zip(inputs, bare, strict=True) if same]
        tiles = np.repeat(np.concatenate(flat), lanes) if flat else np.empty(0)
        rows: list[Row] = []
        place = _address(tiles)
        for array, same in zip(inputs, bare, strict=True):
            rows.append((place, lanes, 0, 0) if same else (_address(array), array.shape[-1], lanes, 0))
            place += 8 * lanes * array.size if same else 0
        return tiles, rows

    def _padded(
        self, inputs: Sequence[Array], rows: list[Row], rest: int, lanes: int
    ) -> tuple[Array, list[Row]]:
        """The last lanes, fewer than a block, filled up with copies of the first of them."""
        sizes = [port.size if row[2] else 0 for port, row in zip(self.moving, rows, strict=True)]
        buffer, places = _buffer(sizes, lanes)
        start, padded = 0, list[Row]()
        for array, row, place, size in zip(inputs, rows, places, sizes, strict=True):
            if size:
                last = array[..., array.shape[-1] - rest :].reshape(size, rest)
                buffer[start : start + size, :rest] = last
                buffer[start : start + size, rest:] = last[:, :1]
            start += size
            padded.append(place if size else row)
        return buffer, padded

    def _totals(self, found: Array) -> dict[str, Any]:
        totals: dict[str, Any] = {}
        start = 0
        for port in self.gathered:
            part = found[:, start : start + port.size]
            start += port.size
            value = part.max((0, 2)) if port.name in self.tops else part.sum(2).sum(0)
            totals[port.name] = value.reshape(port.shape) if port.shape else float(value[0])
        return totals

    def _input(self, port: Port, values: Mapping[str, Any], size: int) -> Array:
        where = f"Function '{self.function.name}', input '{port.name}'"
        if port.name not in values:
            raise ValueError(f"{where}: nothing was given.")
        value = values[port.name]
        array = np.array(value) if value.__class__ is float else prepared(where, port, value)
        if array.shape not in (port.shape, (*port.shape, size)):
            raise ValueError(
                f"{where}: expected shape {port.shape} or {(*port.shape, size)}; got {array.shape}."
            )
        return array

    def _output(self, port: Port, out: Mapping[str, Array], size: int) -> Array:
        where = f"Function '{self.function.name}', output '{port.name}'"
        if port.name not in out:
            raise ValueError(f"{where}: there is no array to write it to.")
        array = out[port.name]
        flags = array.flags
        if not (array.dtype == _DOUBLE and array.shape == (*port.shape, size) and flags.carray):
            check_out(where, array, (*port.shape, size))
        return array

    # code

    @cached_property
    def program(self) -> Program:
        """The instructions that run."""
        program = self.function.program
        return fuse(program) if engine.processor().fused else program

    @cached_property
    def _entry(self) -> tuple[Any, int, int]:
        lanes = block_lanes(self.program)
        ir, workspace = self._module(lanes)
        self._library = engine.Library(engine.object_code(ir), "biela_kernel")
        return _ENTRY(self._library.address), workspace, lanes

    def _module(self, lanes: int) -> tuple[str, int]:
        """The IR of ``biela_kernel(inputs, outputs, found, first, last, blocks, base, size, w)``."""
        module = Module(lanes)
        workspace = module.body("body", self.program)
        gathered = sum(port.size for port in self.gathered)
        loop = Loop(lanes, register_lanes(lanes))
        loop.tile("x", len(self.program.inputs))
        loop.tile("y", len(self.program.outputs))
        loop.tile("sum", max(1, gathered))
        loop.begin("c", "%first", "%last")
        for port, _, target, _ in self._components(loop.streams):
            self._write(loop, "sum", target, Block(loop.width).number(self._neutral(port)))
        stride = max(1, CHUNK // lanes)
        start = loop.emit(f"mul i64 %c, {stride}")
        end = loop.emit(f"add i64 {start}, {stride}")
        less = loop.emit(f"icmp slt i64 {end}, %blocks")
        end = loop.emit(f"select i1 {less}, i64 {end}, i64 %blocks")
        loop.begin("b", start, end)
        self._load(loop)
        numbers = self._numbers(loop, lanes)
        loop.line("call void @body(ptr %x, ptr %y, ptr %w)")
        self._store(loop)
        for port, source, target, stream in self._components(loop.streams):
            self._add(loop, numbers[stream], port, source, target)
        loop.end()
        size = gathered * loop.streams
        out = loop.emit(f"getelementptr {loop.type}, ptr %found, i64 {loop.emit(f'mul i64 %c, {size}')}")
        for k in range(size):
            value = self._read(loop, "sum", k)
            place = loop.emit(f"getelementptr {loop.type}, ptr {out}, i64 {k}")
            loop.line(f"store {loop.type} {value}, ptr {place}, align 8")
        loop.end()
        arguments = (
            "ptr noalias %inputs, ptr noalias %outputs, ptr noalias %found, i64 %first, i64 %last, "
            "i64 %blocks, i64 %base, i64 %size, ptr noalias %w"
        )
        return module.text(loop.function(f"define void @biela_kernel({arguments})")), workspace

    def _load(self, loop: Loop) -> None:
        """The inputs into their tile, around the place of the lane's number."""
        _move(loop, "%inputs", self.function.inputs, self.moving, "x", True)

    def _store(self, loop: Loop) -> None:
        _move(loop, "%outputs", self.function.outputs, self.kept, "y", False)

    def _numbers(self, loop: Loop, lanes: int) -> list[str]:
        """The numbers of the lanes of a block, one a stream; in the tile too if an input wants them."""
        width, scalar = loop.width, Block(loop.width)
        begin = loop.emit(f"add i64 {loop.emit(f'mul i64 %b, {lanes}')}, %base")
        names: list[str] = []
        for stream in range(loop.streams):
            first = loop.emit(f"add i64 {begin}, {stream * width}")
            value = loop.emit(f"sitofp i64 {first} to double")
            if width > 1:
                one = loop.emit(f"insertelement {loop.type} poison, double {value}, i64 0")
                zeros = f"<{width} x i32> zeroinitializer"
                spread = loop.emit(f"shufflevector {loop.type} {one}, {loop.type} poison, {zeros}")
                steps = ", ".join(f"double {float(k)}" for k in range(width))
                value = loop.emit(f"fadd {scalar.type} {spread}, <{steps}>")
            names.append(value)
            if self.lane:
                place = self._offset(self.lane) * loop.streams + stream
                self._write(loop, "x", place, value)
        return names

    def _offset(self, name: str) -> int:
        ports = self.function.inputs
        return sum(port.size for port in ports[: ports.index(self.function.input(name))])

    def _components(self, streams: int) -> Iterator[tuple[Port, int, int, int]]:
        """Every gathered register: its port, its place in the outputs, its place in the sums, its stream."""
        target, source = 0, 0
        for port in self.function.outputs:
            for k in range(port.size if port in self.gathered else 0):
                for stream in range(streams):
                    yield port, (source + k) * streams + stream, target, stream
                    target += 1
            source += port.size

    def _neutral(self, port: Port) -> float:
        return -np.inf if port.name in self.tops else 0.0

    def _add(self, loop: Loop, number: str, port: Port, source: int, target: int) -> None:
        """One value to its sum, unless the lane is one of those that fill up the last block."""
        block, kind = Block(loop.width), loop.type
        size = loop.emit("sitofp i64 %size to double")
        if loop.width > 1:
            one = loop.emit(f"insertelement {kind} poison, double {size}, i64 0")
            size = loop.emit(
                f"shufflevector {kind} {one}, {kind} poison, <{loop.width} x i32> zeroinitializer"
            )
        inside = loop.emit(f"fcmp olt {kind} {number}, {size}")
        truth, neutral = block.vector("i1"), block.number(self._neutral(port))
        value = self._read(loop, "y", source)
        value = loop.emit(f"select {truth} {inside}, {kind} {value}, {kind} {neutral}")
        total = self._read(loop, "sum", target)
        if port.name in self.tops:
            more = loop.emit(f"fcmp ogt {kind} {value}, {total}")
            total = loop.emit(f"select {truth} {more}, {kind} {value}, {kind} {total}")
        else:
            total = loop.emit(f"fadd {kind} {total}, {value}")
        self._write(loop, "sum", target, total)

    def _read(self, loop: Loop, tile: str, place: int) -> str:
        address = loop.emit(f"getelementptr {loop.type}, ptr %{tile}, i64 {place}")
        return loop.emit(f"load {loop.type}, ptr {address}, align 8")

    def _write(self, loop: Loop, tile: str, place: int, value: str) -> None:
        address = loop.emit(f"getelementptr {loop.type}, ptr %{tile}, i64 {place}")
        loop.line(f"store {loop.type} {value}, ptr {address}, align 8")


def _move(
    loop: Loop, name: str, ports: Sequence[Port], chosen: Sequence[Port], tile: str, load: bool
) -> None:
    """Move those ports of a tile that have a row in the table; others take their room but no row."""
    offset, row = 0, 0
    for port in ports:
        if port in chosen:
            loop.move_port(name, row, port.size, tile, offset, load=load)
            row += 1
        offset += port.size


def _address(array: Array) -> int:
    return array.__array_interface__["data"][0]


def _buffer(sizes: Sequence[int], lanes: int) -> tuple[Array, list[Row]]:
    """Memory for one block of some ports, and the rows of its table."""
    buffer = np.empty((sum(sizes), lanes))
    begin, rows = _address(buffer), list[Row]()
    for size in sizes:
        rows.append((begin, lanes, lanes, 0))
        begin += 8 * lanes * size
    return buffer, rows
