"""The native loop of a `Sweep`: IR that takes blocks of lanes through a body and gathers sums on the way.

A block that is not full is the last: its lanes are copied to a tile of their own, filled up with copies of
the last one, and only those that exist are copied back and summed. Ports that are the same for all lanes are
spread over vectors once, before the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from biela.compile.ir import Block
from biela.compile.llvm import Module, register_lanes
from biela.compile.loop import Loop
from biela.expr.program import Program

ARGUMENTS = (
    "ptr noalias %ports, ptr noalias %numbers, ptr noalias %found, i64 %first, i64 %last, i64 %size, "
    "ptr noalias %w"
)
LARGEST, SUM = "largest", "sum"


class Part(NamedTuple):
    """Components of a port: where they begin among the registers of a body, how many, and what they are for.

    ``row`` is that of the table of ports, or that of what is found.
    """

    start: int
    size: int
    row: int
    kind: str = ""


class SweepLoop:
    """``biela_kernel(ports, numbers, found, first, last, size, w)`` over chunks of lanes.

    ``moving``, ``kept`` and ``gathered`` are parts of inputs and outputs; ``lane`` is the input that is the
    lane's number; ``shared`` are the inputs that are the same for all lanes, found in ``numbers``.
    Lanes whose output ``far`` is not zero take their outputs from another program, ``careful``.
    """

    def __init__(
        self, program: Program, lanes: int, chunk: int, shared: Sequence[int],
        moving: Sequence[Part], kept: Sequence[Part], gathered: Sequence[Part], lane: int | None,
        careful: Program | None = None, far: int = 0,
    ) -> None:  # fmt: skip
        self.careful, self.far = careful, far
        self.lanes, self.chunk, self.program, self.shared = lanes, chunk, program, shared
        self.moving, self.kept, self.gathered, self.lane = moving, kept, gathered, lane
        self.loop = Loop(lanes, register_lanes(lanes))
        self.block = Block(self.loop.width)

    def module(self) -> tuple[str, int]:
        """The IR, and the size of the workspace."""
        module, loop = Module(self.lanes), self.loop
        workspace = self._bodies(module)
        loop.tile("x", len(self.program.inputs))
        loop.tile("y", len(self.program.outputs))
        loop.tile("sum", max(1, sum(part.size for part in self.gathered)))
        loop.tile("spare", max(1, sum(part.size for part in (*self.moving, *self.kept))))
        self._spread(workspace - len(self.shared) * loop.width)
        loop.begin("c", "%first", "%last")
        for part, _, target in self._sums():
            self._write("sum", target, self.block.number(_neutral(part)))
        blocks = -(-self.chunk // self.lanes)
        start = loop.emit(f"mul i64 %c, {blocks}")
        end, all_ = loop.emit(f"add i64 {start}, {blocks}"), loop.emit(f"add i64 %size, {self.lanes - 1}")
        all_ = loop.emit(f"udiv i64 {all_}, {self.lanes}")
        less = loop.emit(f"icmp slt i64 {end}, {all_}")
        loop.begin("b", start, loop.emit(f"select i1 {less}, i64 {end}, i64 {all_}"))
        self._one_block()
        loop.end()
        self._totals()
        loop.end()
        return module.text(loop.function(f"define void @biela_kernel({ARGUMENTS})")), workspace

    def _spread(self, start: int) -> None:
        """What is the same for all lanes, a vector each, to where the body looks for it."""
        loop = self.loop
        for k, register in enumerate(self.shared):
            place = loop.emit(f"getelementptr double, ptr %numbers, i64 {register}")
            value = self._everywhere(loop.emit(f"load double, ptr {place}, align 8"))
            place = loop.emit(f"getelementptr double, ptr %w, i64 {start + k * loop.width}")
            loop.line(f"store {loop.type} {value}, ptr {place}, align 8")

    def _one_block(self) -> None:
        """Load, compute, store and sum the lanes of block %b."""
        loop = self.loop
        begin = loop.emit(f"mul i64 %b, {self.lanes}")
        left = loop.emit(f"sub i64 %size, {begin}")
        partial = loop.emit(f"icmp slt i64 {left}, {self.lanes}")
        numbers = self._numbers(begin)
        spare = 0
        for part in self.moving:
            base, row = self._port(part, begin)
            last = loop.emit(f"sub i64 {left}, 1")
            self._copied(part, base, row, spare, partial, (str(self.lanes), last), into=True)
            self._moved(part, "x", *self._chosen(base, row, spare, partial), load=True)
            spare += part.size
        loop.line("call void @body(ptr %x, ptr %y, ptr %w)")
        if self.careful is not None:
            self._again(self.careful)
        for part in self.kept:
            base, row = self._port(part, begin)
            self._moved(part, "y", *self._chosen(base, row, spare, partial), load=False)
            self._copied(part, base, row, spare, partial, (left, ""), into=False)
            spare += part.size
        for part, source, target in self._sums():
            self._add(numbers[target % loop.streams], part, source, target)

    # lanes that are far

    def _bodies(self, module: Module) -> int:
        """The body, and the careful one in the same workspace; returns the size of that."""
        if self.careful is None:
            return module.body("body", self.program, self.shared)
        self.loop.tile("careful_x", len(self.careful.inputs))
        self.loop.tile("careful_y", len(self.careful.outputs))
        least = max(module.room(program) for program in (self.program, self.careful))
        module.body("careful", self.careful, self.shared, least=least, seldom=True)
        return module.body("body", self.program, self.shared, least=least)

    def _again(self, careful: Program) -> None:
        """The careful program for a block with any lane that is far; those that are take its outputs."""
        loop, truth = self.loop, self.block.vector("i1")
        far = [
            loop.emit(f"fcmp one {loop.type} {self._read('y', self.far * loop.streams + k)}, zeroinitializer")
            for k in range(loop.streams)
        ]
        any_ = far[0]
        for one in far[1:]:
            any_ = loop.emit(f"or {truth} {any_}, {one}")
        whole = f"i{loop.width}"
        bits = loop.emit(f"bitcast {truth} {any_} to {whole}") if loop.width > 1 else any_
        turns = loop.emit(f"zext i1 {loop.emit(f'icmp ne {whole} {bits}, 0')} to i64")
        loop.begin("again", "0", turns)
        loop.copy("x", 0, "careful_x", 0, len(careful.inputs))  # so that ``x`` itself stays in registers
        loop.line("call void @careful(ptr %careful_x, ptr %careful_y, ptr %w)")
        for k in range(len(careful.outputs)):
            for stream, mask in enumerate(far):
                place = k * loop.streams + stream
                new, old = (f"{loop.type} {self._read(tile, place)}" for tile in ("careful_y", "y"))
                self._write("y", place, loop.emit(f"select {truth} {mask}, {new}, {old}"))
        loop.end()

    # ports

    def _port(self, part: Part, begin: str) -> tuple[str, str]:
        """The address of a port at a lane, and the stride of its components."""
        loop = self.loop
        place = loop.emit(f"getelementptr {{ ptr, i64 }}, ptr %ports, i64 {part.row}")
        address = loop.emit(f"load ptr, ptr {place}, align 8")
        place = loop.emit(f"getelementptr {{ ptr, i64 }}, ptr %ports, i64 {part.row}, i32 1")
        row = loop.emit(f"load i64, ptr {place}, align 8")
        return loop.emit(f"getelementptr double, ptr {address}, i64 {begin}"), row

    def _chosen(self, base: str, row: str, spare: int, partial: str) -> tuple[str, str]:
        """The port itself, or where the lanes of a block that is not full have been copied to."""
        loop = self.loop
        aside = loop.emit(f"getelementptr double, ptr %spare, i64 {spare * self.lanes}")
        return (
            loop.emit(f"select i1 {partial}, ptr {aside}, ptr {base}"),
            loop.emit(f"select i1 {partial}, i64 {self.lanes}, i64 {row}"),
        )

    def _copied(
        self, part: Part, base: str, row: str, spare: int, partial: str, ends: tuple[str, str], *, into: bool
    ) -> None:
        """Copy the lanes of a block that is not full: no turn of this loop where it is."""
        loop, (count, last) = self.loop, ends
        loop.serial += 1
        component, lane = f"k{loop.serial}", f"l{loop.serial}"
        loop.begin(component, "0", loop.emit(f"select i1 {partial}, i64 {part.size}, i64 0"))
        loop.begin(lane, "0", count)
        which = f"%{lane}"
        if last:
            less = loop.emit(f"icmp slt i64 {which}, {last}")
            which = loop.emit(f"select i1 {less}, i64 {which}, i64 {last}")
        outside = loop.emit(f"add i64 {loop.emit(f'mul i64 %{component}, {row}')}, {which}")
        outside = loop.emit(f"getelementptr double, ptr {base}, i64 {outside}")
        inside = loop.emit(f"add i64 %{component}, {spare}")
        inside = loop.emit(f"add i64 {loop.emit(f'mul i64 {inside}, {self.lanes}')}, %{lane}")
        inside = loop.emit(f"getelementptr double, ptr %spare, i64 {inside}")
        source, target = (outside, inside) if into else (inside, outside)
        value = loop.emit(f"load double, ptr {source}, align 8")
        loop.line(f"store double {value}, ptr {target}, align 8")
        loop.end()
        loop.end()

    def _moved(self, part: Part, tile: str, base: str, row: str, *, load: bool) -> None:
        """Move the components of a port into a tile of the body, or out of it."""
        loop = self.loop
        for k in range(part.size):
            component = loop.emit(f"getelementptr double, ptr {base}, i64 {loop.emit(f'mul i64 {row}, {k}')}")
            for stream in range(loop.streams):
                outside = loop.emit(f"getelementptr {loop.type}, ptr {component}, i64 {stream}")
                place = (part.start + k) * loop.streams + stream
                if load:
                    value = loop.emit(f"load {loop.type}, ptr {outside}, align 8")
                    self._write(tile, place, value)
                else:
                    loop.line(f"store {loop.type} {self._read(tile, place)}, ptr {outside}, align 8")

    def _numbers(self, begin: str) -> list[str]:
        """The numbers of the lanes of a block, one a stream; for the body too if an input wants them."""
        loop, names = self.loop, list[str]()
        steps = ", ".join(f"double {float(k)}" for k in range(loop.width))
        for stream in range(loop.streams):
            first = loop.emit(f"add i64 {begin}, {stream * loop.width}")
            value = self._everywhere(loop.emit(f"sitofp i64 {first} to double"))
            if loop.width > 1:
                value = loop.emit(f"fadd {loop.type} {value}, <{steps}>")
            names.append(value)
            if self.lane is not None:
                self._write("x", self.lane * loop.streams + stream, value)
        return names

    # sums

    def _sums(self) -> Iterator[tuple[Part, int, int]]:
        """Every gathered vector: its part, its place in the body's outputs, its place among the sums."""
        for part in self.gathered:
            for k in range(part.size):
                for stream in range(self.loop.streams):
                    yield (
                        part,
                        (part.start + k) * self.loop.streams + stream,
                        (part.row + k) * self.loop.streams + stream,
                    )

    def _add(self, number: str, part: Part, source: int, target: int) -> None:
        """One vector to its sum, without the lanes that fill up the last block."""
        loop, kind, truth = self.loop, self.loop.type, self.block.vector("i1")
        size = self._everywhere(loop.emit("sitofp i64 %size to double"))
        inside = loop.emit(f"fcmp olt {kind} {number}, {size}")
        neutral = self.block.number(_neutral(part))
        value = loop.emit(f"select {truth} {inside}, {kind} {self._read('y', source)}, {kind} {neutral}")
        total = self._combined(part, kind, truth, self._read("sum", target), value)
        self._write("sum", target, total)

    def _combined(self, part: Part, kind: str, truth: str, total: str, value: str) -> str:
        if part.kind == SUM:
            return self.loop.emit(f"fadd {kind} {total}, {value}")
        more = self.loop.emit(f"fcmp ogt {kind} {value}, {total}")
        return self.loop.emit(f"select {truth} {more}, {kind} {value}, {kind} {total}")

    def _totals(self) -> None:
        """The sums of a chunk to what is found: streams first, then the lanes of a vector, in their order."""
        loop, width = self.loop, sum(part.size for part in self.gathered)
        out = loop.emit(f"getelementptr double, ptr %found, i64 {loop.emit(f'mul i64 %c, {width}')}")
        for part in self.gathered:
            for k in range(part.row, part.row + part.size):
                total = self._read("sum", k * loop.streams)
                for stream in range(1, loop.streams):
                    value = self._read("sum", k * loop.streams + stream)
                    total = self._combined(part, loop.type, self.block.vector("i1"), total, value)
                place = loop.emit(f"getelementptr double, ptr {out}, i64 {k}")
                loop.line(f"store double {self._across(part, total)}, ptr {place}, align 8")

    def _across(self, part: Part, vector: str) -> str:
        loop = self.loop
        if loop.width == 1:
            return vector
        lanes = [loop.emit(f"extractelement {loop.type} {vector}, i64 {k}") for k in range(loop.width)]
        total = lanes[0]
        for value in lanes[1:]:
            total = self._combined(part, "double", "i1", total, value)
        return total

    # vectors

    def _everywhere(self, value: str) -> str:
        loop = self.loop
        if loop.width == 1:
            return value
        one = loop.emit(f"insertelement {loop.type} poison, double {value}, i64 0")
        zeros = f"<{loop.width} x i32> zeroinitializer"
        return loop.emit(f"shufflevector {loop.type} {one}, {loop.type} poison, {zeros}")

    def _read(self, tile: str, place: int) -> str:
        address = self.loop.emit(f"getelementptr {self.loop.type}, ptr %{tile}, i64 {place}")
        return self.loop.emit(f"load {self.loop.type}, ptr {address}, align 8")

    def _write(self, tile: str, place: int, value: str) -> None:
        address = self.loop.emit(f"getelementptr {self.loop.type}, ptr %{tile}, i64 {place}")
        self.loop.line(f"store {self.loop.type} {value}, ptr {address}, align 8")


def _neutral(part: Part) -> float:
    return 0.0 if part.kind == SUM else -np.inf
